// SPDX-License-Identifier: GPL-2.0-only
// The two entries that host and controller exchange, 64 bytes down and 16 bytes up (NVMe Base 2.1 sec. 4.1, 4.2), and
// the opcodes. What the command dwords mean is in command_dwords.hpp, which this includes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "emulator/spec/bits.hpp"
#include "emulator/spec/endian.hpp"
#include "emulator/spec/status.hpp"

namespace flushlab::spec {

inline constexpr std::uint32_t kBroadcastNsid = 0xFFFFFFFFu;  // all namespaces (Base 2.1 sec. 3.2.1)
inline constexpr std::uint32_t kMaxNsid = 0xFFFFFFFEu;
inline constexpr std::size_t kIdentifyDataSize = 4096;
inline constexpr std::size_t kPrpPageShift = 12;  // page size is 2^(12 + CC.MPS)

// Opcodes of the admin queue (Base 2.1 sec. 5, Figure "Opcodes for Admin Commands"). Bits 1:0 give the data direction.
enum class AdminOpcode : std::uint8_t {
  kDeleteIoSq = 0x00,                // sec. 5.2.4
  kCreateIoSq = 0x01,                // sec. 5.2.2
  kGetLogPage = 0x02,                // sec. 5.1.12
  kDeleteIoCq = 0x04,                // sec. 5.2.3
  kCreateIoCq = 0x05,                // sec. 5.2.1
  kIdentify = 0x06,                  // sec. 5.1.13
  kAbort = 0x08,                     // sec. 5.1.1
  kSetFeatures = 0x09,               // sec. 5.1.25
  kGetFeatures = 0x0A,               // sec. 5.1.11
  kAsynchronousEventRequest = 0x0C,  // sec. 5.1.2
  kNamespaceManagement = 0x0D,       // sec. 5.1.21
  kFirmwareCommit = 0x10,            // sec. 5.1.8
  kFirmwareImageDownload = 0x11,     // sec. 5.1.9
  kDeviceSelfTest = 0x14,            // sec. 5.1.5
  kNamespaceAttachment = 0x15,       // sec. 5.1.20
  kKeepAlive = 0x18,                 // sec. 5.1.14
  kDirectiveSend = 0x19,             // sec. 5.1.7
  kDirectiveReceive = 0x1A,          // sec. 5.1.6
  kVirtualizationManagement = 0x1C,  // sec. 5.2.6
  kNvmeMiSend = 0x1D,                // sec. 5.1.19
  kNvmeMiReceive = 0x1E,             // sec. 5.1.18
  kCapacityManagement = 0x20,        // sec. 5.1.3
  kLockdown = 0x24,                  // sec. 5.1.15
  kDoorbellBufferConfig = 0x7C,      // sec. 5.2.5
  kFabrics = 0x7F,                   // sec. 6
  kFormatNvm = 0x80,                 // sec. 5.1.10
  kSecuritySend = 0x81,              // sec. 5.1.24
  kSecurityReceive = 0x82,           // sec. 5.1.23
  kSanitize = 0x84,                  // sec. 5.1.22
  kGetLbaStatus = 0x86,              // NVM CS 1.1 sec. 4.2.1
  kVendorFirst = 0xC0,               // C0h..FFh are vendor specific
};

// Opcodes of an I/O queue (Base 2.1 sec. 7; NVM CS 1.1 sec. 3.3).
enum class IoOpcode : std::uint8_t {
  kFlush = 0x00,                // Base 2.1 sec. 7.2
  kWrite = 0x01,                // NVM CS 1.1 sec. 3.3.6
  kRead = 0x02,                 // sec. 3.3.4
  kWriteUncorrectable = 0x04,   // sec. 3.3.7
  kCompare = 0x05,              // sec. 3.3.1
  kWriteZeroes = 0x08,          // sec. 3.3.8
  kDatasetManagement = 0x09,    // sec. 3.3.3
  kVerify = 0x0C,               // sec. 3.3.5
  kReservationRegister = 0x0D,  // Base 2.1 sec. 7.6
  kReservationReport = 0x0E,    // Base 2.1 sec. 7.8
  kReservationAcquire = 0x11,   // Base 2.1 sec. 7.5
  kIoManagementReceive = 0x12,  // Base 2.1 sec. 7.3
  kReservationRelease = 0x15,   // Base 2.1 sec. 7.7
  kCancel = 0x18,               // Base 2.1 sec. 7.1
  kCopy = 0x19,                 // NVM CS 1.1 sec. 3.3.2
  kIoManagementSend = 0x1D,     // Base 2.1 sec. 7.4
  kFabrics = 0x7F,              // Base 2.1 sec. 6
};

// The specification's names; "Unknown" for an opcode that no table holds, "Vendor Specific" for C0h..FFh (admin) and
// 80h..FFh (I/O).
[[nodiscard]] std::string_view name(AdminOpcode opcode);
[[nodiscard]] std::string_view name(IoOpcode opcode);

// Which way data goes, from bits 1:0 of the opcode.
enum class DataDirection : std::uint8_t { kNone = 0, kHostToController = 1, kControllerToHost = 2, kBidirectional = 3 };

[[nodiscard]] constexpr DataDirection data_direction(std::uint8_t opc) {
  return static_cast<DataDirection>(opc & 3u);
}

enum class Fuse : std::uint8_t { kNormal = 0, kFirst = 1, kSecond = 2 };

// PRP or SGL for Data Transfer.
enum class Psdt : std::uint8_t {
  kPrp = 0,             // PRP1 and PRP2
  kSglMptrBuffer = 1,   // SGL1; MPTR is one contiguous buffer
  kSglMptrSegment = 2,  // SGL1; MPTR is an SGL segment
};

// SGL descriptor (Base 2.1 sec. 4.3.2).
struct SglDescriptor {
  Le64 address;  // address, or offset in the capsule for subtype 1
  Le32 length;   // bytes
  Reserved<3> rsvd12{};
  std::uint8_t id = 0;  // type 7:4, subtype 3:0

