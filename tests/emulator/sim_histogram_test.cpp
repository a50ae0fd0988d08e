// SPDX-License-Identifier: GPL-2.0-only
// The histogram against a sorted list of all values, and the laws of its header (H1 to H5).
#include <rapidcheck.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "emulator/sim/histogram.hpp"
#include "emulator/sim/random.hpp"

using namespace flushlab::sim;

namespace {

constexpr std::uint64_t kTop = Histogram::kMaxValueNs;

std::vector<std::uint64_t> any_values() {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto count = *rc::gen::inRange<std::size_t>(0, 400);
  const auto widest = *rc::gen::inRange<std::uint64_t>(1, 46);  // bits; beyond 42 saturates
  RandomStream random(seed, "values");
  std::vector<std::uint64_t> values(count);
  for (auto& value : values) value = random.next() >> (64 - 1 - random.below(widest));
  return values;
}

Histogram histogram_of(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const auto value : values) histogram.record(value);
  return histogram;
}

}  // namespace

TEST_CASE("histogram: empty") {
  const Histogram histogram;
  CHECK(histogram.count() == 0);
  CHECK(histogram.min() == 0);
  CHECK(histogram.max() == 0);
  CHECK(histogram.sum() == 0);
  CHECK(histogram.mean() == 0);
  CHECK(histogram.stddev() == 0);
  CHECK(histogram.percentile(99) == 0);
  CHECK(sizeof(Histogram) <= 1024);
}

TEST_CASE("histogram: known values") {
  Histogram histogram;
  for (std::uint64_t i = 1; i <= 10'000; ++i) histogram.record(i * 100);  // 100 ns to 1 ms
  struct Case {
    const char* name;
    std::uint64_t exact;
    std::uint64_t reported;
  };
  const Case cases[] = {{"p50", 500'000, 500'223}, {"p90", 900'000, 900'095},   {"p95", 950'000, 950'271},
                        {"p99", 990'000, 990'207}, {"p99.9", 999'000, 999'423}, {"p99.99", 999'900, 999'935}};
  REQUIRE(std::size(cases) == kPercentiles.size());
  for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
    CHECK(kPercentiles[i].name == cases[i].name);
    CHECK(histogram.percentile(kPercentiles[i]) == cases[i].reported);
    CHECK(cases[i].reported - cases[i].exact <= cases[i].exact / 1000);
  }
  CHECK(histogram.percentile(1, 3) == histogram.percentile_ppm(333'334));
  CHECK(histogram.percentile(0) == 100);
  CHECK(histogram.percentile(100) == 1'000'000);
  CHECK(histogram.percentile(7, 0) == 1'000'000);
  CHECK(histogram.mean() == 500'050);
  CHECK(histogram.sum() == 5'000'500'000);
  CHECK(std::fabs(static_cast<double>(histogram.stddev()) - 288'689.6) < 30);
}

TEST_CASE("histogram: three values of fio's arithmetic") {
  const auto histogram = histogram_of({2, 4, 9});
  CHECK(histogram.mean() == 5);
  CHECK(histogram.stddev() == 3);  // sqrt(26 / 2) = 3.6
}

TEST_CASE("histogram: the mean rounds to nearest") {
  CHECK(histogram_of({1, 2}).mean() == 2);
  CHECK(histogram_of({1, 1, 2}).mean() == 1);
  CHECK(histogram_of({1, 2, 2}).mean() == 2);
}

TEST_CASE("histogram: what is too large saturates and is counted") {
  Histogram histogram;
  histogram.record(kTop);
  CHECK(histogram.saturated() == 0);
  histogram.record(kTop + 1);
  histogram.record(~std::uint64_t{0});
  CHECK(histogram.saturated() == 2);
  CHECK(histogram.count() == 3);
  CHECK(histogram.min() == kTop);
  CHECK(histogram.max() == kTop);
  CHECK(histogram.mean() == kTop);
  CHECK(histogram.percentile(50) == kTop);
  CHECK(histogram.sum() == Uint128{kTop} * 3);
}

TEST_CASE("histogram: bins tile the range, narrower than 0.1 % (H1)") {
  Histogram histogram;
  std::vector<std::uint64_t> values;
  for (std::uint64_t value = 0; value < 10'000; ++value) values.push_back(value);
  for (int bit = 14; bit < 42; ++bit) {
    for (std::uint64_t near = 0; near < 3; ++near) values.push_back((std::uint64_t{1} << bit) - 1 + near);
  }
  values.push_back(kTop);
  for (const auto value : values) histogram.record(value);
  std::size_t next = 0;
  histogram.for_each_bin([&](std::uint64_t lowest, std::uint64_t highest, std::uint64_t count) {
    CHECK((highest - lowest + 1) * 1024 <= std::max<std::uint64_t>(lowest, 1024));
    for (std::uint64_t i = 0; i < count; ++i, ++next) {
      REQUIRE(next < values.size());
      CHECK(values[next] >= lowest);
      CHECK(values[next] <= highest);
    }
  });
  CHECK(next == values.size());
}

TEST_CASE("histogram: percentiles hold their bound against the sorted values (H3)") {
  REQUIRE(rc::check([] {
    auto values = any_values();
    RC_PRE(!values.empty());
    const auto histogram = histogram_of(values);
    Uint128 sum = 0;
    std::uint64_t saturated = 0;
    for (auto& value : values) {
      saturated += value > kTop ? 1 : 0;
      value = std::min(value, kTop);
      sum += value;
    }
    std::sort(values.begin(), values.end());
    RC_ASSERT(histogram.count() == values.size());
    RC_ASSERT(histogram.saturated() == saturated);
    RC_ASSERT(histogram.min() == values.front());
    RC_ASSERT(histogram.max() == values.back());
    RC_ASSERT(histogram.sum() == sum);
    RC_ASSERT(histogram.percentile(1, 1) == values.back());
    std::uint64_t previous = 0;
    for (std::uint64_t ppm = 0; ppm <= 1'000'000; ppm += 12'500) {
      const std::size_t rank = std::max<std::size_t>(1, (values.size() * ppm + 999'999) / 1'000'000);
      const std::uint64_t exact = values[rank - 1];
      const std::uint64_t reported = histogram.percentile_ppm(ppm);
      RC_ASSERT(reported >= exact);
      RC_ASSERT(reported - exact <= exact / 1024);
      RC_ASSERT(reported >= previous);
      previous = reported;
    }
  }));
}

TEST_CASE("histogram: merging is recording everything in one (H4), equality is content (H5)") {
  REQUIRE(rc::check([] {
    const auto a = any_values();
    const auto b = any_values();
    auto both = a;
    both.insert(both.end(), b.begin(), b.end());
    auto merged = histogram_of(a);
    merged.merge(histogram_of(b));
    RC_ASSERT(merged == histogram_of(both));
    auto swapped = histogram_of(b);
    swapped.merge(histogram_of(a));
    RC_ASSERT(swapped == merged);
    std::reverse(both.begin(), both.end());
    RC_ASSERT(histogram_of(both) == merged);
    auto more = merged;
    more.record(5);
    RC_ASSERT(!(more == merged));
    more.clear();
    RC_ASSERT(more == Histogram());
    auto doubled = histogram_of(a);
    doubled.merge(doubled);
    RC_ASSERT(doubled.count() == 2 * a.size());
  }));
}
