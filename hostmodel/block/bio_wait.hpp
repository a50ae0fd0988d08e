// SPDX-License-Identifier: GPL-2.0-only
// Waiting for bios from a task (models submit_bio_wait and the completion that a dio or a writeback counts down).
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "emulator/sim/simulator.hpp"
#include "hostmodel/block/block_device.hpp"

namespace flushlab::block {

// Counts bios in flight; one task may wait for them. A task that has to sleep runs again `wake_ns` after the bio that
// it waited for ended.
class BioGroup {
 public:
  BioGroup(sim::Simulator& simulator, sim::TimeNs wake_ns) : simulator_(&simulator), wake_ns_(wake_ns) {}
  BioGroup(const BioGroup&) = delete;
  BioGroup& operator=(const BioGroup&) = delete;

  void submit(BlockDevice& device, Bio& bio) {
    ++in_flight_;
    bio.owner = this;
    bio.end_io = &ended;
    device.submit_bio(bio);
  }
  [[nodiscard]] std::uint32_t in_flight() const { return in_flight_; }
  // The bios that have ended since the last call, linked by Bio::next.
  Bio* take_ended() { return std::exchange(ended_, nullptr); }

  // co_await group: until nothing is in flight; co_await group.until(n): until at most n are. The first error of any
  // bio so far, or kOk.
  struct Wait {
    BioGroup& group;
    std::uint32_t most;
    [[nodiscard]] bool await_ready() const noexcept { return group.in_flight_ <= most; }
    void await_suspend(std::coroutine_handle<> waiter) const noexcept {
      group.most_ = most;
      group.waiter_ = waiter;
    }
    [[nodiscard]] BlockStatus await_resume() const noexcept { return group.status_; }
  };
  Wait until(std::uint32_t most) { return {*this, most}; }
  Wait operator co_await() { return until(0); }

 private:
  static void ended(Bio& bio) {
    auto& group = *static_cast<BioGroup*>(bio.owner);
    if (group.status_ == BlockStatus::kOk) group.status_ = bio.status;
    bio.next = std::exchange(group.ended_, &bio);
    if (--group.in_flight_ <= group.most_ && group.waiter_) {
      group.simulator_->resume_at(group.simulator_->now() + group.wake_ns_, std::exchange(group.waiter_, nullptr));
    }
  }

  sim::Simulator* simulator_;
  sim::TimeNs wake_ns_;
  std::uint32_t in_flight_ = 0;
  std::uint32_t most_ = 0;
  BlockStatus status_ = BlockStatus::kOk;
  Bio* ended_ = nullptr;
  std::coroutine_handle<> waiter_;
};

}  // namespace flushlab::block
