// SPDX-License-Identifier: GPL-2.0-only
// The event queue: what happens next, in virtual time.
//
// Rules:
//   Q1  Events run in the order of their times.
//   Q2  Events at the same time run in the order in which they were scheduled.
//   Q3  Nothing is scheduled in the past; an event for `now` runs after those already waiting for `now`.
//   Q4  Scheduling and running an event allocates nothing once the queue has reached its working size.
//
// How: a timing wheel in base 64. An event waits at the level of the highest base-64 digit in which its time differs
// from the wheel's, in the slot of that digit, at the tail of the slot's list. When the wheel enters a slot, its events
// move down in list order. An event for the same time that is scheduled later can only reach a lower level after the
// earlier one has moved there, so list order is scheduling order: Q2 needs no sequence numbers.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/sim/time.hpp"

namespace flushlab::sim {

class EventQueue {
 public:
  // What an event does. A plain function and its object: no allocation, no virtual call.
  using Handler = void (*)(void* object, std::uint64_t argument);

  // Names a scheduled event for cancel(). Stale ones (the event ran or was cancelled) are recognised.
  struct Timer {
    std::uint32_t index = kNil;
    std::uint32_t generation = 0;
  };

  EventQueue() { nodes_.reserve(256); }

  [[nodiscard]] TimeNs now() const { return now_; }
  [[nodiscard]] std::size_t pending() const { return pending_; }
  [[nodiscard]] std::uint64_t executed() const { return executed_; }

  // Schedules `handler(object, argument)` for `at_ns`, which must not be before now().
  Timer schedule_at(TimeNs at_ns, Handler handler, void* object, std::uint64_t argument = 0) {
    assert(at_ns >= now_ && "an event in the past");
    std::uint32_t index = free_head_;
    if (index != kNil) {
      free_head_ = nodes_[index].next;
    } else {
      index = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
    }
    Node& node = nodes_[index];
    node.time_ns = at_ns;
    node.handler = handler;
    node.object = object;
    node.argument = argument;
    ++pending_;
    place(index, node);
    return Timer{index, node.generation};
  }

  Timer schedule_after(TimeNs delay_ns, Handler handler, void* object, std::uint64_t argument = 0) {
    return schedule_at(now_ + delay_ns, handler, object, argument);
  }

  // Takes back an event that has not run. False when it has already run or was cancelled before.
  bool cancel(Timer timer) {
    if (timer.index >= nodes_.size()) return false;
    Node& node = nodes_[timer.index];
    if (node.generation != timer.generation || node.handler == nullptr) return false;
    node.handler = nullptr;  // the entry stays in its slot and is dropped when the wheel reaches it
    --pending_;
    return true;
  }

  // Runs the next event; false when none is left. now() stays at the last event's time.
  bool run_one() { return step(kNever); }

  // Runs every event up to and including `until_ns`, then advances now() to it.
  void run_until(TimeNs until_ns) {
    while (step(until_ns)) {
    }
    if (until_ns != kNever && until_ns > now_) now_ = until_ns;
  }

  // Runs until no event is left.
  void run() { run_until(kNever); }

 private:
  static constexpr std::uint32_t kNil = ~std::uint32_t{0};
  static constexpr unsigned kDigitBits = 6;
  static constexpr unsigned kSlots = 1U << kDigitBits;
  static constexpr unsigned kLevels = 11;  // 11 digits of 6 bits cover 64 bits

  struct Node {
    TimeNs time_ns = 0;
    Handler handler = nullptr;
    void* object = nullptr;
    std::uint64_t argument = 0;
    std::uint32_t next = kNil;
    std::uint32_t generation = 0;
  };
  struct Slot {
    std::uint32_t head = kNil;
    std::uint32_t tail = kNil;
  };

  void place(std::uint32_t index, Node& node) {
    const TimeNs differs = node.time_ns ^ wheel_ns_;
    const unsigned level = differs == 0 ? 0 : (63U - static_cast<unsigned>(std::countl_zero(differs))) / kDigitBits;
    const unsigned digit = static_cast<unsigned>(node.time_ns >> (level * kDigitBits)) & (kSlots - 1);
    Slot& slot = slots_[level][digit];
    node.next = kNil;
    const std::uint64_t bit = std::uint64_t{1} << digit;
    if ((occupied_[level] & bit) != 0) {
      nodes_[slot.tail].next = index;
    } else {
      slot.head = index;
      occupied_[level] |= bit;
      levels_ |= 1U << level;
    }
    slot.tail = index;
  }

  void clear_slot(unsigned level, unsigned digit) {
    occupied_[level] &= ~(std::uint64_t{1} << digit);
    if (occupied_[level] == 0) levels_ &= ~(1U << level);
  }

  void release(std::uint32_t index, Node& node) {
    ++node.generation;
    node.handler = nullptr;
    node.next = free_head_;
    free_head_ = index;
  }

  void execute(std::uint32_t index, Node& node) {
    const Handler handler = node.handler;
    void* const object = node.object;
    const std::uint64_t argument = node.argument;
    now_ = node.time_ns;
    release(index, node);
    --pending_;
    ++executed_;
    handler(object, argument);  // may schedule, so `node` is dead from here on
  }

  // Runs one event that is due by `limit_ns`. The wheel never moves past `limit_ns`, so that what is scheduled
  // afterwards is never behind it.
  bool step(TimeNs limit_ns) {
    while (levels_ != 0) {
      const unsigned level = static_cast<unsigned>(std::countr_zero(levels_));
      const unsigned digit = static_cast<unsigned>(std::countr_zero(occupied_[level]));
      Slot& slot = slots_[level][digit];
      const std::uint32_t index = slot.head;
      Node& node = nodes_[index];
      if (level == 0 || node.next == kNil) {  // the next event in time order is at the head of this slot
        if (node.time_ns > limit_ns) return false;
        wheel_ns_ = node.time_ns;
        if (node.next == kNil) {
          clear_slot(level, digit);
        } else {
          slot.head = node.next;
        }
        if (node.handler == nullptr) {
          release(index, node);
          continue;
        }
        execute(index, node);
        return true;
      }
      const unsigned shift = level * kDigitBits;
      const TimeNs above = shift + kDigitBits >= 64 ? 0 : (wheel_ns_ >> (shift + kDigitBits)) << (shift + kDigitBits);
      const TimeNs slot_start_ns = above | (TimeNs{digit} << shift);
      if (slot_start_ns > limit_ns) return false;
      wheel_ns_ = slot_start_ns;
      clear_slot(level, digit);
      for (std::uint32_t moving = index; moving != kNil;) {
        Node& down = nodes_[moving];
        const std::uint32_t next = down.next;
        place(moving, down);
        moving = next;
      }
    }
    return false;
  }

  TimeNs now_ = 0;
  TimeNs wheel_ns_ = 0;
  std::uint32_t levels_ = 0;  // bit L: some slot of level L is occupied
  std::uint32_t free_head_ = kNil;
  std::size_t pending_ = 0;
  std::uint64_t executed_ = 0;
  std::array<std::uint64_t, kLevels> occupied_{};  // bit D: slot D of the level is occupied
  std::array<std::array<Slot, kSlots>, kLevels> slots_{};
  std::vector<Node> nodes_;
};

}  // namespace flushlab::sim
