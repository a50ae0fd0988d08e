// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/random_map.hpp"

#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <set>

#include "hostmodel/fio/generator.hpp"

namespace flushlab::fio {
namespace {

// The rule itself, over a set.
struct Reference {
  std::uint64_t blocks;
  std::set<std::uint64_t> marked;
  std::uint64_t mark(std::uint64_t first, std::uint64_t count) {
    std::uint64_t done = 0;
    while (done < count && first + done < blocks && marked.insert(first + done).second) ++done;
    return done;
  }
  [[nodiscard]] std::optional<std::uint64_t> next_free(std::uint64_t block) const {
    if (marked.size() == blocks) return std::nullopt;
    std::uint64_t at = block + 1 == blocks ? 0 : block + 1;
    while (marked.count(at) != 0) at = at + 1 == blocks ? 0 : at + 1;
    return at;
  }
};

TEST_CASE("fio random map: agrees with a set", "[fio][property]") {
  CHECK(rc::check("marks and next_free", [] {
    // Sizes around a chunk's borders; runs long enough to fill chunks.
    const auto blocks = *rc::gen::element<std::uint64_t>(1, 2, 63, 64, 65, 1000, 65535, 65536, 65537, 131073);
    const auto longest = *rc::gen::element<std::uint64_t>(1, 10, 5000, 70000);
    Reference reference{blocks, {}};
    RandomMap map(blocks);
    for (int i = 0; i < 20; ++i) {
      const auto first = *rc::gen::inRange<std::uint64_t>(0, blocks);
      const auto count = *rc::gen::inRange<std::uint64_t>(1, longest + 1);
      RC_ASSERT(map.mark(first, count) == reference.mark(first, count));
      RC_ASSERT(map.marked() == reference.marked.size());
      const auto asked = *rc::gen::inRange<std::uint64_t>(0, blocks);
      RC_ASSERT(map.is_marked(asked) == (reference.marked.count(asked) != 0));
      RC_ASSERT(map.next_free(asked) == reference.next_free(asked));
      RC_ASSERT(map.next_free(first) == reference.next_free(first));
    }
  }));
}

TEST_CASE("fio random map: sparse, then dense, then full, block by block", "[fio]") {
  constexpr std::uint64_t kBlocks = 65536 + 300;
  RandomMap map(kBlocks);
  Reference reference{kBlocks, {}};
  T32 generator(5);
  for (std::uint64_t i = 0; i < kBlocks; ++i) {
    std::uint64_t block = generator.next() % kBlocks;
    if (map.is_marked(block)) {
      const auto free = map.next_free(block);
      REQUIRE(free);
      if (i % 64 == 0) REQUIRE(free == reference.next_free(block));
      block = *free;
    }
    REQUIRE(map.mark(block, 1) == 1);
    REQUIRE(reference.mark(block, 1) == 1);
  }
  CHECK(map.full());
  CHECK_FALSE(map.next_free(0));
  CHECK(map.mark(0, 10) == 0);
  map.clear();
  CHECK(map.marked() == 0);
  CHECK(map.next_free(kBlocks - 1) == 0);
  CHECK_FALSE(map.is_marked(17));
}

TEST_CASE("fio random map: three million writes of a 3.84 TB device stay below 12 MiB", "[fio]") {
  RandomMap map(3'840'755'982'336 / 4096);
  CHECK(map.memory_bytes() < 400'000);
  Generator generator(false, 1);
  for (int i = 0; i < 3'000'000; ++i) {
    std::uint64_t block = generator.scaled(map.blocks());
    if (map.is_marked(block)) block = *map.next_free(block);
    map.mark(block, 1);
  }
  CHECK(map.marked() == 3'000'000);
  CHECK(map.memory_bytes() < 12U << 20);
}

TEST_CASE("fio random map: full chunks are passed over", "[fio]") {
  RandomMap map(100 * 65536);
  CHECK(map.mark(65536, 98 * 65536) == 98 * 65536);
  CHECK(map.next_free(65535) == 99 * 65536);
  CHECK(map.next_free(100 * 65536 - 1) == 0);
}

}  // namespace
}  // namespace flushlab::fio
