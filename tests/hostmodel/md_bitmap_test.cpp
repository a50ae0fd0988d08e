// SPDX-License-Identifier: GPL-2.0-only
// The write-intent bitmap's machine: counters, page flags, unplugs and passes of the daemon.
#include <catch2/catch.hpp>

#include "hostmodel/md/bitmap.hpp"

using namespace flushlab;
using md::Bitmap;

namespace {

constexpr std::uint64_t kChunk = 131072;
constexpr std::uint64_t kPage1 = 30720 * kChunk;  // the first sector whose bit is in page 1

// What a step writes, "0 1" for pages 0 and 1.
std::string unplug(Bitmap& bitmap) {
  std::string out;
  std::uint32_t page = 0;
  for (std::uint32_t from = 0; bitmap.take_for_unplug(from, page); from = page + 1) {
    bitmap.unplugged(page);
    out += (out.empty() ? "" : " ") + std::to_string(page);
  }
  return out;
}
std::string pass(Bitmap& bitmap) {
  if (bitmap.allclean()) return "asleep";
  bitmap.daemon_pass();
  std::string out;
  std::uint32_t page = 0;
  for (std::uint32_t from = 0; bitmap.take_for_daemon(from, page); from = page + 1)
    out += (out.empty() ? "" : " ") + std::to_string(page);
  return out;
}
// A whole write of 8 sectors: what its barrier writes.
std::string write(Bitmap& bitmap, std::uint64_t sector, bool newer_events = false) {
  bitmap.start_write(sector, 8);
  const std::string out = unplug(bitmap);
  bitmap.end_write(sector, 8, false, newer_events);
  return out;
}

}  // namespace

TEST_CASE("md bitmap: an isolated write, three passes (vectors 1, 2, 15)") {
  Bitmap bitmap({57228, kChunk}, false);
  CHECK(pass(bitmap) == "asleep");
  CHECK(write(bitmap, 0, true) == "0");
  CHECK(bitmap.bit(0));
  CHECK(write(bitmap, 1024) == "");  // the same chunk
  CHECK(bitmap.counter(0) == 2);
  CHECK(pass(bitmap) == "0");  // events_cleared
  CHECK(bitmap.counter(0) == 1);
  CHECK(bitmap.bit(0));
  CHECK(pass(bitmap) == "");
  CHECK(bitmap.counter(0) == 0);
  CHECK_FALSE(bitmap.bit(0));
  CHECK(pass(bitmap) == "0");
  CHECK(pass(bitmap) == "asleep");
  CHECK(bitmap.misses() == 1);
}

TEST_CASE("md bitmap: a bit in page 1 (vector 16)") {
  Bitmap bitmap({57228, kChunk}, false);
  CHECK(write(bitmap, kPage1, true) == "1");
  CHECK(pass(bitmap) == "0");  // the superblock only
  CHECK(pass(bitmap) == "");
  CHECK(pass(bitmap) == "1");
  CHECK(pass(bitmap) == "asleep");
}

TEST_CASE("md bitmap: a cleared bit goes along with the next write of its page (vector 17)") {
  Bitmap bitmap({57228, kChunk}, false);
  write(bitmap, 0);
  CHECK(pass(bitmap) == "");
  CHECK(pass(bitmap) == "");
  CHECK_FALSE(bitmap.bit(0));
  CHECK(write(bitmap, kChunk) == "0");
  CHECK_FALSE(bitmap.bit(0));
  CHECK(bitmap.bit(1));
  CHECK(pass(bitmap) == "");  // nothing is left of bit 0
}

TEST_CASE("md bitmap: a pass stops at a dirty page, and the unplug writes all that waits (vector 18)") {
  Bitmap bitmap({57228, kChunk}, false);
  write(bitmap, 0);
  write(bitmap, kPage1);
  pass(bitmap);
  pass(bitmap);                   // both bits are clear in memory, both pages wait
  bitmap.start_write(kChunk, 8);  // page 0 is dirty, its list not flushed yet
  CHECK(pass(bitmap) == "");
  CHECK(unplug(bitmap) == "0 1");
  bitmap.end_write(kChunk, 8, false, false);
}

