// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/vfs/block_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

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
    co_return co_await fsync(offset_bytes, offset_bytes + size_bytes - 1, caller);  // V3
  }
  const std::uint64_t first_page = offset_bytes / kPageBytes;
  const std::uint64_t last_page = (offset_bytes + size_bytes - 1) / kPageBytes;
  if (direct_needs_writeback(offset_bytes, size_bytes)) {
    const BlockStatus status = co_await writeback(first_page, last_page, caller);
    if (status != BlockStatus::kOk) co_return block::errno_of(status);
  }
  cache_->invalidate(first_page, last_page);
  auto& cpu = machine_->cpu(caller.task.cpu);
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

// models mm/page-writeback.c write_cache_pages over block/fops.c, v6.12: ascending, adjacent pages in one command.
sim::Task<BlockStatus> BlockFile::writeback(std::uint64_t first_page, std::uint64_t last_page, Caller caller) {
  if (!cache_->any_dirty(first_page, last_page)) co_return BlockStatus::kOk;
  auto& cpu = machine_->cpu(caller.task.cpu);
  const std::uint64_t staging = take_staging();
  BlockStatus status = BlockStatus::kOk;
  std::array<Bio, kWritebackDepth> bios;
  std::uint64_t page = first_page;
  while (status == BlockStatus::kOk && cache_->any_dirty(page, last_page)) {
    BioGroup done(machine_->simulator(), caller.io_wake_ns);
    for (std::uint32_t i = 0; i < kWritebackDepth; ++i) {
      const std::uint64_t buffer = staging + std::uint64_t{i} * kWritebackRunPages * kPageBytes;
      queue::WriteId* target = memory_->write_ids(buffer, kWritebackRunPages * kPageBytes);
      std::uint64_t start = 0;
      PageCache::PageIds ids;
      if (!cache_->take_dirty(page, last_page, start, ids)) break;
      std::uint32_t pages = 0;
      std::uint64_t taken = start;
      do {
        std::memcpy(target + std::uint64_t{pages} * kSectorsPerPage, ids.data(), sizeof ids);
        ++pages;
        page = taken + 1;
      } while (pages < kWritebackRunPages && page <= last_page && cache_->is_dirty(page) &&
               cache_->take_dirty(page, page, taken, ids));
      co_await cpu.run(pages * machine_->costs().writeback_page_ns.value);
      Bio& bio = bios[i];
      fill(bio, BioOp::kWrite, block::REQ_SYNC, start * kPageBytes, pages * kPageBytes, buffer, caller.task);
      done.submit(*device_, bio);
    }
    status = co_await done;
  }
  staging_free_.push_back(staging);
  co_return status;
}

// models block/fops.c blkdev_fsync and block/blk-flush.c blkdev_issue_flush, v6.12
sim::Task<int> BlockFile::fsync(std::uint64_t first_byte, std::uint64_t last_byte, Caller caller) {
  const std::uint64_t cost_ns = machine_->costs().fsync_call_ns.value;
  if (cost_ns != 0) co_await machine_->cpu(caller.task.cpu).run(cost_ns);
  const std::uint64_t first_page = first_byte / kPageBytes;
  const std::uint64_t last_page = last_byte / kPageBytes;
  if (cache_->any_dirty(first_page, last_page)) {
    const BlockStatus written = co_await writeback(first_page, last_page, caller);
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

sim::Task<int> BlockFile::flush_buffers(Caller caller) {
  co_return block::errno_of(co_await writeback(0, ~std::uint64_t{0}, caller));
}

}  // namespace flushlab::vfs
