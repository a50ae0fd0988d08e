// SPDX-License-Identifier: GPL-2.0-only
// Controller properties: what a host reaches through memory-mapped registers, or Property Get and Set on fabrics
// (NVMe Base 2.1 sec. 3.1.4).
#pragma once

#include <cassert>
#include <cstdint>

#include "emulator/spec/bits.hpp"

namespace flushlab::spec {

// Offsets (Base 2.1 sec. 3.1.4, Figure "Property Definition").
namespace reg {
inline constexpr std::uint32_t kCAP = 0x00;      // 8 B, Controller Capabilities, sec. 3.1.4.1
inline constexpr std::uint32_t kVS = 0x08;       // 4 B, Version, sec. 3.1.4.2
inline constexpr std::uint32_t kINTMS = 0x0C;    // 4 B, Interrupt Mask Set, sec. 3.1.4.3; not on fabrics
inline constexpr std::uint32_t kINTMC = 0x10;    // 4 B, Interrupt Mask Clear, sec. 3.1.4.4; not on fabrics
inline constexpr std::uint32_t kCC = 0x14;       // 4 B, Controller Configuration, sec. 3.1.4.5
inline constexpr std::uint32_t kCSTS = 0x1C;     // 4 B, Controller Status, sec. 3.1.4.6
inline constexpr std::uint32_t kNSSR = 0x20;     // 4 B, NVM Subsystem Reset, sec. 3.1.4.7
inline constexpr std::uint32_t kAQA = 0x24;      // 4 B, Admin Queue Attributes, sec. 3.1.4.8
inline constexpr std::uint32_t kASQ = 0x28;      // 8 B, Admin SQ Base Address, sec. 3.1.4.9
inline constexpr std::uint32_t kACQ = 0x30;      // 8 B, Admin CQ Base Address, sec. 3.1.4.10
inline constexpr std::uint32_t kCMBLOC = 0x38;   // 4 B, Controller Memory Buffer Location, 0 without one
inline constexpr std::uint32_t kCMBSZ = 0x3C;    // 4 B, Controller Memory Buffer Size, 0 without one
inline constexpr std::uint32_t kBPINFO = 0x40;   // 4 B, Boot Partition Information, 0 without one
inline constexpr std::uint32_t kBPRSEL = 0x44;   // 4 B, Boot Partition Read Select
inline constexpr std::uint32_t kBPMBL = 0x48;    // 8 B, Boot Partition Memory Buffer Location
inline constexpr std::uint32_t kCMBMSC = 0x50;   // 8 B, CMB Memory Space Control
inline constexpr std::uint32_t kCMBSTS = 0x58;   // 4 B, CMB Status
inline constexpr std::uint32_t kCMBEBS = 0x5C;   // 4 B, CMB Elasticity Buffer Size
inline constexpr std::uint32_t kCMBSWTP = 0x60;  // 4 B, CMB Sustained Write Throughput
inline constexpr std::uint32_t kNSSD = 0x64;     // 4 B, NVM Subsystem Shutdown
inline constexpr std::uint32_t kCRTO = 0x68;     // 4 B, Controller Ready Timeouts; valid if CAP.CRMS is not 0
inline constexpr std::uint32_t kPMRCAP = 0xE00;  // 4 B each, Persistent Memory Region
inline constexpr std::uint32_t kPMRCTL = 0xE04;
inline constexpr std::uint32_t kPMRSTS = 0xE08;
inline constexpr std::uint32_t kPMREBS = 0xE0C;
inline constexpr std::uint32_t kPMRSWTP = 0xE10;
inline constexpr std::uint32_t kPMRMSCL = 0xE14;
inline constexpr std::uint32_t kPMRMSCU = 0xE18;
inline constexpr std::uint32_t kDoorbells = 0x1000;  // SQ0TDBL, then CQ0HDBL, SQ1TDBL, ...

// SQyTDBL and CQyHDBL, `stride` apart (PCIe Transport 1.1 sec. 3.1.2).
[[nodiscard]] constexpr std::uint32_t sq_tail_doorbell(std::uint16_t qid, unsigned dstrd) {
  return kDoorbells + (2u * qid) * (4u << dstrd);
}
[[nodiscard]] constexpr std::uint32_t cq_head_doorbell(std::uint16_t qid, unsigned dstrd) {
  return kDoorbells + (2u * qid + 1u) * (4u << dstrd);
}
inline constexpr Bits32 kDoorbellValue{15, 0};  // new tail or head

inline constexpr std::uint32_t kNssrReset = 0x4E564D65;  // "NVMe": the one value of NSSR.NSSRC that resets
}  // namespace reg

// Controller Capabilities (Base 2.1 sec. 3.1.4.1).
namespace cap {
inline constexpr Bits64 kMQES{15, 0};  // Maximum Queue Entries Supported per I/O queue, 0's based, at least 1
inline constexpr Bits64 kCQR{16};      // Contiguous Queues Required
inline constexpr Bits64 kAMS{18, 17};  // Arbitration Mechanism Supported: bit 17 WRR with urgent, bit 18 vendor
inline constexpr Bits64 kAmsWrr{17};
inline constexpr Bits64 kAmsVendor{18};
inline constexpr Bits64 kTO{31, 24};      // Timeout: longest wait for CSTS.RDY, 500 ms units
inline constexpr Bits64 kDSTRD{35, 32};   // Doorbell Stride: 4 << n bytes
inline constexpr Bits64 kNSSRS{36};       // NVM Subsystem Reset Supported
inline constexpr Bits64 kCSS{44, 37};     // Command Sets Supported: the three below
inline constexpr Bits64 kCssNvm{37};      // NVM command set
inline constexpr Bits64 kCssIoCs{43};     // one or more I/O command sets: CC.CSS = 110b is legal
inline constexpr Bits64 kCssNoIo{44};     // no I/O command set: admin only
inline constexpr Bits64 kBPS{45};         // Boot Partition Support
inline constexpr Bits64 kCPS{47, 46};     // Controller Power Scope: 0 unknown, 1 controller, 2 domain, 3 subsystem
inline constexpr Bits64 kMPSMIN{51, 48};  // Memory Page Size Minimum: 2^(12+n) bytes
inline constexpr Bits64 kMPSMAX{55, 52};  // Memory Page Size Maximum: 2^(12+n) bytes
inline constexpr Bits64 kPMRS{56};        // Persistent Memory Region Supported
inline constexpr Bits64 kCMBS{57};        // Controller Memory Buffer Supported
inline constexpr Bits64 kNSSS{58};        // NVM Subsystem Shutdown Supported
inline constexpr Bits64 kCRMS{60, 59};    // Controller Ready Modes Supported: the two below
inline constexpr Bits64 kCRWMS{59};       // ready with media
inline constexpr Bits64 kCRIMS{60};       // ready independent of media
}  // namespace cap

// Version (Base 2.1 sec. 3.1.4.2); VER of Identify Controller holds the same word.
namespace vs {
inline constexpr Bits32 kMJR{31, 16};
inline constexpr Bits32 kMNR{15, 8};
inline constexpr Bits32 kTER{7, 0};
[[nodiscard]] constexpr std::uint32_t make(unsigned mjr, unsigned mnr, unsigned ter) {
  return kMJR.put(mjr) | kMNR.put(mnr) | kTER.put(ter);
}
inline constexpr std::uint32_t k1_2_0 = make(1, 2, 0);
inline constexpr std::uint32_t k1_3_0 = make(1, 3, 0);
inline constexpr std::uint32_t k1_4_0 = make(1, 4, 0);
inline constexpr std::uint32_t k2_0_0 = make(2, 0, 0);
inline constexpr std::uint32_t k2_1_0 = make(2, 1, 0);
}  // namespace vs

// Controller Configuration (Base 2.1 sec. 3.1.4.5).
namespace cc {
inline constexpr Bits32 kEN{0};           // Enable
inline constexpr Bits32 kCSS{6, 4};       // I/O Command Set Selected
inline constexpr Bits32 kMPS{10, 7};      // Memory Page Size: 2^(12+n) bytes
inline constexpr Bits32 kAMS{13, 11};     // Arbitration Mechanism Selected
inline constexpr Bits32 kSHN{15, 14};     // Shutdown Notification
inline constexpr Bits32 kIOSQES{19, 16};  // I/O SQ Entry Size: 2^n bytes
inline constexpr Bits32 kIOCQES{23, 20};  // I/O CQ Entry Size: 2^n bytes
inline constexpr Bits32 kCRIME{24};       // Controller Ready Independent of Media Enable

inline constexpr std::uint32_t kCssNvm = 0;        // 000b
inline constexpr std::uint32_t kCssAll = 6;        // 110b, all supported I/O command sets
inline constexpr std::uint32_t kCssAdminOnly = 7;  // 111b
inline constexpr std::uint32_t kAmsRoundRobin = 0;
inline constexpr std::uint32_t kAmsWrr = 1;  // weighted round robin with urgent
inline constexpr std::uint32_t kAmsVendor = 7;
inline constexpr std::uint32_t kShnNone = 0;
inline constexpr std::uint32_t kShnNormal = 1;
inline constexpr std::uint32_t kShnAbrupt = 2;
inline constexpr std::uint32_t kIosqes64 = 6;
inline constexpr std::uint32_t kIocqes16 = 4;

// The word that enables a controller with 64- and 16-byte entries and round robin.
[[nodiscard]] constexpr std::uint32_t make(bool enable, std::uint32_t css = kCssNvm, unsigned mps = 0) {
  return kEN.put(enable ? 1u : 0u) | kCSS.put(css) | kMPS.put(mps) | kIOSQES.put(kIosqes64) | kIOCQES.put(kIocqes16);
}
}  // namespace cc

// Controller Status (Base 2.1 sec. 3.1.4.6).
namespace csts {
inline constexpr Bits32 kRDY{0};      // Ready
inline constexpr Bits32 kCFS{1};      // Controller Fatal Status
inline constexpr Bits32 kSHST{3, 2};  // Shutdown Status
inline constexpr Bits32 kNSSRO{4};    // NVM Subsystem Reset Occurred; writing 1 clears it
inline constexpr Bits32 kPP{5};       // Processing Paused
inline constexpr Bits32 kST{6};       // Shutdown Type: 0 controller, 1 subsystem

inline constexpr std::uint32_t kShstNormal = 0;  // no shutdown was asked for
inline constexpr std::uint32_t kShstOccurring = 1;
inline constexpr std::uint32_t kShstComplete = 2;
inline constexpr std::uint32_t kGone = 0xFFFFFFFFu;  // what a read returns when the device is no longer there
}  // namespace csts

// Admin Queue Attributes (Base 2.1 sec. 3.1.4.8).
namespace aqa {
inline constexpr Bits32 kASQS{11, 0};   // Admin SQ Size in entries, 0's based, at least 1
inline constexpr Bits32 kACQS{27, 16};  // Admin CQ Size in entries, 0's based, at least 1
inline constexpr std::uint32_t kMinEntries = 2;
inline constexpr std::uint32_t kMaxEntries = 4096;
// From plain counts, 2..4096.
[[nodiscard]] constexpr std::uint32_t make(std::uint32_t sq_entries, std::uint32_t cq_entries) {
  assert(sq_entries >= kMinEntries && cq_entries >= kMinEntries);
  return kASQS.put(sq_entries - 1) | kACQS.put(cq_entries - 1);
}
[[nodiscard]] constexpr std::uint32_t sq_entries(std::uint32_t aqa) {
  return kASQS.get(aqa) + 1;
}
[[nodiscard]] constexpr std::uint32_t cq_entries(std::uint32_t aqa) {
  return kACQS.get(aqa) + 1;
}
}  // namespace aqa

// Controller Ready Timeouts, 500 ms units (Base 2.1 sec. 3.1.4).
namespace crto {
inline constexpr Bits32 kCRWMT{15, 0};   // ready with media
inline constexpr Bits32 kCRIMT{31, 16};  // ready independent of media
}  // namespace crto

}  // namespace flushlab::spec