TEST_CASE("md bitmap: after a spare became active every page goes out with the next unplug (vector 19)") {
  Bitmap bitmap({57228, kChunk}, false);
  write(bitmap, 0);
  bitmap.write_all();
  CHECK(write(bitmap, 0) == "0 1");
  bitmap.write_all();
  CHECK(pass(bitmap) == "0 1");
}

TEST_CASE("md bitmap: two writes of one list, two pages or one (vectors 12, 13)") {
  Bitmap bitmap({57228, kChunk}, false);
  bitmap.start_write(0, 8);
  bitmap.start_write(4037516648, 8);
  CHECK(unplug(bitmap) == "0 1");
  bitmap.start_write(2 * kChunk, 8);
  bitmap.start_write(3 * kChunk, 8);
  CHECK(unplug(bitmap) == "0");
}

TEST_CASE("md bitmap: a write over a chunk's end counts in both chunks (vector 10's bits)") {
  Bitmap bitmap({57228, kChunk}, false);
  bitmap.start_write(kPage1 - 8, 16);
  CHECK(bitmap.counter(30719) == 3);
  CHECK(bitmap.counter(30720) == 3);
  CHECK(unplug(bitmap) == "0 1");
  bitmap.end_write(kPage1 - 8, 16, false, false);
  CHECK(bitmap.bits_set() == 2);
}

TEST_CASE("md bitmap: with a member missing a bit stays (vector 20)") {
  Bitmap bitmap({57228, kChunk}, false);
  bitmap.start_write(0, 8);
  CHECK(unplug(bitmap) == "0");
  bitmap.end_write(0, 8, true, true);
  CHECK(bitmap.needed(0));
  for (int i = 0; i < 5; ++i) pass(bitmap);
  CHECK(bitmap.bit(0));
}

TEST_CASE("md bitmap: a new array has every bit set, and takes them down in three passes (vector 29)") {
  Bitmap bitmap({57228, kChunk}, true);
  CHECK(bitmap.bits_set() == 57228);
  CHECK(write(bitmap, 4037516648, true) == "");  // nothing to set
  CHECK(pass(bitmap) == "0");
  CHECK(pass(bitmap) == "");
  CHECK(bitmap.bits_set() == 0);
  CHECK(pass(bitmap) == "0 1");
  CHECK(pass(bitmap) == "asleep");
}

TEST_CASE("md bitmap: laws over random writes and passes") {
  // The bit is set on disk or on its way while writes are in flight; counters come back to 0; nothing is written twice
  // without a reason.
  Bitmap bitmap({5000, 64}, false);
  std::uint64_t state = 12345;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % below;
  };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> open;
  for (int i = 0; i < 20000; ++i) {
    switch (random(4)) {
      case 0:
      case 1: {
        const std::uint64_t sector = random(5000 * 64 - 256);
        open.emplace_back(sector, 1 + random(256));
        bitmap.start_write(open.back().first, open.back().second);
        unplug(bitmap);
        CHECK_FALSE(bitmap.unplug_needed());
        break;
      }
      case 2:
        if (!open.empty()) {
          const std::size_t at = random(open.size());
          bitmap.end_write(open[at].first, open[at].second, false, random(20) == 0);
          open[at] = open.back();
          open.pop_back();
        }
        break;
      default:
        if (random(8) == 0) pass(bitmap);
    }
    for (const auto& [sector, sectors] : open) {
      if (!bitmap.bit(sector / 64) || bitmap.counter(sector / 64) < 3) FAIL("a write in flight without its bit");
    }
  }
  for (const auto& [sector, sectors] : open) bitmap.end_write(sector, sectors, false, false);
  for (int i = 0; i < 4; ++i) pass(bitmap);
  CHECK(pass(bitmap) == "asleep");
  CHECK(bitmap.bits_set() == 0);
}
