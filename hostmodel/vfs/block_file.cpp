// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/vfs/block_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "hostmodel/block/plug.hpp"

namespace flushlab::vfs {

using block::Bio;
using block::BioGroup;
using block::BioOp;
using block::BlockStatus;

BlockFile::BlockFile(kernel::Machine& machine, block::BlockDevice& device, queue::HostMemory& memory, PageCache& cache,
                     OpenFlags flags)
    : machine_(&machine), device_(&device), memory_(&memory), flags_(flags), cache_(&cache) {}

bool BlockFile::direct_needs_writeback(std::uint64_t offset_bytes, std::uint32_t size_bytes) const {
  return cache_->any_dirty(offset_bytes / kPageBytes, (offset_bytes + size_bytes - 1) / kPageBytes);
}

namespace {

void fill(Bio& bio, BioOp op, std::uint16_t flags, std::uint64_t offset_bytes, std::uint64_t size_bytes,
          std::uint64_t buffer, const block::TaskContext& task) {
  bio.op = op;
  bio.flags = flags;
  bio.cpu = task.cpu;
  bio.task = task.name;
  bio.plug = task.plug;
  bio.submit_wait = task.submit_wait;
  bio.sector = offset_bytes / 512;
  bio.sectors = static_cast<std::uint32_t>(size_bytes / 512);
  bio.buffer = buffer;
}

// models block/fops.c dio_bio_write_op, v6.12
std::uint16_t direct_write_flags(const OpenFlags& flags) {
  return static_cast<std::uint16_t>(block::REQ_SYNC | block::REQ_IDLE | (flags.dsync ? block::REQ_FUA : 0));  // V2
}

}  // namespace

void BlockFile::submit_direct(Bio& bio, BioOp op, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                              std::uint64_t buffer, const block::TaskContext& task) {
  fill(bio, op, op == BioOp::kWrite ? direct_write_flags(flags_) : std::uint16_t{0}, offset_bytes, size_bytes, buffer,
       task);
  device_->submit_bio(bio);
}

std::uint64_t BlockFile::take_staging() {
  if (staging_free_.empty()) {
    return memory_->allocate(kWritebackDepth * kWritebackRunPages * kPageBytes, queue::HostMemory::Kind::kWriteIds);
  }
  const std::uint64_t staging = staging_free_.back();
  staging_free_.pop_back();
  return staging;
}

// models block/fops.c __blkdev_direct_IO_simple and blkdev_write_iter, v6.12
sim::Task<int> BlockFile::pwrite(std::uint64_t offset_bytes, std::uint32_t size_bytes, std::uint64_t buffer,
                                 Caller caller) {
  if (!flags_.direct) {
    const int error = co_await buffered_write(offset_bytes, size_bytes, buffer, caller);
    if (error != 0 || !flags_.dsync) co_return error;
    co_return co_await sync_range(offset_bytes, offset_bytes + size_bytes - 1, caller, true);  // V3
  }
  const std::uint64_t first_page = offset_bytes / kPageBytes;
  const std::uint64_t last_page = (offset_bytes + size_bytes - 1) / kPageBytes;
  if (direct_needs_writeback(offset_bytes, size_bytes)) {
    const BlockStatus status = co_await writeback(first_page, last_page, caller);
    if (status != BlockStatus::kOk) co_return block::errno_of(status);
  }
  cache_->invalidate(first_page, last_page);
  auto& cpu = machine_->cpu(caller.task.cpu);
  if (size_bytes > kMaxBioPages * kPageBytes || machine_->kernel().write_call_plugs) {
    const int error = co_await direct_in_plug(BioOp::kWrite, offset_bytes, size_bytes, buffer, caller);
    if (error != 0 || !flags_.dsync) co_return error;
    co_return co_await fsync(offset_bytes, offset_bytes + size_bytes - 1, caller);  // V2
  }
  co_await cpu.run(machine_->costs().submit_write_ns.value);
  Bio bio;
  BioGroup done(machine_->simulator(), caller.io_wake_ns);
  fill(bio, BioOp::kWrite, direct_write_flags(flags_), offset_bytes, size_bytes, buffer, caller.task);
  done.submit(*device_, bio);
  cpu.charge(machine_->costs().submit_write_tail_ns.value);
  const BlockStatus status = co_await done;
  if (status != BlockStatus::kOk) co_return block::errno_of(status);
  if (flags_.dsync) co_return co_await fsync(offset_bytes, offset_bytes + size_bytes - 1, caller);  // V2
  co_return 0;
}

sim::Task<int> BlockFile::pread(std::uint64_t offset_bytes, std::uint32_t size_bytes, std::uint64_t buffer,
                                Caller caller) {
  const std::uint64_t first_page = offset_bytes / kPageBytes;
  const std::uint64_t last_page = (offset_bytes + size_bytes - 1) / kPageBytes;
  auto& cpu = machine_->cpu(caller.task.cpu);
  if (flags_.direct) {
    if (direct_needs_writeback(offset_bytes, size_bytes)) co_await writeback(first_page, last_page, caller);
  } else {
    bool all = true;
    for (std::uint64_t page = first_page; page <= last_page && all; ++page) all = cache_->present(page);
    if (all) {
      co_await cpu.run(machine_->costs().buffered_write_ns.value);
      co_return 0;
    }
    for (std::uint64_t page = first_page; page <= last_page; ++page) cache_->insert(page);
    co_return co_await read_pages(first_page, last_page, caller);
  }
  if (size_bytes > kMaxBioPages * kPageBytes)
    co_return co_await direct_in_plug(BioOp::kRead, offset_bytes, size_bytes, buffer, caller);
  co_await cpu.run(machine_->costs().submit_write_ns.value);
  Bio bio;
  fill(bio, BioOp::kRead, 0, offset_bytes, size_bytes, buffer, caller.task);
  BioGroup done(machine_->simulator(), caller.io_wake_ns);
  done.submit(*device_, bio);
  cpu.charge(machine_->costs().submit_write_tail_ns.value);
  co_return block::errno_of(co_await done);
}

// Whole pages, in pieces of what one write-back buffer holds (models the page cache's read path without read-ahead).
sim::Task<int> BlockFile::read_pages(std::uint64_t first_page, std::uint64_t last_page, Caller caller) {
  auto& cpu = machine_->cpu(caller.task.cpu);
  const std::uint64_t staging = take_staging();
  BlockStatus status = BlockStatus::kOk;
  for (std::uint64_t page = first_page; page <= last_page && status == BlockStatus::kOk; page += kWritebackRunPages) {
    const std::uint64_t pages = std::min<std::uint64_t>(kWritebackRunPages, last_page - page + 1);
    co_await cpu.run(machine_->costs().submit_write_ns.value);
    Bio bio;
    fill(bio, BioOp::kRead, 0, page * kPageBytes, pages * kPageBytes, staging, caller.task);
    BioGroup done(machine_->simulator(), caller.io_wake_ns);
    done.submit(*device_, bio);
    status = co_await done;
  }
  staging_free_.push_back(staging);
  co_return block::errno_of(status);
}

// models fs/buffer.c block_write_begin: a part of a page that is not there is read first.
sim::Task<int> BlockFile::buffered_write(std::uint64_t offset_bytes, std::uint32_t size_bytes, std::uint64_t buffer,
                                         Caller caller) {
  auto& cpu = machine_->cpu(caller.task.cpu);
  const queue::WriteId* source = memory_->write_ids(buffer, size_bytes);
  std::uint64_t at = offset_bytes;
  const std::uint64_t end = offset_bytes + size_bytes;
  while (at < end) {
    const std::uint64_t page = at / kPageBytes;
    const auto begin = static_cast<std::uint32_t>(at % kPageBytes);
    const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(kPageBytes - begin, end - at));
    co_await cpu.run(machine_->costs().buffered_write_ns.value);
    if (length != kPageBytes && !cache_->present(page)) {
      Bio bio;
      const std::uint64_t staging = take_staging();
      fill(bio, BioOp::kRead, 0, page * kPageBytes, kPageBytes, staging, caller.task);
      BioGroup done(machine_->simulator(), caller.io_wake_ns);
      done.submit(*device_, bio);
      const BlockStatus status = co_await done;
      if (status == BlockStatus::kOk) {
        auto& ids = cache_->dirty(page);
        std::memcpy(ids.data(), memory_->write_ids(staging, kPageBytes), sizeof ids);
      }
      staging_free_.push_back(staging);
      if (status != BlockStatus::kOk) co_return block::errno_of(status);
    }
    auto& ids = cache_->dirty(page);
    if (source != nullptr) {
      std::memcpy(ids.data() + begin / 512, source + (at - offset_bytes) / 512,
                  (length + 511) / 512 * sizeof(queue::WriteId));
    }
    at += length;
  }
  if (cache_->dirty_pages() * kPageBytes > machine_->host().dirty_limit_bytes) {  // balance_dirty_pages
    const BlockStatus status = co_await writeback(0, ~std::uint64_t{0}, caller);
    if (status != BlockStatus::kOk) co_return block::errno_of(status);
  }
  co_return 0;
}

