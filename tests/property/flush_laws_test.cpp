// SPDX-License-Identifier: GPL-2.0-only
// Laws of the block layer over random workloads: random bios on random CPUs, random device latencies, the write cache
// switched at random under a freeze.
#include <rapidcheck.h>
#include <catch2/catch.hpp>
#include <memory>

#include "tests/hostmodel/fake_driver.hpp"

using namespace flushlab;
using block::REQ_FUA;
using block::REQ_PREFLUSH;
using test::FakeDriver;
using test::TestBio;

TEST_CASE("laws: random block workloads keep the flush rules") {
  REQUIRE(rc::check([] {
    const auto cpus = static_cast<std::uint16_t>(*rc::gen::inRange(1, 5));
    const auto queues = static_cast<std::uint16_t>(*rc::gen::inRange<int>(1, cpus + 1));
    const auto depth = static_cast<std::uint16_t>(*rc::gen::inRange(1, 6));
    const bool device_fua = *rc::gen::arbitrary<bool>();
    FakeDriver driver({}, cpus, queues, depth);
    driver.set_write_cache(true, device_fua);
    std::vector<std::uint32_t> flushes_in_flight(queues);
    std::vector<sim::TimeNs> delays =
        *rc::gen::container<std::vector<sim::TimeNs>>(64, rc::gen::inRange<sim::TimeNs>(1, 50'000));
    std::size_t next_delay = 0;
    bool at_most_one = true;
    driver.on_sent = [&](std::size_t i) {
      driver.complete_after(i, delays[next_delay++ % delays.size()]);
      if (driver.sent[i].flush) {
        // Count those of this queue that are out and not done: the new one is among them.
        std::uint32_t out = 0;
        for (const auto& sent : driver.sent) {
          if (sent.flush && sent.hctx == driver.sent[i].hctx && sent.done_ns == sim::kNever) ++out;
        }
        at_most_one = at_most_one && out <= 1;
      }
    };
    struct Planned {
      std::unique_ptr<TestBio> bio;
      std::uint16_t flags;
      bool cache_on;
    };
    std::vector<Planned> planned;
    bool cache_on = true;
    const int steps = *rc::gen::inRange(1, 60);
    for (int step = 0; step < steps; ++step) {
      driver.simulator.events().run_until(driver.simulator.now() + *rc::gen::inRange<sim::TimeNs>(0, 30'000));
      if (*rc::gen::inRange(0, 15) == 0) {  // switch the cache with everything drained
        driver.simulator.events().run();
        cache_on = !cache_on;
        driver.set_write_cache(cache_on, device_fua);
      }
      const auto flags = static_cast<std::uint16_t>((*rc::gen::arbitrary<bool>() ? REQ_PREFLUSH : 0) |
                                                    (*rc::gen::arbitrary<bool>() ? REQ_FUA : 0));
      const bool data = flags == 0 || *rc::gen::arbitrary<bool>();
      planned.push_back({std::make_unique<TestBio>(), flags, cache_on});
      planned.back().bio->submit(driver, flags, data ? static_cast<std::uint64_t>(step) * 8 : 0, data ? 8 : 0,
                                 static_cast<std::uint16_t>(*rc::gen::inRange<int>(0, cpus)));
    }
    driver.simulator.events().run();

    RC_ASSERT(at_most_one);
    RC_ASSERT(driver.queue->in_flight() == 0U);
    for (const Planned& p : planned) {
      RC_ASSERT(p.bio->ended());
      // An fsync that returned was covered by a Flush that was issued after it was submitted and done before it
      // returned.
      if (p.cache_on && (p.flags & REQ_PREFLUSH) != 0 && p.bio->bio.sectors == 0) {
        bool covered = false;
        for (const auto& sent : driver.sent) {
          covered = covered || (sent.flush && sent.issued_ns >= p.bio->submitted_ns && sent.done_ns <= p.bio->ended_ns);
        }
        RC_ASSERT(covered);
      }
      if (!p.cache_on) {
        for (const auto& sent : driver.sent) {
          RC_ASSERT(!(sent.flush && sent.issued_ns >= p.bio->submitted_ns && sent.done_ns <= p.bio->ended_ns));
        }
      }
    }
    for (const auto& sent : driver.sent) RC_ASSERT(sent.done_ns != sim::kNever);
  }));
}
