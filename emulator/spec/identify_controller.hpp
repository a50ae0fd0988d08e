// SPDX-License-Identifier: GPL-2.0-only
// Identify Controller, CNS 01h (NVMe Base 2.1 sec. 5.1.13.2.1), and its NVM command set part, CNS 06h CSI 00h
// (NVM CS 1.1 sec. 4.1.5). A section beside a field is that of what the field is about.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "emulator/spec/bits.hpp"
#include "emulator/spec/endian.hpp"

namespace flushlab::spec {

// Power State Descriptor.
struct PowerStateDescriptor {
  Le16 mp;  // Maximum Power, 0.01 W (0.0001 W if MXPS)
  Reserved<1> rsvd2{};
  std::uint8_t flags = 0;  // psd::kMXPS, kNOPS
  Le32 enlat;              // Entry Latency, us
  Le32 exlat;              // Exit Latency, us
  std::uint8_t rrt = 0;    // Relative Read Throughput 4:0, 0 best
  std::uint8_t rrl = 0;    // Relative Read Latency 4:0
  std::uint8_t rwt = 0;    // Relative Write Throughput 4:0
  std::uint8_t rwl = 0;    // Relative Write Latency 4:0
  Le16 idlp;               // Idle Power, in units of IPS
  std::uint8_t ips = 0;    // Idle Power Scale 7:6: 1 = 0.0001 W, 2 = 0.01 W
  Reserved<1> rsvd19{};
  Le16 actp;              // Active Power, in units of APS
  std::uint8_t apws = 0;  // Active Power Workload 2:0, Active Power Scale 7:6
  Reserved<9> rsvd23{};
};
static_assert(sizeof(PowerStateDescriptor) == 32 && std::is_trivially_copyable_v<PowerStateDescriptor>);
static_assert(offsetof(PowerStateDescriptor, mp) == 0);
static_assert(offsetof(PowerStateDescriptor, flags) == 3);
static_assert(offsetof(PowerStateDescriptor, enlat) == 4);
static_assert(offsetof(PowerStateDescriptor, exlat) == 8);
static_assert(offsetof(PowerStateDescriptor, rrt) == 12);
static_assert(offsetof(PowerStateDescriptor, rrl) == 13);
static_assert(offsetof(PowerStateDescriptor, rwt) == 14);
static_assert(offsetof(PowerStateDescriptor, rwl) == 15);
static_assert(offsetof(PowerStateDescriptor, idlp) == 16);
static_assert(offsetof(PowerStateDescriptor, ips) == 18);
static_assert(offsetof(PowerStateDescriptor, actp) == 20);
static_assert(offsetof(PowerStateDescriptor, apws) == 22);

namespace psd {
inline constexpr Bits8 kMXPS{0};    // flags: Max Power Scale, 1 = 0.0001 W
inline constexpr Bits8 kNOPS{1};    // flags: Non-Operational State
inline constexpr Bits8 kIPS{7, 6};  // ips
inline constexpr Bits8 kAPW{2, 0};  // apws
inline constexpr Bits8 kAPS{7, 6};  // apws
}  // namespace psd

// CNTRLTYPE.
enum class ControllerType : std::uint8_t { kNotReported = 0, kIo = 1, kDiscovery = 2, kAdministrative = 3 };

struct IdentifyController {
  Le16 vid;                            // PCI Vendor ID
  Le16 ssvid;                          // PCI Subsystem Vendor ID
  std::array<char, 20> sn{};           // Serial Number, ASCII, space padded
  std::array<char, 40> mn{};           // Model Number, ASCII, space padded
  std::array<char, 8> fr{};            // Firmware Revision, ASCII, space padded
  std::uint8_t rab = 0;                // Recommended Arbitration Burst, 2^n commands
  std::array<std::uint8_t, 3> ieee{};  // IEEE OUI, least significant byte first
  std::uint8_t cmic = 0;               // Controller Multi-path I/O and Namespace Sharing, cmic::
  std::uint8_t mdts = 0;               // Maximum Data Transfer Size, 2^(n + 12 + CAP.MPSMIN) bytes; 0 = no limit
  Le16 cntlid;                         // Controller ID
  Le32 ver;                            // Version, as VS (sec. 3.1.4.2)
  Le32 rtd3r;                          // RTD3 Resume Latency, us
  Le32 rtd3e;                          // RTD3 Entry Latency, us: the typical time of a normal shutdown
  Le32 oaes;                           // Optional Asynchronous Events Supported, oaes:: (sec. 5.1.25.1.5)
  Le32 ctratt;                         // Controller Attributes, ctratt::
  Le16 rrls;                           // Read Recovery Levels Supported
  std::uint8_t bpcap = 0;              // Boot Partition Capabilities
  Reserved<1> rsvd103{};
  Le32 nssl;  // NVM Subsystem Shutdown Latency, us
  Reserved<2> rsvd108{};
  std::uint8_t plsi = 0;                 // Power Loss Signaling Information, plsi::
  std::uint8_t cntrltype = 0;            // Controller Type, ControllerType
  std::array<std::uint8_t, 16> fguid{};  // FRU Globally Unique Identifier, big-endian
  Le16 crdt1;                            // Command Retry Delay Time 1, 100 ms (sec. 4.2.3, CRD)
  Le16 crdt2;                            // Command Retry Delay Time 2, 100 ms
  Le16 crdt3;                            // Command Retry Delay Time 3, 100 ms
  std::uint8_t crcap = 0;                // Controller Reachability Capabilities
  Reserved<118> rsvd135{};
  std::uint8_t nvmsr = 0;   // NVM Subsystem Report
  std::uint8_t vwci = 0;    // VPD Write Cycle Information; not about the write cache
  std::uint8_t mec = 0;     // Management Endpoint Capabilities
  Le16 oacs;                // Optional Admin Command Support, oacs::
  std::uint8_t acl = 0;     // Abort Command Limit, 0's based
  std::uint8_t aerl = 0;    // Asynchronous Event Request Limit, 0's based (sec. 5.1.2)
  std::uint8_t frmw = 0;    // Firmware Updates, frmw::
  std::uint8_t lpa = 0;     // Log Page Attributes, lpa:: (sec. 5.1.12)
  std::uint8_t elpe = 0;    // Error Log Page Entries, 0's based
  std::uint8_t npss = 0;    // Number of Power States Support, 0's based
  std::uint8_t avscc = 0;   // Admin Vendor Specific Command Configuration
  std::uint8_t apsta = 0;   // Autonomous Power State Transition Attributes: bit 0 supported
  Le16 wctemp;              // Warning Composite Temperature Threshold, K
  Le16 cctemp;              // Critical Composite Temperature Threshold, K
  Le16 mtfa;                // Maximum Time for Firmware Activation, 100 ms
  Le32 hmpre;               // Host Memory Buffer Preferred Size, 4 KiB; 0 = none wanted
  Le32 hmmin;               // Host Memory Buffer Minimum Size, 4 KiB
  Le128 tnvmcap;            // Total NVM Capacity, bytes
  Le128 unvmcap;            // Unallocated NVM Capacity, bytes
  Le32 rpmbs;               // Replay Protected Memory Block Support
  Le16 edstt;               // Extended Device Self-test Time, minutes
  std::uint8_t dsto = 0;    // Device Self-test Options
  std::uint8_t fwug = 0;    // Firmware Update Granularity, 4 KiB; FFh = no restriction
  Le16 kas;                 // Keep Alive Support, 100 ms granularity; 0 = none (sec. 5.1.14)
  Le16 hctma;               // Host Controlled Thermal Management Attributes
  Le16 mntmt;               // Minimum Thermal Management Temperature, K
  Le16 mxtmt;               // Maximum Thermal Management Temperature, K
  Le32 sanicap;             // Sanitize Capabilities, sanicap:: (sec. 5.1.22)
  Le32 hmminds;             // Host Memory Buffer Minimum Descriptor Entry Size, 4 KiB
  Le16 hmmaxd;              // Host Memory Maximum Descriptors Entries
  Le16 nsetidmax;           // NVM Set Identifier Maximum
  Le16 endgidmax;           // Endurance Group Identifier Maximum
  std::uint8_t anatt = 0;   // ANA Transition Time, s
  std::uint8_t anacap = 0;  // Asymmetric Namespace Access Capabilities
  Le32 anagrpmax;           // ANA Group Identifier Maximum
  Le32 nanagrpid;           // Number of ANA Group Identifiers
  Le32 pels;                // Persistent Event Log Size, 64 KiB
  Le16 domainid;            // Domain Identifier
  std::uint8_t kpioc = 0;   // Key Per I/O Capabilities
  Reserved<1> rsvd359{};
  Le16 mptfawr;  // Maximum Processing Time for Firmware Activation Without Reset, 100 ms
  Reserved<6> rsvd362{};
  Le128 megcap;              // Max Endurance Group Capacity, bytes
  std::uint8_t tmpthha = 0;  // Temperature Threshold Hysteresis Attributes
  Reserved<1> rsvd385{};
  Le16 cqt;  // Command Quiesce Time, ms
  Reserved<124> rsvd388{};
  std::uint8_t sqes = 0;     // Submission Queue Entry Size: required 3:0, maximum 7:4, 2^n bytes
  std::uint8_t cqes = 0;     // Completion Queue Entry Size: required 3:0, maximum 7:4, 2^n bytes
  Le16 maxcmd;               // Maximum Outstanding Commands of a queue; 0 = not reported
  Le32 nn;                   // Number of Namespaces: the largest valid NSID
  Le16 oncs;                 // Optional NVM Command Support, oncs::
  Le16 fuses;                // Fused Operation Support: bit 0 Compare and Write
  std::uint8_t fna = 0;      // Format NVM Attributes, fna:: (sec. 5.1.10)
  std::uint8_t vwc = 0;      // Volatile Write Cache, vwc:: (sec. 5.1.25.1.4, 7.2)
  Le16 awun;                 // Atomic Write Unit Normal, LBAs, 0's based (NVM CS sec. 2.1.4)
  Le16 awupf;                // Atomic Write Unit Power Fail, LBAs, 0's based (NVM CS sec. 2.1.4)
  std::uint8_t icsvscc = 0;  // I/O Command Set Vendor Specific Command Configuration
  std::uint8_t nwpc = 0;     // Namespace Write Protection Capabilities, nwpc::
  Le16 acwu;                 // Atomic Compare & Write Unit, LBAs, 0's based (NVM CS sec. 2.1.4)
  Le16 ocfs;                 // Optional Copy Formats Supported: bit n = descriptor format n
  Le32 sgls;                 // SGL Support, sgls:: (sec. 4.3.2)
  Le32 mnan;                 // Maximum Number of Allowed Namespaces; 0 = NN
  Le128 maxdna;              // Maximum Domain Namespace Attachments
  Le32 maxcna;               // Maximum I/O Controller Namespace Attachments
  Le32 oaqd;                 // Optimal Aggregated Queue Depth
  Reserved<200> rsvd568{};
  std::array<char, 256> subnqn{};  // NVM Subsystem NVMe Qualified Name, UTF-8, NUL padded
  Reserved<768> rsvd1024{};
  Le32 ioccsz;              // I/O Queue Command Capsule Supported Size, 16 B; fabrics
  Le32 iorcsz;              // I/O Queue Response Capsule Supported Size, 16 B; fabrics
  Le16 icdoff;              // In Capsule Data Offset, 16 B; 0 on TCP
  std::uint8_t fcatt = 0;   // Fabrics Controller Attributes: bit 0 static controllers
  std::uint8_t msdbd = 0;   // Maximum SGL Data Block Descriptors of a capsule; 0 = no limit
  Le16 ofcs;                // Optional Fabrics Commands Support: bit 0 Disconnect
  std::uint8_t dctype = 0;  // Discovery Controller Type: 1 direct, 2 central
  Reserved<241> rsvd1807{};
  std::array<PowerStateDescriptor, 32> psd{};  // Power State 0..31 Descriptors
  std::array<std::uint8_t, 1024> vs{};         // Vendor Specific
};
static_assert(sizeof(IdentifyController) == 4096 && std::is_trivially_copyable_v<IdentifyController>);
static_assert(offsetof(IdentifyController, vid) == 0);
static_assert(offsetof(IdentifyController, ssvid) == 2);
static_assert(offsetof(IdentifyController, sn) == 4);
static_assert(offsetof(IdentifyController, mn) == 24);
static_assert(offsetof(IdentifyController, fr) == 64);
static_assert(offsetof(IdentifyController, rab) == 72);
static_assert(offsetof(IdentifyController, ieee) == 73);
static_assert(offsetof(IdentifyController, cmic) == 76);
static_assert(offsetof(IdentifyController, mdts) == 77);
static_assert(offsetof(IdentifyController, cntlid) == 78);
static_assert(offsetof(IdentifyController, ver) == 80);
static_assert(offsetof(IdentifyController, rtd3r) == 84);
static_assert(offsetof(IdentifyController, rtd3e) == 88);
static_assert(offsetof(IdentifyController, oaes) == 92);
static_assert(offsetof(IdentifyController, ctratt) == 96);
static_assert(offsetof(IdentifyController, rrls) == 100);
static_assert(offsetof(IdentifyController, bpcap) == 102);
static_assert(offsetof(IdentifyController, nssl) == 104);
static_assert(offsetof(IdentifyController, plsi) == 110);
static_assert(offsetof(IdentifyController, cntrltype) == 111);
static_assert(offsetof(IdentifyController, fguid) == 112);
static_assert(offsetof(IdentifyController, crdt1) == 128);
static_assert(offsetof(IdentifyController, crdt2) == 130);
static_assert(offsetof(IdentifyController, crdt3) == 132);
static_assert(offsetof(IdentifyController, crcap) == 134);
static_assert(offsetof(IdentifyController, nvmsr) == 253);
static_assert(offsetof(IdentifyController, vwci) == 254);
static_assert(offsetof(IdentifyController, mec) == 255);
static_assert(offsetof(IdentifyController, oacs) == 256);
static_assert(offsetof(IdentifyController, acl) == 258);
static_assert(offsetof(IdentifyController, aerl) == 259);
static_assert(offsetof(IdentifyController, frmw) == 260);
static_assert(offsetof(IdentifyController, lpa) == 261);
static_assert(offsetof(IdentifyController, elpe) == 262);
static_assert(offsetof(IdentifyController, npss) == 263);
static_assert(offsetof(IdentifyController, avscc) == 264);
static_assert(offsetof(IdentifyController, apsta) == 265);
static_assert(offsetof(IdentifyController, wctemp) == 266);
static_assert(offsetof(IdentifyController, cctemp) == 268);
static_assert(offsetof(IdentifyController, mtfa) == 270);
static_assert(offsetof(IdentifyController, hmpre) == 272);
static_assert(offsetof(IdentifyController, hmmin) == 276);
static_assert(offsetof(IdentifyController, tnvmcap) == 280);
static_assert(offsetof(IdentifyController, unvmcap) == 296);
static_assert(offsetof(IdentifyController, rpmbs) == 312);
static_assert(offsetof(IdentifyController, edstt) == 316);
static_assert(offsetof(IdentifyController, dsto) == 318);
static_assert(offsetof(IdentifyController, fwug) == 319);
static_assert(offsetof(IdentifyController, kas) == 320);
static_assert(offsetof(IdentifyController, hctma) == 322);
static_assert(offsetof(IdentifyController, mntmt) == 324);
static_assert(offsetof(IdentifyController, mxtmt) == 326);
static_assert(offsetof(IdentifyController, sanicap) == 328);
static_assert(offsetof(IdentifyController, hmminds) == 332);
static_assert(offsetof(IdentifyController, hmmaxd) == 336);
static_assert(offsetof(IdentifyController, nsetidmax) == 338);
static_assert(offsetof(IdentifyController, endgidmax) == 340);
static_assert(offsetof(IdentifyController, anatt) == 342);
static_assert(offsetof(IdentifyController, anacap) == 343);
static_assert(offsetof(IdentifyController, anagrpmax) == 344);
static_assert(offsetof(IdentifyController, nanagrpid) == 348);
static_assert(offsetof(IdentifyController, pels) == 352);
static_assert(offsetof(IdentifyController, domainid) == 356);
static_assert(offsetof(IdentifyController, kpioc) == 358);
static_assert(offsetof(IdentifyController, mptfawr) == 360);
static_assert(offsetof(IdentifyController, megcap) == 368);
static_assert(offsetof(IdentifyController, tmpthha) == 384);
static_assert(offsetof(IdentifyController, cqt) == 386);
static_assert(offsetof(IdentifyController, sqes) == 512);
static_assert(offsetof(IdentifyController, cqes) == 513);
static_assert(offsetof(IdentifyController, maxcmd) == 514);
static_assert(offsetof(IdentifyController, nn) == 516);
static_assert(offsetof(IdentifyController, oncs) == 520);
static_assert(offsetof(IdentifyController, fuses) == 522);
static_assert(offsetof(IdentifyController, fna) == 524);
static_assert(offsetof(IdentifyController, vwc) == 525);
static_assert(offsetof(IdentifyController, awun) == 526);
static_assert(offsetof(IdentifyController, awupf) == 528);
static_assert(offsetof(IdentifyController, icsvscc) == 530);
static_assert(offsetof(IdentifyController, nwpc) == 531);
static_assert(offsetof(IdentifyController, acwu) == 532);
static_assert(offsetof(IdentifyController, ocfs) == 534);
static_assert(offsetof(IdentifyController, sgls) == 536);
static_assert(offsetof(IdentifyController, mnan) == 540);
static_assert(offsetof(IdentifyController, maxdna) == 544);
static_assert(offsetof(IdentifyController, maxcna) == 560);
static_assert(offsetof(IdentifyController, oaqd) == 564);
static_assert(offsetof(IdentifyController, subnqn) == 768);
static_assert(offsetof(IdentifyController, ioccsz) == 1792);
static_assert(offsetof(IdentifyController, iorcsz) == 1796);
static_assert(offsetof(IdentifyController, icdoff) == 1800);
static_assert(offsetof(IdentifyController, fcatt) == 1802);
static_assert(offsetof(IdentifyController, msdbd) == 1803);
static_assert(offsetof(IdentifyController, ofcs) == 1804);
static_assert(offsetof(IdentifyController, dctype) == 1806);
static_assert(offsetof(IdentifyController, psd) == 2048);
static_assert(offsetof(IdentifyController, vs) == 3072);

// What follows names the bits of the fields above, by field.

namespace cmic {
inline constexpr Bits8 kMultiPort{0};        // the subsystem may have more than one port
inline constexpr Bits8 kMultiController{1};  // the subsystem may have more than one controller
inline constexpr Bits8 kSrIov{2};            // an SR-IOV virtual function
inline constexpr Bits8 kANA{3};              // Asymmetric Namespace Access reporting
}  // namespace cmic

namespace oaes {  // the same bits enable the events in feature 0Bh
inline constexpr Bits32 kNamespaceAttribute{8};
inline constexpr Bits32 kFirmwareActivation{9};
inline constexpr Bits32 kAnaChange{11};
inline constexpr Bits32 kPredictableLatency{12};
inline constexpr Bits32 kLbaStatus{13};
inline constexpr Bits32 kEnduranceGroup{14};
inline constexpr Bits32 kNormalSubsystemShutdown{15};
inline constexpr Bits32 kTemperatureHysteresis{16};
inline constexpr Bits32 kReachability{17};
inline constexpr Bits32 kAllocatedNamespace{19};
inline constexpr Bits32 kZoneDescriptor{27};
inline constexpr Bits32 kDiscoveryLog{31};
}  // namespace oaes

namespace ctratt {
inline constexpr Bits32 kHIDS{0};    // 128-bit Host Identifier
inline constexpr Bits32 kNOPSPM{1};  // Non-Operational Power State Permissive Mode
inline constexpr Bits32 kNSETS{2};   // NVM Sets
inline constexpr Bits32 kRRLVLS{3};  // Read Recovery Levels
inline constexpr Bits32 kEGS{4};     // Endurance Groups
inline constexpr Bits32 kPLM{5};     // Predictable Latency Mode
inline constexpr Bits32 kTBKAS{6};   // Traffic Based Keep Alive
inline constexpr Bits32 kNG{7};      // Namespace Granularity
inline constexpr Bits32 kSQA{8};     // SQ Associations
inline constexpr Bits32 kULIST{9};   // UUID List
inline constexpr Bits32 kMDS{10};    // Multi-Domain Subsystem
inline constexpr Bits32 kFCM{11};    // Fixed Capacity Management
inline constexpr Bits32 kVCM{12};    // Variable Capacity Management
inline constexpr Bits32 kDEG{13};    // Delete Endurance Group
inline constexpr Bits32 kDNVMS{14};  // Delete NVM Set
inline constexpr Bits32 kELBAS{15};  // Extended LBA Formats
inline constexpr Bits32 kMEM{16};    // MDTS Excludes Metadata
inline constexpr Bits32 kHMBR{17};   // HMB Restrict Non-Operational Power State Access
inline constexpr Bits32 kRHII{18};   // Reservations and Host Identifier Interaction
inline constexpr Bits32 kFDPS{19};   // Flexible Data Placement
}  // namespace ctratt

namespace plsi {
inline constexpr Bits8 kPLSEPF{0};  // Power Loss Signaling with Emergency Power Fail
inline constexpr Bits8 kPLSFQ{1};   // Power Loss Signaling with Forced Quiescence
}  // namespace plsi

namespace oacs {
inline constexpr Bits16 kSecurity{0};             // Security Send and Receive
inline constexpr Bits16 kFormat{1};               // Format NVM
inline constexpr Bits16 kFirmware{2};             // Firmware Commit and Image Download
inline constexpr Bits16 kNamespaceManagement{3};  // Namespace Management and Attachment
inline constexpr Bits16 kSelfTest{4};             // Device Self-test
inline constexpr Bits16 kDirectives{5};           // Directive Send and Receive
inline constexpr Bits16 kNvmeMi{6};               // NVMe-MI Send and Receive
inline constexpr Bits16 kVirtualization{7};       // Virtualization Management
inline constexpr Bits16 kDoorbellBuffer{8};       // Doorbell Buffer Config
inline constexpr Bits16 kGetLbaStatus{9};         // Get LBA Status
inline constexpr Bits16 kLockdown{10};            // Command and Feature Lockdown
inline constexpr Bits16 kLiveMigration{11};       // Host Managed Live Migration
}  // namespace oacs

namespace frmw {
inline constexpr Bits8 kSlot1ReadOnly{0};
inline constexpr Bits8 kSlots{3, 1};  // number of slots, 1..7
inline constexpr Bits8 kActivateWithoutReset{4};
inline constexpr Bits8 kOverlapDetection{5};
}  // namespace frmw

namespace lpa {
inline constexpr Bits8 kSmartPerNamespace{0};  // SMART log of one namespace
inline constexpr Bits8 kEffectsLog{1};         // Commands Supported and Effects
inline constexpr Bits8 kExtendedData{2};       // NUMDU and the offset dwords count
inline constexpr Bits8 kTelemetry{3};          // Telemetry logs and notices
inline constexpr Bits8 kPersistentEvent{4};    // Persistent Event log
inline constexpr Bits8 kSupportedPages{5};     // log pages 00h, 12h, 13h
inline constexpr Bits8 kTelemetryArea4{6};     // Data Area 4 of the telemetry logs
}  // namespace lpa

namespace sanicap {
inline constexpr Bits32 kCES{0};           // Crypto Erase
inline constexpr Bits32 kBES{1};           // Block Erase
inline constexpr Bits32 kOWS{2};           // Overwrite
inline constexpr Bits32 kNDI{29};          // No-Deallocate Inhibited
inline constexpr Bits32 kNODMMAS{31, 30};  // No-Deallocate Modifies Media After Sanitize
}  // namespace sanicap

namespace entry_size {  // sqes and cqes
inline constexpr Bits8 kRequired{3, 0};
inline constexpr Bits8 kMaximum{7, 4};
}  // namespace entry_size

namespace oncs {
inline constexpr Bits16 kCompare{0};
inline constexpr Bits16 kWriteUncorrectable{1};
inline constexpr Bits16 kDatasetManagement{2};
inline constexpr Bits16 kWriteZeroes{3};
inline constexpr Bits16 kSaveSelect{4};  // SV of Set Features, SEL of Get Features
inline constexpr Bits16 kReservations{5};
inline constexpr Bits16 kTimestamp{6};
inline constexpr Bits16 kVerify{7};
inline constexpr Bits16 kCopy{8};
inline constexpr Bits16 kCopySingleAtomicity{9};
inline constexpr Bits16 kAllFastCopy{10};
inline constexpr Bits16 kMaxWzDeallocate{11};  // WZDSL counts
inline constexpr Bits16 kNamespaceZeroes{12};  // NSZ of Write Zeroes
}  // namespace oncs

namespace fuses {
inline constexpr Bits16 kCompareAndWrite{0};
}  // namespace fuses

namespace fna {
inline constexpr Bits8 kFormatAll{0};            // a format applies to all namespaces
inline constexpr Bits8 kEraseAll{1};             // a secure erase applies to all namespaces
inline constexpr Bits8 kCryptoErase{2};          // cryptographic erase supported
inline constexpr Bits8 kBroadcastProhibited{3};  // NSID FFFFFFFFh is not allowed
}  // namespace fna

namespace vwc {                    // Base 2.1 sec. 5.1.13.2.1, 7.2
inline constexpr Bits8 kVWCP{0};   // Volatile Write Cache Present
inline constexpr Bits8 kFB{2, 1};  // Flush Behavior: Flush with NSID FFFFFFFFh
inline constexpr std::uint8_t kFbNotIndicated = 0;
inline constexpr std::uint8_t kFbNotSupported = 2;  // such a Flush fails with Invalid Namespace or Format
inline constexpr std::uint8_t kFbSupported = 3;     // it flushes every namespace attached to the controller
}  // namespace vwc

namespace nwpc {
inline constexpr Bits8 kWriteProtect{0};     // No Write Protect and Write Protect states
inline constexpr Bits8 kUntilPowerCycle{1};  // Write Protect Until Power Cycle state
inline constexpr Bits8 kPermanent{2};        // Permanent Write Protect state
}  // namespace nwpc

namespace sgls {
inline constexpr Bits32 kSupport{1, 0};  // 0 none, 1 any alignment, 2 dword alignment
inline constexpr Bits32 kKeyed{2};
inline constexpr Bits32 kBitBucket{16};
inline constexpr Bits32 kMptrByteAligned{17};
inline constexpr Bits32 kOversizeAllowed{18};
inline constexpr Bits32 kMptrSgl{19};
inline constexpr Bits32 kAddressAsOffset{20};
inline constexpr Bits32 kTransportDataBlock{21};
}  // namespace sgls

// NVM command set part, CNS 06h CSI 00h (NVM CS 1.1 sec. 4.1.5). 0 in a limit: not reported. DMRL, DMRSL and DMSL are
// all 0 or none is.
struct IdentifyControllerNvm {
  std::uint8_t vsl = 0;      // Verify Size Limit, 2^(n + 12 + CAP.MPSMIN) bytes
  std::uint8_t wzsl = 0;     // Write Zeroes Size Limit, likewise
  std::uint8_t wusl = 0;     // Write Uncorrectable Size Limit, likewise
  std::uint8_t dmrl = 0;     // Dataset Management Ranges Limit
  Le32 dmrsl;                // Dataset Management Range Size Limit, LBAs of one range
  Le64 dmsl;                 // Dataset Management Size Limit, LBAs of one command
  std::uint8_t kpiocap = 0;  // Key Per I/O Capabilities
  std::uint8_t wzdsl = 0;    // Write Zeroes With Deallocate Size Limit
  Le16 aocs;                 // Admin Optional Command Support
  Le32 ver;                  // Version of the NVM command set
  std::uint8_t lbamqf = 0;   // LBA Migration Queue Format
  Reserved<4071> rsvd25{};
};
static_assert(sizeof(IdentifyControllerNvm) == 4096 && std::is_trivially_copyable_v<IdentifyControllerNvm>);
static_assert(offsetof(IdentifyControllerNvm, vsl) == 0);
static_assert(offsetof(IdentifyControllerNvm, wzsl) == 1);
static_assert(offsetof(IdentifyControllerNvm, wusl) == 2);
static_assert(offsetof(IdentifyControllerNvm, dmrl) == 3);
static_assert(offsetof(IdentifyControllerNvm, dmrsl) == 4);
static_assert(offsetof(IdentifyControllerNvm, dmsl) == 8);
static_assert(offsetof(IdentifyControllerNvm, kpiocap) == 16);
static_assert(offsetof(IdentifyControllerNvm, wzdsl) == 17);
static_assert(offsetof(IdentifyControllerNvm, aocs) == 18);
static_assert(offsetof(IdentifyControllerNvm, ver) == 20);
static_assert(offsetof(IdentifyControllerNvm, lbamqf) == 24);

// The text of a padded ASCII field, without its padding (spaces, or NULs as in subnqn).
template <std::size_t N>
[[nodiscard]] constexpr std::string_view text(const std::array<char, N>& field) {
  std::string_view view(field.data(), N);
  view = view.substr(0, view.find('\0'));
  while (!view.empty() && view.back() == ' ') view.remove_suffix(1);
  return view;
}

// Fills an ASCII field; what does not fit is cut off.
template <std::size_t N>
constexpr void set_text(std::array<char, N>& field, std::string_view value, char padding = ' ') {
  for (std::size_t i = 0; i < N; ++i) field[i] = i < value.size() ? value[i] : padding;
}

}  // namespace flushlab::spec