// models block/fops.c __blkdev_direct_IO, and blkdev_write_iter's plug where the kernel has one (V7).
sim::Task<int> BlockFile::direct_in_plug(BioOp op, std::uint64_t offset_bytes, std::uint32_t size_bytes,
                                         std::uint64_t buffer, Caller caller) {
  constexpr std::uint32_t kMaxBioBytes = kMaxBioPages * static_cast<std::uint32_t>(kPageBytes);
  auto& cpu = machine_->cpu(caller.task.cpu);
  const bool sleeps_in_plug = op == BioOp::kWrite && machine_->kernel().write_call_plugs;
  const std::uint32_t count = (size_bytes + kMaxBioBytes - 1) / kMaxBioBytes;
  const std::uint16_t flags = op == BioOp::kWrite ? direct_write_flags(flags_) : std::uint16_t{0};
  std::vector<Bio> bios(count);
  block::Plug plug(machine_->kernel());
  BioGroup done(machine_->simulator(), caller.io_wake_ns);
  caller.task.plug = &plug;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t at = i * kMaxBioBytes;
    co_await cpu.run(machine_->costs().submit_write_ns.value);
    fill(bios[i], op, flags, offset_bytes + at, std::min(kMaxBioBytes, size_bytes - at), buffer + at, caller.task);
    done.submit(*device_, bios[i]);
  }
  if (sleeps_in_plug) {
    plug.sleep();
  } else {
    plug.finish();
  }
  cpu.charge(machine_->costs().submit_write_tail_ns.value);
  co_return block::errno_of(co_await done);
}

