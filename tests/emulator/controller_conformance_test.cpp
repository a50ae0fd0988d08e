// SPDX-License-Identifier: GPL-2.0-only
// The conformance vectors of nvme-spec.md section 10 for the commands built so far, through the door alone.
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "emulator/spec/feature.hpp"
#include "emulator/spec/identify.hpp"
#include "emulator/spec/log_page.hpp"
#include "tests/emulator/raw_host.hpp"

using namespace flushlab;
using test::RawHost;
using Entry = spec::SubmissionEntry;

namespace {

constexpr int kAnyResult = -1;
constexpr std::uint16_t kOk = 0;

struct Vector {
  int number;
  bool io;
  std::uint8_t vwc;
  Entry command;
  std::uint16_t word;
  std::uint16_t or_word;  // a second answer that section 10 accepts
  std::int64_t dw0;
};

Entry raw(std::uint8_t opc, std::uint32_t nsid, std::uint32_t cdw10 = 0, std::uint32_t cdw11 = 0,
          std::uint32_t cdw12 = 0) {
  Entry e;
  e.opc = opc;
  e.nsid = nsid;
  e.cdw10 = cdw10;
  e.cdw11 = cdw11;
  e.cdw12 = cdw12;
  return e;
}
Vector adm(int n, Entry e, std::uint16_t word, std::int64_t dw0 = kAnyResult, std::uint8_t vwc = 0x07) {
  return {n, false, vwc, e, word, word, dw0};
}
Vector iov(int n, Entry e, std::uint16_t word, std::uint8_t vwc = 0x07) {
  return {n, true, vwc, e, word, word, kAnyResult};
}
Entry with_flags(Entry e, std::uint8_t flags) {
  e.flags = flags;
  return e;
}
Entry with_prp1(Entry e, std::uint64_t prp1) {
  e.prp1 = prp1;
  return e;
}

std::vector<Vector> vectors() {
  std::vector<Vector> v = {adm(1, raw(0x0A, 0, 0x006), kOk, 1),
                           adm(2, raw(0x0A, 0, 0x106), kOk, 1),
                           adm(3, raw(0x0A, 0, 0x206), kOk, 1),
                           adm(4, raw(0x0A, 0, 0x306), kOk, 4),
                           adm(5, raw(0x0A, 0, 0x406), 0x8004),
                           adm(7, raw(0x09, 0, 0x80000006), 0x821A),
                           adm(10, raw(0x09, 1, 0x006), 0x821E),
                           adm(11, raw(0x09, 0, 0x006, 1), 0x8004, kAnyResult, 0x06),
                           adm(12, raw(0x0A, 0, 0x006), 0x8004, kAnyResult, 0x06),
                           iov(13, spec::make_flush(1), kOk, 0x06),
                           iov(19, spec::make_flush(spec::kBroadcastNsid), kOk),
                           iov(20, spec::make_flush(spec::kBroadcastNsid), 0x8016, 0x05),
                           iov(21, spec::make_flush(0), 0x8016),
                           iov(22, spec::make_flush(5), 0x8016),
                           iov(23, spec::make_flush(2), 0x8004),
                           iov(35, spec::make_write(1, 0xFFFFF, 2), 0x8100),
                           iov(36, spec::make_read(1, ~std::uint64_t{0}, 1), 0x8100),
                           iov(37, spec::make_read(1, 0, 257), 0x8004),
                           iov(38, spec::make_write_zeroes(1, 0, 65536), kOk),
                           iov(39, spec::make_write(0, 0, 1), 0x8016),
                           iov(39, spec::make_write(9, 0, 1), 0x8016),
                           iov(39, spec::make_write(spec::kBroadcastNsid, 0, 1), 0x8016),
                           iov(40, spec::make_read(2, 0, 1), 0x8004),
                           iov(41, raw(0x03, 1), 0x8002),
                           iov(42, with_flags(spec::make_write(1, 0, 1), 1), 0x8004),
                           adm(48, raw(0x09, 0, 0x07, 0xFFFF0000), 0x8004),
                           adm(50, raw(0x05, 0, 0x00000002, 1), 0x8204),
                           adm(54, raw(0x00, 0, 0), 0x8202),
                           adm(56, spec::make_identify(0x00, 0), 0x8016),
                           adm(57, spec::make_identify(0x02, 0xFFFFFFFE), 0x8016),
                           adm(58, spec::make_identify(0x40), 0x8004),
                           adm(59, raw(0x02, spec::kBroadcastNsid, 0x007F0002), kOk),
                           {60, false, 0x07, raw(0x02, spec::kBroadcastNsid, 0x007F00BE), 0x8212, 0x8004, kAnyResult},
                           adm(61, raw(0x02, spec::kBroadcastNsid, 0x007F0002, 0, 2), 0x8004),
                           adm(63, raw(0x08, 0, 0x12340001), kOk, 1),
                           adm(65, raw(0x0A, 0, 0xFE), 0x8004),
                           iov(66, with_prp1(spec::make_read(1, 0, 1), 2), 0x8026),
                           adm(68, with_flags(raw(0x06, 0, 1), 0x40), 0x8004)};
  return v;
}

}  // namespace

