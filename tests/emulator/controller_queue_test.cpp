// SPDX-License-Identifier: GPL-2.0-only
// Queues, arbitration, reset and shutdown of the controller, through its door (rules K1 to K5 of controller.hpp).
#include <algorithm>
#include <catch2/catch.hpp>

#include "lab/check/raw_host.hpp"

using namespace flushlab;
using lab::RawHost;

namespace {

media::DeviceProfile drive() {
  media::DeviceProfile profile;
  profile.keep_image = true;
  profile.timing.write_lat_floor_ns.value = 10'000;
  profile.timing.write_slots.value = 8;
  profile.timing.flush_answer_ns.value = 100'000;
  profile.timing.flush_servers.value = 1;
  profile.timing.unit_bytes.value = 4096;
  profile.timing.admin_lat_ns.value = 1'000;
  return profile;
}

struct Interrupts {
  std::vector<std::uint16_t> vectors;
  static void take(void* self, std::uint16_t vector) { static_cast<Interrupts*>(self)->vectors.push_back(vector); }
};

spec::SubmissionEntry write(RawHost& host, std::uint64_t lba, queue::WriteId id) {
  host.door.memory().write_ids(host.ids, 512)[0] = id;
  spec::SubmissionEntry sqe = spec::make_write(1, lba, 1);
  sqe.prp1 = host.ids;
  return sqe;
}

}  // namespace

TEST_CASE("controller: queues that wait for command slots are served round robin, a burst at a time") {
  const std::uint32_t ab = GENERATE(0U, 1U);  // bursts of 1 and 2
  RawHost host(drive());
  host.start();
  for (std::uint16_t qid = 1; qid <= 3; ++qid) host.create_io_pair(1024, qid);
  host.admin(spec::make_set_features(spec::FeatureId::kArbitration, ab));
  Interrupts interrupts;
  host.door.attach_host({&interrupts, &Interrupts::take});
  for (int i = 0; i < 1023; ++i) host.send(1, spec::make_flush(1));
  for (int i = 0; i < 5; ++i) host.send(2, spec::make_flush(1));  // one finds the last slot
  for (int i = 0; i < 4; ++i) host.send(3, spec::make_flush(1));
  CHECK(host.controller.counters().fetched == 1024);
  host.simulator.events().run();
  REQUIRE(interrupts.vectors.size() == 1032);
  // One Flush at a time frees one slot at a time, so what follows is the order in which the waiting queues were served.
  const std::vector<std::uint16_t> tail(interrupts.vectors.end() - 8, interrupts.vectors.end());
  CHECK(std::count(tail.begin(), tail.end(), 2) == 4);
  CHECK(std::count(tail.begin(), tail.end(), 3) == 4);
  for (std::size_t i = 1; i < tail.size(); ++i) CHECK(tail[i] != tail[i - 1]);
  CHECK(host.controller.counters().completed == 1032);
}

TEST_CASE("controller: a reset drops what is outstanding, keeps what is cached, and restores features") {
  RawHost host(drive());
  host.start();
  host.create_io_pair();
  CHECK(host.write(8, 7).status().ok());
  host.admin(spec::make_set_features(spec::FeatureId::kTemperatureThreshold, 300));
  host.send(1, write(host, 16, 8));
  host.send(1, spec::make_flush(1));
  host.stop();
  host.simulator.events().run();
  CHECK(host.csts() == 0);
  CHECK(host.newest(8) == 7);  // completed before: stays readable
  CHECK(host.durable(8) == 0);
  host.start();
  host.create_io_pair();
  CHECK(host.admin(spec::make_get_features(spec::FeatureId::kTemperatureThreshold)).dw0.value() == 343);
  CHECK(host.io(spec::make_flush(1)).status().ok());
  CHECK(host.durable(8) == 7);
}

TEST_CASE(
    "controller: a shutdown waits for what is outstanding, and what was acknowledged is safe when it is complete") {
  RawHost host(drive());
  host.start();
  host.create_io_pair();
  CHECK(host.write(8, 7).status().ok());
  host.send(1, write(host, 16, 8));
  host.door.write32(spec::reg::kCC, spec::cc::kSHN.set(spec::cc::make(true), spec::cc::kShnNormal));
  CHECK(spec::csts::kSHST.get(host.csts()) == spec::csts::kShstOccurring);
  CHECK(host.durable(8) == 0);
  host.simulator.events().run();
  CHECK(spec::csts::kSHST.get(host.csts()) == spec::csts::kShstComplete);
  CHECK(host.reap(1).size() == 1);
  CHECK(host.durable(8) == 7);
  CHECK(host.durable(16) == 8);
  host.send(1, spec::make_flush(1));  // not processed any more
  host.simulator.events().run();
  CHECK(host.reap(1).empty());
}