  constexpr bool operator==(const SglDescriptor&) const = default;
};
static_assert(sizeof(SglDescriptor) == 16);
static_assert(offsetof(SglDescriptor, length) == 8);
static_assert(offsetof(SglDescriptor, id) == 15);

namespace sgl {
inline constexpr std::uint8_t kDataBlock = 0x00;           // address
inline constexpr std::uint8_t kDataBlockInCapsule = 0x01;  // offset
inline constexpr std::uint8_t kBitBucket = 0x10;
inline constexpr std::uint8_t kSegment = 0x20;
inline constexpr std::uint8_t kLastSegment = 0x30;
inline constexpr std::uint8_t kKeyedDataBlock = 0x40;
inline constexpr std::uint8_t kKeyedDataBlockInvalidate = 0x4F;
inline constexpr std::uint8_t kTransportDataBlock = 0x5A;
inline constexpr Bits8 kSubtype{3, 0};
inline constexpr Bits8 kType{7, 4};
}  // namespace sgl

// Submission Queue Entry (Base 2.1 sec. 4.1).
struct SubmissionEntry {
  std::uint8_t opc = 0;    // Opcode
  std::uint8_t flags = 0;  // FUSE 1:0, PSDT 7:6
  Le16 cid;                // Command Identifier, unique among the queue's outstanding commands
  Le32 nsid;               // Namespace Identifier
  Le32 cdw2;
  Le32 cdw3;
  Le64 mptr;   // Metadata Pointer
  Le64 prp1;   // Data Pointer: first PRP entry, or bytes 7:0 of SGL1
  Le64 prp2;   // Data Pointer: second PRP entry or PRP list, or bytes 15:8 of SGL1
  Le32 cdw10;  // command specific from here on
  Le32 cdw11;
  Le32 cdw12;
  Le32 cdw13;
  Le32 cdw14;
  Le32 cdw15;

  static constexpr Bits8 kFUSE{1, 0};
  static constexpr Bits8 kPSDT{7, 6};
  static constexpr Bits8 kFlagsReserved{5, 2};

  [[nodiscard]] constexpr AdminOpcode admin_opcode() const { return static_cast<AdminOpcode>(opc); }
  [[nodiscard]] constexpr IoOpcode io_opcode() const { return static_cast<IoOpcode>(opc); }
  [[nodiscard]] constexpr Fuse fuse() const { return static_cast<Fuse>(kFUSE.get(flags)); }
  [[nodiscard]] constexpr Psdt psdt() const { return static_cast<Psdt>(kPSDT.get(flags)); }
  constexpr void set_fuse(Fuse fuse) { flags = kFUSE.set(flags, fuse); }
  constexpr void set_psdt(Psdt psdt) { flags = kPSDT.set(flags, psdt); }

  // CDW10 and CDW11 as one word: SLBA of the I/O commands, SDLBA of Copy.
  [[nodiscard]] constexpr std::uint64_t slba() const {
    return cdw10.value() | (static_cast<std::uint64_t>(cdw11.value()) << 32);
  }
  constexpr void set_slba(std::uint64_t slba) {
    cdw10 = static_cast<std::uint32_t>(slba);
    cdw11 = static_cast<std::uint32_t>(slba >> 32);
  }

