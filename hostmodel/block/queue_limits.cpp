// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/block/queue_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace flushlab::block {

std::string validate_limits(QueueLimits& limits, const kernel::KernelProfile& kernel) {
  QueueLimits next = limits;
  next.physical_block_size = std::max(next.physical_block_size, next.logical_block_size);
  if (kernel.rejects_odd_physical_block_size && !std::has_single_bit(next.physical_block_size)) {
    return fmt::format("physical_block_size {} is not a power of two", next.physical_block_size);
  }
  next.io_min = std::max(next.io_min, next.physical_block_size);
  if (kernel.io_opt_rounded_down) next.io_opt &= ~(next.physical_block_size - 1);  // a mask, whatever the size

  // max_sectors: an optimal (or minimal) size beyond the default cap raises the default, never beyond the hardware.
  std::uint32_t cap = kernel.default_max_sectors;
  if (kernel.max_sectors_follows == kernel::MaxSectorsFollows::kNothing) {
    // the default it is
  } else if (next.io_opt > cap * 512ULL) {
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
  } else if (kernel.discard_granularity_covers_physical) {
    next.discard_granularity = std::max(next.discard_granularity, next.physical_block_size);
  }
  if (!next.feature_write_cache) next.feature_fua = false;
  limits = next;
  return {};
}

namespace {

std::uint32_t min_not_zero(std::uint32_t a, std::uint32_t b) {
  return a == 0 ? b : b == 0 ? a : std::min(a, b);
}

std::uint32_t lcm_not_zero(std::uint32_t a, std::uint32_t b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return static_cast<std::uint32_t>(std::lcm<std::uint64_t>(a, b));
}

// models block/blk-settings.c queue_limit_alignment_offset
std::uint32_t alignment_of(const QueueLimits& limits, std::uint64_t sector) {
  const std::uint32_t granularity = std::max(limits.physical_block_size, limits.io_min);
  const auto into = static_cast<std::uint32_t>(sector * 512 % granularity);
  return (granularity + limits.alignment_offset - into) % granularity;
}

}  // namespace

void stack_limits(QueueLimits& top, const QueueLimits& bottom, std::uint64_t start_sector) {
  top.max_sectors = min_not_zero(top.max_sectors, bottom.max_sectors);
  top.max_hw_sectors = min_not_zero(top.max_hw_sectors, bottom.max_hw_sectors);
  top.max_write_zeroes_sectors = std::min(top.max_write_zeroes_sectors, bottom.max_write_zeroes_sectors);
  top.max_segments = static_cast<std::uint16_t>(min_not_zero(top.max_segments, bottom.max_segments));
  top.virt_boundary_mask = min_not_zero(top.virt_boundary_mask, bottom.virt_boundary_mask);
  top.dma_alignment = std::max(top.dma_alignment, bottom.dma_alignment);
  const std::uint32_t alignment = alignment_of(bottom, start_sector);
  if (top.alignment_offset != alignment) {
    const std::uint32_t above = std::max(top.physical_block_size, top.io_min) + top.alignment_offset;
    const std::uint32_t below = std::max(bottom.physical_block_size, bottom.io_min) + alignment;
    if (std::max(above, below) % std::min(above, below) != 0) top.misaligned = true;
  }
  top.logical_block_size = std::max(top.logical_block_size, bottom.logical_block_size);
  top.physical_block_size = std::max(top.physical_block_size, bottom.physical_block_size);
  top.io_min = std::max(top.io_min, bottom.io_min);
  top.io_opt = lcm_not_zero(top.io_opt, bottom.io_opt);
  if (top.io_min % top.physical_block_size != 0) {
    top.io_min = top.physical_block_size;
    top.misaligned = true;
  }
  if (top.io_opt % top.physical_block_size != 0) {
    top.io_opt = 0;
    top.misaligned = true;
  }
  top.alignment_offset = lcm_not_zero(top.alignment_offset, alignment) % std::max(top.physical_block_size, top.io_min);
  if (bottom.max_discard_sectors != 0) {
    top.max_discard_sectors = min_not_zero(top.max_discard_sectors, bottom.max_discard_sectors);
    top.discard_granularity = std::max(top.discard_granularity, bottom.discard_granularity);
  }
  top.misaligned = top.misaligned || bottom.misaligned;
}

std::uint32_t read_ahead_kb(const QueueLimits& limits) {
  constexpr std::uint32_t kDefault = 128;
  constexpr std::uint32_t kPage = 4096;
  return std::max(kDefault, static_cast<std::uint32_t>(std::uint64_t{limits.io_opt} * 2 / kPage * (kPage / 1024)));
}

}  // namespace flushlab::block
