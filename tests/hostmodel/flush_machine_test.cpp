// SPDX-License-Identifier: GPL-2.0-only
// The flush machine: the policy table, and the consequences that its header and the kernel's rules name.
#include <catch2/catch.hpp>

#include "tests/hostmodel/fake_driver.hpp"

using namespace flushlab;
using block::BlockStatus;
using block::REQ_FUA;
using block::REQ_PREFLUSH;
using block::Request;
using test::FakeDriver;
using test::TestBio;

namespace {

// Runs all events, the requeue worker's among them, without completing anything.
void settle(FakeDriver& driver) {
  driver.simulator.events().run();
}

}  // namespace

TEST_CASE("flush machine: what goes on the wire for each kind of request and device") {
  struct Row {
    bool data, preflush, fua;
    bool write_cache, device_fua;
    const char* wire;  // everything completed at once, in order
  };
  const Row row = GENERATE(values<Row>({
      {false, true, false, true, true, "F"},
      {false, false, true, true, true, ""},
      {false, true, true, true, true, "F"},
      {true, false, false, true, true, "W8"},
      {true, true, false, true, true, "F W8"},
      {true, false, true, true, true, "W!8"},
      {true, true, true, true, true, "F W!8"},
      {false, true, false, true, false, "F"},
      {false, false, true, true, false, "F"},
      {false, true, true, true, false, "F F"},
      {true, false, true, true, false, "W8 F"},
      {true, true, true, true, false, "F W8 F"},
      {false, true, false, false, false, ""},
      {false, true, true, false, false, ""},
      {true, true, false, false, false, "W8"},
      {true, false, true, false, false, "W8"},
      {true, true, true, false, false, "W8"},
  }));
  FakeDriver driver({}, 1, 1);
  driver.set_write_cache(row.write_cache, row.device_fua);
  driver.on_sent = [&](std::size_t i) { driver.complete_after(i, 10); };
  TestBio bio;
  bio.submit(driver, static_cast<std::uint16_t>((row.preflush ? REQ_PREFLUSH : 0) | (row.fua ? REQ_FUA : 0)),
             row.data ? 8 : 0, row.data ? 8 : 0);
  settle(driver);
  CAPTURE(row.data, row.preflush, row.fua, row.write_cache, row.device_fua);
  CHECK(driver.wire() == row.wire);
  CHECK(bio.ended());
  CHECK(driver.queue->in_flight() == 0);
}

TEST_CASE("flush machine: queue/write_cache 'write through' strips while fua still reads 1") {
  FakeDriver driver({}, 1, 1);
  CHECK(driver.queue->write_cache_store("write through\n") == 0);
  CHECK(driver.queue->limits().fua());
  driver.on_sent = [&](std::size_t i) { driver.complete_after(i, 10); };
  TestBio flush, write;
  flush.submit(driver, REQ_PREFLUSH, 0, 0);
  CHECK(flush.ended());
  write.submit(driver, REQ_FUA, 8, 8);
  settle(driver);
  CHECK(driver.wire() == "W8");
  CHECK(driver.queue->write_cache_store("write backwards") == 0);  // the kernel compares a prefix
  CHECK(driver.queue->write_cache_store("wb") < 0);
  CHECK(std::string(driver.queue->write_cache_show()) == "write back");
}

TEST_CASE("flush machine: the first fsync never shares, all that arrive meanwhile share the next (C1)") {
  FakeDriver driver({}, 1, 1);
  std::vector<TestBio> bios(5);
  bios[0].submit(driver, REQ_PREFLUSH, 0, 0);
  bios[1].submit(driver, REQ_PREFLUSH, 0, 0);  // a microsecond later, before the Flush is even sent
  settle(driver);
  CHECK(driver.wire() == "F");
  for (std::size_t i = 2; i < 5; ++i) bios[i].submit(driver, REQ_PREFLUSH, 0, 0);
  settle(driver);
  CHECK(driver.wire() == "F");
  driver.complete(0);
  CHECK(bios[0].ended());
  CHECK_FALSE(bios[1].ended());
  settle(driver);
  CHECK(driver.wire() == "F F");
  driver.complete(1);
  for (const TestBio& bio : bios) CHECK(bio.ended());
  CHECK(driver.queue->flushes() == 2);
}

TEST_CASE("flush machine: a Flush waits for the data of a sequence (C2), and 5 s at most once something looks (C3)") {
  FakeDriver driver({}, 1, 1);
  TestBio sequence, fsync, late;
  sequence.submit(driver, REQ_PREFLUSH, 8, 8);
  settle(driver);
  driver.complete(0);  // its Flush
  settle(driver);
  CHECK(driver.wire() == "F W8");
  fsync.submit(driver, REQ_PREFLUSH, 0, 0);
  settle(driver);
  CHECK(driver.wire() == "F W8");  // C2
  SECTION("the data's completion starts it") {
    driver.complete(1);
    settle(driver);
    CHECK(driver.wire() == "F W8 F");
    CHECK(sequence.ended());
  }
  SECTION("time alone does not, an arrival after 5 s does") {
    driver.simulator.events().run_until(driver.simulator.now() + 6 * sim::kSecond);
    CHECK(driver.wire() == "F W8");
    late.submit(driver, REQ_PREFLUSH, 0, 0);
    settle(driver);
    CHECK(driver.wire() == "F W8 F");  // C3: one Flush for both
    driver.complete(2);
    CHECK(fsync.ended());
    CHECK(late.ended());
  }
}