TEST_CASE("controller: conformance vectors of one command") {
  for (const Vector& v : vectors()) {
    media::DeviceProfile p = test::conformance_drive();
    p.identify.vwc = v.vwc;
    RawHost host(p);
    host.start();
    if (v.io) host.create_io_pair();
    Entry e = v.command;
    if (v.number == 66) e.prp1 = host.ids + 2;
    const spec::CompletionEntry cqe = v.io ? host.io(e) : host.admin(e);
    const std::uint16_t word = cqe.status().word(false);
    INFO("vector " << v.number << " got " << std::hex << word << " want " << v.word);
    CHECK(cqe.cid.value() != 0);
    CHECK((word == v.word || word == v.or_word));
    if (v.dw0 >= 0) CHECK(cqe.dw0.value() == static_cast<std::uint32_t>(v.dw0));
  }
}

TEST_CASE("controller: conformance vectors 6 to 9, write cache enable") {
  media::DeviceProfile p = test::conformance_drive();
  SECTION("6: WCE 1 to 0 makes everything durable") {
    RawHost host(p);
    host.start();
    host.create_io_pair();
    host.write(5, 77);
    CHECK(host.durable(5) == 0);
    CHECK(host.admin(raw(0x09, 0, 6, 0)).status().ok());
    CHECK(host.admin(raw(0x0A, 0, 6)).dw0.value() == 0);
    CHECK(host.durable(5) == 77);
    host.write(6, 78);  // 17
    CHECK(host.durable(6) == 78);
    CHECK(host.io(spec::make_flush(1)).status().ok());  // 18
    CHECK(host.controller.counters().flushes_with_effect == 0);
  }
  SECTION("8 and 9: saved over a reset only where saveable") {
    const bool saveable = GENERATE(true, false);
    p.cache.wce_saveable = saveable;
    RawHost host(p);
    host.start();
    CHECK(host.admin(raw(0x09, 0, saveable ? 0x80000006 : 6, 0)).status().ok());
    host.stop();
    host.start();
    CHECK(host.admin(raw(0x0A, 0, 6)).dw0.value() == (saveable ? 0U : 1U));
  }
}

