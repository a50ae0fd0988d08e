// SPDX-License-Identifier: GPL-2.0-only
// Features (NVMe Base 2.1 sec. 5.1.25): identifiers and the fields of CDW11 and DW0, or of the data, of each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "emulator/spec/bits.hpp"
#include "emulator/spec/command.hpp"
#include "emulator/spec/endian.hpp"

namespace flushlab::spec {

// Feature Identifiers (Base 2.1 sec. 5.1.25.1, memory-based transport only sec. 5.1.25.2; NVM CS 1.1 sec. 4.1.3).
enum class FeatureId : std::uint8_t {
  kArbitration = 0x01,
  kPowerManagement = 0x02,
  kLbaRangeType = 0x03,  // NVM CS
  kTemperatureThreshold = 0x04,
  kErrorRecovery = 0x05,  // NVM CS
  kVolatileWriteCache = 0x06,
  kNumberOfQueues = 0x07,                // memory-based
  kInterruptCoalescing = 0x08,           // memory-based
  kInterruptVectorConfiguration = 0x09,  // memory-based
  kWriteAtomicityNormal = 0x0A,          // NVM CS
  kAsynchronousEventConfiguration = 0x0B,
  kAutonomousPowerStateTransition = 0x0C,
  kHostMemoryBuffer = 0x0D,  // memory-based
  kTimestamp = 0x0E,
  kKeepAliveTimer = 0x0F,
  kHostControlledThermalManagement = 0x10,
  kNonOperationalPowerStateConfig = 0x11,
  kReadRecoveryLevelConfig = 0x12,
  kPredictableLatencyModeConfig = 0x13,
  kPredictableLatencyModeWindow = 0x14,
  kLbaStatusInformationReportInterval = 0x15,  // NVM CS
  kHostBehaviorSupport = 0x16,
  kSanitizeConfig = 0x17,
  kEnduranceGroupEventConfiguration = 0x18,
  kIoCommandSetProfile = 0x19,
  kSpinupControl = 0x1A,
  kPowerLossSignalingConfig = 0x1B,
  kFlexibleDataPlacement = 0x1D,
  kFlexibleDataPlacementEvents = 0x1E,
  kSoftwareProgressMarker = 0x80,
  kHostIdentifier = 0x81,
  kReservationNotificationMask = 0x82,
  kReservationPersistence = 0x83,
  kNamespaceWriteProtectionConfig = 0x84,
};

// The specification's name; "Vendor Specific" from C0h, "Unknown" for a value that no table holds.
[[nodiscard]] std::string_view name(FeatureId fid);

// Select of Get Features, CDW10 (Base 2.1 sec. 5.1.11). 4..7 are reserved.
enum class Select : std::uint8_t { kCurrent = 0, kDefault = 1, kSaved = 2, kSupportedCapabilities = 3 };

[[nodiscard]] constexpr SubmissionEntry make_set_features(FeatureId fid, std::uint32_t cdw11, bool save = false,
                                                          std::uint32_t nsid = 0) {
  return make_set_features(static_cast<std::uint8_t>(fid), cdw11, save, nsid);
}
[[nodiscard]] constexpr SubmissionEntry make_get_features(FeatureId fid, Select select = Select::kCurrent,
                                                          std::uint32_t nsid = 0) {
  return make_get_features(static_cast<std::uint8_t>(fid), static_cast<unsigned>(select), nsid);
}

// DW0 of Get Features with SEL 011b (Base 2.1 sec. 5.1.11).
namespace feature_capability {
inline constexpr Bits32 kSaveable{0};
inline constexpr Bits32 kNamespaceSpecific{1};
inline constexpr Bits32 kChangeable{2};
}  // namespace feature_capability

// What follows is CDW11 of Set Features, and DW0 of Get Features, unless said otherwise.

namespace arbitration {                // 01h
inline constexpr Bits32 kAB{2, 0};     // Arbitration Burst, 2^n commands
inline constexpr Bits32 kLPW{15, 8};   // Low Priority Weight, 0's based
inline constexpr Bits32 kMPW{23, 16};  // Medium Priority Weight, 0's based
inline constexpr Bits32 kHPW{31, 24};  // High Priority Weight, 0's based
inline constexpr std::uint32_t kNoLimit = 7;
}  // namespace arbitration

namespace power_management {        // 02h
inline constexpr Bits32 kPS{4, 0};  // Power State, up to NPSS
inline constexpr Bits32 kWH{7, 5};  // Workload Hint
}  // namespace power_management

namespace lba_range_type {           // 03h
inline constexpr Bits32 kNUM{5, 0};  // Number of LBA Ranges, 0's based; 64 bytes of data each
}  // namespace lba_range_type

namespace temperature_threshold {         // 04h
inline constexpr Bits32 kTMPTH{15, 0};    // Temperature Threshold, K
inline constexpr Bits32 kTMPSEL{19, 16};  // Threshold Temperature Select: 0 composite, 1..8 sensor
inline constexpr Bits32 kTHSEL{21, 20};   // Threshold Type Select
inline constexpr Bits32 kTMPTHH{24, 22};  // Temperature Threshold Hysteresis
inline constexpr std::uint32_t kComposite = 0;
inline constexpr std::uint32_t kAllSensors = 0xF;  // Set Features only
inline constexpr std::uint32_t kOver = 0;
inline constexpr std::uint32_t kUnder = 1;
}  // namespace temperature_threshold

namespace error_recovery {             // 05h
inline constexpr Bits32 kTLER{15, 0};  // Time Limited Error Recovery, 100 ms; 0 = no limit
inline constexpr Bits32 kDULBE{16};    // Deallocated or Unwritten Logical Block Error Enable
}  // namespace error_recovery

namespace volatile_write_cache {  // 06h, sec. 5.1.25.1.4
inline constexpr Bits32 kWCE{0};  // Volatile Write Cache Enable
inline constexpr Bits32 kReserved{31, 1};
}  // namespace volatile_write_cache

namespace number_of_queues {            // 07h
inline constexpr Bits32 kNSQR{15, 0};   // CDW11: Number of I/O SQs Requested, 0's based
inline constexpr Bits32 kNCQR{31, 16};  // CDW11: Number of I/O CQs Requested, 0's based
inline constexpr Bits32 kNSQA{15, 0};   // DW0: Number of I/O SQs Allocated, 0's based
inline constexpr Bits32 kNCQA{31, 16};  // DW0: Number of I/O CQs Allocated, 0's based
inline constexpr std::uint32_t kIllegal = 0xFFFF;
// From plain counts.
[[nodiscard]] constexpr std::uint32_t make(std::uint32_t sqs, std::uint32_t cqs) {
  return kNSQR.put(sqs - 1) | kNCQR.put(cqs - 1);
}
}  // namespace number_of_queues

namespace interrupt_coalescing {       // 08h
inline constexpr Bits32 kTHR{7, 0};    // Aggregation Threshold, completions, 0's based
inline constexpr Bits32 kTIME{15, 8};  // Aggregation Time, 100 us
}  // namespace interrupt_coalescing

namespace interrupt_vector {         // 09h
inline constexpr Bits32 kIV{15, 0};  // Interrupt Vector
inline constexpr Bits32 kCD{16};     // Coalescing Disable
}  // namespace interrupt_vector

namespace write_atomicity {      // 0Ah
inline constexpr Bits32 kDN{0};  // Disable Normal: the host waives AWUN and NAWUN
}  // namespace write_atomicity

namespace async_event_config {         // 0Bh; from bit 8 on as oaes:: in identify_controller.hpp
inline constexpr Bits32 kSmart{7, 0};  // SMART critical warnings, as smart_warning:: in log_page.hpp
inline constexpr Bits32 kTelemetry{10};
}  // namespace async_event_config

namespace apst {                       // 0Ch
inline constexpr Bits32 kAPSTE{0};     // Autonomous Power State Transition Enable
inline constexpr Bits64 kITPS{7, 3};   // data: Idle Transition Power State
inline constexpr Bits64 kITPT{31, 8};  // data: Idle Time Prior to Transition, ms
}  // namespace apst

struct ApstTable {
  std::array<Le64, 32> entries{};  // by power state
};
static_assert(sizeof(ApstTable) == 256);

namespace host_memory_buffer {    // 0Dh
inline constexpr Bits32 kEHM{0};  // Enable Host Memory
inline constexpr Bits32 kMR{1};   // Memory Return
}  // namespace host_memory_buffer

struct TimestampData {                      // 0Eh
  std::array<std::uint8_t, 6> timestamp{};  // ms since 1970-01-01 UTC, or since the last reset, little-endian
  std::uint8_t attributes = 0;              // timestamp_attributes::
  Reserved<1> rsvd7{};

