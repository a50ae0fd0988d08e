// SPDX-License-Identifier: GPL-2.0-only
#include "emulator/sim/histogram.hpp"

#include <algorithm>

namespace flushlab::sim {

std::uint64_t Histogram::mean() const {
  return count_ == 0 ? 0 : static_cast<std::uint64_t>((sum_ + count_ / 2) / count_);
}

std::uint64_t Histogram::stddev() const {
  if (count_ < 2) return 0;
  const std::uint64_t centre = mean();
  Uint128 squares = 0;  // below 2^128 for up to 2^44 values
  for_each_bin([&](std::uint64_t lowest, std::uint64_t highest, std::uint64_t count) {
    const std::uint64_t middle = std::clamp(lowest + (highest - lowest) / 2, min_, max_);
    const std::uint64_t distance = middle > centre ? middle - centre : centre - middle;
    squares += Uint128{distance} * distance * count;
  });
  return isqrt(squares / (count_ - 1));
}

std::uint64_t Histogram::percentile(std::uint64_t numerator, std::uint64_t denominator) const {
  if (count_ == 0) return 0;
  std::uint64_t rank = count_;
  if (numerator < denominator) {
    const Uint128 product = Uint128{count_} * numerator;
    rank = static_cast<std::uint64_t>(product / denominator + (product % denominator != 0 ? 1 : 0));
  }
  if (rank == 0) rank = 1;
  std::uint64_t seen = 0;
  for (std::size_t octave = 0; octave < kOctaves; ++octave) {
    for (std::size_t bin = 0; bin < octaves_[octave].size(); ++bin) {
      seen += octaves_[octave][bin];
      if (seen >= rank) return std::min(highest_of(octave, bin), max_);
    }
  }
  return max_;
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t octave = 0; octave < kOctaves; ++octave) {
    const auto& from = other.octaves_[octave];
    if (from.empty()) continue;
    auto& to = octaves_[octave];
    if (to.empty()) to.resize(kBinsPerOctave);
    for (std::size_t bin = 0; bin < kBinsPerOctave; ++bin) to[bin] += from[bin];
  }
  count_ += other.count_;
  saturated_ += other.saturated_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
}

}  // namespace flushlab::sim