TEST_CASE("controller: conformance vectors 14 to 16, 24, 29, 30, 32, durability") {
  RawHost host(test::conformance_drive());
  host.start();
  host.create_io_pair();
  SECTION("14 and 15") {
    host.write(5, 1);
    CHECK(host.durable(5) == 0);
    CHECK(host.io(spec::make_flush(1)).status().ok());
    CHECK(host.durable(5) == 1);
    CHECK(host.controller.counters().flushes_with_effect == 1);
  }
  SECTION("16: FUA makes its own blocks durable and no others") {
    host.write(100, 1);
    host.write(5, 2, 1, true);
    CHECK(host.durable(5) == 2);
    CHECK(host.durable(100) == 0);
  }
  SECTION("the same with both in one internal unit") {
    host.write(4, 1);
    host.write(5, 2, 1, true);
    CHECK(host.durable(5) == 2);
    CHECK(host.durable(4) == 0);
  }
  SECTION("4.3: Write Zeroes with FUA is durable at completion") {
    host.write(5, 1, 1, true);
    CHECK(host.io(spec::make_write_zeroes(1, 5, 1, false, true)).status().ok());
    CHECK(host.newest(5) == 0);
    CHECK(host.durable(5) == 0);
  }
  SECTION("29: Read FUA commits") {
    host.write(5, 1);
    CHECK(host.io(spec::make_read(1, 5, 1, true)).status().ok());
    CHECK(host.durable(5) == 1);
  }
  SECTION("30: shutdown") {
    host.write(5, 1);
    host.door.write32(spec::reg::kCC, spec::cc::make(true) | spec::cc::kSHN.put(spec::cc::kShnNormal));
    host.simulator.events().run();
    CHECK(spec::csts::kSHST.get(host.csts()) == spec::csts::kShstComplete);
    CHECK(host.durable(5) == 1);
  }
  SECTION("9.1: what completes before SHST says complete, or after, is durable too") {
    host.door.memory().write_ids(host.ids, 512)[0] = 9;
    Entry e = spec::make_write(1, 5, 1);
    e.prp1 = host.ids;
    host.send(1, e);
    host.door.write32(spec::reg::kCC, spec::cc::make(true) | spec::cc::kSHN.put(spec::cc::kShnNormal));
    host.simulator.events().run();
    CHECK(spec::csts::kSHST.get(host.csts()) == spec::csts::kShstComplete);
    if (!host.reap(1).empty()) CHECK(host.durable(5) == 9);
  }
  SECTION("32: a controller reset keeps cached data") {
    host.write(5, 1);
    host.stop();
    host.start();
    host.create_io_pair();
    host.door.memory().write_ids(host.ids, 512)[0] = 0;
    CHECK(host.io(spec::make_read(1, 5, 1)).status().ok());
    CHECK(host.door.memory().write_ids(host.ids, 512)[0] == 1);
  }
}

TEST_CASE("controller: conformance vectors 45, 47, 49, 51 to 53, 55, 57, 62, 67") {
  RawHost host(test::conformance_drive());
  host.start();
  SECTION("47 and 49") {
    CHECK(host.admin(raw(0x09, 0, 7, 0x00070007)).status().ok());
    host.create_io_pair();
    CHECK(host.admin(raw(0x09, 0, 7, 0x00070007)).status().word(false) == 0x8018);
  }
  SECTION("51 to 53") {
    const std::uint64_t cq = host.region(4096);
    CHECK(host.admin(spec::make_create_io_cq(1, 16, cq, true, 1)).status().ok());
    CHECK(host.admin(spec::make_create_io_cq(1, 16, cq, true, 1)).status().word(false) == 0x8202);
    CHECK(host.admin(spec::make_create_io_sq(1, 16, host.region(4096), 9)).status().word(false) == 0x8200);
    CHECK(host.admin(spec::make_create_io_sq(1, 16, host.region(4096), 1)).status().ok());
    CHECK(host.admin(raw(0x04, 0, 1)).status().is(spec::status::kInvalidQueueDeletion));
  }
  SECTION("55 and 57") {
    std::memset(host.bytes(), 0xFF, 4096);
    CHECK(host.admin(spec::make_identify(0x00, 2)).status().ok());
    for (int i = 0; i < 4096; ++i) REQUIRE(host.bytes()[i] == std::byte{0});
    CHECK(host.admin(spec::make_identify(0x02, 0)).status().ok());
    CHECK(host.bytes()[0] == std::byte{1});
    CHECK(host.bytes()[4] == std::byte{0});
    CHECK(host.admin(spec::make_identify(0x02, 1)).status().ok());
    CHECK(host.bytes()[0] == std::byte{0});
  }
  SECTION("62: the fifth AER") {
    for (int i = 0; i < 4; ++i) CHECK(host.admin(raw(0x0C, 0)).cid.value() == 0);
    CHECK(host.admin(raw(0x0C, 0)).status().word(false) == 0x020A);
  }
  SECTION("45 and 67") {
    host.create_io_pair();
    host.write(16, 7, 8);
    spec::DsmRange range;
    range.length = 8;
    range.slba = 16;
    std::memcpy(host.bytes(), &range, sizeof range);
    Entry e = spec::make_dsm(1, 1, spec::dsm::kAD.put());
    e.prp1 = host.data;
    CHECK(host.io(e).status().ok());
    for (std::uint64_t lba = 16; lba < 24; ++lba) CHECK((host.newest(lba) == 0 || host.newest(lba) == 7));
    const spec::Le64 bad = host.ids + queue::kPageBytes + 8;
    std::byte* list = host.door.memory().bytes(host.list, queue::kPageBytes);
    for (int i = 0; i < 3; ++i) std::memcpy(list + 8 * i, &bad, 8);
    Entry r = spec::make_read(1, 0, 32);
    r.prp1 = host.ids;
    r.prp2 = host.list;
    CHECK(host.io(r).status().word(false) == 0x8026);
  }
}

