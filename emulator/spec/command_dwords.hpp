// SPDX-License-Identifier: GPL-2.0-only
// What the command dwords mean, command by command: the fields, and builders of whole entries. A builder leaves CID and
// the data pointer zero: whoever queues the command knows them.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "emulator/spec/bits.hpp"
#include "emulator/spec/command.hpp"
#include "emulator/spec/endian.hpp"

namespace flushlab::spec {

// ---- I/O commands that address a range of logical blocks (NVM CS 1.1 sec. 3.3) ----

// CDW12 of Write, Read, Write Uncorrectable, Compare, Write Zeroes, Verify. SLBA is in CDW10 and CDW11.
namespace io_cdw12 {
inline constexpr Bits32 kNLB{15, 0};      // Number of Logical Blocks, 0's based
inline constexpr Bits32 kCETYPE{19, 16};  // Command Extension Type
inline constexpr Bits32 kDTYPE{23, 20};   // Directive Type (Write)
inline constexpr Bits32 kNSZ{23};         // Namespace Zeroes (Write Zeroes)
inline constexpr Bits32 kSTC{24};         // Storage Tag Check
inline constexpr Bits32 kDEAC{25};        // Deallocate (Write Zeroes): the blocks may be deallocated
inline constexpr Bits32 kPRINFO{29, 26};  // Protection Information: the four below
inline constexpr Bits32 kPRCHKREF{26};    // check the reference tag
inline constexpr Bits32 kPRCHKAPP{27};    // check the application tag
inline constexpr Bits32 kPRCHKGUARD{28};  // check the guard
inline constexpr Bits32 kPRACT{29};       // strip or insert protection information
inline constexpr Bits32 kFUA{30};         // Force Unit Access: on non-volatile media before completion
inline constexpr Bits32 kLR{31};          // Limited Retry
}  // namespace io_cdw12

// CDW13 of Write and Read.
namespace io_cdw13 {
inline constexpr Bits32 kAccessFrequency{3, 0};
inline constexpr Bits32 kAccessLatency{5, 4};
inline constexpr Bits32 kSequentialRequest{6};
inline constexpr Bits32 kIncompressible{7};
inline constexpr Bits32 kDSPEC{31, 16};  // Directive Specific (Write)
}  // namespace io_cdw13

// CDW15 with 16-bit guards. CDW14 is the (expected) initial reference tag.
namespace io_cdw15 {
inline constexpr Bits32 kLBAT{15, 0};    // Logical Block Application Tag
inline constexpr Bits32 kLBATM{31, 16};  // and its mask
}  // namespace io_cdw15

[[nodiscard]] constexpr std::uint32_t nlb(const SubmissionEntry& sqe) {
  return io_cdw12::kNLB.get(sqe.cdw12);
}
[[nodiscard]] constexpr std::uint32_t block_count(const SubmissionEntry& sqe) {
  return nlb(sqe) + 1;
}  // 1..65536
[[nodiscard]] constexpr bool fua(const SubmissionEntry& sqe) {
  return io_cdw12::kFUA.in(sqe.cdw12);
}
[[nodiscard]] constexpr bool limited_retry(const SubmissionEntry& sqe) {
  return io_cdw12::kLR.in(sqe.cdw12);
}
[[nodiscard]] constexpr bool deac(const SubmissionEntry& sqe) {
  return io_cdw12::kDEAC.in(sqe.cdw12);
}

// Flush of one namespace or, with kBroadcastNsid, of all (Base 2.1 sec. 7.2).
[[nodiscard]] constexpr SubmissionEntry make_flush(std::uint32_t nsid) {
  SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(IoOpcode::kFlush);
  sqe.nsid = nsid;
  return sqe;
}

// A command over `blocks` logical blocks (1..65536, a plain count) from `slba`; `cdw12` takes kFUA.put() and its like.
[[nodiscard]] constexpr SubmissionEntry make_range_command(IoOpcode opcode, std::uint32_t nsid, std::uint64_t slba,
                                                           std::uint32_t blocks, std::uint32_t cdw12 = 0) {
  assert(blocks >= 1 && blocks <= 65536);
  SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(opcode);
  sqe.nsid = nsid;
  sqe.set_slba(slba);
  sqe.cdw12 = io_cdw12::kNLB.set(cdw12, blocks - 1);
  return sqe;
}
[[nodiscard]] constexpr SubmissionEntry make_write(std::uint32_t nsid, std::uint64_t slba, std::uint32_t blocks,
                                                   bool fua = false) {
  return make_range_command(IoOpcode::kWrite, nsid, slba, blocks, io_cdw12::kFUA.put(fua ? 1u : 0u));
}
[[nodiscard]] constexpr SubmissionEntry make_read(std::uint32_t nsid, std::uint64_t slba, std::uint32_t blocks,
                                                  bool fua = false) {
  return make_range_command(IoOpcode::kRead, nsid, slba, blocks, io_cdw12::kFUA.put(fua ? 1u : 0u));
}
[[nodiscard]] constexpr SubmissionEntry make_write_zeroes(std::uint32_t nsid, std::uint64_t slba, std::uint32_t blocks,
                                                          bool deac = false, bool fua = false) {
  return make_range_command(IoOpcode::kWriteZeroes, nsid, slba, blocks,
                            io_cdw12::kDEAC.put(deac ? 1u : 0u) | io_cdw12::kFUA.put(fua ? 1u : 0u));
}

// ---- Dataset Management (NVM CS 1.1 sec. 3.3.3) ----

namespace dsm {
inline constexpr Bits32 kNR{7, 0};  // CDW10: Number of Ranges, 0's based
inline constexpr Bits32 kIDR{0};    // CDW11: Integral Dataset for Read
inline constexpr Bits32 kIDW{1};    // CDW11: Integral Dataset for Write
inline constexpr Bits32 kAD{2};     // CDW11: Attribute - Deallocate
inline constexpr unsigned kMaxRanges = 256;
}  // namespace dsm

struct DsmRange {
  Le32 cattr;   // Context Attributes
  Le32 length;  // logical blocks, a plain count
  Le64 slba;    // first logical block
};
static_assert(sizeof(DsmRange) == 16);
static_assert(offsetof(DsmRange, length) == 4);
static_assert(offsetof(DsmRange, slba) == 8);

[[nodiscard]] constexpr SubmissionEntry make_dsm(std::uint32_t nsid, std::uint32_t ranges, std::uint32_t cdw11) {
  assert(ranges >= 1 && ranges <= dsm::kMaxRanges);
  SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(IoOpcode::kDatasetManagement);
  sqe.nsid = nsid;
  sqe.cdw10 = dsm::kNR.put(ranges - 1);
  sqe.cdw11 = cdw11;
  return sqe;
}

// ---- Copy (NVM CS 1.1 sec. 3.3.2) ----

// CDW12 of Copy; SDLBA is in CDW10 and CDW11.
namespace copy_cdw12 {
inline constexpr Bits32 kNR{7, 0};         // Number of Ranges, 0's based
inline constexpr Bits32 kDESFMT{11, 8};    // Descriptor Format
inline constexpr Bits32 kPRINFOR{15, 12};  // Protection Information of the read part
inline constexpr Bits32 kDTYPE{23, 20};    // Directive Type
inline constexpr Bits32 kSTCW{24};         // Storage Tag Check, write part
inline constexpr Bits32 kSTCR{25};         // Storage Tag Check, read part
inline constexpr Bits32 kPRINFOW{29, 26};  // Protection Information of the write part
inline constexpr Bits32 kFUA{30};          // Force Unit Access of the write part
inline constexpr Bits32 kLR{31};           // Limited Retry
}  // namespace copy_cdw12

// Source range of descriptor formats 0h and 2h.
struct CopyRange {
  Le32 snsid;  // Source Namespace Identifier (format 2h)
  Reserved<4> rsvd4{};
  Le64 slba;  // first logical block to read
  Le16 nlb;   // Number of Logical Blocks, 0's based
  Reserved<4> rsvd18{};
  Le16 sopt;    // Source Options (format 2h)
  Le32 eilbrt;  // Expected Initial Logical Block Reference Tag
  Le16 elbat;   // Expected Logical Block Application Tag
  Le16 elbatm;  // and its mask
};
static_assert(sizeof(CopyRange) == 32);
static_assert(offsetof(CopyRange, slba) == 8);
static_assert(offsetof(CopyRange, nlb) == 16);
static_assert(offsetof(CopyRange, sopt) == 22);
static_assert(offsetof(CopyRange, eilbrt) == 24);
static_assert(offsetof(CopyRange, elbat) == 28);
static_assert(offsetof(CopyRange, elbatm) == 30);

// ---- Admin commands ----

// Create I/O Completion / Submission Queue, Delete (Base 2.1 sec. 5.2.1 to 5.2.4).
namespace queue_cdw {
inline constexpr Bits32 kQID{15, 0};       // CDW10: Queue Identifier
inline constexpr Bits32 kQSIZE{31, 16};    // CDW10: Queue Size in entries, 0's based
inline constexpr Bits32 kPC{0};            // CDW11: Physically Contiguous
inline constexpr Bits32 kIEN{1};           // CDW11 of Create CQ: Interrupts Enabled
inline constexpr Bits32 kIV{31, 16};       // CDW11 of Create CQ: Interrupt Vector
inline constexpr Bits32 kQPRIO{2, 1};      // CDW11 of Create SQ: Queue Priority, 0 urgent .. 3 low
inline constexpr Bits32 kCQID{31, 16};     // CDW11 of Create SQ: Completion Queue Identifier
inline constexpr Bits32 kNVMSETID{15, 0};  // CDW12 of Create SQ: NVM Set Identifier
}  // namespace queue_cdw

[[nodiscard]] constexpr SubmissionEntry make_create_io_cq(std::uint16_t qid, std::uint32_t entries, std::uint64_t prp1,
                                                          bool interrupts, std::uint16_t vector) {
  SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(AdminOpcode::kCreateIoCq);
  sqe.prp1 = prp1;
  sqe.cdw10 = queue_cdw::kQID.put(qid) | queue_cdw::kQSIZE.put(entries - 1);
  sqe.cdw11 = queue_cdw::kPC.put() | queue_cdw::kIEN.put(interrupts ? 1u : 0u) | queue_cdw::kIV.put(vector);
  return sqe;
}
[[nodiscard]] constexpr SubmissionEntry make_create_io_sq(std::uint16_t qid, std::uint32_t entries, std::uint64_t prp1,
                                                          std::uint16_t cqid, unsigned qprio = 0) {
  SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(AdminOpcode::kCreateIoSq);
  sqe.prp1 = prp1;
  sqe.cdw10 = queue_cdw::kQID.put(qid) | queue_cdw::kQSIZE.put(entries - 1);
  sqe.cdw11 = queue_cdw::kPC.put() | queue_cdw::kQPRIO.put(qprio) | queue_cdw::kCQID.put(cqid);
  return sqe;
}
// Delete I/O SQ or CQ.
[[nodiscard]] constexpr SubmissionEntry make_delete_io_queue(AdminOpcode opcode, std::uint16_t qid) {
  assert(opcode == AdminOpcode::kDeleteIoSq || opcode == AdminOpcode::kDeleteIoCq);
  SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(opcode);
  sqe.cdw10 = queue_cdw::kQID.put(qid);
  return sqe;
}

// Identify (Base 2.1 sec. 5.1.13). CNS values are in identify.hpp.
namespace identify_cdw {
inline constexpr Bits32 kCNS{7, 0};      // CDW10: Controller or Namespace Structure
inline constexpr Bits32 kCNTID{31, 16};  // CDW10: Controller Identifier
inline constexpr Bits32 kCNSSID{15, 0};  // CDW11: CNS Specific Identifier
inline constexpr Bits32 kCSI{31, 24};    // CDW11: Command Set Identifier
inline constexpr Bits32 kUIDX{6, 0};     // CDW14: UUID Index
}  // namespace identify_cdw

[[nodiscard]] constexpr SubmissionEntry make_identify(std::uint8_t cns, std::uint32_t nsid = 0, std::uint8_t csi = 0,
                                                      std::uint16_t cntid = 0) {
  SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(AdminOpcode::kIdentify);
  sqe.nsid = nsid;
  sqe.cdw10 = identify_cdw::kCNS.put(cns) | identify_cdw::kCNTID.put(cntid);
  sqe.cdw11 = identify_cdw::kCSI.put(csi);
  return sqe;
}

// Set Features (Base 2.1 sec. 5.1.25) and Get Features (sec. 5.1.11). FID and SEL values are in feature.hpp.
namespace feature_cdw {
inline constexpr Bits32 kFID{7, 0};   // CDW10: Feature Identifier
inline constexpr Bits32 kSEL{10, 8};  // CDW10 of Get: Select
inline constexpr Bits32 kSV{31};      // CDW10 of Set: Save
inline constexpr Bits32 kUIDX{6, 0};  // CDW14: UUID Index
}  // namespace feature_cdw

[[nodiscard]] constexpr SubmissionEntry make_set_features(std::uint8_t fid, std::uint32_t cdw11, bool save = false,
                                                          std::uint32_t nsid = 0) {
  SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(AdminOpcode::kSetFeatures);
  sqe.nsid = nsid;
  sqe.cdw10 = feature_cdw::kFID.put(fid) | feature_cdw::kSV.put(save ? 1u : 0u);
  sqe.cdw11 = cdw11;
  return sqe;
}
[[nodiscard]] constexpr SubmissionEntry make_get_features(std::uint8_t fid, unsigned sel = 0, std::uint32_t nsid = 0) {
  SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(AdminOpcode::kGetFeatures);
  sqe.nsid = nsid;
  sqe.cdw10 = feature_cdw::kFID.put(fid) | feature_cdw::kSEL.put(sel);
  return sqe;
}

// Get Log Page (Base 2.1 sec. 5.1.12). LID values are in log_page.hpp.
namespace log_cdw {
inline constexpr Bits32 kLID{7, 0};      // CDW10: Log Page Identifier
inline constexpr Bits32 kLSP{14, 8};     // CDW10: Log Specific Parameter
inline constexpr Bits32 kRAE{15};        // CDW10: Retain Asynchronous Event
inline constexpr Bits32 kNUMDL{31, 16};  // CDW10: Number of Dwords, low half of a 0's based count
inline constexpr Bits32 kNUMDU{15, 0};   // CDW11: its high half
inline constexpr Bits32 kLSI{31, 16};    // CDW11: Log Specific Identifier
inline constexpr Bits32 kUIDX{6, 0};     // CDW14: UUID Index
inline constexpr Bits32 kOT{23};         // CDW14: Offset Type, 1 = index
inline constexpr Bits32 kCSI{31, 24};    // CDW14: Command Set Identifier
}  // namespace log_cdw

// Bytes asked for.
[[nodiscard]] constexpr std::uint64_t log_page_bytes(const SubmissionEntry& sqe) {
  const std::uint64_t numd =
      log_cdw::kNUMDL.get(sqe.cdw10) | (static_cast<std::uint64_t>(log_cdw::kNUMDU.get(sqe.cdw11)) << 16);
  return (numd + 1) * 4;
}
// Log Page Offset, CDW12 and CDW13.
[[nodiscard]] constexpr std::uint64_t log_page_offset(const SubmissionEntry& sqe) {
  return sqe.cdw12.value() | (static_cast<std::uint64_t>(sqe.cdw13.value()) << 32);
}
// `bytes` is a multiple of 4 and not 0.
[[nodiscard]] constexpr SubmissionEntry make_get_log_page(std::uint8_t lid, std::uint32_t bytes,
                                                          std::uint32_t nsid = kBroadcastNsid, bool rae = false,
                                                          std::uint64_t offset = 0) {
  assert(bytes >= 4 && bytes % 4 == 0);
  const std::uint32_t numd = bytes / 4 - 1;
  SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(AdminOpcode::kGetLogPage);
  sqe.nsid = nsid;
  sqe.cdw10 = log_cdw::kLID.put(lid) | log_cdw::kRAE.put(rae ? 1u : 0u) | log_cdw::kNUMDL.put(numd & 0xFFFFu);
  sqe.cdw11 = log_cdw::kNUMDU.put(numd >> 16);
  sqe.cdw12 = static_cast<std::uint32_t>(offset);
  sqe.cdw13 = static_cast<std::uint32_t>(offset >> 32);
  return sqe;
}

// Abort (Base 2.1 sec. 5.1.1), CDW10; in the completion, DW0 bit 0.
namespace abort_cdw {
inline constexpr Bits32 kSQID{15, 0};    // queue of the command to abort
inline constexpr Bits32 kCID{31, 16};    // its identifier
inline constexpr Bits32 kNotAborted{0};  // DW0: 1 = the command was not aborted
}  // namespace abort_cdw

// Namespace Management (Base 2.1 sec. 5.1.21) and Namespace Attachment (sec. 5.1.20).
namespace ns_cdw {
inline constexpr Bits32 kSEL{3, 0};          // CDW10: Select
inline constexpr Bits32 kCSI{31, 24};        // CDW11: Command Set Identifier
inline constexpr std::uint32_t kCreate = 0;  // SEL of Namespace Management
inline constexpr std::uint32_t kDelete = 1;
inline constexpr std::uint32_t kAttach = 0;  // SEL of Namespace Attachment
inline constexpr std::uint32_t kDetach = 1;
}  // namespace ns_cdw

// Format NVM, CDW10 (Base 2.1 sec. 5.1.10; NVM CS 1.1 sec. 4.1.2).
namespace format_cdw10 {
inline constexpr Bits32 kLBAFL{3, 0};    // LBA Format, low bits
inline constexpr Bits32 kMSET{4};        // Metadata Settings: 1 = interleaved
inline constexpr Bits32 kPI{7, 5};       // Protection Information type
inline constexpr Bits32 kPIL{8};         // Protection Information Location: 1 = first bytes
inline constexpr Bits32 kSES{11, 9};     // Secure Erase Settings: 0 none, 1 user data, 2 cryptographic
inline constexpr Bits32 kLBAFU{13, 12};  // LBA Format, high bits
}  // namespace format_cdw10

// Sanitize, CDW10 (Base 2.1 sec. 5.1.22). CDW11 is the overwrite pattern.
namespace sanitize_cdw10 {
inline constexpr Bits32 kSANACT{2, 0};  // Sanitize Action
inline constexpr Bits32 kAUSE{3};       // Allow Unrestricted Sanitize Exit
inline constexpr Bits32 kOWPASS{7, 4};  // Overwrite Pass Count
inline constexpr Bits32 kOIPBP{8};      // Overwrite Invert Pattern Between Passes
inline constexpr Bits32 kNDAS{9};       // No-Deallocate After Sanitize
inline constexpr std::uint32_t kExitFailureMode = 1;
inline constexpr std::uint32_t kBlockErase = 2;
inline constexpr std::uint32_t kOverwrite = 3;
inline constexpr std::uint32_t kCryptoErase = 4;
inline constexpr std::uint32_t kExitMediaVerification = 5;
}  // namespace sanitize_cdw10

// Firmware Image Download: CDW10 NUMD (0's based), CDW11 OFST, dwords (Base 2.1 sec. 5.1.9).
// Firmware Commit, CDW10 (sec. 5.1.8).
namespace firmware_commit_cdw10 {
inline constexpr Bits32 kFS{2, 0};  // Firmware Slot
inline constexpr Bits32 kCA{5, 3};  // Commit Action
inline constexpr Bits32 kBPID{31};  // Boot Partition Identifier
}  // namespace firmware_commit_cdw10

// Device Self-test, CDW10 (Base 2.1 sec. 5.1.5).
namespace self_test_cdw10 {
inline constexpr Bits32 kSTC{3, 0};  // Self-test Code
inline constexpr std::uint32_t kShort = 1;
inline constexpr std::uint32_t kExtended = 2;
inline constexpr std::uint32_t kAbort = 0xF;
}  // namespace self_test_cdw10

}  // namespace flushlab::spec
