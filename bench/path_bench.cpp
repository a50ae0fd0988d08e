// SPDX-License-Identifier: GPL-2.0-only
// The whole path, fio job to controller and back: simulated NVMe commands per second on one core, memory, start-up, and
// a small scenario with its report. Figures of the README's speed table.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

#include "lab/report/run_report.hpp"
#include "lab/scenario/run.hpp"

using namespace flushlab;

namespace {

std::string scenario_text(const std::string& kernel, const std::string& job) {
  return R"({"name":"bench","device":"kioxia-cd6-v","kernel":")" + kernel +
         R"(","host":"cd6-v-host","workload":{"fio":")" + job + R"("}})";
}

lab::Scenario scenario(const std::string& kernel, const std::string& job) {
  return lab::parse_scenario(lab::ConfigRoot(FLUSHLAB_CONFIG_DIR), scenario_text(kernel, job), "bench").scenario;
}

std::uint64_t commands_of(const lab::RunResult& result) {
  std::uint64_t sum = 0;
  for (const auto& c : result.commands) sum += c.commands;
  return sum;
}

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  statm >> pages >> resident;
  return static_cast<double>(resident) * 4096.0 / 1048576.0;
}

// QD32 4 KiB random writes with a Flush every 64, number_ios given; commands a second of the simulation.
void whole_path(benchmark::State& state) {
  const lab::Scenario s = scenario(
      "nvme-7.4",
      "--name=a --filename=/dev/nvme0n1 --ioengine=io_uring --direct=1 --iodepth=32 --rw=randwrite --bs=4k --size=1G "
      "--time_based --runtime=1 --fsync=64");
  std::uint64_t commands = 0;
  for (auto _ : state) commands += commands_of(lab::run_scenario(s));
  state.counters["commands/s"] = benchmark::Counter(static_cast<double>(commands), benchmark::Counter::kIsRate);
  state.counters["resident_MiB"] = resident_mib();
}
BENCHMARK(whole_path)->Unit(benchmark::kMillisecond);

void whole_path_with_trace(benchmark::State& state) {
  const lab::Scenario s = scenario(
      "nvme-7.4",
      "--name=a --filename=/dev/nvme0n1 --ioengine=io_uring --direct=1 --iodepth=32 --rw=randwrite --bs=4k --size=1G "
      "--time_based --runtime=1 --fsync=64");
  std::uint64_t commands = 0;
  std::uint64_t bytes = 0;
  lab::RunOptions options;
  options.trace = [&](std::string_view lines) { bytes += lines.size(); };
  for (auto _ : state) commands += commands_of(lab::run_scenario(s, options));
  state.counters["commands/s"] = benchmark::Counter(static_cast<double>(commands), benchmark::Counter::kIsRate);
  state.counters["trace_MiB"] = static_cast<double>(bytes) / 1048576.0;
}
BENCHMARK(whole_path_with_trace)->Unit(benchmark::kMillisecond);

// An fsync after every write with the write cache off: no Flush on the wire, two worker hops a write.
void write_through_fsync(benchmark::State& state) {
  const lab::Scenario s =
      scenario("nvme-7.4+honor-wce",
               "--name=a --filename=/dev/nvme0n1 --ioengine=io_uring --direct=1 --iodepth=32 --rw=randwrite --bs=4k "
               "--size=1G --time_based --runtime=1 --fsync=1");
  std::uint64_t commands = 0;
  for (auto _ : state) commands += commands_of(lab::run_scenario(s));
  state.counters["commands/s"] = benchmark::Counter(static_cast<double>(commands), benchmark::Counter::kIsRate);
}
BENCHMARK(write_through_fsync)->Unit(benchmark::kMillisecond);

// Four drives under an md array, one write at a time: bitmap pages and copies.
void md_raid10(benchmark::State& state) {
  const lab::ConfigRoot root(FLUSHLAB_CONFIG_DIR);
  const std::vector<std::string> sets = {"workload.fio.runtime=1"};
  const lab::Scenario s = lab::load_scenario(root, "p5520/md-bitmap.linux-6.1+md-optimal-v2", sets);
  std::uint64_t commands = 0;
  for (auto _ : state) commands += commands_of(lab::run_scenario(s));
  state.counters["commands/s"] = benchmark::Counter(static_cast<double>(commands), benchmark::Counter::kIsRate);
}
BENCHMARK(md_raid10)->Unit(benchmark::kMillisecond);

// From a scenario's text to its report: 1,000 commands.
void small_scenario_with_report(benchmark::State& state) {
  std::size_t length = 0;
  for (auto _ : state) {
    const lab::Scenario s =
        scenario("nvme-7.4",
                 "--name=a --filename=/dev/nvme0n1 --ioengine=io_uring --direct=1 --rw=randwrite --bs=4k "
                 "--size=1G --number_ios=501 --fsync=1");
    length += lab::run_report_text(s, lab::run_scenario(s)).size();
  }
  benchmark::DoNotOptimize(length);
}
BENCHMARK(small_scenario_with_report)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
