// SPDX-License-Identifier: GPL-2.0-only
// The generator against vectors of an independent implementation (Python, written from the papers), and its laws.
#include <rapidcheck.h>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "emulator/sim/random.hpp"

using flushlab::sim::RandomStream;

namespace {

constexpr std::uint64_t kMax64 = ~std::uint64_t{0};

std::array<std::uint64_t, 4> first_four(RandomStream random) {
  return {random.next(), random.next(), random.next(), random.next()};
}

using Four = std::array<std::uint64_t, 4>;

}  // namespace

TEST_CASE("random: the streams are these numbers on every platform") {
  CHECK(first_four(RandomStream(0)) ==
        Four{0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0, 0x6aa594f1262d2d2c});
  CHECK(first_four(RandomStream(42)) ==
        Four{0x15780b2e0c2ec716, 0x6104d9866d113a7e, 0xae17533239e499a1, 0xecb8ad4703b360a1});
  CHECK(first_four(RandomStream(42, "")) ==
        Four{0xff7f51707615a931, 0xcb20c8f9955698d2, 0x7ba1b78da04a60a2, 0x937399272ec4751d});
  CHECK(first_four(RandomStream(42, "drive0/write")) ==
        Four{0x6bec85608cff2f4d, 0x03cce982edfa93f4, 0x574f1faf9d4f221a, 0xd55e27e0a97af130});
  CHECK(first_four(RandomStream(kMax64, "drive0/write")) ==
        Four{0x73be04a7729be58b, 0x9683b962abbdffeb, 0x95c578f8f4f65c97, 0x2ff97e4845f3ac33});
}

TEST_CASE("random: a stream is its seed and name, and a copy goes on alike") {
  RandomStream a(7, "x");
  RandomStream b(7, std::string("x"));
  CHECK(a == b);
  a.next();
  CHECK_FALSE(a == b);
  b = a;
  CHECK(a.next() == b.next());
}

TEST_CASE("random: below keeps its bound at every size") {
  RandomStream edge(1);
  CHECK(edge.below(0) == 0);
  CHECK(edge.below(1) == 0);
  REQUIRE(rc::check("below(n) < n", [] {
    RandomStream random(*rc::gen::arbitrary<std::uint64_t>());
    const std::uint64_t n = (*rc::gen::arbitrary<std::uint64_t>() >> *rc::gen::inRange(0, 64)) | 1;
    for (int i = 0; i < 20; ++i) RC_ASSERT(random.below(n) < n);
  }));
}

TEST_CASE("random: below is even, also where 2^64 leaves a remainder") {
  // Chi-square with k - 1 degrees of freedom; the bounds are its 99.9 % quantiles. The seeds are fixed, so is the
  // result.
  const auto chi_square = [](std::uint64_t n, std::uint64_t bins) {
    RandomStream random(3, "chi");
    std::vector<double> seen(bins);
    constexpr int kDraws = 200'000;
    for (int i = 0; i < kDraws; ++i) {
      const auto bin = static_cast<std::size_t>((flushlab::sim::Uint128{random.below(n)} * bins) / n);
      seen[bin] += 1;
    }
    double sum = 0;
    const double expected = static_cast<double>(kDraws) / static_cast<double>(bins);
    for (const double count : seen) sum += (count - expected) * (count - expected) / expected;
    return sum;
  };
  CHECK(chi_square(6, 6) < 20.6);
  CHECK(chi_square(100, 100) < 148.3);
  CHECK(chi_square((std::uint64_t{1} << 63) + (std::uint64_t{1} << 62), 3) <
        13.9);  // a biased below gives 1/2, 1/4, 1/4
}

TEST_CASE("random: chance is exact at its ends, close in between, and costs one draw") {
  RandomStream random(11, "chance");
  int hits = 0;
  constexpr int kDraws = 1'000'000;
  for (int i = 0; i < kDraws; ++i) hits += random.chance_ppm(12'345) ? 1 : 0;
  CHECK(std::abs(hits - 12'345) < 4 * 111);  // 4 standard deviations
  REQUIRE(rc::check("ends, one draw, coupling", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto denominator = *rc::gen::inRange<std::uint64_t>(1, 1'000'000'000);
    const auto small = *rc::gen::inRange<std::uint64_t>(0, denominator + 1);
    const auto large = *rc::gen::inRange<std::uint64_t>(small, denominator + 1);
    RandomStream counted(seed);
    counted.next();
    const auto ask = [&](std::uint64_t numerator) {
      RandomStream r(seed);
      const bool answer = r.chance(numerator, denominator);
      RC_ASSERT(r == counted);
      return answer;
    };
    RC_ASSERT(!ask(0));
    RC_ASSERT(ask(denominator));
    RC_ASSERT(ask(denominator + 5));
    RC_ASSERT(!ask(small) || ask(large));
  }));
}

TEST_CASE("random: streams of different names or seeds do not resemble each other") {
  // The bits in which two independent streams agree: 64 * 256 coins, standard deviation 64; 6 of them is 1 in 5 * 10^8.
  const auto agreeing_bits = [](RandomStream a, RandomStream b) {
    int agree = 0;
    for (int i = 0; i < 256; ++i) agree += std::popcount(~(a.next() ^ b.next()));
    return agree;
  };
  REQUIRE(rc::check("names", [&] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto a = *rc::gen::arbitrary<std::string>();
    const auto b = *rc::gen::arbitrary<std::string>();
    RC_PRE(a != b);
    RC_ASSERT(std::abs(agreeing_bits(RandomStream(seed, a), RandomStream(seed, b)) - 8192) < 384);
  }));
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto name = "drive" + std::to_string(seed);
    CHECK(std::abs(agreeing_bits(RandomStream(seed, "w"), RandomStream(seed + 1, "w")) - 8192) < 384);
    CHECK(std::abs(agreeing_bits(RandomStream(1, name), RandomStream(1, name + "0")) - 8192) < 384);
    CHECK(std::abs(agreeing_bits(RandomStream(seed), RandomStream(seed, "")) - 8192) < 384);
  }
}
