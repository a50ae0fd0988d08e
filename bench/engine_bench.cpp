// SPDX-License-Identifier: GPL-2.0-only
// The engine alone: ns for one event popped and one pushed, with N pending; tasks created and resumed.
#include <benchmark/benchmark.h>

#include "emulator/sim/cpu.hpp"
#include "emulator/sim/simulator.hpp"

using namespace flushlab::sim;

namespace {

struct Hold {
  EventQueue queue;
  std::uint64_t state = 88172645463325252ULL;
  static void again(void* self, std::uint64_t argument) {
    auto* hold = static_cast<Hold*>(self);
    hold->state ^= hold->state << 13;
    hold->state ^= hold->state >> 7;
    hold->state ^= hold->state << 17;
    hold->queue.schedule_after(1 + (hold->state & 0x3FFFF), &again, self, argument);  // up to 262 us ahead
  }
};

void engine_event(benchmark::State& state) {
  Hold hold;
  for (std::int64_t i = 0; i < state.range(0); ++i) Hold::again(&hold, static_cast<std::uint64_t>(i));
  for (auto _ : state) hold.queue.run_one();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(engine_event)->Arg(16)->Arg(64)->Arg(256)->Arg(1000)->Arg(10000);

Task<int> leaf(Simulator&) {
  co_return 1;
}
Task<void> caller(Simulator& simulator, std::int64_t calls, std::int64_t& sum) {
  for (std::int64_t i = 0; i < calls; ++i) sum += co_await leaf(simulator);
}
void task_call(benchmark::State& state) {
  Simulator simulator(1);
  std::int64_t sum = 0;
  for (auto _ : state) {
    simulator.spawn(caller(simulator, 1000, sum));
    simulator.events().run();
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(task_call);

Task<void> worker(Cpu& cpu, std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) co_await cpu.run(100);
}
void cpu_step(benchmark::State& state) {
  Simulator simulator(1);
  Cpu cpu(simulator);
  for (auto _ : state) {
    simulator.spawn(worker(cpu, 1000));
    simulator.events().run();
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(cpu_step);

void event_log(benchmark::State& state) {
  EventLog log;
  std::uint64_t n = 0;
  for (auto _ : state) {
    ++n;
    log.record(n, EventKind::kCommandIssue, n, n, n);
  }
  benchmark::DoNotOptimize(log.hash());
}
BENCHMARK(event_log);

}  // namespace

BENCHMARK_MAIN();