  [[nodiscard]] constexpr std::uint64_t milliseconds() const {
    std::uint64_t value = 0;
    for (std::size_t i = timestamp.size(); i-- > 0;) value = (value << 8) | timestamp[i];
    return value;
  }
  constexpr void set_milliseconds(std::uint64_t value) {
    for (auto& byte : timestamp) {
      byte = static_cast<std::uint8_t>(value);
      value >>= 8;
    }
  }
};
static_assert(sizeof(TimestampData) == 8);
static_assert(offsetof(TimestampData, attributes) == 6);

namespace timestamp_attributes {
inline constexpr Bits8 kSYNCH{0};                  // the count may have stopped meanwhile
inline constexpr Bits8 kORIGIN{3, 1};              // Timestamp Origin
inline constexpr std::uint8_t kOriginCleared = 0;  // by a Controller Level Reset
inline constexpr std::uint8_t kOriginSet = 1;      // by Set Features
}  // namespace timestamp_attributes

// 0Fh Keep Alive Timer: the whole dword is KATO, ms; 0 = off.

struct HostBehavior {       // 16h
  std::uint8_t acre = 0;    // Advanced Command Retry Enable: the host honours CRD
  std::uint8_t etdas = 0;   // Extended Telemetry Data Area 4 Supported
  std::uint8_t lbafee = 0;  // LBA Format Extension Enable
  std::uint8_t hdisns = 0;  // Host Dispersed Namespace Support
  Le16 cdfe;                // Copy Descriptor Formats Enable: bits 2 and 3
  Reserved<506> rsvd6{};
};
static_assert(sizeof(HostBehavior) == 512);
static_assert(offsetof(HostBehavior, etdas) == 1);
static_assert(offsetof(HostBehavior, lbafee) == 2);
static_assert(offsetof(HostBehavior, hdisns) == 3);
static_assert(offsetof(HostBehavior, cdfe) == 4);

namespace sanitize_config {         // 17h
inline constexpr Bits32 kNODRM{0};  // No-Deallocate Response Mode
}  // namespace sanitize_config

namespace io_command_set_profile {      // 19h
inline constexpr Bits32 kIOCSCI{8, 0};  // index of the combination in CNS 1Ch
}  // namespace io_command_set_profile

namespace host_identifier {         // 81h
inline constexpr Bits32 kEXHID{0};  // 16 bytes of data, otherwise 8
}  // namespace host_identifier

namespace write_protection {         // 84h
inline constexpr Bits32 kWPS{2, 0};  // Write Protection State
inline constexpr std::uint32_t kNone = 0;
inline constexpr std::uint32_t kWriteProtect = 1;
inline constexpr std::uint32_t kUntilPowerCycle = 2;
inline constexpr std::uint32_t kPermanent = 3;
}  // namespace write_protection

}  // namespace flushlab::spec
