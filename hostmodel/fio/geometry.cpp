// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/geometry.hpp"

#include <algorithm>

namespace flushlab::fio {
namespace {

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

}  // namespace

FileGeometry file_geometry(const JobOptions& job, std::uint32_t subjob, std::uint64_t file_bytes) {
  FileGeometry g;
  g.real_bytes = file_bytes;
  g.min_bs_bytes = *std::min_element(job.bs_min_bytes.value.begin(), job.bs_min_bytes.value.end());
  const auto resolve = [&](const SizeOrPercent& value) { return value.of(file_bytes); };

  g.offset_bytes = resolve(job.offset);
  if (job.offset.is_percent) {
    g.offset_bytes = saturating_multiply((g.offset_bytes + g.min_bs_bytes - 1) / g.min_bs_bytes, g.min_bs_bytes);
  }
  g.offset_bytes = saturating_add(g.offset_bytes, saturating_multiply(resolve(job.offset_increment), subjob));

  if (!job.size) {
    g.io_size_bytes = file_bytes > g.offset_bytes ? file_bytes - g.offset_bytes : 0;
  } else {
    g.io_size_bytes = resolve(*job.size);
    if (job.size->is_percent) g.io_size_bytes -= g.io_size_bytes % g.min_bs_bytes;
  }
  g.limit_bytes = job.io_size ? job.io_size->of(g.io_size_bytes) : g.io_size_bytes;

  const std::uint64_t used = std::min(g.real_bytes, g.io_size_bytes);
  g.blocks = used / g.min_bs_bytes;
  const std::uint64_t unit = std::min(job.bs_min_bytes[Direction::kRead], job.bs_min_bytes[Direction::kWrite]);
  g.ranges = used / unit + (used % unit != 0 ? 1 : 0);
  return g;
}

std::uint64_t random_blocks(const FileGeometry& geometry, std::uint64_t min_bs_bytes, std::uint64_t align_bytes) {
  std::uint64_t last = std::min(geometry.io_size_bytes, geometry.real_bytes);
  if (min_bs_bytes > align_bytes) {
    const std::uint64_t tail = min_bs_bytes - align_bytes;
    last = last > tail ? last - tail : 0;
  }
  return last / align_bytes;
}

}  // namespace flushlab::fio
