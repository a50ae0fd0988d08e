// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/block/queue_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace flushlab::block {

std::string validate_limits(QueueLimits& limits, const kernel::KernelProfile& kernel) {
  QueueLimits next = limits;
  next.physical_block_size = std::max(next.physical_block_size, next.logical_block_size);
  if (kernel.rejects_odd_physical_block_size && !std::has_single_bit(next.physical_block_size)) {
    return fmt::format("physical_block_size {} is not a power of two", next.physical_block_size);
  }
  next.io_min = std::max(next.io_min, next.physical_block_size);
  next.io_opt -= next.io_opt % next.physical_block_size;

  // max_sectors: an optimal (or minimal) size beyond the default cap raises the default, never beyond the hardware.
  std::uint32_t cap = kernel.default_max_sectors;
  if (next.io_opt > cap * 512ULL) {
    cap = next.io_opt / 512;
  } else if (next.io_min > cap * 512ULL) {
    cap = next.io_min / 512;
  }
  next.max_sectors = std::min(next.max_hw_sectors, cap);
  const std::uint32_t block_sectors = std::max(next.logical_block_size / 512, 1U);
  next.max_sectors -= next.max_sectors % block_sectors;
  if (next.max_sectors < block_sectors) {
    return fmt::format("max_sectors {} is smaller than one logical block of {} bytes", next.max_sectors,
                       next.logical_block_size);
  }
  next.max_segments =
      static_cast<std::uint16_t>(std::min<std::uint32_t>(next.max_segments, next.max_hw_sectors / 8 + 1));
  if (next.max_discard_sectors == 0) {
    next.discard_granularity = 0;
  } else {
    next.discard_granularity = std::max(next.discard_granularity, next.physical_block_size);
  }
  if (!next.feature_write_cache) next.feature_fua = false;
  limits = next;
  return {};
}

}  // namespace flushlab::block
