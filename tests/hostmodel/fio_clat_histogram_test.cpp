// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/clat_histogram.hpp"

#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

namespace flushlab::fio {
namespace {

TEST_CASE("fio histogram: bins and the values they are reported as", "[fio]") {
  struct Row {
    std::uint64_t value;
    std::size_t bin;
    std::uint64_t reported;
  };
  // 193536 and 254976 ns are what fio prints for latencies of 194.2 and 254.7 us.
  const Row rows[] = {{0, 0, 0},
                      {1, 1, 1},
                      {127, 127, 127},
                      {128, 128, 129},
                      {129, 128, 129},
                      {130, 129, 131},
                      {255, 191, 255},
                      {256, 192, 258},
                      {1000, 317, 1004},
                      {194200, 798, 193536},
                      {254700, 828, 254976},
                      {std::uint64_t{1} << 34, 1855, 17112760320},
                      {~std::uint64_t{0}, 1855, 17112760320}};
  for (const Row& row : rows) {
    INFO(row.value);
    CHECK(ClatHistogram::bin_of(row.value) == row.bin);
    CHECK(ClatHistogram::value_of(ClatHistogram::bin_of(row.value)) == row.reported);
  }
}

TEST_CASE("fio histogram: every bin's value lies in that bin", "[fio]") {
  for (std::size_t i = 0; i < ClatHistogram::kBins; ++i) CHECK(ClatHistogram::bin_of(ClatHistogram::value_of(i)) == i);
}

TEST_CASE("fio histogram: percentiles count up to p percent", "[fio]") {
  ClatHistogram h;
  CHECK(h.percentile(99) == 0);
  CHECK(h.min() == 0);
  for (std::uint64_t v = 1; v <= 100; ++v) h.record(v);
  CHECK(h.percentile(1) == 1);
  CHECK(h.percentile(50) == 50);
  CHECK(h.percentile(99.5) == 100);
  CHECK(h.percentile(100) == 100);
  CHECK(h.percentile(0) == 1);
  CHECK(h.min() == 1);
  CHECK(h.max() == 100);
  CHECK(h.mean() == Approx(50.5));
  CHECK(h.stddev() == Approx(29.011491975882016));
}

TEST_CASE("fio histogram: one value has no deviation; equal large values neither", "[fio]") {
  ClatHistogram h;
  h.record(123'456'789'012);
  CHECK(h.stddev() == 0.0);
  for (int i = 0; i < 1000; ++i) h.record(123'456'789'012);
  CHECK(h.stddev() == 0.0);
  CHECK(h.mean() == 123'456'789'012.0);
}

TEST_CASE("fio histogram: merging equals recording all", "[fio][property]") {
  CHECK(rc::check("merge, mean and deviation",
                  [](const std::vector<std::uint32_t>& left, const std::vector<std::uint32_t>& right) {
                    ClatHistogram a, b, all;
                    for (const auto v : left) a.record(v), all.record(v);
                    for (const auto v : right) b.record(v), all.record(v);
                    a.merge(b);
                    RC_ASSERT(a.count() == all.count());
                    RC_ASSERT(a.min() == all.min());
                    RC_ASSERT(a.max() == all.max());
                    RC_ASSERT(a.mean() == all.mean());
                    RC_ASSERT(a.stddev() == all.stddev());
                    RC_ASSERT(a.percentile(99) == all.percentile(99));
                    // fio's own way: a running mean and sum of squares.
                    double mean = 0;
                    double squares = 0;
                    double n = 0;
                    for (const auto* part : {&left, &right}) {
                      for (const auto v : *part) {
                        n += 1;
                        const double delta = static_cast<double>(v) - mean;
                        mean += delta / n;
                        squares += delta * (static_cast<double>(v) - mean);
                      }
                    }
                    RC_ASSERT(std::abs(a.mean() - mean) <= 1e-6 * (1 + mean));
                    const double deviation = n > 1 ? std::sqrt(squares / (n - 1)) : 0.0;
                    RC_ASSERT(std::abs(a.stddev() - deviation) <= 1e-6 * (1 + deviation));
                  }));
}

}  // namespace
}  // namespace flushlab::fio
