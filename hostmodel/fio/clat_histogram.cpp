// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/clat_histogram.hpp"

#include <algorithm>
#include <cmath>

namespace flushlab::fio {

void ClatHistogram::merge(const ClatHistogram& other) {
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  sum_of_squares_ += other.sum_of_squares_;
  for (std::size_t i = 0; i < kBins; ++i) bins_[i] += other.bins_[i];
}

double ClatHistogram::mean() const {
  return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

double ClatHistogram::stddev() const {
  if (count_ < 2) return 0.0;
  // sum((x - mean)^2) = sum(x^2) - mean * sum(x), in integers as far as it goes: about whole ns of the mean.
  const Sum n = count_;
  const Sum whole_mean = sum_ / n;
  const Sum rest = sum_ - whole_mean * n;  // < n
  // With d = x - whole_mean: sum(d) = rest, sum(d^2) = sum(x^2) - 2 * whole_mean * sum(x) + n * whole_mean^2.
  const Sum squares = sum_of_squares_ - 2 * whole_mean * sum_ + n * whole_mean * whole_mean;
  const double correction = static_cast<double>(rest) * static_cast<double>(rest) / static_cast<double>(n);
  return std::sqrt(std::max(0.0, static_cast<double>(squares) - correction) / static_cast<double>(n - 1));
}

std::uint64_t ClatHistogram::percentile(double percent) const {
  if (count_ == 0) return 0;
  const double wanted = percent / 100.0 * static_cast<double>(count_);
  std::uint64_t sum = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    if (bins_[i] == 0) continue;
    sum += bins_[i];
    last = i;
    if (static_cast<double>(sum) >= wanted) return value_of(i);
  }
  return value_of(last);
}

}  // namespace flushlab::fio
