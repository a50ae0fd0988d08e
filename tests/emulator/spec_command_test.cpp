// SPDX-License-Identifier: GPL-2.0-only
// Queue entries and command dwords, byte by byte.
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <string_view>

#include "emulator/spec/command.hpp"
#include "emulator/spec/endian.hpp"

using namespace flushlab::spec;

namespace {

using Bytes64 = std::array<std::uint8_t, 64>;
using Bytes16 = std::array<std::uint8_t, 16>;

}  // namespace

TEST_CASE("spec endian: the least significant byte is first") {
  CHECK(std::bit_cast<std::array<std::uint8_t, 2>>(Le16{0x1234}) == std::array<std::uint8_t, 2>{0x34, 0x12});
  CHECK(std::bit_cast<std::array<std::uint8_t, 4>>(Le32{0x12345678u}) ==
        std::array<std::uint8_t, 4>{0x78, 0x56, 0x34, 0x12});
  CHECK(std::bit_cast<std::array<std::uint8_t, 8>>(Le64{0x0123456789ABCDEFu}) ==
        std::array<std::uint8_t, 8>{0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01});
  const auto bytes = std::bit_cast<Bytes16>(Le128{1, 2});
  CHECK(bytes == Bytes16{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("spec endian: values come back, also in constant expressions") {
  static_assert(Le16{0xFFFE}.value() == 0xFFFE);
  static_assert(Le32{0x80000001u} == 0x80000001u);
  Le64 field = 7;
  field = 0x8000000000000001u;
  CHECK(field == 0x8000000000000001u);
  CHECK(Le64{}.value() == 0);
  CHECK(Le128{5}.saturated() == 5);
  CHECK(Le128{5, 1}.saturated() == ~std::uint64_t{0});
}

TEST_CASE("spec bits: read, place, replace") {
  constexpr Bits32 field{15, 8};
  static_assert(field.mask() == 0xFF00u && field.max() == 0xFF);
  static_assert(field.get(0x12345678u) == 0x56);
  static_assert(field.put(0xAB) == 0xAB00u);
  static_assert(field.set(0x12345678u, 0xABu) == 0x1234AB78u);
  constexpr Bits64 whole{63, 0};
  static_assert(whole.mask() == ~std::uint64_t{0});
  constexpr Bits8 bit{7};
  static_assert(bit.mask() == 0x80 && bit.in(0x80) && !bit.in(0x7F));
  static_assert((Bits16{0} | Bits16{3} | Bits16{8}) == 0x109);
}

TEST_CASE("spec command: Flush, all 64 bytes") {
  SubmissionEntry sqe = make_flush(0x01020304);
  sqe.cid = 0xBEEF;
  Bytes64 want{};
  want[2] = 0xEF;
  want[3] = 0xBE;
  want[4] = 0x04;
  want[5] = 0x03;
  want[6] = 0x02;
  want[7] = 0x01;
  CHECK(std::bit_cast<Bytes64>(sqe) == want);
}

TEST_CASE("spec command: Write with FUA, all 64 bytes") {
  SubmissionEntry sqe = make_write(1, 0x1122334455667788u, 8, true);
  sqe.cid = 0x0102;
  sqe.prp1 = 0x00000000DEADB000u;
  sqe.prp2 = 0x00000001CAFE0000u;
  const Bytes64 want = {
      0x01, 0x00, 0x02, 0x01, 0x01, 0x00, 0x00, 0x00,  // OPC, FUSE and PSDT, CID, NSID
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // CDW2, CDW3
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // MPTR
      0x00, 0xB0, 0xAD, 0xDE, 0x00, 0x00, 0x00, 0x00,  // PRP1
      0x00, 0x00, 0xFE, 0xCA, 0x01, 0x00, 0x00, 0x00,  // PRP2
      0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,  // SLBA
      0x07, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00,  // NLB 7, FUA; CDW13
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // CDW14, CDW15
  };
  CHECK(std::bit_cast<Bytes64>(sqe) == want);
  CHECK(sqe.io_opcode() == IoOpcode::kWrite);
  CHECK(sqe.slba() == 0x1122334455667788u);
  CHECK(nlb(sqe) == 7);
  CHECK(block_count(sqe) == 8);
  CHECK(fua(sqe));
  CHECK_FALSE(limited_retry(sqe));
  CHECK_FALSE(deac(sqe));
}

TEST_CASE("spec command: the largest range and the flag bits") {
  const SubmissionEntry sqe = make_write_zeroes(1, 0, 65536, true, true);
  CHECK(sqe.opc == 0x08);
  CHECK(sqe.cdw12 == 0x4200FFFFu);
  CHECK(block_count(sqe) == 65536);
  CHECK(deac(sqe));
  CHECK(io_cdw12::kFUA.mask() == 0x40000000u);
  CHECK(io_cdw12::kLR.mask() == 0x80000000u);
  CHECK(io_cdw12::kPRACT.mask() == 0x20000000u);
  CHECK(io_cdw12::kPRINFO.mask() == 0x3C000000u);
  CHECK(io_cdw12::kNSZ.mask() == 0x00800000u);
  CHECK(make_read(1, 0, 1).cdw12 == 0u);
}

TEST_CASE("spec command: FUSE and PSDT share byte 1") {
  SubmissionEntry sqe;
  sqe.set_psdt(Psdt::kSglMptrBuffer);
  CHECK(sqe.flags == 0x40);  // as every command over fabrics has it
  sqe.set_fuse(Fuse::kSecond);
  CHECK(sqe.flags == 0x42);
  CHECK(sqe.psdt() == Psdt::kSglMptrBuffer);
  CHECK(sqe.fuse() == Fuse::kSecond);
  sqe.set_psdt(Psdt::kPrp);
  CHECK(sqe.flags == 0x02);
}

TEST_CASE("spec command: an SGL in the data pointer") {
  SubmissionEntry sqe;
  SglDescriptor sgl;
  sgl.address = 0x0102030405060708u;
  sgl.length = 0x1000;
  sgl.id = sgl::kTransportDataBlock;
  sgl.rsvd12 = {0xA, 0xB, 0xC};
  sqe.set_sgl1(sgl);
  const auto bytes = std::bit_cast<Bytes64>(sqe);
  CHECK(std::equal(bytes.begin() + 24, bytes.begin() + 40, std::bit_cast<Bytes16>(sgl).begin()));
  CHECK(bytes[39] == 0x5A);
  CHECK(sqe.sgl1() == sgl);
}

TEST_CASE("spec command: completion entry") {
  CompletionEntry cqe;
  cqe.dw0 = 0x04030201u;
  cqe.sqhd = 0x0605;
  cqe.sqid = 0x0807;
  cqe.cid = 0x0A09;
  cqe.set_status(status::kInvalidFieldInCommand, true);
  CHECK(std::bit_cast<Bytes16>(cqe) == Bytes16{1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 9, 10, 0x05, 0x80});
  CHECK(cqe.phase());
  CHECK(cqe.sct() == StatusCodeType::kGeneric);
  CHECK(cqe.sc() == 2);
  CHECK(cqe.dnr());
  CHECK_FALSE(cqe.m());
  CHECK(cqe.crd() == 0);
  cqe.set_phase(false);
  CHECK(cqe.status_word == 0x8004);
  CHECK(cqe.status() == status::kInvalidFieldInCommand);
  cqe.set_result64(0x1122334455667788u);
  CHECK(cqe.dw0 == 0x55667788u);
  CHECK(cqe.dw1 == 0x11223344u);
  CHECK(cqe.result64() == 0x1122334455667788u);
}

// The CDWs of the conformance vectors in the sheet's section 10.
TEST_CASE("spec command: admin builders against the conformance vectors") {
  CHECK(make_get_features(0x06).cdw10 == 0x00000006u);     // #1
  CHECK(make_get_features(0x06, 1).cdw10 == 0x00000106u);  // #2
  CHECK(make_get_features(0x06, 3).cdw10 == 0x00000306u);  // #4
  CHECK(make_get_features(0x06, 4).cdw10 == 0x00000406u);  // #5
  const SubmissionEntry set = make_set_features(0x06, 0, true);
  CHECK(set.opc == 0x09);
  CHECK(set.cdw10 == 0x80000006u);  // #7
  CHECK(make_set_features(0x07, 0x00070007).cdw11 == 0x00070007u);

  const SubmissionEntry log = make_get_log_page(0x02, 512);
  CHECK(log.opc == 0x02);
  CHECK(log.cdw10 == 0x007F0002u);  // #59
  CHECK(log.nsid == 0xFFFFFFFFu);
  CHECK(log_page_bytes(log) == 512);

  const SubmissionEntry cq = make_create_io_cq(1, 1024, 0x2000, true, 3);
  CHECK(cq.opc == 0x05);
  CHECK(cq.cdw10 == 0x03FF0001u);
  CHECK(cq.cdw11 == 0x00030003u);
  const SubmissionEntry sq = make_create_io_sq(2, 64, 0x3000, 1, 2);
  CHECK(sq.opc == 0x01);
  CHECK(sq.cdw10 == 0x003F0002u);
  CHECK(sq.cdw11 == 0x00010005u);
  CHECK(make_delete_io_queue(AdminOpcode::kDeleteIoCq, 7).opc == 0x04);
  CHECK(make_delete_io_queue(AdminOpcode::kDeleteIoSq, 7).cdw10 == 7u);

  const SubmissionEntry identify = make_identify(0x05, 9, 2, 0x1234);
  CHECK(identify.opc == 0x06);
  CHECK(identify.cdw10 == 0x12340005u);
  CHECK(identify.cdw11 == 0x02000000u);

  const SubmissionEntry dsm = make_dsm(1, 256, dsm::kAD.put());
  CHECK(dsm.opc == 0x09);
  CHECK(dsm.cdw10 == 0xFFu);
  CHECK(dsm.cdw11 == 4u);
}

TEST_CASE("spec command: a log page longer than 256 KiB, at an offset") {
  const SubmissionEntry log = make_get_log_page(0x0D, 0x00100004u, 0, true, 0x0000000200000010u);
  CHECK(log.cdw10 == 0x0000800Du);  // NUMDL 0, RAE
  CHECK(log.cdw11 == 0x00000004u);  // NUMDU
  CHECK(log_page_bytes(log) == 0x00100004u);
  CHECK(log_page_offset(log) == 0x0000000200000010u);
}

TEST_CASE("spec command: opcodes and their data direction") {
  struct Row {
    std::uint8_t opcode;
    bool admin;
    DataDirection direction;
    std::string_view name;
  };
  constexpr auto kNone = DataDirection::kNone;
  constexpr auto kOut = DataDirection::kHostToController;
  constexpr auto kIn = DataDirection::kControllerToHost;
  constexpr std::array rows = {
      Row{0x00, false, kNone, "Flush"},
      Row{0x01, false, kOut, "Write"},
      Row{0x02, false, kIn, "Read"},
      Row{0x04, false, kNone, "Write Uncorrectable"},
      Row{0x05, false, kOut, "Compare"},
      Row{0x08, false, kNone, "Write Zeroes"},
      Row{0x09, false, kOut, "Dataset Management"},
      Row{0x0C, false, kNone, "Verify"},
      Row{0x0D, false, kOut, "Reservation Register"},
      Row{0x0E, false, kIn, "Reservation Report"},
      Row{0x11, false, kOut, "Reservation Acquire"},
      Row{0x12, false, kIn, "I/O Management Receive"},
      Row{0x15, false, kOut, "Reservation Release"},
      Row{0x18, false, kNone, "Cancel"},
      Row{0x19, false, kOut, "Copy"},
      Row{0x1D, false, kOut, "I/O Management Send"},
      Row{0x00, true, kNone, "Delete I/O Submission Queue"},
      Row{0x01, true, kOut, "Create I/O Submission Queue"},
      Row{0x02, true, kIn, "Get Log Page"},
      Row{0x04, true, kNone, "Delete I/O Completion Queue"},
      Row{0x05, true, kOut, "Create I/O Completion Queue"},
      Row{0x06, true, kIn, "Identify"},
      Row{0x08, true, kNone, "Abort"},
      Row{0x09, true, kOut, "Set Features"},
      Row{0x0A, true, kIn, "Get Features"},
      Row{0x0C, true, kNone, "Asynchronous Event Request"},
      Row{0x0D, true, kOut, "Namespace Management"},
      Row{0x10, true, kNone, "Firmware Commit"},
      Row{0x11, true, kOut, "Firmware Image Download"},
      Row{0x14, true, kNone, "Device Self-test"},
      Row{0x15, true, kOut, "Namespace Attachment"},
      Row{0x18, true, kNone, "Keep Alive"},
      Row{0x19, true, kOut, "Directive Send"},
      Row{0x1A, true, kIn, "Directive Receive"},
      Row{0x1C, true, kNone, "Virtualization Management"},
      Row{0x1D, true, kOut, "NVMe-MI Send"},
      Row{0x1E, true, kIn, "NVMe-MI Receive"},
      Row{0x20, true, kNone, "Capacity Management"},
      Row{0x24, true, kNone, "Lockdown"},
      Row{0x7C, true, kNone, "Doorbell Buffer Config"},
      Row{0x80, true, kNone, "Format NVM"},
      Row{0x81, true, kOut, "Security Send"},
      Row{0x82, true, kIn, "Security Receive"},
      Row{0x84, true, kNone, "Sanitize"},
      Row{0x86, true, kIn, "Get LBA Status"},
  };
  std::set<std::uint8_t> io;
  std::set<std::uint8_t> admin;
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(data_direction(row.opcode) == row.direction);
    if (row.admin) {
      CHECK(name(static_cast<AdminOpcode>(row.opcode)) == row.name);
    } else {
      CHECK(name(static_cast<IoOpcode>(row.opcode)) == row.name);
    }
    (row.admin ? admin : io).insert(row.opcode);
  }
  // No opcode below the vendors' has a name but those above and Fabrics.
  for (unsigned opcode = 0; opcode < 0x80; ++opcode) {
    INFO(opcode);
    const auto byte = static_cast<std::uint8_t>(opcode);
    const std::string_view io_name = name(static_cast<IoOpcode>(byte));
    const std::string_view admin_name = name(static_cast<AdminOpcode>(byte));
    if (opcode == 0x7F) {
      CHECK(io_name == "Fabrics");
      CHECK(admin_name == "Fabrics");
      continue;
    }
    CHECK((io_name == "Unknown") == (io.count(byte) == 0));
    CHECK((admin_name == "Unknown") == (admin.count(byte) == 0));
  }
  CHECK(name(static_cast<AdminOpcode>(0xC0)) == "Vendor Specific");
  CHECK(name(static_cast<AdminOpcode>(0x85)) == "Unknown");
  CHECK(name(static_cast<IoOpcode>(0x80)) == "Vendor Specific");
}
