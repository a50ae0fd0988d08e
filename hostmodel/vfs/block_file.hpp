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
//   V6  Write-back goes through a plug and has at most 16 requests in flight. The task that wants one more sleeps until
//       all are done, with the write cache off until 6 are left (models block/blk-wbt.c wbt_wait, wbt_rqw_done).
//   V7  A direct write is cut into bios of 256 pages, all submitted before the first is waited for. Discard and zeroing
//       drop the cached pages of the range first, wait for their bios, and never flush.
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
  // BLKFLSBUF, sync(2) on a raw device, and the last close (blkdev_release): writes back, flushes nothing.
  sim::Task<int> flush_buffers(Caller caller);
  // BLKDISCARD. -EOPNOTSUPP without discard, -EINVAL for a range that is not whole logical blocks of the device.
  sim::Task<int> discard(std::uint64_t offset_bytes, std::uint64_t size_bytes, Caller caller);
  // BLKZEROOUT and fallocate ZERO_RANGE (`unmap` false), fallocate PUNCH_HOLE (`unmap` true). Without Write Zeroes the
  // first writes pages of zeroes and the second returns -EOPNOTSUPP.
  sim::Task<int> zero_range(std::uint64_t offset_bytes, std::uint64_t size_bytes, bool unmap, Caller caller);

 private:
  std::uint64_t take_staging();
  // `in_write_call`: for an O_DSYNC write, inside whatever plug that call has.
  sim::Task<block::BlockStatus> writeback(std::uint64_t first_page, std::uint64_t last_page, Caller caller,
                                          bool in_write_call = false);
  sim::Task<int> sync_range(std::uint64_t first_byte, std::uint64_t last_byte, Caller caller, bool in_write_call);
  sim::Task<int> direct_in_plug(block::BioOp op, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                                std::uint64_t buffer, Caller caller);
  sim::Task<int> range_bios(block::BioOp op, std::uint16_t flags, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                            std::uint64_t most_sectors, std::uint64_t buffer, Caller caller);
  [[nodiscard]] int check_range(std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
  sim::Task<int> read_pages(std::uint64_t first_page, std::uint64_t last_page, Caller caller);
  sim::Task<int> buffered_write(std::uint64_t offset_bytes, std::uint32_t size_bytes, std::uint64_t buffer,
                                Caller caller);

  static constexpr std::uint32_t kWritebackDepth = 16;      // V6
  static constexpr std::uint32_t kWritebackRefill = 6;      // V6, write cache off
  static constexpr std::uint32_t kWritebackRunPages = 256;  // of one buffer
  static constexpr std::uint32_t kMaxBioPages = 256;        // BIO_MAX_VECS
  // Adjacent pages that write-back puts into one request: what would have merged in the plug.
  [[nodiscard]] std::uint32_t run_pages() const;

  kernel::Machine* machine_;
  block::BlockDevice* device_;
  queue::HostMemory* memory_;
  OpenFlags flags_;
  PageCache* cache_;
  std::vector<std::uint64_t> staging_free_;  // regions that a write-back in progress copies its pages to
};

}  // namespace flushlab::vfs
