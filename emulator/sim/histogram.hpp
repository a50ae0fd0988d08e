// SPDX-License-Identifier: GPL-2.0-only
// A log-linear histogram of latencies: 1024 bins to each power of two, so that every bin is narrower than 0.1 % of its
// values (three significant digits). All values are integer ns.
//
// H1. Values below 2048 ns have a bin each; every other bin's width is at most 1/1024 of its lowest value.
// H2. A value above kMaxValueNs counts as kMaxValueNs in everything, and saturated() says how often that happened.
// H3. A bin is reported as its highest value, clipped to max(): a percentile is never below the true one, and above it
//     by at most 1/1024 of it. count, min, max, sum and mean are exact (after H2).
// H4. Merging histograms gives what recording all their values into one would have given, to the bit.
// H5. Two histograms are equal exactly when all that they can report is equal.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/sim/fixed_point.hpp"

namespace flushlab::sim {

// A percentile that reports show: numerator / denominator of the values are at or below it.
struct Percentile {
  std::string_view name;
  std::uint64_t numerator;
  std::uint64_t denominator;
};

inline constexpr std::array<Percentile, 6> kPercentiles{{{"p50", 50, 100},
                                                         {"p90", 90, 100},
                                                         {"p95", 95, 100},
                                                         {"p99", 99, 100},
                                                         {"p99.9", 999, 1000},
                                                         {"p99.99", 9999, 10000}}};

class Histogram {
 public:
  static constexpr std::uint64_t kMaxValueNs = (std::uint64_t{1} << 42) - 1;  // 73 minutes

  // An octave's 8 KiB of bins is allocated at its first value.
  void record(std::uint64_t value_ns) {
    if (value_ns > kMaxValueNs) [[unlikely]] {
      value_ns = kMaxValueNs;
      ++saturated_;
    }
    ++count_;
    sum_ += value_ns;
    if (value_ns < min_) min_ = value_ns;
    if (value_ns > max_) max_ = value_ns;
    const std::size_t octave = octave_of(value_ns);
    auto& bins = octaves_[octave];
    if (bins.empty()) [[unlikely]]
      bins.resize(kBinsPerOctave);
    ++bins[bin_of(value_ns, octave)];
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t saturated() const { return saturated_; }
  [[nodiscard]] std::uint64_t min() const { return count_ == 0 ? 0 : min_; }  // this and all below: 0 when empty
  [[nodiscard]] std::uint64_t max() const { return max_; }
  [[nodiscard]] Uint128 sum() const { return sum_; }  // cannot overflow: 2^64 values below 2^42
  // The exact mean rounded to nearest, halves up.
  [[nodiscard]] std::uint64_t mean() const;
  // The sample standard deviation (over count - 1, as fio reports it), rounded down; from the bins' middles. 0 for
  // fewer than two values.
  [[nodiscard]] std::uint64_t stddev() const;

  // The value at rank ceil(count * numerator / denominator), at least the first and at most the last, by H3.
  [[nodiscard]] std::uint64_t percentile(std::uint64_t numerator, std::uint64_t denominator = 100) const;
  [[nodiscard]] std::uint64_t percentile_ppm(std::uint64_t ppm) const { return percentile(ppm, 1'000'000); }
  [[nodiscard]] std::uint64_t percentile(const Percentile& which) const {
    return percentile(which.numerator, which.denominator);
  }

  void merge(const Histogram& other);
  void clear() { *this = Histogram(); }

  // Calls f(lowest_ns, highest_ns, count) for every bin that holds something, in rising order.
  template <typename F>
  void for_each_bin(F&& f) const {
    for (std::size_t octave = 0; octave < kOctaves; ++octave) {
      for (std::size_t bin = 0; bin < octaves_[octave].size(); ++bin) {
        const std::uint64_t count = octaves_[octave][bin];
        if (count != 0) f(lowest_of(octave, bin), highest_of(octave, bin), count);
      }
    }
  }

  bool operator==(const Histogram&) const = default;

 private:
  static constexpr int kSubBits = 10;
  static constexpr std::size_t kBinsPerOctave = std::size_t{1} << kSubBits;
  static constexpr std::size_t kOctaves = 42 - kSubBits + 1;

  // Octave 0 holds [0, 1024), octave i > 0 holds [1024 << (i - 1), 1024 << i).
  static std::size_t octave_of(std::uint64_t value) {
    return static_cast<std::size_t>(std::bit_width(value >> kSubBits));
  }
  static std::size_t shift_of(std::size_t octave) { return octave - (octave != 0 ? 1 : 0); }
  static std::size_t bin_of(std::uint64_t value, std::size_t octave) {
    return (value >> shift_of(octave)) & (kBinsPerOctave - 1);
  }
  static std::uint64_t lowest_of(std::size_t octave, std::size_t bin) {
    return static_cast<std::uint64_t>(bin + (octave != 0 ? kBinsPerOctave : 0)) << shift_of(octave);
  }
  static std::uint64_t highest_of(std::size_t octave, std::size_t bin) {
    return lowest_of(octave, bin) + (std::uint64_t{1} << shift_of(octave)) - 1;
  }

  // Octaves are allocated only by a value, so equal contents mean equal members.
  std::array<std::vector<std::uint64_t>, kOctaves> octaves_;
  std::uint64_t count_ = 0;
  std::uint64_t saturated_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
  Uint128 sum_ = 0;
};

}  // namespace flushlab::sim
