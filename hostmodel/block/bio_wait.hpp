// SPDX-License-Identifier: GPL-2.0-only
// Waiting for bios from a task (models submit_bio_wait and the completion that a dio or a writeback counts down).
#pragma once

#include <coroutine>
#include <cstdint>

#include "emulator/sim/simulator.hpp"
#include "hostmodel/block/block_device.hpp"

namespace flushlab::block {

// Counts bios in flight; one task may wait for all of them. A task that has to sleep runs again `wake_ns` after the
// last bio ended.
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

  // co_await group: until nothing is in flight. The first error of any bio, or kOk.
  [[nodiscard]] bool await_ready() const noexcept { return in_flight_ == 0; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { waiter_ = waiter; }
  [[nodiscard]] BlockStatus await_resume() const noexcept { return status_; }

 private:
  static void ended(Bio& bio) {
    auto& group = *static_cast<BioGroup*>(bio.owner);
    if (group.status_ == BlockStatus::kOk) group.status_ = bio.status;
    if (--group.in_flight_ == 0 && group.waiter_) {
      group.simulator_->resume_at(group.simulator_->now() + group.wake_ns_, group.waiter_);
    }
  }

  sim::Simulator* simulator_;
  sim::TimeNs wake_ns_;
  std::uint32_t in_flight_ = 0;
  BlockStatus status_ = BlockStatus::kOk;
  std::coroutine_handle<> waiter_;
};

}  // namespace flushlab::block
