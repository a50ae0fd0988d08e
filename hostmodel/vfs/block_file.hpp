// SPDX-License-Identifier: GPL-2.0-only
// A raw block device opened as a file (models block/fops.c, v6.12).
//
// Rules:
//   V1  fsync writes back the dirty pages of the range, waits for them, then sends one empty PREFLUSH bio. fdatasync is
//       the same: a raw device has no metadata of its own.
//   V2  A direct O_DSYNC or O_SYNC write carries FUA. A synchronous one is followed by V1; an asynchronous one is not,
//       because "queued" is not a positive result (generic_write_sync).
//   V3  A buffered O_DSYNC write copies, then does V1 for its range. No FUA.
//   V4  sync_file_range writes back and waits as its flags say, and never flushes.
//   V5  fsync turns "not supported" from the Flush into success.
//   V6  Write-back keeps at most 16 writes in flight and goes on when all of them are done (models block/blk-wbt.c with
//       the write cache on; with it off the real throttle refills a little earlier).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/queue/host_memory.hpp"
#include "emulator/sim/task.hpp"
#include "hostmodel/block/bio_wait.hpp"
#include "hostmodel/block/block_device.hpp"
#include "hostmodel/kernel/machine.hpp"
#include "hostmodel/vfs/page_cache.hpp"

namespace flushlab::vfs {

struct OpenFlags {
  bool direct = false;  // O_DIRECT
  bool dsync = false;   // O_DSYNC or O_SYNC: the same on a raw device
};

// Who calls: its task, and how long it takes to run again after sleeping for I/O or for a Flush.
struct Caller {
  block::TaskContext task;
  sim::TimeNs io_wake_ns = 0;
  sim::TimeNs flush_wake_ns = 0;
};

// sync_file_range(2) flags.
inline constexpr unsigned kSyncFileRangeWaitBefore = 1, kSyncFileRangeWrite = 2, kSyncFileRangeWaitAfter = 4;

class BlockFile {
 public:
  // `cache` is the device's: all files open on it share it.
  BlockFile(kernel::Machine& machine, block::BlockDevice& device, queue::HostMemory& memory, PageCache& cache,
            OpenFlags flags);
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;

  [[nodiscard]] const OpenFlags& flags() const { return flags_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return device_->sectors() * 512; }
  block::BlockDevice& device() { return *device_; }
  sim::FramePool& frames() { return machine_->frames(); }

  // A direct asynchronous read or write: fills in `bio` (the caller's, with end_io and owner set) and submits it.
  // No cost is charged here: the engine knows what its system call costs.
  void submit_direct(block::Bio& bio, block::BioOp op, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                     std::uint64_t buffer, const block::TaskContext& task);
  // True when a direct write may go out at once: no cached page overlaps it.
  [[nodiscard]] bool direct_needs_writeback(std::uint64_t offset_bytes, std::uint32_t size_bytes) const;

  // The system calls. 0 or a negative errno. Costs are charged to the caller's CPU.
  sim::Task<int> pwrite(std::uint64_t offset_bytes, std::uint32_t size_bytes, std::uint64_t buffer, Caller caller);
  sim::Task<int> pread(std::uint64_t offset_bytes, std::uint32_t size_bytes, std::uint64_t buffer, Caller caller);
  sim::Task<int> fsync(std::uint64_t first_byte, std::uint64_t last_byte, Caller caller);
  sim::Task<int> sync_file_range(std::uint64_t first_byte, std::uint64_t last_byte, unsigned flags, Caller caller);
  // BLKFLSBUF, and the last close (blkdev_release): writes back, flushes nothing.
  sim::Task<int> flush_buffers(Caller caller);

 private:
  std::uint64_t take_staging();
  sim::Task<block::BlockStatus> writeback(std::uint64_t first_page, std::uint64_t last_page, Caller caller);
  sim::Task<int> read_pages(std::uint64_t first_page, std::uint64_t last_page, Caller caller);
  sim::Task<int> buffered_write(std::uint64_t offset_bytes, std::uint32_t size_bytes, std::uint64_t buffer,
                                Caller caller);

  static constexpr std::uint32_t kWritebackDepth = 16;      // V6
  static constexpr std::uint32_t kWritebackRunPages = 128;  // adjacent pages in one command: max_segments of v6.12

  kernel::Machine* machine_;
  block::BlockDevice* device_;
  queue::HostMemory* memory_;
  OpenFlags flags_;
  PageCache* cache_;
  std::vector<std::uint64_t> staging_free_;  // regions that a write-back in progress copies its pages to
};

}  // namespace flushlab::vfs
