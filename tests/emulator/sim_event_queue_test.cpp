// SPDX-License-Identifier: GPL-2.0-only
// The event queue against a reference that is obviously right, and the laws of its header (Q1 to Q4).
#include <rapidcheck.h>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "emulator/sim/event_queue.hpp"

using flushlab::sim::EventQueue;
using flushlab::sim::TimeNs;

namespace {

// A queue of the same meaning made of a multimap: equal keys keep insertion order.
struct Reference {
  std::multimap<TimeNs, std::uint64_t> events;
};

struct Recorder {
  EventQueue queue;
  std::vector<std::pair<TimeNs, std::uint64_t>> ran;
  static void handler(void* self, std::uint64_t id) {
    auto* recorder = static_cast<Recorder*>(self);
    recorder->ran.emplace_back(recorder->queue.now(), id);
  }
};

}  // namespace

TEST_CASE("event queue: random schedules, cancels and stops run as in the reference") {
  REQUIRE(rc::check([] {
    Recorder recorder;
    Reference reference;
    std::vector<std::pair<TimeNs, std::uint64_t>> expected;
    std::vector<std::pair<EventQueue::Timer, std::multimap<TimeNs, std::uint64_t>::iterator>> open;
    std::uint64_t id = 0;
    const int steps = *rc::gen::inRange(1, 120);
    for (int step = 0; step < steps; ++step) {
      const int what = *rc::gen::inRange(0, 10);
      if (what < 6) {
        const int bits = *rc::gen::inRange(0, 40);
        const TimeNs delay = *rc::gen::inRange<std::uint64_t>(0, (std::uint64_t{1} << bits) + 1);
        const TimeNs at = recorder.queue.now() + delay;
        const auto timer = recorder.queue.schedule_at(at, &Recorder::handler, &recorder, id);
        open.emplace_back(timer, reference.events.emplace(at, id));
        ++id;
      } else if (what < 7 && !open.empty()) {
        const auto which = static_cast<std::size_t>(*rc::gen::inRange<std::size_t>(0, open.size()));
        const auto [timer, entry] = open[which];
        RC_ASSERT(recorder.queue.cancel(timer));
        RC_ASSERT(!recorder.queue.cancel(timer));
        reference.events.erase(entry);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
      } else {
        const int bits = *rc::gen::inRange(0, 30);
        const TimeNs until = recorder.queue.now() + (TimeNs{1} << bits);
        recorder.queue.run_until(until);
        RC_ASSERT(recorder.queue.now() == until);
        while (!reference.events.empty() && reference.events.begin()->first <= until) {
          expected.push_back(*reference.events.begin());
          std::erase_if(open, [&](const auto& o) { return o.second == reference.events.begin(); });
          reference.events.erase(reference.events.begin());
        }
        RC_ASSERT(recorder.ran == expected);
      }
    }
    recorder.queue.run();
    expected.insert(expected.end(), reference.events.begin(), reference.events.end());
    RC_ASSERT(recorder.ran == expected);
    RC_ASSERT(recorder.queue.pending() == 0U);
  }));
}

TEST_CASE("event queue: an event scheduled for now by an event runs after those already waiting for now") {
  struct Chain {
    EventQueue queue;
    std::vector<int> order;
  } chain;
  static constexpr auto kLate = [](void* self, std::uint64_t) { static_cast<Chain*>(self)->order.push_back(3); };
  static constexpr auto kFirst = [](void* self, std::uint64_t) {
    auto* c = static_cast<Chain*>(self);
    c->order.push_back(1);
    c->queue.schedule_after(0, kLate, c);
  };
  static constexpr auto kSecond = [](void* self, std::uint64_t) { static_cast<Chain*>(self)->order.push_back(2); };
  chain.queue.schedule_at(1000, kFirst, &chain);
  chain.queue.schedule_at(1000, kSecond, &chain);
  chain.queue.run();
  CHECK(chain.order == std::vector<int>{1, 2, 3});
}

TEST_CASE("event queue: times at the end of the 64-bit range keep their order") {
  Recorder recorder;
  const TimeNs last = ~TimeNs{0} - 1;
  recorder.queue.schedule_at(last, &Recorder::handler, &recorder, 2);
  recorder.queue.schedule_at(1, &Recorder::handler, &recorder, 0);
  recorder.queue.schedule_at(TimeNs{1} << 63, &Recorder::handler, &recorder, 1);
  recorder.queue.run();
  CHECK(recorder.ran == std::vector<std::pair<TimeNs, std::uint64_t>>{{1, 0}, {TimeNs{1} << 63, 1}, {last, 2}});
}