TEST_CASE("flush machine: a plain FUA write on a device with FUA holds nothing back") {
  FakeDriver driver({}, 1, 1);
  TestBio fua, fsync;
  fua.submit(driver, REQ_FUA, 8, 8);
  fsync.submit(driver, REQ_PREFLUSH, 0, 0);
  settle(driver);
  CHECK(driver.wire() == "W!8 F");
}

TEST_CASE("flush machine: order within a batch decides whether a waiting Flush is deferred") {
  FakeDriver driver({}, 1, 1);
  TestBio first, a, b, c;
  first.submit(driver, REQ_PREFLUSH, 0, 0);
  settle(driver);
  const bool data_first = GENERATE(true, false);
  if (data_first) {
    a.submit(driver, REQ_PREFLUSH, 8, 8);
    b.submit(driver, REQ_PREFLUSH, 0, 0);
  } else {
    b.submit(driver, REQ_PREFLUSH, 0, 0);
    a.submit(driver, REQ_PREFLUSH, 8, 8);
  }
  driver.complete(0);
  settle(driver);  // the batch's Flush is out
  c.submit(driver, REQ_PREFLUSH, 0, 0);
  driver.complete(1);
  settle(driver);
  CHECK(driver.wire() == (data_first ? "F F W8" : "F F F W8"));
}

TEST_CASE(
    "flush machine: an error in the Flush ends its batch and sends no data; one in the data is that request's own") {
  FakeDriver driver({}, 1, 1);
  TestBio sequence;
  SECTION("Flush") {
    sequence.submit(driver, REQ_PREFLUSH, 8, 8);
    settle(driver);
    driver.complete(0, BlockStatus::kIoError);
    settle(driver);
    CHECK(driver.wire() == "F");
    CHECK(sequence.bio.status == BlockStatus::kIoError);
  }
  SECTION("data, without a Flush after it") {
    driver.set_write_cache(true, false);
    sequence.submit(driver, REQ_FUA, 8, 8);
    driver.complete(0, BlockStatus::kMedium);
    settle(driver);
    CHECK(driver.wire() == "W8");
    CHECK(sequence.bio.status == BlockStatus::kMedium);
  }
  CHECK(sequence.ended());
  CHECK(driver.queue->in_flight() == 0);
}

TEST_CASE(
    "flush machine: hardware queues never share a Flush, and the Flush goes out from kblockd on the caller's queue") {
  FakeDriver driver({}, 2, 2);
  TestBio a, b;
  a.submit(driver, REQ_PREFLUSH, 0, 0, 0);
  b.submit(driver, REQ_PREFLUSH, 0, 0, 1);
  settle(driver);
  REQUIRE(driver.sent.size() == 2);
  CHECK(driver.sent[0].hctx == 0);
  CHECK(driver.sent[1].hctx == 1);
  CHECK(driver.sent[0].issuer == "kworker-H");
}

TEST_CASE("flush machine: the Flush and the data after it use the caller's tag") {
  FakeDriver driver({}, 1, 1);
  TestBio other, sequence;
  other.submit(driver, 0, 64, 8);
  sequence.submit(driver, REQ_PREFLUSH, 8, 8);
  settle(driver);
  const std::uint16_t tag = driver.sent[1].request->tag;
  CHECK(tag != driver.sent[0].request->tag);
  CHECK(driver.tags.find(0, tag) == driver.sent[1].request);
  driver.complete(1);
  settle(driver);
  CHECK(driver.sent[2].request->tag == tag);
  CHECK(driver.tags.find(0, tag) == driver.sent[2].request);
}

TEST_CASE("request queue: large bios are split from the front, every piece with the bio's flags") {
  FakeDriver driver({}, 1, 1);  // max_sectors 256
  TestBio bio;
  bio.submit(driver, REQ_FUA, 1000, 600);
  CHECK(driver.wire() == "W!1000 W!1256 W!1512");
  CHECK(driver.sent[2].request->sectors == 88);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK_FALSE(bio.ended());
    driver.complete(i);
  }
  CHECK(bio.ended());
}

TEST_CASE("request queue: bios wait for tags in order of arrival") {
  FakeDriver driver({}, 1, 1, 2);
  std::vector<TestBio> bios(5);
  for (std::size_t i = 0; i < bios.size(); ++i) bios[i].submit(driver, 0, i * 8, 8);
  CHECK(driver.wire() == "W0 W8");
  for (std::size_t i = 0; i < bios.size(); ++i) driver.complete(i);
  CHECK(driver.wire() == "W0 W8 W16 W24 W32");
  for (const TestBio& bio : bios) CHECK(bio.ended());
}

TEST_CASE("request queue: a freeze drains whole sequences and parks what comes") {
  FakeDriver driver({}, 1, 1);
  TestBio sequence, parked;
  sequence.submit(driver, REQ_PREFLUSH, 8, 8);
  settle(driver);
  bool drained = false;
  driver.queue->freeze([](void* flag) { *static_cast<bool*>(flag) = true; }, &drained);
  parked.submit(driver, REQ_PREFLUSH, 0, 0);  // passes the strip with the cache on
  driver.complete(0);
  settle(driver);
  CHECK_FALSE(drained);
  driver.complete(1);
  CHECK(drained);
  CHECK(sequence.ended());
  driver.set_write_cache(false, false);
  CHECK_FALSE(parked.ended());
  driver.queue->unfreeze();  // and is classified with the cache off: nothing to do
  CHECK(parked.ended());
  CHECK(driver.wire() == "F W8");
}