std::uint32_t BlockFile::run_pages() const {
  const block::QueueLimits& limits = device_->limits();
  return std::clamp(std::min<std::uint32_t>(limits.max_segments, limits.max_sectors / kSectorsPerPage), 1U,
                    kWritebackRunPages);
}

// models mm/page-writeback.c write_cache_pages over block/fops.c, v6.12: ascending, adjacent pages in one request (V6).
sim::Task<BlockStatus> BlockFile::writeback(std::uint64_t first_page, std::uint64_t last_page, Caller caller,
                                            bool in_write_call) {
  if (!cache_->any_dirty(first_page, last_page)) co_return BlockStatus::kOk;
  auto& cpu = machine_->cpu(caller.task.cpu);
  const std::uint64_t staging = take_staging();
  const std::uint32_t most_pages = run_pages();
  BlockStatus status = BlockStatus::kOk;
  std::array<Bio, kWritebackDepth> bios;
  Bio* free = nullptr;
  for (std::uint32_t i = kWritebackDepth; i-- > 0;) {
    bios[i].buffer = staging + std::uint64_t{i} * kWritebackRunPages * kPageBytes;
    bios[i].next = std::exchange(free, &bios[i]);
  }
  block::Plug plug(machine_->kernel());
  caller.task.plug = &plug;
  BioGroup done(machine_->simulator(), caller.io_wake_ns);
  std::uint64_t page = first_page;
  while (cache_->any_dirty(page, last_page)) {
    if (free == nullptr) {  // wbt_wait
      plug.sleep();
      status = co_await done.until(device_->limits().write_cache() ? 0 : kWritebackRefill);
      free = done.take_ended();
      if (status != BlockStatus::kOk) break;
      continue;
    }
    Bio& bio = *free;
    free = bio.next;
    queue::WriteId* target = memory_->write_ids(bio.buffer, kWritebackRunPages * kPageBytes);
    std::uint64_t start = 0;
    PageCache::PageIds ids;
    if (!cache_->take_dirty(page, last_page, start, ids)) break;
    std::uint32_t pages = 0;
    std::uint64_t taken = start;
    do {
      std::memcpy(target + std::uint64_t{pages} * kSectorsPerPage, ids.data(), sizeof ids);
      ++pages;
      page = taken + 1;
    } while (pages < most_pages && page <= last_page && cache_->is_dirty(page) &&
             cache_->take_dirty(page, page, taken, ids));
    co_await cpu.run(pages * machine_->costs().writeback_page_ns.value);
    fill(bio, BioOp::kWrite, block::REQ_SYNC, start * kPageBytes, pages * kPageBytes, bio.buffer, caller.task);
    done.submit(*device_, bio);
  }
  if (in_write_call && machine_->kernel().write_call_plugs) {
    plug.sleep();
  } else {
    plug.finish();
  }
  status = co_await done;
  staging_free_.push_back(staging);
  co_return status;
}

