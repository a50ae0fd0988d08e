// SPDX-License-Identifier: GPL-2.0-only
// Queue limits and features: what the block layer believes of a device (models struct queue_limits).
#pragma once

#include <cstdint>
#include <string>

#include "hostmodel/kernel/kernel_profile.hpp"

namespace flushlab::block {

struct QueueLimits {
  // Features, set by the driver.
  bool feature_write_cache = false;  // BLK_FEAT_WRITE_CACHE
  bool feature_fua = false;          // BLK_FEAT_FUA
  // Flag, set by queue/write_cache: BLK_FLAG_WRITE_CACHE_DISABLED.
  bool write_cache_disabled = false;

  std::uint32_t logical_block_size = 512;   // bytes
  std::uint32_t physical_block_size = 512;  // bytes
  std::uint32_t io_min = 512;               // bytes
  std::uint32_t io_opt = 0;                 // bytes
  std::uint32_t max_hw_sectors = 255;       // 512-byte sectors
  std::uint32_t max_sectors = 0;            // what bios are split at
  std::uint16_t max_segments = 128;
  std::uint32_t max_discard_sectors = 0;
  std::uint32_t discard_granularity = 0;
  std::uint32_t max_write_zeroes_sectors = 0;
  std::uint32_t virt_boundary_mask = 4095;
  std::uint32_t dma_alignment = 3;
  std::uint32_t alignment_offset = 0;  // bytes
  bool misaligned = false;             // BLK_FLAG_MISALIGNED: a stacked device whose members do not fit its sizes

  // models blk_queue_write_cache: the write cache as the submission path sees it.
  [[nodiscard]] bool write_cache() const { return feature_write_cache && !write_cache_disabled; }
  [[nodiscard]] bool fua() const { return feature_fua; }
};

// What a stacked device makes of one more member, whose data it uses from `start_sector` on (models blk_stack_limits).
// Write cache and FUA are not touched here: each kind of stack has its own rule.
void stack_limits(QueueLimits& top, const QueueLimits& bottom, std::uint64_t start_sector);

// queue/read_ahead_kb that follows from io_opt (models blk_apply_bdi_limits, disk_update_readahead).
[[nodiscard]] std::uint32_t read_ahead_kb(const QueueLimits& limits);

// Fills in what follows from the rest and checks it (models block/blk-settings.c blk_validate_limits, v7.1).
// Returns an empty string, or why the kernel rejects the update (-EINVAL); `limits` is then unchanged.
[[nodiscard]] std::string validate_limits(QueueLimits& limits, const kernel::KernelProfile& kernel);

}  // namespace flushlab::block
