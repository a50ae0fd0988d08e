// SPDX-License-Identifier: GPL-2.0-only
// Runs a scenario and gathers what it showed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/sim/histogram.hpp"
#include "hostmodel/block/queue_limits.hpp"
#include "hostmodel/fio/job.hpp"
#include "hostmodel/nvme/command_log.hpp"
#include "lab/check/laws.hpp"
#include "lab/scenario/scenario.hpp"

namespace flushlab::lab {

enum class TraceFormat : std::uint8_t {
  kJsonl,     // every NVMe command, in the recordings' words
  kBiosnoop,  // block I/O as it completes, in biosnoop's columns
};

struct RunOptions {
  // Takes the trace, a few lines at a time; empty: no trace.
  std::function<void(std::string_view)> trace;
  TraceFormat format = TraceFormat::kJsonl;
  bool block_sequence = false;  // fills in RunResult::block_sequence
  bool trace_probe = false;     // the trace begins with the probe instead of the workload
};

struct CommandSummary {
  std::uint64_t commands = 0;
  std::uint64_t fua = 0;
  std::uint64_t errors = 0;
  std::uint64_t bytes = 0;
  sim::Histogram latency;  // nvme_setup_cmd to nvme_complete_rq, ns
};

struct RunResult {
  std::string scenario;
  std::uint64_t seed = 0;
  std::uint64_t event_log_hash = 0;
  std::uint64_t events = 0;     // simulation events executed
  sim::TimeNs workload_ns = 0;  // virtual time of the workload
  std::string write_cache;      // queue/write_cache at the end
  block::QueueLimits limits;
  std::array<CommandSummary, nvme::kCommandKinds> commands;  // by nvme::CommandKind, of the workload
  std::vector<fio::JobResult> jobs;
  std::string block_sequence;       // what was in flight together (lab/trace/block_sequence.hpp)
  std::uint64_t bitmap_misses = 0;  // of an array: writes that had to set a bit of its bitmap first
  std::uint64_t passthru_commands = 0;
  std::uint64_t passthru_errors = 0;
  sim::Histogram passthru_latency;      // the whole ioctl, ns
  std::uint64_t dirty_bytes_max = 0;    // most bytes that were in the drive's cache only: what capacitors must carry
  std::uint64_t bytes_at_risk_max = 0;  // of these, what a power cut could have taken: 0 with a protected cache
  std::vector<Law> laws;
  std::vector<std::string> messages;  // what the kernel log would say

  [[nodiscard]] const CommandSummary& of(nvme::CommandKind kind) const {
    return commands[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] bool lawful() const;
};

// Throws RunError.
[[nodiscard]] RunResult run_scenario(const Scenario& scenario, const RunOptions& options = {});

// Runs each scenario once, on up to `threads` threads, and hands over its result with its index: possibly at the same
// time as others, each index once. The first exception, by index, is thrown at the end.
void for_each_run(const std::vector<Scenario>& scenarios, unsigned threads,
                  const std::function<void(std::size_t, const RunResult&)>& take,
                  const std::function<RunOptions(std::size_t)>& options = {});

// Runs many on up to `threads` threads. results[i] belongs to scenarios[i] whatever the thread count; the first
// exception, by index, is thrown.
[[nodiscard]] std::vector<RunResult> run_scenarios(const std::vector<Scenario>& scenarios, unsigned threads);

}  // namespace flushlab::lab