// models block/fops.c blkdev_fsync and block/blk-flush.c blkdev_issue_flush, v6.12
sim::Task<int> BlockFile::fsync(std::uint64_t first_byte, std::uint64_t last_byte, Caller caller) {
  return sync_range(first_byte, last_byte, caller, false);
}

sim::Task<int> BlockFile::sync_range(std::uint64_t first_byte, std::uint64_t last_byte, Caller caller,
                                     bool in_write_call) {
  const std::uint64_t cost_ns = machine_->costs().fsync_call_ns.value;
  if (cost_ns != 0) co_await machine_->cpu(caller.task.cpu).run(cost_ns);
  const std::uint64_t first_page = first_byte / kPageBytes;
  const std::uint64_t last_page = last_byte / kPageBytes;
  if (cache_->any_dirty(first_page, last_page)) {
    const BlockStatus written = co_await writeback(first_page, last_page, caller, in_write_call);
    if (written != BlockStatus::kOk) co_return -EIO;
  }
  Bio flush;
  fill(flush, BioOp::kWrite, block::REQ_PREFLUSH | block::REQ_SYNC, 0, 0, 0, caller.task);
  BioGroup done(machine_->simulator(), caller.flush_wake_ns);
  done.submit(*device_, flush);
  const BlockStatus status = co_await done;
  co_return status == BlockStatus::kNotSupported ? 0 : block::errno_of(status);  // V5
}

sim::Task<int> BlockFile::sync_file_range(std::uint64_t first_byte, std::uint64_t last_byte, unsigned flags,
                                          Caller caller) {
  if ((flags & (kSyncFileRangeWrite | kSyncFileRangeWaitAfter)) == 0) co_return 0;
  co_return block::errno_of(co_await writeback(first_byte / kPageBytes, last_byte / kPageBytes, caller));  // V4
}

int BlockFile::check_range(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
  const std::uint64_t block = device_->limits().logical_block_size;
  if (size_bytes == 0 || offset_bytes % block != 0 || size_bytes % block != 0) return -EINVAL;
  return offset_bytes < this->size_bytes() && size_bytes <= this->size_bytes() - offset_bytes ? 0 : -EINVAL;
}

