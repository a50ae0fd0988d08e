// SPDX-License-Identifier: GPL-2.0-only
// I/O units and the queue that their completions arrive in, oldest first: what the asynchronous engines have in common.
#pragma once

#include <coroutine>
#include <cstdint>

#include "emulator/sim/simulator.hpp"
#include "hostmodel/block/bio.hpp"

namespace flushlab::io {

enum class UnitKind : std::uint8_t { kRead, kWrite, kFsync, kFdatasync, kSyncFileRange };
[[nodiscard]] constexpr bool is_sync(UnitKind kind) {
  return kind >= UnitKind::kFsync;
}

// One I/O slot of an application (fio's io_u). Its owner fills the request; an engine fills the result.
struct Unit {
  UnitKind kind = UnitKind::kWrite;
  std::uint64_t size_bytes = 0;  // of sync_file_range: 0 means that there is nothing to do
  std::uint64_t offset_bytes = 0;
  std::uint64_t buffer = 0;    // bus address
  sim::TimeNs started_ns = 0;  // prepared
  sim::TimeNs issued_ns = 0;   // the submitting call had returned
  int error = 0;               // 0 or a negative errno
  std::uint32_t index = 0;     // of the slot
  unsigned sync_flags = 0;     // sync_file_range
  block::Bio bio;
  Unit* next = nullptr;  // in the one queue that holds it
};

// First in, first out; one task may sleep on it.
class CompletionQueue {
 public:
  CompletionQueue(sim::Simulator& simulator, sim::TimeNs wake_ns) : simulator_(&simulator), wake_ns_(wake_ns) {}

  [[nodiscard]] bool empty() const { return head_ == nullptr; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  void push(Unit& unit) {
    unit.next = nullptr;
    (head_ == nullptr ? head_ : tail_->next) = &unit;
    tail_ = &unit;
    ++size_;
    if (sleeper_ && size_ >= wanted_) {
      simulator_->resume_at(simulator_->now() + wake_ns_, sleeper_);
      sleeper_ = nullptr;
    }
  }
  Unit& pop() {
    Unit& unit = *head_;
    head_ = unit.next;
    --size_;
    return unit;
  }

  // co_await queue.wait(n): until n completions are there. Sleeping costs the wake-up; finding them there does not.
  struct Wait {
    CompletionQueue& queue;
    std::uint32_t wanted;
    [[nodiscard]] bool await_ready() const noexcept { return queue.size_ >= wanted; }
    void await_suspend(std::coroutine_handle<> waiter) const noexcept {
      queue.wanted_ = wanted;
      queue.sleeper_ = waiter;
    }
    void await_resume() const noexcept {}
  };
  Wait wait(std::uint32_t wanted) { return Wait{*this, wanted}; }

 private:
  sim::Simulator* simulator_;
  sim::TimeNs wake_ns_;
  Unit* head_ = nullptr;
  Unit* tail_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t wanted_ = 1;
  std::coroutine_handle<> sleeper_;
};

}  // namespace flushlab::io
