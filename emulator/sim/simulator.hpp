// SPDX-License-Identifier: GPL-2.0-only
// One simulation: its clock and events, its tasks and their frames, its seed and its event log. Everything in a run
// hangs on one Simulator that is passed in; there are no globals, so runs on several threads do not see each other.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "emulator/sim/event_log.hpp"
#include "emulator/sim/event_queue.hpp"
#include "emulator/sim/frame_pool.hpp"
#include "emulator/sim/task.hpp"
#include "emulator/sim/time.hpp"

namespace flushlab::sim {

class Simulator {
 public:
  explicit Simulator(std::uint64_t seed) : seed_(seed) {}
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;
  ~Simulator() { end_tasks(); }

  [[nodiscard]] TimeNs now() const { return events_.now(); }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }  // RandomStream(seed(), name) gives a named stream
  EventQueue& events() { return events_; }
  FramePool& frames() { return frames_; }
  EventLog& log() { return log_; }
  void record(EventKind kind, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
    log_.record(now(), kind, a, b, c);
  }

  // Starts a task at now(), after the events already waiting for now(). The simulator owns it. An exception that
  // leaves it comes out of the event loop.
  void spawn(Task<void> task) { resume_at(now(), root(*this, std::move(task)).handle); }

  // Ends every task where it stands. Call it before the objects that tasks refer to are destroyed.
  void end_tasks() {
    while (roots_ != nullptr) std::coroutine_handle<Root::promise_type>::from_promise(*roots_).destroy();
  }

  // co_await simulator.sleep(ns): resumes `delay_ns` later.
  struct Sleep {
    EventQueue& events;
    TimeNs at_ns;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) const { resume_at(events, at_ns, waiter); }
    void await_resume() const noexcept {}
  };
  Sleep sleep(TimeNs delay_ns) { return Sleep{events_, now() + delay_ns}; }
  Sleep sleep_until(TimeNs at_ns) { return Sleep{events_, at_ns < now() ? now() : at_ns}; }

  // Resumes a coroutine from an event: the only way in which one task wakes another.
  static void resume_at(EventQueue& events, TimeNs at_ns, std::coroutine_handle<> waiter) {
    events.schedule_at(at_ns, &resume, nullptr, reinterpret_cast<std::uint64_t>(waiter.address()));
  }
  void resume_at(TimeNs at_ns, std::coroutine_handle<> waiter) { resume_at(events_, at_ns, waiter); }

 private:
  // The frame at the bottom of every spawned task: listed while it lives, gone when the task returns.
  struct Root {
    struct promise_type : detail::PromiseBase {
      Simulator& simulator;
      promise_type* next = nullptr;
      promise_type** previous = nullptr;

      explicit promise_type(Simulator& owner, Task<void>&) : simulator(owner) {
        next = owner.roots_;
        previous = &owner.roots_;
        if (next != nullptr) next->previous = &next;
        owner.roots_ = this;
      }
      ~promise_type() {
        *previous = next;
        if (next != nullptr) next->previous = previous;
      }
      Root get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
      std::suspend_never final_suspend() noexcept { return {}; }
      void return_void() noexcept {}
      void unhandled_exception() { throw; }
    };
    std::coroutine_handle<promise_type> handle;
  };
  static Root root(Simulator&, Task<void> task) { co_await std::move(task); }

  static void resume(void*, std::uint64_t address) {
    std::coroutine_handle<>::from_address(reinterpret_cast<void*>(address)).resume();
  }

  std::uint64_t seed_;
  EventQueue events_;
  FramePool frames_;
  EventLog log_;
  Root::promise_type* roots_ = nullptr;
};

}  // namespace flushlab::sim