// Bios of at most `most_sectors`, one after the other through one plug, and then their end.
sim::Task<int> BlockFile::range_bios(BioOp op, std::uint16_t flags, std::uint64_t offset_bytes,
                                     std::uint64_t size_bytes, std::uint64_t most_sectors, std::uint64_t buffer,
                                     Caller caller) {
  auto& cpu = machine_->cpu(caller.task.cpu);
  std::deque<Bio> bios;
  block::Plug plug(machine_->kernel());
  caller.task.plug = &plug;
  BioGroup done(machine_->simulator(), caller.io_wake_ns);
  for (std::uint64_t at = 0; at < size_bytes; at += most_sectors * 512) {
    co_await cpu.run(machine_->costs().submit_write_ns.value);
    Bio& bio = bios.emplace_back();
    fill(bio, op, flags, offset_bytes + at, std::min(most_sectors * 512, size_bytes - at), buffer, caller.task);
    done.submit(*device_, bio);
  }
  plug.finish();
  co_return block::errno_of(co_await done);
}

// models block/ioctl.c blk_ioctl_discard and block/blk-lib.c __blkdev_issue_discard, v6.12
sim::Task<int> BlockFile::discard(std::uint64_t offset_bytes, std::uint64_t size_bytes, Caller caller) {
  const block::QueueLimits& limits = device_->limits();
  if (limits.max_discard_sectors == 0) co_return -EOPNOTSUPP;
  // A bio counts its bytes in 32 bits (models bio_discard_limit).
  const std::uint32_t granularity = std::max(limits.discard_granularity, 512U);
  const std::uint32_t of_a_bio = std::numeric_limits<std::uint32_t>::max() / granularity * granularity / 512;
  const std::uint32_t most = std::min(limits.max_discard_sectors, of_a_bio);
  if (const int error = check_range(offset_bytes, size_bytes); error != 0) co_return error;
  cache_->drop(offset_bytes / kPageBytes, (offset_bytes + size_bytes - 1) / kPageBytes);
  const int error = co_await range_bios(BioOp::kDiscard, 0, offset_bytes, size_bytes, most, 0, caller);
  co_return error == -EOPNOTSUPP ? 0 : error;
}

// models block/fops.c blkdev_fallocate and block/blk-lib.c blkdev_issue_zeroout, v6.12
sim::Task<int> BlockFile::zero_range(std::uint64_t offset_bytes, std::uint64_t size_bytes, bool unmap, Caller caller) {
  if (const int error = check_range(offset_bytes, size_bytes); error != 0) co_return error;
  cache_->drop(offset_bytes / kPageBytes, (offset_bytes + size_bytes - 1) / kPageBytes);
  const std::uint32_t most = device_->limits().max_write_zeroes_sectors;
  if (most == 0) {
    if (unmap) co_return -EOPNOTSUPP;
    const std::uint64_t zeroes = take_staging();  // every page of the bios is the zero page
    std::fill_n(memory_->write_ids(zeroes, kMaxBioPages * kPageBytes), kMaxBioPages * kSectorsPerPage,
                queue::WriteId{0});
    const int error = co_await range_bios(BioOp::kWrite, 0, offset_bytes, size_bytes,
                                          std::uint64_t{kMaxBioPages} * kSectorsPerPage, zeroes, caller);
    staging_free_.push_back(zeroes);
    co_return error;
  }
  co_return co_await range_bios(BioOp::kWriteZeroes, unmap ? std::uint16_t{0} : block::REQ_NOUNMAP, offset_bytes,
                                size_bytes, most, 0, caller);
}

sim::Task<int> BlockFile::flush_buffers(Caller caller) {
  co_return block::errno_of(co_await writeback(0, ~std::uint64_t{0}, caller));
}

}  // namespace flushlab::vfs