TEST_CASE("controller: deleting a submission queue aborts what is outstanding in it, without effect") {
  RawHost host(drive());
  host.start();
  host.create_io_pair();
  const std::uint16_t cid = host.send(1, write(host, 8, 9));
  host.send(0, spec::make_delete_io_queue(spec::AdminOpcode::kDeleteIoSq, 1));
  host.simulator.events().run();
  const auto done = host.reap(1);
  REQUIRE(done.size() == 1);
  CHECK(done[0].cid.value() == cid);
  CHECK(done[0].status().is(spec::status::kAbortedDueToSqDeletion));
  CHECK(host.newest(8) == 0);
}

TEST_CASE("controller: interrupts come only from completion queues that asked for them") {
  RawHost host(drive());
  host.start();
  host.create_io_pair(64, 1, true);
  host.create_io_pair(64, 2, false);
  Interrupts interrupts;
  host.door.attach_host({&interrupts, &Interrupts::take});
  host.send(1, spec::make_flush(1));
  host.send(2, spec::make_flush(1));
  host.simulator.events().run();
  CHECK(interrupts.vectors == std::vector<std::uint16_t>{1});
  CHECK(host.reap(2).size() == 1);
}

TEST_CASE("controller: a namespace change is one event until its log page has been read") {
  RawHost host(drive());
  host.start();
  host.admin(spec::make_set_features(spec::FeatureId::kAsynchronousEventConfiguration, 0x100));
  spec::SubmissionEntry aer;
  aer.opc = static_cast<std::uint8_t>(spec::AdminOpcode::kAsynchronousEventRequest);
  const std::uint16_t first = host.send(0, aer);
  const std::uint16_t second = host.send(0, aer);
  host.controller.namespace_changed(1);
  host.controller.namespace_changed(1);
  host.simulator.events().run();
  auto done = host.reap(0);
  REQUIRE(done.size() == 1);
  CHECK(done[0].cid.value() == first);
  CHECK(done[0].dw0.value() == 0x00040002);  // notice, namespace attribute changed, log page 04h
  spec::SubmissionEntry log =
      spec::make_get_log_page(spec::LogPageId::kChangedNamespaceList, 4096, spec::kBroadcastNsid);
  log.prp1 = host.data;
  const std::uint16_t read = host.send(0, log);
  host.simulator.events().run();
  done = host.reap(0);  // the log page, and the second event that it unmasked
  REQUIRE(done.size() == 2);
  const auto has = [&](std::uint16_t cid) {
    return std::any_of(done.begin(), done.end(), [&](const auto& entry) { return entry.cid.value() == cid; });
  };
  CHECK(has(read));
  CHECK(has(second));
  CHECK(static_cast<unsigned>(host.bytes()[0]) == 1);
}

TEST_CASE("controller: doorbells and registers that make no sense are ignored") {
  RawHost host(drive());
  host.door.ring_sq_tail(0, 1);  // before it is enabled
  host.start();
  host.create_io_pair();
  host.door.ring_sq_tail(1, 64);   // beyond the ring
  host.door.ring_sq_tail(999, 1);  // no such queue
  host.door.ring_cq_head(999, 1);
  host.door.ring_cq_head(1, 64);
  host.door.write32(0x2FFFFFFC, 5);
  host.door.write32(spec::reg::kCAP, 5);
  host.door.write32(spec::reg::kAQA, 0);  // while enabled
  CHECK(host.door.read32(0xFFC) == 0);
  CHECK(host.io(spec::make_flush(1)).status().ok());
}

TEST_CASE("controller: a full completion queue holds completions back, in order, over the phase wrap") {
  RawHost host(drive());
  host.start();
  host.create_io_pair(4);  // holds three
  std::uint16_t expected = 0;
  for (int round = 0; round < 9; ++round) {
    std::vector<std::uint16_t> sent;
    for (int i = 0; i < 3; ++i) {
      spec::SubmissionEntry e = spec::make_write(1, static_cast<std::uint64_t>(i), 1);
      e.prp1 = host.ids;
      sent.push_back(host.send(1, e));
    }
    host.simulator.events().run();
    std::vector<spec::CompletionEntry> got = host.reap(1, false);
    REQUIRE(got.size() == 3);
    // The ring is full to the drive until the head doorbell: one more waits.
    spec::SubmissionEntry e = spec::make_write(1, 9, 1);
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
  RawHost host(drive());
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
