// SPDX-License-Identifier: GPL-2.0-only
// Log pages (NVMe Base 2.1 sec. 5.1.12.1) and the asynchronous events that point to them (sec. 5.1.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "emulator/spec/bits.hpp"
#include "emulator/spec/command.hpp"
#include "emulator/spec/endian.hpp"
#include "emulator/spec/identify.hpp"

namespace flushlab::spec {

// Log Page Identifiers (Base 2.1 sec. 5.1.12.1).
enum class LogPageId : std::uint8_t {
  kSupportedLogPages = 0x00,
  kErrorInformation = 0x01,
  kSmart = 0x02,
  kFirmwareSlot = 0x03,
  kChangedNamespaceList = 0x04,
  kCommandsSupportedAndEffects = 0x05,
  kDeviceSelfTest = 0x06,
  kTelemetryHostInitiated = 0x07,
  kTelemetryControllerInitiated = 0x08,
  kEnduranceGroup = 0x09,
  kPredictableLatencyPerNvmSet = 0x0A,
  kPredictableLatencyAggregate = 0x0B,
  kAsymmetricNamespaceAccess = 0x0C,
  kPersistentEvent = 0x0D,
  kLbaStatus = 0x0E,
  kEnduranceGroupAggregate = 0x0F,
  kFeatureIdsSupportedAndEffects = 0x12,
  kNvmeMiCommandsSupportedAndEffects = 0x13,
  kDiscovery = 0x70,
  kReservationNotification = 0x80,
  kSanitizeStatus = 0x81,
};

// The specification's name; "Vendor Specific" from C0h, "Unknown" for a value that no table holds.
[[nodiscard]] std::string_view name(LogPageId lid);

[[nodiscard]] constexpr SubmissionEntry make_get_log_page(LogPageId lid, std::uint32_t bytes,
                                                          std::uint32_t nsid = kBroadcastNsid, bool rae = false,
                                                          std::uint64_t offset = 0) {
  return make_get_log_page(static_cast<std::uint8_t>(lid), bytes, nsid, rae, offset);
}

// LID 00h, sec. 5.1.12.1.1.
struct SupportedLogPages {
  std::array<Le32, 256> lids{};  // by LID: bit 0 LSUPP
};
static_assert(sizeof(SupportedLogPages) == 1024);

namespace lid_effects {
inline constexpr Bits32 kLSUPP{0};  // LID Supported
inline constexpr Bits32 kIOS{1};    // Index Offset Supported
}  // namespace lid_effects

// LID 01h, sec. 5.1.12.1.2; newest entry first.
struct ErrorLogEntry {
  Le64 error_count;         // unique, from 1; 0 = empty entry
  Le16 sqid;                // Submission Queue ID
  Le16 cid;                 // Command ID
  Le16 status_word;         // Status 15:1, Phase Tag 0 of the completion
  Le16 pel;                 // Parameter Error Location, pel::
  Le64 lba;                 // first LBA that failed
  Le32 nsid;                // Namespace
  std::uint8_t vsia = 0;    // Vendor Specific Information Available: log page of more
  std::uint8_t trtype = 0;  // Transport Type
  std::uint8_t csi = 0;     // Command Set Indicator
  std::uint8_t opc = 0;     // Opcode of the command
  Le64 csinfo;              // Command Specific Information
  Le16 ttsi;                // Transport Type Specific Information
  Reserved<21> rsvd42{};
  std::uint8_t lpver = 0;  // Log Page Version
};
static_assert(sizeof(ErrorLogEntry) == 64 && std::is_trivially_copyable_v<ErrorLogEntry>);
static_assert(offsetof(ErrorLogEntry, error_count) == 0);
static_assert(offsetof(ErrorLogEntry, sqid) == 8);
static_assert(offsetof(ErrorLogEntry, cid) == 10);
static_assert(offsetof(ErrorLogEntry, status_word) == 12);
static_assert(offsetof(ErrorLogEntry, pel) == 14);
static_assert(offsetof(ErrorLogEntry, lba) == 16);
static_assert(offsetof(ErrorLogEntry, nsid) == 24);
static_assert(offsetof(ErrorLogEntry, vsia) == 28);
static_assert(offsetof(ErrorLogEntry, trtype) == 29);
static_assert(offsetof(ErrorLogEntry, csi) == 30);
static_assert(offsetof(ErrorLogEntry, opc) == 31);
static_assert(offsetof(ErrorLogEntry, csinfo) == 32);
static_assert(offsetof(ErrorLogEntry, ttsi) == 40);
static_assert(offsetof(ErrorLogEntry, lpver) == 63);

namespace pel {
inline constexpr Bits16 kByte{7, 0};  // byte of the command with the wrong parameter
inline constexpr Bits16 kBit{10, 8};  // and its first bit
inline constexpr std::uint16_t kNone = 0xFFFF;
}  // namespace pel

// LID 02h, sec. 5.1.12.1.3.
struct SmartLog {
  std::uint8_t cw = 0;     // Critical Warning, smart_warning::
  Le16 ctemp;              // Composite Temperature, K
  std::uint8_t avsp = 0;   // Available Spare, %
  std::uint8_t avspt = 0;  // Available Spare Threshold, %
  std::uint8_t pused = 0;  // Percentage Used, may exceed 100
  std::uint8_t egcws = 0;  // Endurance Group Critical Warning Summary
  Reserved<25> rsvd7{};
  Le128 dur;                   // Data Units Read by Read, Compare and Verify, 512,000 B, rounded up
  Le128 duw;                   // Data Units Written by Write, 512,000 B, rounded up
  Le128 hrc;                   // Host Read Commands
  Le128 hwc;                   // Host Write Commands
  Le128 cbt;                   // Controller Busy Time, minutes
  Le128 pwrc;                  // Power Cycles
  Le128 poh;                   // Power On Hours
  Le128 upl;                   // Unexpected Power Losses: power lost without shutdown
  Le128 mdie;                  // Media and Data Integrity Errors
  Le128 neile;                 // Number of Error Information Log Entries
  Le32 wctt;                   // Warning Composite Temperature Time, minutes
  Le32 cctt;                   // Critical Composite Temperature Time, minutes
  std::array<Le16, 8> tsen{};  // Temperature Sensors 1..8, K; 0 = not there
  Le32 tmttc1;                 // Thermal Management Temperature 1 Transition Count
  Le32 tmttc2;                 // Thermal Management Temperature 2 Transition Count
  Le32 ttftmt1;                // Total Time For Thermal Management Temperature 1, s
  Le32 ttftmt2;                // Total Time For Thermal Management Temperature 2, s
  Reserved<280> rsvd232{};
};
static_assert(sizeof(SmartLog) == 512 && std::is_trivially_copyable_v<SmartLog>);
static_assert(offsetof(SmartLog, cw) == 0);
static_assert(offsetof(SmartLog, ctemp) == 1);
static_assert(offsetof(SmartLog, avsp) == 3);
static_assert(offsetof(SmartLog, avspt) == 4);
static_assert(offsetof(SmartLog, pused) == 5);
static_assert(offsetof(SmartLog, egcws) == 6);
static_assert(offsetof(SmartLog, dur) == 32);
static_assert(offsetof(SmartLog, duw) == 48);
static_assert(offsetof(SmartLog, hrc) == 64);
static_assert(offsetof(SmartLog, hwc) == 80);
static_assert(offsetof(SmartLog, cbt) == 96);
static_assert(offsetof(SmartLog, pwrc) == 112);
static_assert(offsetof(SmartLog, poh) == 128);
static_assert(offsetof(SmartLog, upl) == 144);
static_assert(offsetof(SmartLog, mdie) == 160);
static_assert(offsetof(SmartLog, neile) == 176);
static_assert(offsetof(SmartLog, wctt) == 192);
static_assert(offsetof(SmartLog, cctt) == 196);
static_assert(offsetof(SmartLog, tsen) == 200);
static_assert(offsetof(SmartLog, tmttc1) == 216);
static_assert(offsetof(SmartLog, tmttc2) == 220);
static_assert(offsetof(SmartLog, ttftmt1) == 224);
static_assert(offsetof(SmartLog, ttftmt2) == 228);

namespace smart_warning {
inline constexpr Bits8 kSpare{0};           // below the threshold
inline constexpr Bits8 kTemperature{1};     // beyond a threshold
inline constexpr Bits8 kReliability{2};     // degraded
inline constexpr Bits8 kReadOnly{3};        // all media
inline constexpr Bits8 kVolatileBackup{4};  // the volatile memory backup device has failed
inline constexpr Bits8 kPmr{5};             // Persistent Memory Region unreliable or read-only
}  // namespace smart_warning

// LID 03h, sec. 5.1.12.1.4.
struct FirmwareSlotLog {
  std::uint8_t afi = 0;  // Active Firmware Info, afi::
  Reserved<7> rsvd1{};
  std::array<std::array<char, 8>, 7> frs{};  // Firmware Revision for Slot 1..7, ASCII
  Reserved<448> rsvd64{};
};
static_assert(sizeof(FirmwareSlotLog) == 512 && std::is_trivially_copyable_v<FirmwareSlotLog>);
static_assert(offsetof(FirmwareSlotLog, afi) == 0);
static_assert(offsetof(FirmwareSlotLog, frs) == 8);

namespace afi {
inline constexpr Bits8 kActiveSlot{2, 0};
inline constexpr Bits8 kNextSlot{6, 4};  // at the next reset; 0 = not given
}  // namespace afi

// LID 04h, sec. 5.1.12.1.5. Only the first entry is kOverflow if the changes do not fit.
using ChangedNamespaceList = NamespaceList;
inline constexpr std::uint32_t kChangedNamespaceOverflow = 0xFFFFFFFFu;

// LID 05h, sec. 5.1.12.1.6.
struct EffectsLog {
  std::array<Le32, 256> acs{};   // Admin Command Supported, by opcode, effects::
  std::array<Le32, 256> iocs{};  // I/O Command Supported, by opcode, effects::
  Reserved<2048> rsvd2048{};
};
static_assert(sizeof(EffectsLog) == 4096 && std::is_trivially_copyable_v<EffectsLog>);
static_assert(offsetof(EffectsLog, acs) == 0);
static_assert(offsetof(EffectsLog, iocs) == 1024);

namespace effects {
inline constexpr Bits32 kCSUPP{0};      // Command Supported
inline constexpr Bits32 kLBCC{1};       // Logical Block Content Change
inline constexpr Bits32 kNCC{2};        // Namespace Capability Change
inline constexpr Bits32 kNIC{3};        // Namespace Inventory Change
inline constexpr Bits32 kCCC{4};        // Controller Capability Change
inline constexpr Bits32 kCSER{15, 14};  // Command Submission and Execution Relaxations
inline constexpr Bits32 kCSE{18, 16};   // Command Submission and Execution
inline constexpr Bits32 kUSS{19};       // UUID Selection Supported
inline constexpr Bits32 kCSP{31, 20};   // Command Scope
inline constexpr std::uint32_t kCseNone = 0;
inline constexpr std::uint32_t kCseNamespace = 1;   // no other command to the namespace meanwhile
inline constexpr std::uint32_t kCseController = 2;  // no other command at all meanwhile
}  // namespace effects

// LID 0Ch, sec. 5.1.12.1.13: a header, then the groups, each followed by NNSID identifiers of 4 bytes.
struct AnaLogHeader {
  Le64 chgcnt;  // Change Count
  Le16 ngrps;   // Number of ANA Group Descriptors
  Reserved<6> rsvd10{};
};
static_assert(sizeof(AnaLogHeader) == 16 && std::is_trivially_copyable_v<AnaLogHeader>);
static_assert(offsetof(AnaLogHeader, chgcnt) == 0);
static_assert(offsetof(AnaLogHeader, ngrps) == 8);

struct AnaGroupDescriptor {
  Le32 agid;               // ANA Group ID
  Le32 nnsid;              // Number of NSID Values that follow
  Le64 chgcnt;             // Change Count
  std::uint8_t state = 0;  // Asymmetric Namespace Access State 3:0
  Reserved<15> rsvd17{};
};
static_assert(sizeof(AnaGroupDescriptor) == 32 && std::is_trivially_copyable_v<AnaGroupDescriptor>);
static_assert(offsetof(AnaGroupDescriptor, agid) == 0);
static_assert(offsetof(AnaGroupDescriptor, nnsid) == 4);
static_assert(offsetof(AnaGroupDescriptor, chgcnt) == 8);
static_assert(offsetof(AnaGroupDescriptor, state) == 16);

// LID 81h, sec. 5.1.12.1.33.
struct SanitizeLog {
  Le16 sprog;   // Sanitize Progress, 1/65536; FFFFh when none is running
  Le16 sstat;   // Sanitize Status, sstat::
  Le32 scdw10;  // CDW10 of the Sanitize command that started it
  Le32 eto;     // Estimated Time For Overwrite, s; FFFFFFFFh = not reported
  Le32 etbe;    // Estimated Time For Block Erase, s
  Le32 etce;    // Estimated Time For Crypto Erase, s
  Le32 etond;   // Estimated Time For Overwrite With No-Deallocate Media Modification, s
  Le32 etbend;  // Estimated Time For Block Erase With No-Deallocate Media Modification, s
  Le32 etcend;  // Estimated Time For Crypto Erase With No-Deallocate Media Modification, s
  Reserved<480> rsvd32{};
};
static_assert(sizeof(SanitizeLog) == 512 && std::is_trivially_copyable_v<SanitizeLog>);
static_assert(offsetof(SanitizeLog, sprog) == 0);
static_assert(offsetof(SanitizeLog, sstat) == 2);
static_assert(offsetof(SanitizeLog, scdw10) == 4);
static_assert(offsetof(SanitizeLog, eto) == 8);
static_assert(offsetof(SanitizeLog, etbe) == 12);
static_assert(offsetof(SanitizeLog, etce) == 16);
static_assert(offsetof(SanitizeLog, etond) == 20);
static_assert(offsetof(SanitizeLog, etbend) == 24);
static_assert(offsetof(SanitizeLog, etcend) == 28);

namespace sstat {
inline constexpr Bits16 kSOS{2, 0};  // Sanitize Operation Status, the five below
inline constexpr Bits16 kOPC{7, 3};  // Overwrite Passes Completed
inline constexpr Bits16 kGDE{8};     // Global Data Erased: nothing was written since
inline constexpr std::uint16_t kNeverSanitized = 0;
inline constexpr std::uint16_t kSucceeded = 1;
inline constexpr std::uint16_t kInProgress = 2;
inline constexpr std::uint16_t kFailed = 3;
inline constexpr std::uint16_t kSucceededDeallocated = 4;
}  // namespace sstat

// ---- Asynchronous events (Base 2.1 sec. 5.1.2) ----

enum class AsyncEventType : std::uint8_t {
  kError = 0,
  kSmart = 1,
  kNotice = 2,
  kImmediate = 3,
  kIoCommandSet = 6,
  kVendorSpecific = 7,
};

// DW0 of the completion of an Asynchronous Event Request.
namespace aer_dw0 {
inline constexpr Bits32 kAET{2, 0};    // Asynchronous Event Type
inline constexpr Bits32 kAEI{15, 8};   // Asynchronous Event Information, per type
inline constexpr Bits32 kLID{23, 16};  // log page to read
[[nodiscard]] constexpr std::uint32_t make(AsyncEventType type, std::uint8_t information, LogPageId lid) {
  return kAET.put(type) | kAEI.put(information) | kLID.put(lid);
}
}  // namespace aer_dw0

namespace aer_error {  // log page 01h
inline constexpr std::uint8_t kInvalidDoorbellRegister = 0;
inline constexpr std::uint8_t kInvalidDoorbellValue = 1;
inline constexpr std::uint8_t kDiagnosticFailure = 2;
inline constexpr std::uint8_t kPersistentInternalError = 3;
inline constexpr std::uint8_t kTransientInternalError = 4;
inline constexpr std::uint8_t kFirmwareImageLoadError = 5;
}  // namespace aer_error

namespace aer_smart {  // log page 02h
inline constexpr std::uint8_t kReliability = 0;
inline constexpr std::uint8_t kTemperatureThreshold = 1;
inline constexpr std::uint8_t kSpareBelowThreshold = 2;
}  // namespace aer_smart

namespace aer_notice {
inline constexpr std::uint8_t kNamespaceAttributeChanged = 0;    // log page 04h
inline constexpr std::uint8_t kFirmwareActivationStarting = 1;   // log page 03h
inline constexpr std::uint8_t kTelemetryLogChanged = 2;          // log page 08h
inline constexpr std::uint8_t kAnaChange = 3;                    // log page 0Ch
inline constexpr std::uint8_t kPredictableLatencyAggregate = 4;  // log page 0Bh
inline constexpr std::uint8_t kLbaStatus = 5;                    // log page 0Eh
inline constexpr std::uint8_t kEnduranceGroupAggregate = 6;      // log page 0Fh
inline constexpr std::uint8_t kDiscoveryLogChanged = 0xF0;       // log page 70h
}  // namespace aer_notice

namespace aer_io {
inline constexpr std::uint8_t kReservationLogAvailable = 0;        // log page 80h
inline constexpr std::uint8_t kSanitizeCompleted = 1;              // log page 81h
inline constexpr std::uint8_t kSanitizeCompletedDeallocation = 2;  // log page 81h
}  // namespace aer_io

}  // namespace flushlab::spec
