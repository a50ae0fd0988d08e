// SPDX-License-Identifier: GPL-2.0-only
// Random numbers and what is made of them: ns for one draw, one sample of each distribution, one value recorded; and
// what building the tables costs at configuration time.
#include <benchmark/benchmark.h>

#include "emulator/sim/distribution.hpp"
#include "emulator/sim/histogram.hpp"
#include "emulator/sim/random.hpp"

using namespace flushlab::sim;

namespace {

void random_next(benchmark::State& state) {
  RandomStream random(1, "bench");
  for (auto _ : state) benchmark::DoNotOptimize(random.next());
}
BENCHMARK(random_next);

void random_below(benchmark::State& state) {
  RandomStream random(1, "bench");
  std::uint64_t n = 1'000'003;
  for (auto _ : state) {
    benchmark::DoNotOptimize(n);
    benchmark::DoNotOptimize(random.below(n));
  }
}
BENCHMARK(random_below);

void random_chance(benchmark::State& state) {
  RandomStream random(1, "bench");
  for (auto _ : state) benchmark::DoNotOptimize(random.chance_ppm(12'345));
}
BENCHMARK(random_chance);

void sample(benchmark::State& state, Distribution distribution) {
  RandomStream random(1, "bench");
  benchmark::DoNotOptimize(distribution);
  for (auto _ : state) benchmark::DoNotOptimize(distribution.sample(random));
}
BENCHMARK_CAPTURE(sample, constant, Distribution::constant(10'000));
BENCHMARK_CAPTURE(sample, uniform, Distribution::uniform(5'000, 15'000));
BENCHMARK_CAPTURE(sample, exponential, Distribution::exponential(10'000));
BENCHMARK_CAPTURE(sample, shifted_lognormal, Distribution::shifted_lognormal(5'000, 5'000, 500'000));
BENCHMARK_CAPTURE(sample, normal, Distribution::normal(10'000, 1'000));
BENCHMARK_CAPTURE(sample, gamma, Distribution::gamma(2'500'000, 10'000));
BENCHMARK_CAPTURE(sample, empirical,
                  Distribution::empirical({{10'000'000, 8'000},
                                           {500'000'000, 10'000},
                                           {900'000'000, 12'000},
                                           {990'000'000, 30'000},
                                           {999'000'000, 200'000},
                                           {999'900'000, 2'000'000}}));

void histogram_record(benchmark::State& state) {
  RandomStream random(1, "bench");
  const auto distribution = Distribution::shifted_lognormal(5'000, 5'000, 500'000);
  std::vector<std::uint64_t> values(4096);
  for (auto& value : values) value = distribution.sample(random);
  Histogram histogram;
  std::size_t i = 0;
  for (auto _ : state) histogram.record(values[i++ & 4095]);
  benchmark::DoNotOptimize(histogram.percentile(99));
}
BENCHMARK(histogram_record);

void build_lognormal(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Distribution::shifted_lognormal(5'000, 5'000, 500'000));
}
BENCHMARK(build_lognormal)->Unit(benchmark::kMicrosecond);

void build_gamma(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Distribution::gamma(2'500'000, 10'000));
}
BENCHMARK(build_gamma)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
