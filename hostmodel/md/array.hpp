// SPDX-License-Identifier: GPL-2.0-only
// An array that runs: RAID1 or RAID10 with a write-intent bitmap (models drivers/md/md.c, raid1.c, raid10.c, v6.1 and
// v6.12, with the behaviours that the kernel profile names).
//
// Rules:
//   A1  The first write after the array was clean waits for a round of events: page 0 of the bitmap on every member,
//       then the superblock on every member. A quarter of a second after the last write a round makes it clean again.
//   A2  A write is counted in the bitmap, and its copies join a list. Whoever flushes the list first writes the bitmap
//       pages that need it to every member, waits for all of them, and then sends the data (bitmap.hpp B2).
//   A3  Who flushes (md_list_flushed_by): the md thread for a synchronous write, the submitter for others; or always
//   the
//       submitter, which then waits for a worker to write the pages. A plug that ends flushes in its task.
//   A4  Every write of metadata is PREFLUSH and FUA. One counter holds all of them that are in flight; a wait for
//       metadata is a wait for that counter to be 0.
//   A5  A PREFLUSH goes to every member as an empty flush. It is either waited for, one at a time and shared by those
//       who came before it began (md_flush "shared"), or sent along with the data ("chained").
//   A6  The daemon's pass runs in the md thread, before anything else it has to do, at most every daemon_sleep.
//   A7  The members of the array are walked newest first for metadata and flushes, in copy order for data.
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "emulator/queue/host_memory.hpp"
#include "emulator/sim/task.hpp"
#include "hostmodel/block/block_device.hpp"
#include "hostmodel/block/plug.hpp"
#include "hostmodel/kernel/machine.hpp"
#include "hostmodel/md/bitmap.hpp"
#include "hostmodel/md/layout.hpp"

namespace flushlab::md {

class Array : public block::BlockDevice {
 public:
  struct Options {
    bool fresh = true;  // just created: every bit is set
    std::uint64_t daemon_sleep_ns = 5'000'000'000;
  };

  // `devices[i]` is slot i; they outlive the array. The layout is that of create_layout() for these devices.
  Array(std::string name, kernel::Machine& machine, queue::HostMemory& memory, ArrayLayout layout,
        const std::vector<block::BlockDevice*>& devices, const Options& options);

  // Assembles: writes page 0 once and starts the md thread. Ends when page 0 is on every member.
  sim::Task<void> start();
  // Stops a clean array: page 0 once, and the thread ends (models md_stop).
  sim::Task<void> stop();
  // Until no metadata is on its way: a moment between two passes of the daemon.
  sim::Task<void> idle();
  // Marks a member faulty (models md_error); the others are told by two rounds of events.
  void fail_member(std::uint32_t slot);

  [[nodiscard]] const ArrayLayout& layout() const { return layout_; }
  [[nodiscard]] const block::BlockDevice& member(std::size_t slot) const { return *members_[slot].device; }
  [[nodiscard]] const Bitmap* bitmap() const { return bitmap_.get(); }
  [[nodiscard]] bool clean() const { return in_sync_; }
  sim::FramePool& frames() { return machine_->frames(); }

 private:
  struct Member {
    block::BlockDevice* device = nullptr;
    MemberLayout layout;
    bool faulty = false;
  };
  // A bio from above, in pieces that each lie on one chunk.
  struct Upper {
    block::Bio* bio = nullptr;
    std::uint32_t open = 0;
    block::BlockStatus status = block::BlockStatus::kOk;
    bool counted = false;  // a write that holds the array dirty
    Upper* next = nullptr;
  };
  struct Piece {
    Upper* upper = nullptr;
    std::uint64_t sector = 0;  // of the array
    std::uint32_t sectors = 0;
    std::uint32_t open = 0;  // copies on their way
    std::uint32_t good = 0;
    std::uint32_t tried = 0;  // reads: copies that failed
    block::BlockStatus status = block::BlockStatus::kOk;
    bool counted = false;  // in the bitmap
  };
  struct Clone {
    block::Bio bio;
    Array* array = nullptr;
    Piece* piece = nullptr;  // null: an empty flush of `upper`
    Upper* upper = nullptr;
    std::uint32_t slot = 0;
    Clone* next = nullptr;
  };
  struct CloneList {
    Clone* head = nullptr;
    Clone* tail = nullptr;
    std::uint32_t count = 0;
    void push(Clone& clone) {
      clone.next = nullptr;
      (head == nullptr ? head : tail->next) = &clone;
      tail = &clone;
      ++count;
    }
    CloneList take() { return std::exchange(*this, CloneList{}); }
  };
  // The list that a task's plug holds for this array.
  struct PlugList : block::Plug::Callback {
    Array* array = nullptr;
    CloneList list;
    block::TaskContext task;
    block::SubmitWait* wait = nullptr;
  };
  struct MetadataBio {
    block::Bio bio;
    Array* array = nullptr;
    std::uint32_t slot = 0;
  };
  struct Context {
    const char* task;
    std::uint16_t cpu;
    block::Plug* plug;
  };