TEST_CASE("controller: a full completion queue holds completions back, in order, over the phase wrap") {
  RawHost host(test::conformance_drive());
  host.start();
  host.create_io_pair(4);  // holds three
  std::uint16_t expected = 0;
  for (int round = 0; round < 9; ++round) {
    std::vector<std::uint16_t> sent;
    for (int i = 0; i < 3; ++i) {
      Entry e = spec::make_write(1, static_cast<std::uint64_t>(i), 1);
      e.prp1 = host.ids;
      sent.push_back(host.send(1, e));
    }
    host.simulator.events().run();
    std::vector<spec::CompletionEntry> got = host.reap(1, false);
    REQUIRE(got.size() == 3);
    // The ring is full to the drive until the head doorbell: one more waits.
    Entry e = spec::make_write(1, 9, 1);
    e.prp1 = host.ids;
    const std::uint16_t held = host.send(1, e);
    host.simulator.events().run();
    CHECK(host.reap(1, false).empty());
    expected = static_cast<std::uint16_t>(expected + 3);
    // Head moves to what was taken.
    host.door.ring_cq_head(1, static_cast<std::uint16_t>(expected % 4));
    host.simulator.events().run();
    got = host.reap(1, false);
    REQUIRE(got.size() == 1);
    CHECK(got[0].cid.value() == held);
    expected = static_cast<std::uint16_t>(expected + 1);
    host.door.ring_cq_head(1, static_cast<std::uint16_t>(expected % 4));
  }
}

TEST_CASE("controller: a wrong configuration ends in CSTS.CFS, without RDY") {
  const int wrong = GENERATE(0, 1, 2, 3, 4, 5);
  RawHost host(test::conformance_drive());
  const std::uint64_t asq = host.region(4096), acq = host.region(4096);
  host.door.write32(spec::reg::kAQA, wrong == 0 ? 0 : spec::aqa::make(16, 16));
  host.door.write64(spec::reg::kASQ, wrong == 1 ? asq + 64 : asq);
  host.door.write64(spec::reg::kACQ, acq);
  std::uint32_t cc = spec::cc::make(true);
  if (wrong == 2) cc = spec::cc::kMPS.set(cc, 1U);
  if (wrong == 3) cc = spec::cc::kCSS.set(cc, 6U);
  if (wrong == 4) cc = spec::cc::kAMS.set(cc, 1U);
  if (wrong == 5) cc = spec::cc::kIOSQES.set(cc, 5U);
  host.door.write32(spec::reg::kCC, cc);
  host.simulator.events().run();
  CHECK(spec::csts::kCFS.in(host.csts()));
  CHECK_FALSE(spec::csts::kRDY.in(host.csts()));
}
