// SPDX-License-Identifier: GPL-2.0-only
// Which system call on a raw device makes which requests: the table of block/fops.c, one row a call.
#include <catch2/catch.hpp>

#include "hostmodel/io/worker_pool.hpp"
#include "hostmodel/vfs/block_file.hpp"
#include "tests/hostmodel/fake_driver.hpp"

using namespace flushlab;
using test::FakeDriver;

namespace {

// A small language of calls: "w:OFFSET:BYTES" write, "r:..." read, "f" fsync, "s" sync_file_range, "b" BLKFLSBUF.
sim::Task<void> run_calls(FakeDriver& driver, vfs::BlockFile& file, std::uint64_t buffer, std::string calls) {
  (void)driver;
  const vfs::Caller caller{{"test", 0}, 100, 100};
  std::size_t at = 0;
  while (at < calls.size()) {
    const std::size_t end = std::min(calls.find(' ', at), calls.size());
    const std::string call = calls.substr(at, end - at);
    at = end + 1;
    int error = 0;  // awaited outside CHECK, which would await twice
    if (call[0] == 'w' || call[0] == 'r') {
      const std::size_t colon = call.find(':', 2);
      const std::uint64_t offset = std::stoull(call.substr(2, colon - 2));
      const auto bytes = static_cast<std::uint32_t>(std::stoul(call.substr(colon + 1)));
      error = call[0] == 'w' ? co_await file.pwrite(offset, bytes, buffer, caller)
                             : co_await file.pread(offset, bytes, buffer, caller);
    } else if (call == "f") {
      error = co_await file.fsync(0, file.size_bytes() - 1, caller);
    } else if (call == "s") {
      error = co_await file.sync_file_range(0, file.size_bytes() - 1, 7, caller);
    } else if (call == "b") {
      error = co_await file.flush_buffers(caller);
    }
    CHECK(error == 0);
  }
}

// As FakeDriver::wire, with reads as R and the length in sectors behind a comma.
std::string wire(const FakeDriver& driver, const std::vector<std::string>& log) {
  (void)driver;
  std::string out;
  for (const std::string& entry : log) out += (out.empty() ? "" : " ") + entry;
  return out;
}

}  // namespace

TEST_CASE("block file: system calls to requests") {
  struct Row {
    const char* name;
    bool direct, dsync, write_cache;
    const char* calls;
    const char* wire;
  };
  const Row row = GENERATE(values<Row>({
      {"V1: direct write, fsync", true, false, true, "w:0:4096 f", "W0,8 F"},
      {"V2: the same with the write cache off", true, false, false, "w:0:4096 f", "W0,8"},
      {"V3: synchronous direct O_DSYNC write: FUA and a Flush", true, true, true, "w:0:4096", "W!0,8 F"},
      {"V5: the same with the write cache off", true, true, false, "w:0:4096", "W0,8"},
      {"V6: buffered O_DSYNC: no FUA", false, true, true, "w:0:4096", "W0,8 F"},
      {"V7: buffered write, fdatasync", false, false, true, "w:0:4096 f", "W0,8 F"},
      {"V8: nothing dirty", true, false, true, "f", "F"},
      {"V8 with the write cache off", true, false, false, "f", ""},
      {"V9: sync_file_range never flushes", false, false, true, "w:0:4096 s", "W0,8"},
      {"V9: nor does BLKFLSBUF", false, false, true, "w:0:4096 b", "W0,8"},
      {"a second fsync finds nothing dirty", false, false, true, "w:0:4096 f f", "W0,8 F F"},
      {"adjacent pages in one command", false, false, true, "w:8192:4096 w:0:4096 w:4096:4096 f", "W0,24 F"},
      {"scattered pages in ascending order", false, false, true, "w:81920:4096 w:0:4096 f", "W0,8 W160,8 F"},
      {"an overwrite of a dirty page is one command", false, false, true, "w:0:4096 w:0:4096 f", "W0,8 F"},
      {"part of a page: read it first", false, false, true, "w:512:512 f", "R0,8 W0,8 F"},
      {"part of a page that is there: no read", false, false, true, "w:0:4096 f w:512:512 f", "W0,8 F W0,8 F"},
      {"a direct write first writes back what it overlaps", false, false, true, "w:0:4096 r:0:4096 f", "W0,8 F"},
      {"a direct write larger than max_sectors", true, true, true, "w:0:262144", "W!0,256 W!256,256 F"},
      {"direct read", true, false, true, "r:4096:8192", "R8,16"},
  }));
  CAPTURE(row.name);
  FakeDriver driver({}, 1, 1);
  driver.set_write_cache(row.write_cache, row.write_cache);
  std::vector<std::string> log;
  driver.on_sent = [&](std::size_t i) {
    const block::Request& r = *driver.sent[i].request;
    if (driver.sent[i].flush) {
      log.push_back("F");
    } else {
      log.push_back(std::string(r.op == block::BioOp::kRead ? "R"
                                : driver.sent[i].fua        ? "W!"
                                                            : "W") +
                    std::to_string(r.sector) + "," + std::to_string(r.sectors));
    }
    driver.complete_after(i, 1000);
  };
  queue::HostMemory memory;
  vfs::PageCache cache(1 << 26);
  vfs::BlockFile file(*driver.machine, *driver.queue, memory, cache, {row.direct, row.dsync});
  const std::uint64_t buffer = memory.allocate(1 << 20, queue::HostMemory::Kind::kWriteIds);
  driver.simulator.spawn(run_calls(driver, file, buffer, row.calls));
  driver.simulator.events().run();
  CHECK(wire(driver, log) == row.wire);
}

TEST_CASE("block file: write-back keeps 16 in flight and goes on when all are done") {
  FakeDriver driver({}, 1, 1);
  std::vector<std::string> log;
  std::size_t in_flight = 0, most = 0;
  driver.on_sent = [&](std::size_t i) {
    if (!driver.sent[i].flush) most = std::max(most, ++in_flight);
    driver.simulator.events().schedule_after(
        1000,
        [](void* n, std::uint64_t flush) {
          if (flush == 0) --*static_cast<std::size_t*>(n);
        },
        &in_flight, driver.sent[i].flush ? 1 : 0);
    driver.complete_after(i, 1000);
  };
  queue::HostMemory memory;
  vfs::PageCache cache(1 << 26);
  vfs::BlockFile file(*driver.machine, *driver.queue, memory, cache, {false, false});
  const std::uint64_t buffer = memory.allocate(4096, queue::HostMemory::Kind::kWriteIds);
  std::string calls;
  for (int page = 39; page >= 0; --page) calls += "w:" + std::to_string(page * 8192) + ":4096 ";
  driver.simulator.spawn(run_calls(driver, file, buffer, calls + "f"));
  driver.simulator.events().run();
  CHECK(driver.sent.size() == 41);
  CHECK(most == 16);
  for (std::size_t i = 1; i < 40; ++i) CHECK(driver.sent[i].sector > driver.sent[i - 1].sector);
  CHECK(driver.sent[40].flush);
}