  // The data pointer read as an SGL descriptor (PSDT 01b or 10b).
  [[nodiscard]] constexpr SglDescriptor sgl1() const {
    const std::uint64_t high = prp2;
    SglDescriptor sgl;
    sgl.address = prp1;
    sgl.length = static_cast<std::uint32_t>(high);
    for (unsigned i = 0; i < 3; ++i) sgl.rsvd12[i] = static_cast<std::uint8_t>(high >> (32 + 8 * i));
    sgl.id = static_cast<std::uint8_t>(high >> 56);
    return sgl;
  }
  constexpr void set_sgl1(const SglDescriptor& sgl) {
    prp1 = sgl.address;
    prp2 = sgl.length.value() | (static_cast<std::uint64_t>(sgl.rsvd12[0]) << 32) |
           (static_cast<std::uint64_t>(sgl.rsvd12[1]) << 40) | (static_cast<std::uint64_t>(sgl.rsvd12[2]) << 48) |
           (static_cast<std::uint64_t>(sgl.id) << 56);
  }

  constexpr bool operator==(const SubmissionEntry&) const = default;
};
static_assert(sizeof(SubmissionEntry) == 64 && std::is_trivially_copyable_v<SubmissionEntry>);
static_assert(offsetof(SubmissionEntry, opc) == 0);
static_assert(offsetof(SubmissionEntry, flags) == 1);
static_assert(offsetof(SubmissionEntry, cid) == 2);
static_assert(offsetof(SubmissionEntry, nsid) == 4);
static_assert(offsetof(SubmissionEntry, cdw2) == 8);
static_assert(offsetof(SubmissionEntry, cdw3) == 12);
static_assert(offsetof(SubmissionEntry, mptr) == 16);
static_assert(offsetof(SubmissionEntry, prp1) == 24);
static_assert(offsetof(SubmissionEntry, prp2) == 32);
static_assert(offsetof(SubmissionEntry, cdw10) == 40);
static_assert(offsetof(SubmissionEntry, cdw15) == 60);

// Completion Queue Entry (Base 2.1 sec. 4.2).
struct CompletionEntry {
  Le32 dw0;          // command specific
  Le32 dw1;          // command specific
  Le16 sqhd;         // SQ Head Pointer: entries before it are free again
  Le16 sqid;         // SQ Identifier; reserved on fabrics
  Le16 cid;          // Command Identifier of the command that ended
  Le16 status_word;  // Status 15:1 (sec. 4.2.3), Phase Tag 0

  [[nodiscard]] constexpr bool phase() const { return Status::kP.in(status_word); }
  [[nodiscard]] constexpr Status status() const { return Status::from_word(status_word); }
  constexpr void set_status(Status status, bool phase) { status_word = status.word(phase); }
  constexpr void set_phase(bool phase) { status_word = status().word(phase); }

  [[nodiscard]] constexpr std::uint8_t sc() const { return status().sc(); }
  [[nodiscard]] constexpr StatusCodeType sct() const { return status().sct(); }
  [[nodiscard]] constexpr std::uint8_t crd() const { return status().crd(); }
  [[nodiscard]] constexpr bool m() const { return status().m(); }
  [[nodiscard]] constexpr bool dnr() const { return status().dnr(); }

  // DW0 and DW1 as one word: the value of a Fabrics Property Get.
  [[nodiscard]] constexpr std::uint64_t result64() const {
    return dw0.value() | (static_cast<std::uint64_t>(dw1.value()) << 32);
  }
  constexpr void set_result64(std::uint64_t result) {
    dw0 = static_cast<std::uint32_t>(result);
    dw1 = static_cast<std::uint32_t>(result >> 32);
  }

  constexpr bool operator==(const CompletionEntry&) const = default;
};
static_assert(sizeof(CompletionEntry) == 16 && std::is_trivially_copyable_v<CompletionEntry>);
static_assert(offsetof(CompletionEntry, dw0) == 0);
static_assert(offsetof(CompletionEntry, dw1) == 4);
static_assert(offsetof(CompletionEntry, sqhd) == 8);
static_assert(offsetof(CompletionEntry, sqid) == 10);
static_assert(offsetof(CompletionEntry, cid) == 12);
static_assert(offsetof(CompletionEntry, status_word) == 14);

}  // namespace flushlab::spec

#include "emulator/spec/command_dwords.hpp"
