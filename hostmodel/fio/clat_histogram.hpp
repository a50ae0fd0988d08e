// SPDX-License-Identifier: GPL-2.0-only
// fio's latency histogram: 64 bins to each power of two, 29 groups, 1856 bins; and its min, max, mean and deviation.
//
// Recording is integer only, so that order of recording and merging do not matter to the bit; doubles appear where a
// report asks for them. fio keeps a running mean and deviation, which agree with these to rounding.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace flushlab::fio {

class ClatHistogram {
  __extension__ using Sum = unsigned __int128;

 public:
  static constexpr unsigned kSubBits = 6;
  static constexpr std::size_t kBins = 29U << kSubBits;

  void record(std::uint64_t value_ns) {
    ++count_;
    sum_ += value_ns;
    sum_of_squares_ += static_cast<Sum>(value_ns) * value_ns;
    if (value_ns < min_) min_ = value_ns;
    if (value_ns > max_) max_ = value_ns;
    ++bins_[bin_of(value_ns)];
  }
  void merge(const ClatHistogram& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t min() const { return count_ == 0 ? 0 : min_; }  // ns, as all values here
  [[nodiscard]] std::uint64_t max() const { return max_; }
  [[nodiscard]] double mean() const;
  [[nodiscard]] double stddev() const;  // of the sample (n - 1); 0 below two values
  // The value of the first bin with which at least `percent` percent of the values are counted; 0 if there are none.
  [[nodiscard]] std::uint64_t percentile(double percent) const;
  // function(value, count) for each bin in use, ascending.
  template <typename Function>
  void for_each_bin(Function function) const {
    for (std::size_t i = 0; i < kBins; ++i) {
      if (bins_[i] != 0) function(value_of(i), bins_[i]);
    }
  }

  [[nodiscard]] static constexpr std::size_t bin_of(std::uint64_t value) {
    if (value < (std::uint64_t{2} << kSubBits)) return static_cast<std::size_t>(value);
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kSubBits;
    const std::size_t bin = ((std::size_t{shift} + 1) << kSubBits) + ((value >> shift) & ((1U << kSubBits) - 1));
    return bin < kBins ? bin : kBins - 1;
  }
  // What a bin is reported as: the middle of its values.
  [[nodiscard]] static constexpr std::uint64_t value_of(std::size_t bin) {
    if (bin < (std::size_t{2} << kSubBits)) return bin;
    const unsigned shift = static_cast<unsigned>(bin >> kSubBits) - 1;
    const std::uint64_t width = std::uint64_t{1} << shift;
    return (std::uint64_t{1} << (shift + kSubBits)) + (bin & ((1U << kSubBits) - 1)) * width + width / 2;
  }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
  Sum sum_ = 0;
  Sum sum_of_squares_ = 0;
  std::array<std::uint64_t, kBins> bins_{};
};

}  // namespace flushlab::fio
