// SPDX-License-Identifier: GPL-2.0-only
// A CPU runs one thing at a time, in the order asked. Work that is asked for while it is busy begins when it is free.
#pragma once

#include <coroutine>
#include <cstdint>

#include "emulator/sim/simulator.hpp"

namespace flushlab::sim {

class Cpu {
 public:
  explicit Cpu(Simulator& simulator) : simulator_(&simulator) {}

  // The time at which work asked for now would begin.
  [[nodiscard]] TimeNs free_at_ns() const {
    const TimeNs now = simulator_->now();
    return busy_until_ns_ > now ? busy_until_ns_ : now;
  }

  // Occupies the CPU for `cost_ns` without waiting for it; returns the time at which that work ends.
  TimeNs charge(TimeNs cost_ns) {
    busy_until_ns_ = free_at_ns() + cost_ns;
    return busy_until_ns_;
  }

  // co_await cpu.run(cost_ns): occupies the CPU and resumes when that work has ended.
  struct Run {
    Simulator& simulator;
    TimeNs end_ns;
    bool await_ready() const noexcept { return end_ns == simulator.now(); }
    void await_suspend(std::coroutine_handle<> waiter) const { simulator.resume_at(end_ns, waiter); }
    void await_resume() const noexcept {}
  };
  Run run(TimeNs cost_ns) { return Run{*simulator_, charge(cost_ns)}; }

  // Interrupt and softirq work: runs `handler` when `cost_ns` of this CPU has been spent on it.
  void call(TimeNs cost_ns, EventQueue::Handler handler, void* object, std::uint64_t argument = 0) {
    simulator_->events().schedule_at(charge(cost_ns), handler, object, argument);
  }

 private:
  Simulator* simulator_;
  TimeNs busy_until_ns_ = 0;
};

}  // namespace flushlab::sim
