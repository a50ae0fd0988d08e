// SPDX-License-Identifier: GPL-2.0-only
// fio's generators and seeds against numbers taken from the real program (fio 3.33 and newer).
#include "hostmodel/fio/generator.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

namespace flushlab::fio {
namespace {

TEST_CASE("fio generator: T32 has fio's state and draws", "[fio]") {
  T32 one(1);
  CHECK(one.state() == std::array<std::uint32_t, 3>{3025236779U, 3040581203U, 1082059972U});
  for (const std::uint32_t expected : {2634262343U, 4072702554U, 2367269570U}) CHECK(one.next() == expected);
  T32 offsets(0xb1899bed);
  for (const std::uint32_t expected : {259043585U, 3179521932U, 3621444214U, 2018697059U})
    CHECK(offsets.next() == expected);
}

TEST_CASE("fio generator: T64 has fio's draws", "[fio]") {
  T64 offsets(0xb1899bed);
  for (const std::uint64_t expected : {17311067694306724737ULL, 485009114434689783ULL, 1488059811897507987ULL}) {
    CHECK(offsets.next() == expected);
  }
}

TEST_CASE("fio generator: seeding again starts the sequence again", "[fio]") {
  Generator generator(GENERATE(false, true), 42);
  const std::uint64_t first = generator.next();
  generator.next();
  generator.seed(42);
  CHECK(generator.next() == first);
}

TEST_CASE("fio generator: scaled draws stay in their range", "[fio]") {
  T32 generator(7);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 10'000; ++i) seen.insert(between(generator, 1, 100));
  CHECK(*seen.begin() == 1);
  CHECK(*seen.rbegin() == 100);
  CHECK(seen.size() == 100);
  Generator wide(true, 7);
  for (int i = 0; i < 1000; ++i) CHECK(wide.scaled(937'000'000) < 937'000'000);
}

TEST_CASE("fio generator: an lfsr visits every block once in every pass", "[fio]") {
  const std::uint64_t blocks =
      GENERATE(as<std::uint64_t>(), 1, 2, 3, 7, 8, 15, 16, 100, 2047, 2048, 4095, 5000, 16384, 40000, 70000, 140000);
  Lfsr lfsr(blocks, 0xb1899bed);
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<bool> seen(blocks);
    std::uint64_t block = 0;
    std::uint64_t count = 0;
    while (lfsr.next(block)) {
      REQUIRE(block < blocks);
      REQUIRE_FALSE(seen[block]);
      seen[block] = true;
      ++count;
    }
    // The double first step passes over one block, to which the pass comes round at its end.
    CHECK(count == blocks);
    lfsr.reset();
  }
}

TEST_CASE("fio generator: an lfsr's limits", "[fio]") {
  CHECK_THROWS_AS(Lfsr(0, 1), std::invalid_argument);
  CHECK_THROWS_AS(Lfsr(0xFFFF'FFFF, 1), std::invalid_argument);
  CHECK_NOTHROW(Lfsr(0xFFFF'FFFE, 1));
  Lfsr stuck(6, 7);  // all ones: the start value that would never move
  std::uint64_t block = 0;
  CHECK(stuck.next(block));
}

TEST_CASE("fio seeds: derived from randseed and job number", "[fio]") {
  CHECK(derive_seeds(1, 1)[6] == 0x046d27c32e260007ULL);
  CHECK(derive_seeds(0x89, 1)[6] == 0x5e6a4773b256008fULL);
  CHECK(derive_seeds(1, 3)[6] == 3 * (derive_seeds(1, 1)[6] - 6) + 6);
}

TEST_CASE("fio seeds: which options decide in which version", "[fio]") {
  struct Row {
    const char* what;
    FioVersion version;
    SeedOptions options;
    std::uint64_t job_number;
    std::uint64_t offset_seed;
    bool reseeds;
  };
  const auto options = [](bool randrepeat, std::uint64_t randseed, std::uint32_t clone = 0, bool all = false) {
    SeedOptions o;
    o.randrepeat = randrepeat;
    o.allrandrepeat = all;
    o.randseed_given = randseed != 0;
    if (randseed != 0) o.randseed = randseed;
    o.random = true;
    o.clone_index = clone;
    o.system_seed = 99;
    return o;
  };
  const Row rows[] = {
      {"3.33, none", FioVersion::k3_33, options(true, 0), 2, 0xb1899bedULL * 2, true},
      {"3.33, randseed alone", FioVersion::k3_33, options(true, 1), 1, 0xb1899bed, false},
      {"3.33, randseed alone, clone", FioVersion::k3_33, options(true, 1, 1), 2, derive_seeds(1, 2)[6], false},
      {"3.33, randrepeat=0 and randseed", FioVersion::k3_33, options(false, 1), 1, 0x046d27c32e260007, false},
      {"3.33, allrandrepeat without randrepeat", FioVersion::k3_33, options(false, 1, 0, true), 2,
       0xb1899bedULL * 2 + 6, false},
      {"3.33, randrepeat=0 alone", FioVersion::k3_33, options(false, 0), 1, derive_seeds(99, 1)[6], false},
      {"new, none", FioVersion::kNew, options(true, 0), 1, 0x5e6a4773b256008f, true},
      {"new, randseed alone", FioVersion::kNew, options(true, 1), 1, 0x046d27c32e260007, false},
      {"new, randrepeat=0 and randseed", FioVersion::kNew, options(false, 1), 1, 0x046d27c32e260007, false},
      {"new, randrepeat=0 alone", FioVersion::kNew, options(false, 0), 1, derive_seeds(99, 1)[6], false},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const Seeds seeds = job_seeds(row.version, row.options, row.job_number);
    CHECK(seeds[SeedUse::kOffset] == row.offset_seed);
    CHECK(seeds.reseed_each_pass == row.reseeds);
  }
}

}  // namespace
}  // namespace flushlab::fio
