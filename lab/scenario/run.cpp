// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <thread>

#include "hostmodel/nvme/passthru.hpp"
#include "lab/scenario/stack.hpp"
#include "lab/trace/biosnoop.hpp"
#include "lab/trace/block_sequence.hpp"
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

namespace {

// The traces that a run was asked for, over all its drives.
struct Traces {
  std::unique_ptr<JsonlTrace> jsonl;
  std::unique_ptr<BiosnoopTrace> biosnoop;
  std::unique_ptr<BlockSequence> sequence;

  Traces(Stack& stack, const RunOptions& options) {
    if (options.trace && options.format == TraceFormat::kJsonl) jsonl = std::make_unique<JsonlTrace>(options.trace);
    if (options.trace && options.format == TraceFormat::kBiosnoop)
      biosnoop = std::make_unique<BiosnoopTrace>(options.trace);
    if (options.block_sequence) sequence = std::make_unique<BlockSequence>();
    std::size_t number = 0;
    for (Stack::Drive& drive : stack.drives()) {
      const std::string name = fmt::format("nvme{}", number++);
      if (jsonl) jsonl->attach(drive.host.pci().log(), name);
      if (biosnoop) biosnoop->attach(drive.host.pci().log(), name + "n1");
      if (sequence) sequence->attach(drive.host.pci().log());
    }
  }
  void begin(sim::TimeNs at_ns) {
    if (jsonl) jsonl->begin(at_ns);
    if (biosnoop) biosnoop->begin();
    if (sequence) sequence->begin();
  }
  void finish() {
    if (jsonl) jsonl->finish();
  }
};

// What the drives and their drivers counted, drive by drive: summed, and held against the laws.
void gather(Stack& stack, const std::vector<controller::Controller::Counters>& before, bool cache_off_at_begin,
            std::uint64_t passthru_flushes, RunResult& result) {
  for (std::size_t i = 0; i < stack.drives().size(); ++i) {
    Stack::Drive& drive = stack.drives()[i];
    nvme::CommandLog& log = drive.host.pci().log();
    for (std::size_t kind = 0; kind < nvme::kCommandKinds; ++kind) {
      const auto& counts = log.counts(static_cast<nvme::CommandKind>(kind));
      CommandSummary& sum = result.commands[kind];
      sum.commands += counts.commands;
      sum.fua += counts.fua;
      sum.errors += counts.errors;
      sum.bytes += counts.bytes;
      sum.latency.merge(log.latency(static_cast<nvme::CommandKind>(kind)));
    }
    result.dirty_bytes_max += drive.controller.cache().dirty_bytes_max();
    result.bytes_at_risk_max += drive.controller.cache().bytes_at_risk_max();
    for (const std::string& message : drive.host.messages()) result.messages.push_back(message);
    const controller::Controller::Counters& after = drive.controller.counters();
    LawInputs laws;
    laws.log = &log;
    laws.fetched = after.fetched - before[i].fetched;
    laws.completed = after.completed - before[i].completed;
    laws.write_cache_always_off = cache_off_at_begin && !drive.host.find_namespace(1)->queue->limits().write_cache();
    laws.passthru_flushes = passthru_flushes;
    laws.most_flushes_in_flight = drive.host.pci().most_flushes_in_flight();
    std::vector<Law> of_drive = check_laws(laws);
    if (result.laws.empty()) {
      result.laws = std::move(of_drive);
      continue;
    }
    for (std::size_t law = 0; law < of_drive.size(); ++law) {  // the first drive that breaks one is shown
      if (result.laws[law].ok && !of_drive[law].ok) result.laws[law] = of_drive[law];
    }
  }
}

}  // namespace

RunResult run_scenario(const Scenario& scenario, const RunOptions& options) {
  Stack stack(scenario);
  Traces traces(stack, options);
  if (options.trace_probe) traces.begin(0);
  stack.bring_up();
  nvme::Namespace& ns = stack.ns();
  const sim::TimeNs begin_ns = stack.simulator().now();
  if (!options.trace_probe) traces.begin(begin_ns);
  std::vector<controller::Controller::Counters> before;
  for (Stack::Drive& drive : stack.drives()) {
    if (!options.trace_probe) drive.host.pci().log().reset(begin_ns);
    before.push_back(drive.controller.counters());
    drive.controller.cache().reset_maximum();
  }
  const bool cache_off_at_begin = !ns.queue->limits().write_cache();

  RunResult result;
  std::uint64_t passthru_flushes = 0;
  if (const auto* fio_workload = std::get_if<FioWorkload>(&scenario.workload)) {
    fio::JobSet jobs({stack.machine(), stack.device(), stack.memory(), fio_workload->version}, fio_workload->jobs);
    stack.run_to_end(jobs.run());
    result.jobs = jobs.results();
    if (stack.array() != nullptr) stack.run_to_end(stack.array()->idle());
    stack.simulator().end_tasks();  // workers refer to the jobs
  } else if (const auto* cli = std::get_if<NvmeCliWorkload>(&scenario.workload)) {
    nvme::NvmeCliLoop loop;
    loop.sqe = command_of(*cli, stack.memory(), scenario.device.identify.lba_bytes);
    loop.count = cli->count;
    nvme::NvmeCliResult cli_result;
    stack.run_to_end(nvme::run_nvme_cli_loop(stack.host(), ns, loop, cli_result));
    result.passthru_commands = cli_result.commands;
    result.passthru_errors = cli_result.errors;
    result.passthru_latency = cli_result.ioctl_latency;
    if (cli->verb == NvmeCliWorkload::Verb::kFlush) passthru_flushes = cli_result.commands;
  }
  traces.finish();

  if (traces.sequence) result.block_sequence = traces.sequence->text();
  result.scenario = scenario.name;
  result.seed = scenario.seed;
  result.event_log_hash = stack.simulator().log().hash();
  result.events = stack.simulator().events().executed();
  result.workload_ns = stack.simulator().now() - begin_ns;
  result.write_cache = ns.queue->write_cache_show();
  result.limits = stack.device().limits();
  if (const md::Array* array = stack.array(); array != nullptr && array->bitmap() != nullptr)
    result.bitmap_misses = array->bitmap()->misses();
  gather(stack, before, cache_off_at_begin, passthru_flushes, result);
  return result;
}

void for_each_run(const std::vector<Scenario>& scenarios, unsigned threads,
                  const std::function<void(std::size_t, const RunResult&)>& take,
                  const std::function<RunOptions(std::size_t)>& options) {
  std::vector<std::exception_ptr> errors(scenarios.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < scenarios.size(); i = next++) {
      try {
        take(i, run_scenario(scenarios[i], options ? options(i) : RunOptions{}));
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