  static void submit(block::BlockDevice& device, block::Bio& bio);
  Piece& take_piece(Upper& upper, std::uint64_t at);
  void make_request(Upper& upper);
  void write(Upper& upper, bool slept);  // `slept`: the submitter waited for a round (A1)
  void to_pending(CloneList list);
  void read(Piece& piece);
  void queue_copies(Piece& piece, PlugList* plugged, CloneList& direct);
  void request_flush(Upper& upper);
  void send_flushes(Upper& upper);
  void flush_done(Upper& upper);
  void end_piece(Piece& piece);
  void put(Upper& upper);
  void write_end();
  static void clone_ended(block::Bio& bio);
  static void unplug_callback(block::Plug::Callback& callback, bool from_schedule);
  void flush_in_task(CloneList list, const block::TaskContext& task, block::SubmitWait* wait, bool by_worker);

  sim::Task<void> flush_list(CloneList list, Context context, block::SubmitWait* wait, bool by_worker);
  sim::Task<void> unplug(Context context);
  void send_data(CloneList list, const Context& context);
  sim::Task<void> thread();
  sim::Task<void> check_recovery();
  sim::Task<void> daemon_work();
  sim::Task<void> update_superblock();
  void write_page(std::uint32_t page, const Context& context);
  void write_superblock(Member& member, const Context& context);
  void send_metadata(Member& member, std::uint64_t sector, std::uint32_t bytes, std::uint64_t buffer,
                     const Context& context);
  static void metadata_ended(block::Bio& bio);
  void wake_thread();
  static void safemode_fired(void* self, std::uint64_t);
  static void timeout_fired(void* self, std::uint64_t generation);
  [[nodiscard]] sim::TimeNs now() const { return machine_->simulator().now(); }
  [[nodiscard]] Context thread_context(block::Plug* plug) const { return {thread_name_.c_str(), thread_cpu_, plug}; }
  void set_limits();

  // co_await metadata_idle(wake_ns): until no metadata is in flight; running again takes a moment if it had to sleep.
  struct MetadataWait {
    Array& array;
    sim::TimeNs wake_ns;
    [[nodiscard]] bool await_ready() const noexcept { return array.metadata_in_flight_ == 0; }
    void await_suspend(std::coroutine_handle<> waiter) const { array.metadata_waiters_.push_back({waiter, wake_ns}); }
    void await_resume() const noexcept {}
  };
  struct ThreadSleep {
    Array& array;
    [[nodiscard]] bool await_ready() const noexcept { return array.woken_; }
    void await_suspend(std::coroutine_handle<> waiter) const noexcept { array.thread_sleeping_ = waiter; }
    void await_resume() const noexcept { array.woken_ = false; }
  };

  template <typename T>
  class Pool {
   public:
    T& take() {
      if (free_.empty()) return all_.emplace_back();
      T* object = free_.back();
      free_.pop_back();
      *object = T{};
      return *object;
    }
    void give(T& object) { free_.push_back(&object); }

   private:
    std::deque<T> all_;
    std::vector<T*> free_;
  };

  kernel::Machine* machine_;
  queue::HostMemory* memory_;
  ArrayLayout layout_;
  Options options_;
  std::vector<Member> members_;            // by slot
  std::vector<std::uint32_t> list_order_;  // A7
  std::unique_ptr<Bitmap> bitmap_;
  std::vector<PageWrite> page_writes_;  // by page, then by slot
  std::string thread_name_;
  std::uint16_t thread_cpu_ = 0;
  std::uint64_t page_buffer_ =
      0;  // bus address of the pages, one behind the other, and of what may be read behind them
  std::uint64_t super_buffer_ = 0;
  std::uint32_t degraded_ = 0;

  CloneList pending_;  // for the md thread
  Pool<Upper> uppers_;
  Pool<Piece> pieces_;
  Pool<Clone> clones_;
  Pool<PlugList> plug_lists_;
  Pool<MetadataBio> metadata_;

  // Clean and dirty.
  bool in_sync_ = true;
  bool round_wanted_ = false;
  bool safemode_due_ = false;
  bool went_dirty_only_ = false;  // the last change was clean to dirty: events can go back
  std::uint64_t events_ = 0;
  std::uint64_t events_cleared_ = 0;
  std::uint64_t writes_pending_ = 0;
  Upper* waiting_head_ = nullptr;  // writes that wait for the round
  Upper* waiting_tail_ = nullptr;
  sim::TimeNs safemode_at_ns_ = 0;   // when the timer is due; 0: not armed
  std::uint32_t failed_rounds_ = 0;  // rounds of events that a failed member asks for

  std::uint32_t metadata_in_flight_ = 0;
  struct Waiter {
    std::coroutine_handle<> task;
    sim::TimeNs wake_ns;
  };
  std::vector<Waiter> metadata_waiters_;

  // The thread.
  bool woken_ = false;
  bool stopping_ = false;
  std::coroutine_handle<> thread_sleeping_;
  std::uint64_t timeout_generation_ = 0;
  sim::TimeNs daemon_lastrun_ns_ = 0;

  // A5, shared.
  Upper* flush_owner_ = nullptr;
  sim::TimeNs flush_started_ns_ = 0;
  sim::TimeNs flush_covered_ns_ = 0;  // start of the last flush that has completed
  struct FlushWaiter {
    Upper* upper;
    sim::TimeNs since_ns;
  };
  std::deque<FlushWaiter> flush_waiters_;
};

}  // namespace flushlab::md
