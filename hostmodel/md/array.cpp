// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/md/array.hpp"

#include <algorithm>
#include <utility>

namespace flushlab::md {

using block::Bio;
using block::BioOp;
using block::BlockStatus;
using block::REQ_FUA;
using block::REQ_PREFLUSH;

Array::Array(std::string name, kernel::Machine& machine, queue::HostMemory& memory, ArrayLayout layout,
             const std::vector<block::BlockDevice*>& devices, const Options& options)
    : BlockDevice(name, &Array::submit),
      machine_(&machine),
      memory_(&memory),
      layout_(std::move(layout)),
      options_(options),
      thread_name_(name + (layout_.geometry.level == Level::kRaid1 ? "_raid1" : "_raid10")),
      thread_cpu_(static_cast<std::uint16_t>((machine.host().fio_cpu + 1) % machine.cpus())) {
  std::uint64_t longest = kBitmapPageBytes;
  for (std::size_t slot = 0; slot < devices.size(); ++slot) {
    members_.push_back({devices[slot], layout_.members[slot], false});
    longest = std::max<std::uint64_t>(longest, layout_.members[slot].io_opt);
    list_order_.push_back(static_cast<std::uint32_t>(devices.size() - 1 - slot));
  }
  if (layout_.shape.bits != 0 && layout_.bitmap != BitmapKind::kExternal) {
    bitmap_ = std::make_unique<Bitmap>(layout_.shape, options.fresh);
    for (std::uint32_t page = 0; page < bitmap_->pages(); ++page) {
      for (const Member& member : members_)
        page_writes_.push_back(bitmap_page_write(machine.kernel(), layout_, member.layout, page));
    }
    page_buffer_ = memory.allocate(std::uint64_t{layout_.shape.pages()} * kBitmapPageBytes + longest,
                                   queue::HostMemory::Kind::kWriteIds);
  }
  super_buffer_ = memory.allocate(queue::kPageBytes, queue::HostMemory::Kind::kWriteIds);
  set_sectors(layout_.geometry.array_sectors());
  set_limits();
}

// models raid10_set_queue_limits, raid1_set_limits and md_init_stacking_limits
void Array::set_limits() {
  limits_ = members_.front().device->limits();
  limits_.write_cache_disabled = false;
  limits_.alignment_offset = 0;
  const Geometry& geometry = layout_.geometry;
  for (const Member& member : members_)
    block::stack_limits(limits_, member.device->limits(), member.layout.data_offset);
  if (geometry.level == Level::kRaid10) {
    const auto chunk_bytes = static_cast<std::uint32_t>(geometry.chunk_sectors * 512);
    const std::uint32_t wide =
        geometry.disks % geometry.layout.near == 0 ? geometry.disks / geometry.layout.near : geometry.disks;
    limits_.io_min = std::max(limits_.io_min, chunk_bytes);
    limits_.io_opt = std::max(limits_.io_opt, chunk_bytes * wide);
  }
  limits_.feature_write_cache = limits_.feature_fua = true;  // whatever the members have
}

// ---- from above ----

void Array::submit(block::BlockDevice& device, Bio& bio) {
  auto& self = static_cast<Array&>(device);
  bio.status = BlockStatus::kOk;
  Upper& upper = self.uppers_.take();
  upper.bio = &bio;
  upper.open = 1;  // held until everything is on its way
  if ((bio.flags & REQ_PREFLUSH) != 0) {
    self.request_flush(upper);
  } else {
    self.make_request(upper);
  }
}

// What of the bio lies together from `at` on.
Array::Piece& Array::take_piece(Upper& upper, std::uint64_t at) {
  Piece& piece = pieces_.take();
  piece.upper = &upper;
  piece.sector = at;
  piece.sectors =
      static_cast<std::uint32_t>(std::min(upper.bio->sector + upper.bio->sectors - at, layout_.geometry.room_at(at)));
  ++upper.open;
  return piece;
}

// models md_handle_request, md_write_start
void Array::make_request(Upper& upper) {
  const Bio& bio = *upper.bio;
  if (bio.sectors == 0) return put(upper);
  if (bio.op == BioOp::kRead) {
    std::uint64_t at = bio.sector;
    const std::uint64_t end = bio.sector + bio.sectors;
    while (at < end) {
      Piece& piece = take_piece(upper, at);
      at += piece.sectors;
      read(piece);
    }
    return put(upper);
  }
  upper.counted = true;
  ++writes_pending_;
  if (in_sync_) {  // A1
    in_sync_ = false;
    round_wanted_ = true;
    wake_thread();
  }
  if (round_wanted_) {
    upper.next = nullptr;
    (waiting_head_ == nullptr ? waiting_head_ : waiting_tail_->next) = &upper;
    waiting_tail_ = &upper;
    return;
  }
  write(upper, false);
}

// A2
void Array::write(Upper& upper, bool slept) {
  Bio& bio = *upper.bio;
  const kernel::KernelProfile& kernel = machine_->kernel();
  const bool to_thread = slept && bio.plug != nullptr && kernel.md_list_flushed_by == kernel::MdListFlushedBy::kThread;
  if (slept) bio.plug = nullptr;  // it has drained; what is added to it drains when the task sleeps again, at once
  PlugList* plugged = nullptr;
  if (bio.plug != nullptr) {
    auto* found = static_cast<PlugList*>(bio.plug->find_callback(&unplug_callback, this));
    if (found == nullptr) {
      found = &plug_lists_.take();
      found->array = this;
      found->owner = this;
      found->unplug = &unplug_callback;
      found->task = {bio.task, bio.cpu, nullptr};
      found->wait = bio.submit_wait;
      bio.plug->add_callback(*found);
    }
    plugged = found;
  }
  CloneList direct;
  std::uint64_t at = bio.sector;
  const std::uint64_t end = bio.sector + bio.sectors;
  while (at < end) {
    Piece& piece = take_piece(upper, at);
    at += piece.sectors;
    queue_copies(piece, plugged, direct);
    if (plugged != nullptr && kernel.md_plug_limit != 0 &&
        plugged->list.count >= kernel.md_plug_limit * layout_.geometry.map(0).count) {
      flush_in_task(plugged->list.take(), {bio.task, bio.cpu, nullptr}, bio.submit_wait, true);
    }
  }
  if (direct.count != 0 && to_thread) {
    to_pending(direct);
  } else if (direct.count != 0) {
    const bool by_worker = kernel.md_list_flushed_by == kernel::MdListFlushedBy::kSubmitter;
    flush_in_task(direct, {bio.task, bio.cpu, nullptr}, bio.submit_wait, by_worker);
  }
  put(upper);
}

void Array::queue_copies(Piece& piece, PlugList* plugged, CloneList& direct) {
  const Bio& bio = *piece.upper->bio;
  const Copies copies = layout_.geometry.map(piece.sector);
  if (bitmap_ != nullptr) {
    bitmap_->start_write(piece.sector, piece.sectors);
    piece.counted = true;
  }
  piece.open = 1;  // held until all copies are in a list
  for (std::uint32_t i = 0; i < copies.count; ++i) {
    Member& member = members_[copies.copy[i].slot];
    if (member.faulty) {
      piece.tried = 1;  // a copy is missing
      continue;
    }
    Clone& clone = clones_.take();
    clone.array = this;
    clone.piece = &piece;
    clone.slot = copies.copy[i].slot;
    Bio& down = clone.bio;
    down.op = bio.op;
    down.flags = machine_->kernel().md_clone_keeps_flags
                     ? static_cast<std::uint16_t>(bio.flags & ~REQ_PREFLUSH)
                     : static_cast<std::uint16_t>(bio.flags & (block::REQ_SYNC | REQ_FUA | block::REQ_NOUNMAP));
    down.cpu = bio.cpu;
    down.task = bio.task;
    down.sector = copies.copy[i].sector + member.layout.data_offset;
    down.sectors = piece.sectors;
    down.buffer = bio.buffer + (piece.sector - bio.sector) * 512;
    down.owner = &clone;
    down.end_io = &clone_ended;
    ++piece.open;
    if (bitmap_ == nullptr) {
      down.plug = bio.plug;
      member.device->submit_bio(down);
    } else {
      (plugged != nullptr ? plugged->list : direct).push(clone);
    }
  }
  if (--piece.open == 0) end_piece(piece);
}

// One copy, the first usable one in copy order.
void Array::read(Piece& piece) {
  const Bio& bio = *piece.upper->bio;
  const Copies copies = layout_.geometry.map(piece.sector);
  std::uint32_t skipped = 0;
  for (std::uint32_t i = 0; i < copies.count; ++i) {
    Member& member = members_[copies.copy[i].slot];
    if (member.faulty || skipped++ < piece.tried) continue;
    Clone& clone = clones_.take();
    clone.array = this;
    clone.piece = &piece;
    clone.slot = copies.copy[i].slot;
    Bio& down = clone.bio;
    down.op = BioOp::kRead;
    down.flags = bio.flags;
    down.cpu = bio.cpu;
    down.task = bio.task;
    down.plug = bio.plug;
    down.sector = copies.copy[i].sector + member.layout.data_offset;
    down.sectors = piece.sectors;
    down.buffer = bio.buffer + (piece.sector - bio.sector) * 512;
    down.owner = &clone;
    down.end_io = &clone_ended;
    piece.open = 1;
    member.device->submit_bio(down);
    return;
  }
  if (piece.status == BlockStatus::kOk) piece.status = BlockStatus::kIoError;
  end_piece(piece);
}

void Array::clone_ended(Bio& bio) {
  auto& clone = *static_cast<Clone*>(bio.owner);
  Array& array = *clone.array;
  if (clone.piece == nullptr) {
    Upper& upper = *clone.upper;
    array.clones_.give(clone);
    if (--upper.open == 0) array.flush_done(upper);
    return;
  }
  Piece& piece = *clone.piece;
  const std::uint32_t slot = clone.slot;
  const BlockStatus status = bio.status;
  const bool was_read = bio.op == BioOp::kRead;
  array.clones_.give(clone);
  if (status == BlockStatus::kOk) {
    ++piece.good;
  } else {
    piece.status = status;
    ++piece.tried;
    if (!was_read) array.fail_member(slot);
  }
  if (--piece.open != 0) return;
  if (was_read && piece.good == 0) {
    array.read(piece);  // another copy
  } else {
    array.end_piece(piece);
  }
}

// models close_write, raid_end_bio_io
void Array::end_piece(Piece& piece) {
  Upper& upper = *piece.upper;
  if (piece.counted) {
    const bool degraded = machine_->kernel().md_degraded_by_request ? piece.tried != 0 : degraded_ != 0;
    const bool newer = events_cleared_ < events_;
    bitmap_->end_write(piece.sector, piece.sectors, degraded, newer);
    if (newer && !degraded) events_cleared_ = events_;
  }
  if (piece.good == 0 && upper.status == BlockStatus::kOk)
    upper.status = piece.status == BlockStatus::kOk ? BlockStatus::kIoError : piece.status;
  pieces_.give(piece);
  put(upper);
}

void Array::put(Upper& upper) {
  if (--upper.open != 0) return;
  Bio& bio = *upper.bio;
  if (upper.counted) write_end();
  if (bio.status == BlockStatus::kOk) bio.status = upper.status;
  uppers_.give(upper);
  bio.end_io(bio);
}

// ---- flushes (A5) ----

void Array::request_flush(Upper& upper) {
  if (machine_->kernel().md_flush == kernel::MdFlush::kChained) {
    send_flushes(upper);
    if (upper.bio->sectors != 0) {
      upper.bio->flags &= static_cast<std::uint16_t>(~REQ_PREFLUSH);
      make_request(upper);
    } else {
      put(upper);
    }
    return;
  }
  if (flush_owner_ != nullptr) {
    flush_waiters_.push_back({&upper, now()});
    return;
  }
  flush_owner_ = &upper;
  flush_started_ns_ = now();
  send_flushes(upper);
  if (--upper.open == 0) flush_done(upper);
}

// Empty flushes to every member; each holds the bio open.
void Array::send_flushes(Upper& upper) {
  for (const std::uint32_t slot : list_order_) {
    Member& member = members_[slot];
    if (member.faulty) continue;
    Clone& clone = clones_.take();
    clone.array = this;
    clone.upper = &upper;
    clone.slot = slot;
    Bio& down = clone.bio;
    down.op = BioOp::kWrite;
    down.flags = REQ_PREFLUSH;
    down.cpu = upper.bio->cpu;
    down.task = machine_->kernel().md_flush == kernel::MdFlush::kChained ? upper.bio->task : "kworker";
    down.owner = &clone;
    down.end_io = &clone_ended;
    ++upper.open;
    member.device->submit_bio(down);
  }
}

// The last flush of a bio is done; nothing else held it.
void Array::flush_done(Upper& upper) {
  if (machine_->kernel().md_flush == kernel::MdFlush::kChained) {
    upper.open = 1;
    put(upper);
    return;
  }
  flush_covered_ns_ = flush_started_ns_;
  flush_owner_ = nullptr;
  std::deque<FlushWaiter> waiters = std::exchange(flush_waiters_, {});
  const auto go_on = [this](Upper& one) {
    one.open = 1;
    one.bio->flags &= static_cast<std::uint16_t>(~REQ_PREFLUSH);
    make_request(one);
  };
  go_on(upper);
  for (const FlushWaiter& waiter : waiters) {
    if (flush_covered_ns_ > waiter.since_ns) {  // came before that flush began
      go_on(*waiter.upper);
    } else if (flush_owner_ != nullptr) {
      flush_waiters_.push_back(waiter);
    } else {
      Upper& next = *waiter.upper;
      flush_owner_ = &next;
      flush_started_ns_ = now();
      next.open = 1;
      send_flushes(next);
      if (--next.open == 0) flush_done(next);
    }
  }
}

// ---- the list and who flushes it (A2, A3) ----

void Array::unplug_callback(block::Plug::Callback& callback, bool from_schedule) {
  auto& plugged = static_cast<PlugList&>(callback);
  Array& array = *plugged.array;
  CloneList list = plugged.list.take();
  const block::TaskContext task = plugged.task;
  block::SubmitWait* wait = plugged.wait;
  array.plug_lists_.give(plugged);
  if (list.count == 0) return;
  if (from_schedule) return array.to_pending(list);
  array.flush_in_task(list, task, wait, false);
}

void Array::to_pending(CloneList list) {
  while (Clone* clone = list.head) {
    list.head = clone->next;
    pending_.push(*clone);
  }
  wake_thread();
}

void Array::flush_in_task(CloneList list, const block::TaskContext& task, block::SubmitWait* wait, bool by_worker) {
  if (!bitmap_->unplug_needed()) {  // nothing to wait for: no task is needed
    send_data(list, {task.name, task.cpu, nullptr});
    return;
  }
  if (wait != nullptr) ++wait->pending;
  machine_->simulator().spawn(flush_list(list, {task.name, task.cpu, nullptr}, wait, by_worker));
}

sim::Task<void> Array::flush_list(CloneList list, Context context, block::SubmitWait* wait, bool by_worker) {
  block::Plug plug(machine_->kernel());
  Context pages = context;
  if (by_worker) {
    pages.task = "kworker";
  } else {
    pages.plug = &plug;
  }
  co_await unplug(pages);
  send_data(list, context);
  if (wait != nullptr && --wait->pending == 0 && wait->waiter)
    machine_->simulator().resume_at(now(), std::exchange(wait->waiter, nullptr));
}

// models md_bitmap_unplug (bitmap.hpp B2)
sim::Task<void> Array::unplug(Context context) {
  std::uint32_t page = 0;
  bool any = false;
  for (std::uint32_t from = 0; bitmap_->take_for_unplug(from, page); from = page + 1) {
    if (!any) co_await MetadataWait{*this, machine_->costs().md_wait_wake_ns.value};
    any = true;
    bitmap_->unplugged(page);
    write_page(page, context);
  }
  if (!any) co_return;
  if (context.plug != nullptr) context.plug->sleep();
  co_await MetadataWait{*this, machine_->costs().md_wait_wake_ns.value};
}

void Array::send_data(CloneList list, const Context& context) {
  block::Plug own(machine_->kernel());
  block::Plug* plug = context.plug != nullptr ? context.plug : &own;
  while (Clone* clone = list.head) {
    list.head = clone->next;
    clone->bio.task = context.task;
    clone->bio.cpu = context.cpu;
    clone->bio.plug = plug;
    members_[clone->slot].device->submit_bio(clone->bio);
  }
  if (context.plug == nullptr) own.finish();
}

}  // namespace flushlab::md
