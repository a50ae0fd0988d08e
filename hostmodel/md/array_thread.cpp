// SPDX-License-Identifier: GPL-2.0-only
// An array's metadata and the thread that looks after it.
#include <utility>

#include "hostmodel/md/array.hpp"

namespace flushlab::md {

using block::Bio;
using block::BioOp;
using block::BlockStatus;
using block::REQ_FUA;
using block::REQ_PREFLUSH;

namespace {

constexpr std::uint64_t kSafemodeDelayMs = 200;
constexpr std::uint16_t kMetadataFlags =
    block::REQ_SYNC | block::REQ_IDLE | block::REQ_META | REQ_PREFLUSH | REQ_FUA;  // A4

}  // namespace

// ---- metadata (A4) ----

void Array::write_page(std::uint32_t page, const Context& context) {
  for (const std::uint32_t slot : list_order_) {
    Member& member = members_[slot];
    if (member.faulty) continue;
    const PageWrite& write = page_writes_[page * members_.size() + slot];
    if (write.refused || write.bytes == 0) return;  // and the members behind it get nothing either
    send_metadata(member, write.sector, write.bytes, page_buffer_ + std::uint64_t{page} * kBitmapPageBytes, context);
  }
}

void Array::write_superblock(Member& member, const Context& context) {
  send_metadata(member, member.layout.sb_start, member.layout.superblock_bytes, super_buffer_, context);
}

void Array::send_metadata(Member& member, std::uint64_t sector, std::uint32_t bytes, std::uint64_t buffer,
                          const Context& context) {
  MetadataBio& metadata = metadata_.take();
  metadata.array = this;
  metadata.slot = static_cast<std::uint32_t>(&member - members_.data());
  Bio& bio = metadata.bio;
  bio.op = BioOp::kWrite;
  bio.flags = kMetadataFlags;
  bio.task = context.task;
  bio.cpu = context.cpu;
  bio.plug = context.plug;
  bio.sector = sector;
  bio.sectors = bytes / 512;
  bio.buffer = buffer;
  bio.owner = &metadata;
  bio.end_io = &metadata_ended;
  ++metadata_in_flight_;
  member.device->submit_bio(bio);
}

void Array::metadata_ended(Bio& bio) {
  auto& metadata = *static_cast<MetadataBio*>(bio.owner);
  Array& array = *metadata.array;
  if (bio.status != BlockStatus::kOk) array.fail_member(metadata.slot);
  array.metadata_.give(metadata);
  if (--array.metadata_in_flight_ != 0) return;
  for (const Waiter& waiter : array.metadata_waiters_)
    array.machine_->simulator().resume_at(array.now() + waiter.wake_ns, waiter.task);
  array.metadata_waiters_.clear();
}

// ---- clean, dirty, events (A1) ----

namespace {

// When a timer for jiffy `expires` fires: the wheel's outer levels are coarser (models kernel/time/timer.c calc_index).
std::uint64_t wheel_expiry(std::uint64_t now, std::uint64_t expires) {
  const std::uint64_t delta = expires - now;
  unsigned shift = 0;
  for (std::uint64_t reach = 63; delta >= reach && shift < 24; reach *= 8) shift += 3;
  return ((expires >> shift) + 1) << shift;
}

}  // namespace

// models md_write_end: the timer is moved on; one event follows it.
void Array::write_end() {
  --writes_pending_;
  const std::uint64_t hz = machine_->kernel().hz;
  const std::uint64_t delay = kSafemodeDelayMs * hz / 1000 + 1;
  const std::uint64_t jiffy = now() / (sim::kSecond / hz);
  const std::uint64_t expires = (jiffy + delay - 1) / delay * delay + delay;
  const sim::TimeNs at_ns = wheel_expiry(jiffy, expires) * (sim::kSecond / hz);
  const bool armed = safemode_at_ns_ != 0;
  safemode_at_ns_ = at_ns;
  if (!armed) machine_->simulator().events().schedule_at(at_ns, &safemode_fired, this);
}

void Array::safemode_fired(void* object, std::uint64_t) {
  auto& array = *static_cast<Array*>(object);
  if (array.stopping_) return;
  if (array.now() < array.safemode_at_ns_) {
    array.machine_->simulator().events().schedule_at(array.safemode_at_ns_, &safemode_fired, object);
    return;
  }
  array.safemode_at_ns_ = 0;
  array.safemode_due_ = true;
  array.wake_thread();
}

// models md_update_sb
sim::Task<void> Array::update_superblock() {
  const bool back = in_sync_ && went_dirty_only_ && events_ > 1 && degraded_ == 0;
  events_ += back ? -std::uint64_t{1} : std::uint64_t{1};
  went_dirty_only_ = !back && !in_sync_ && degraded_ == 0;
  const Context context = thread_context(nullptr);
  const sim::TimeNs wake_ns = machine_->costs().md_wait_wake_ns.value;
  if (bitmap_ != nullptr) {
    write_page(0, context);
    co_await MetadataWait{*this, wake_ns};
  }
  for (const std::uint32_t slot : list_order_) {
    if (!members_[slot].faulty) write_superblock(members_[slot], context);
  }
  co_await MetadataWait{*this, wake_ns};
}

void Array::fail_member(std::uint32_t slot) {
  Member& member = members_[slot];
  if (member.faulty) return;
  std::uint32_t left = 0;
  for (const Member& one : members_) left += one.faulty ? 0 : 1;
  if (left <= 1) return;  // the last one stays, whatever it says
  member.faulty = true;
  ++degraded_;
  failed_rounds_ = 2;
  wake_thread();
}

// ---- the thread ----

void Array::wake_thread() {
  woken_ = true;
  if (!thread_sleeping_) return;
  machine_->simulator().resume_at(now() + machine_->costs().md_thread_wake_ns.value,
                                  std::exchange(thread_sleeping_, nullptr));
}

void Array::timeout_fired(void* object, std::uint64_t generation) {
  auto& array = *static_cast<Array*>(object);
  if (generation == array.timeout_generation_) array.wake_thread();
}

sim::Task<void> Array::thread() {
  while (!stopping_) {
    co_await check_recovery();
    while (pending_.count != 0) {
      CloneList list = pending_.take();
      block::Plug plug(machine_->kernel());
      const Context context = thread_context(&plug);
      co_await unplug(context);
      send_data(list, context);
      plug.finish();
    }
    if (woken_) {
      woken_ = false;
      continue;
    }
    ++timeout_generation_;
    if (bitmap_ != nullptr && !bitmap_->allclean()) {
      const std::uint64_t hz = machine_->kernel().hz;
      const std::uint64_t jiffy = now() / (sim::kSecond / hz);
      const std::uint64_t expires = jiffy + options_.daemon_sleep_ns / (sim::kSecond / hz);
      machine_->simulator().events().schedule_at(wheel_expiry(jiffy, expires) * (sim::kSecond / hz), &timeout_fired,
                                                 this, timeout_generation_);
    }
    co_await ThreadSleep{*this};
  }
}

// models md_check_recovery
sim::Task<void> Array::check_recovery() {
  if (bitmap_ != nullptr) co_await daemon_work();  // A6
  if (std::exchange(safemode_due_, false) && writes_pending_ == 0 && !in_sync_) {
    in_sync_ = true;
    co_await update_superblock();
  }
  while (failed_rounds_ != 0) {
    --failed_rounds_;
    co_await update_superblock();
  }
  if (!round_wanted_) co_return;
  co_await update_superblock();
  round_wanted_ = false;
  Upper* upper = std::exchange(waiting_head_, nullptr);
  while (upper != nullptr) {
    Upper* next = upper->next;
    write(*upper, true);
    upper = next;
  }
}

// models md_bitmap_daemon_work
sim::Task<void> Array::daemon_work() {
  if (now() < daemon_lastrun_ns_ + options_.daemon_sleep_ns) co_return;
  daemon_lastrun_ns_ = now();
  if (bitmap_->allclean()) co_return;
  bitmap_->daemon_pass();
  co_await MetadataWait{*this, machine_->costs().md_wait_wake_ns.value};
  std::uint32_t page = 0;
  for (std::uint32_t from = 0; bitmap_->take_for_daemon(from, page); from = page + 1)
    write_page(page, thread_context(nullptr));
}

// models md_run, md_bitmap_load
sim::Task<void> Array::start() {
  daemon_lastrun_ns_ = now();
  if (bitmap_ != nullptr) {
    const Context context{"mdadm", machine_->host().fio_cpu, nullptr};
    const sim::TimeNs wake_ns = machine_->costs().md_wait_wake_ns.value;
    // A new 0.90 bitmap is taken for stale: every page is set and written, one after the other.
    const std::uint32_t stale = options_.fresh && layout_.metadata == Metadata::k0_90 ? bitmap_->pages() : 0;
    for (std::uint32_t page = 0; page < stale; ++page) {
      write_page(page, context);
      co_await MetadataWait{*this, wake_ns};
    }
    write_page(0, context);
    co_await MetadataWait{*this, wake_ns};
  }
  machine_->simulator().spawn(thread());
}

sim::Task<void> Array::idle() {
  co_await MetadataWait{*this, 0};
}

sim::Task<void> Array::stop() {
  if (bitmap_ != nullptr) {
    write_page(0, {"mdadm", machine_->host().fio_cpu, nullptr});
    co_await MetadataWait{*this, machine_->costs().md_wait_wake_ns.value};
  }
  stopping_ = true;
  wake_thread();
}

}  // namespace flushlab::md
