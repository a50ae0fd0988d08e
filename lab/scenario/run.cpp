// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <thread>

#include "hostmodel/nvme/passthru.hpp"
#include "lab/scenario/stack.hpp"
#include "lab/trace/jsonl.hpp"

namespace flushlab::lab {

bool RunResult::lawful() const {
  return std::all_of(laws.begin(), laws.end(), [](const Law& law) { return law.ok; });
}

namespace {

spec::SubmissionEntry command_of(const NvmeCliWorkload& workload, queue::HostMemory& memory, std::uint32_t lba_bytes) {
  if (workload.verb == NvmeCliWorkload::Verb::kFlush) return spec::make_flush(1);
  const std::uint32_t blocks = workload.block_count + 1U;
  spec::SubmissionEntry sqe = spec::make_write(1, workload.start_block, blocks, workload.fua);
  const std::uint64_t bytes =
      workload.data_size_bytes != 0 ? workload.data_size_bytes : std::uint64_t{blocks} * lba_bytes;
  const std::uint64_t buffer =
      memory.allocate(std::max(bytes, std::uint64_t{blocks} * lba_bytes), queue::HostMemory::Kind::kWriteIds);
  const std::uint64_t list = memory.allocate(queue::kPageBytes, queue::HostMemory::Kind::kBytes);
  nvme::map_data(sqe, buffer, std::uint64_t{blocks} * lba_bytes, list, memory.bytes(list, queue::kPageBytes));
  return sqe;
}

}  // namespace

RunResult run_scenario(const Scenario& scenario, const RunOptions& options) {
  Stack stack(scenario);
  std::unique_ptr<JsonlTrace> trace;
  if (options.trace) {
    trace = std::make_unique<JsonlTrace>(options.trace, "nvme0");
    trace->attach(stack.host().pci().log());
    if (options.trace_probe) trace->begin(0);
  }
  stack.bring_up();
  nvme::Namespace& ns = stack.ns();
  nvme::CommandLog& log = stack.host().pci().log();
  const sim::TimeNs begin_ns = stack.simulator().now();
  if (trace && !options.trace_probe) trace->begin(begin_ns);
  if (!options.trace_probe) log.reset(begin_ns);
  const controller::Controller::Counters before = stack.drive().counters();
  stack.drive().cache().reset_maximum();
  const bool cache_off_at_begin = !ns.queue->limits().write_cache();

  RunResult result;
  std::uint64_t passthru_flushes = 0;
  if (const auto* fio_workload = std::get_if<FioWorkload>(&scenario.workload)) {
    fio::JobSet jobs({stack.machine(), *ns.queue, stack.door().memory(), fio_workload->version}, fio_workload->jobs);
    stack.run_to_end(jobs.run());
    result.jobs = jobs.results();
    stack.simulator().end_tasks();  // workers refer to the jobs
  } else if (const auto* cli = std::get_if<NvmeCliWorkload>(&scenario.workload)) {
    nvme::NvmeCliLoop loop;
    loop.sqe = command_of(*cli, stack.door().memory(), scenario.device.identify.lba_bytes);
    loop.count = cli->count;
    nvme::NvmeCliResult cli_result;
    stack.run_to_end(nvme::run_nvme_cli_loop(stack.host(), ns, loop, cli_result));
    result.passthru_commands = cli_result.commands;
    result.passthru_errors = cli_result.errors;
    result.passthru_latency = cli_result.ioctl_latency;
    if (cli->verb == NvmeCliWorkload::Verb::kFlush) passthru_flushes = cli_result.commands;
  }
  if (trace) trace->finish();

  const controller::Controller::Counters& after = stack.drive().counters();
  result.scenario = scenario.name;
  result.seed = scenario.seed;
  result.event_log_hash = stack.simulator().log().hash();
  result.events = stack.simulator().events().executed();
  result.workload_ns = stack.simulator().now() - begin_ns;
  result.write_cache = ns.queue->write_cache_show();
  result.limits = ns.queue->limits();
  for (std::size_t kind = 0; kind < nvme::kCommandKinds; ++kind) {
    const auto& counts = log.counts(static_cast<nvme::CommandKind>(kind));
    result.commands[kind] = {counts.commands, counts.fua, counts.errors, counts.bytes,
                             log.latency(static_cast<nvme::CommandKind>(kind))};
  }
  result.dirty_bytes_max = stack.drive().cache().dirty_bytes_max();
  result.bytes_at_risk_max = stack.drive().cache().bytes_at_risk_max();
  result.messages = stack.host().messages();
  LawInputs laws;
  laws.log = &log;
  laws.fetched = after.fetched - before.fetched;
  laws.completed = after.completed - before.completed;
  laws.write_cache_always_off = cache_off_at_begin && !ns.queue->limits().write_cache();
  laws.passthru_flushes = passthru_flushes;
  laws.most_flushes_in_flight = stack.host().pci().most_flushes_in_flight();
  result.laws = check_laws(laws);
  return result;
}

void for_each_run(const std::vector<Scenario>& scenarios, unsigned threads,
                  const std::function<void(std::size_t, const RunResult&)>& take) {
  std::vector<std::exception_ptr> errors(scenarios.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < scenarios.size(); i = next++) {
      try {
        take(i, run_scenario(scenarios[i]));
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  std::vector<std::jthread> pool;
  for (unsigned t = 1; t < std::max(1U, threads) && t < scenarios.size(); ++t) pool.emplace_back(work);
  work();
  pool.clear();  // joins
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

std::vector<RunResult> run_scenarios(const std::vector<Scenario>& scenarios, unsigned threads) {
  std::vector<RunResult> results(scenarios.size());
  for_each_run(scenarios, threads, [&](std::size_t i, const RunResult& result) { results[i] = result; });
  return results;
}

}  // namespace flushlab::lab
