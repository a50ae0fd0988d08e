// SPDX-License-Identifier: GPL-2.0-only
#include "lab/report/run_report.hpp"

#include <fmt/format.h>

#include "lab/report/table.hpp"

namespace flushlab::lab {

using nlohmann::ordered_json;

namespace {

constexpr std::array<const char*, nvme::kCommandKinds> kKindNames = {"write",        "read", "flush",
                                                                     "write_zeroes", "dsm",  "other"};

double us(std::uint64_t ns) {
  return static_cast<double>(ns) / 1000.0;
}

ordered_json latency_json(const sim::Histogram& h) {
  ordered_json out;
  out["count"] = h.count();
  if (h.count() == 0) return out;
  out["min_us"] = us(h.min());
  out["avg_us"] = driver_avg_us(CommandSummary{0, 0, 0, 0, h});
  out["p50_us"] = us(h.percentile_ppm(500'000));
  out["p90_us"] = us(h.percentile_ppm(900'000));
  out["p99_us"] = us(h.percentile_ppm(990'000));
  out["p99_9_us"] = us(h.percentile_ppm(999'000));
  out["p99_99_us"] = us(h.percentile_ppm(999'900));
  out["max_us"] = us(h.max());
  return out;
}

std::string hash_text(std::uint64_t hash) {
  return fmt::format("{:#018x}", hash);
}

}  // namespace

double iops(const RunResult& result) {
  double sum = 0;
  for (const fio::JobResult& job : result.jobs) {
    if (job.runtime_ns == 0) continue;
    sum += static_cast<double>(job.read.total_ios + job.write.total_ios) * 1e9 / static_cast<double>(job.runtime_ns);
  }
  return sum;
}

double bandwidth_kib_s(const RunResult& result) {
  double sum = 0;
  for (const fio::JobResult& job : result.jobs) {
    if (job.runtime_ns == 0) continue;
    sum += static_cast<double>(job.read.io_bytes + job.write.io_bytes) / 1024.0 * 1e9 /
           static_cast<double>(job.runtime_ns);
  }
  return sum;
}

double bytes_written_mib(const RunResult& result) {
  double sum = 0;
  for (const fio::JobResult& job : result.jobs) sum += static_cast<double>(job.write.io_bytes) / 1048576.0;
  return sum;
}

double fsync_avg_us(const RunResult& result) {
  double sum = 0;
  double count = 0;
  for (const fio::JobResult& job : result.jobs) {
    const auto n = static_cast<double>(job.sync_lat.count());
    sum += job.sync_lat.mean() * n;
    count += n;
  }
  return count == 0 ? 0 : sum / count / 1000.0;
}

double driver_avg_us(const CommandSummary& commands) {
  const auto n = commands.latency.count();
  return n == 0 ? 0
                : static_cast<double>(static_cast<std::uint64_t>(commands.latency.sum())) / static_cast<double>(n) /
                      1000.0;
}

double passthru_avg_us(const RunResult& result) {
  return result.passthru_commands == 0 ? 0 : driver_avg_us(result.of(nvme::CommandKind::kFlush));
}

std::string run_footer_text(const RunResult& result) {
  Table table({"command", "count", "FUA", "errors", "MiB", "avg us", "p50", "p99", "p99.9", "p99.99", "max"});
  for (std::size_t kind = 0; kind < nvme::kCommandKinds; ++kind) {
    const CommandSummary& c = result.commands[kind];
    if (c.commands == 0) continue;
    table.row({kKindNames[kind], fmt::format("{}", c.commands), fmt::format("{}", c.fua), fmt::format("{}", c.errors),
               fmt::format("{:.1f}", static_cast<double>(c.bytes) / 1048576.0), fmt::format("{:.1f}", driver_avg_us(c)),
               fmt::format("{:.1f}", us(c.latency.percentile_ppm(500'000))),
               fmt::format("{:.1f}", us(c.latency.percentile_ppm(990'000))),
               fmt::format("{:.1f}", us(c.latency.percentile_ppm(999'000))),
               fmt::format("{:.1f}", us(c.latency.percentile_ppm(999'900))),
               fmt::format("{:.1f}", us(c.latency.max()))});
  }
  std::string out = "\nNVMe commands (driver latency, nvme_setup_cmd to nvme_complete_rq):\n";
  out += table.rows() == 0 ? std::string("  none\n") : table.text();
  out += fmt::format(
      "\nqueue/write_cache: {}   most bytes in the drive's cache only: {}, of which a power cut could take {}\n",
      result.write_cache, result.dirty_bytes_max, result.bytes_at_risk_max);
  out += "laws:";
  for (const Law& law : result.laws)
    out += fmt::format(" {} {}", law.name, law.ok ? "ok" : "BROKEN (" + law.detail + ")");
  out += fmt::format("\nevent log hash: {}   {} events, {:.6f} s of virtual time, seed {}\n",
                     hash_text(result.event_log_hash), result.events, static_cast<double>(result.workload_ns) / 1e9,
                     result.seed);
  return out;
}

std::string run_report_text(const Scenario& scenario, const RunResult& result) {
  std::string out = fmt::format("{}: {} on {}, host {}\n", scenario.name, scenario.device.name, scenario.kernel.name,
                                scenario.host.name);
  if (!scenario.description.empty()) out += scenario.description + "\n";
  const auto& l = result.limits;
  out += fmt::format("queue: {}, fua {}, logical {} B, physical {} B, io_min {} B, io_opt {} B, max_sectors {} KiB\n",
                     result.write_cache, l.fua() ? 1 : 0, l.logical_block_size, l.physical_block_size, l.io_min,
                     l.io_opt, l.max_sectors / 2);
  for (const std::string& message : result.messages) out += "kernel: " + message + "\n";
  if (!result.jobs.empty()) {
    Table table({"job", "dir", "IOPS", "MiB/s", "ios", "clat avg us", "p50", "p99", "p99.9", "max", "syncs",
                 "sync avg us", "sync p99"});
    for (const fio::JobResult& job : result.jobs) {
      bool first = true;
      for (const auto* dir : {&job.read, &job.write}) {
        if (dir->total_ios == 0) continue;
        const double seconds = static_cast<double>(job.runtime_ns) / 1e9;
        const bool syncs = first && job.syncs != 0;
        table.row({job.options.name, dir == &job.read ? "read" : "write",
                   fmt::format("{:.1f}", static_cast<double>(dir->total_ios) / seconds),
                   fmt::format("{:.2f}", static_cast<double>(dir->io_bytes) / 1048576.0 / seconds),
                   fmt::format("{}", dir->total_ios), fmt::format("{:.2f}", dir->clat.mean() / 1000.0),
                   fmt::format("{:.2f}", us(dir->clat.percentile(50))),
                   fmt::format("{:.2f}", us(dir->clat.percentile(99))),
                   fmt::format("{:.2f}", us(dir->clat.percentile(99.9))), fmt::format("{:.2f}", us(dir->clat.max())),
                   syncs ? fmt::format("{}", job.syncs) : "",
                   syncs ? fmt::format("{:.2f}", job.sync_lat.mean() / 1000.0) : "",
                   syncs ? fmt::format("{:.2f}", us(job.sync_lat.percentile(99))) : ""});
        first = false;
      }
    }
    out += "\n" + table.text();
  }
  if (result.passthru_commands != 0) {
    out += fmt::format("\nnvme-cli: {} commands, {} errors, ioctl avg {:.1f} us, min {:.1f}, max {:.1f}\n",
                       result.passthru_commands, result.passthru_errors,
                       driver_avg_us(CommandSummary{0, 0, 0, 0, result.passthru_latency}),
                       us(result.passthru_latency.min()), us(result.passthru_latency.max()));
  }
  return out + run_footer_text(result);
}

ordered_json run_report_json(const Scenario& scenario, const RunResult& result) {
  ordered_json out;
  out["schema"] = "flushlab.run/1";
  out["scenario"] = scenario.name;
  out["device"] = scenario.device.name;
  out["kernel"] = scenario.kernel.name;
  out["host"] = scenario.host.name;
  out["seed"] = result.seed;
  out["event_log_hash"] = hash_text(result.event_log_hash);
  out["events"] = result.events;
  out["workload_ns"] = result.workload_ns;
  const auto& l = result.limits;
  out["queue"] = {{"write_cache", result.write_cache},
                  {"fua", l.fua() ? 1 : 0},
                  {"logical_block_size", l.logical_block_size},
                  {"physical_block_size", l.physical_block_size},
                  {"minimum_io_size", l.io_min},
                  {"optimal_io_size", l.io_opt},
                  {"max_hw_sectors_kb", l.max_hw_sectors / 2},
                  {"max_sectors_kb", l.max_sectors / 2}};
  ordered_json jobs = ordered_json::array();
  for (const fio::JobResult& job : result.jobs) {
    ordered_json j;
    j["name"] = job.options.name;
    j["job_number"] = job.job_number;
    j["runtime_ns"] = job.runtime_ns;
    for (const auto& [name, dir] : {std::pair{"read", &job.read}, std::pair{"write", &job.write}}) {
      const double seconds = static_cast<double>(job.runtime_ns) / 1e9;
      j[name] = {{"total_ios", dir->total_ios},
                 {"io_bytes", dir->io_bytes},
                 {"iops", seconds == 0 ? 0 : static_cast<double>(dir->total_ios) / seconds},
                 {"clat_avg_us", dir->clat.mean() / 1000.0},
                 {"clat_p99_us", us(dir->clat.percentile(99))}};
    }
    j["sync"] = {{"total_ios", job.syncs},
                 {"avg_us", job.sync_lat.mean() / 1000.0},
                 {"p99_us", us(job.sync_lat.percentile(99))}};
    j["error"] = job.error;
    j["worker_cpus"] = job.worker_cpus;
    jobs.push_back(std::move(j));
  }
  out["iops"] = iops(result);
  out["fsync_avg_us"] = fsync_avg_us(result);
  out["jobs"] = std::move(jobs);
  if (result.passthru_commands != 0) {
    out["nvme_cli"] = {{"commands", result.passthru_commands},
                       {"errors", result.passthru_errors},
                       {"ioctl_latency", latency_json(result.passthru_latency)}};
  }
  ordered_json commands;
  for (std::size_t kind = 0; kind < nvme::kCommandKinds; ++kind) {
    const CommandSummary& c = result.commands[kind];
    commands[kKindNames[kind]] = {{"commands", c.commands},
                                  {"fua", c.fua},
                                  {"errors", c.errors},
                                  {"bytes", c.bytes},
                                  {"driver_latency", latency_json(c.latency)}};
  }
  out["commands"] = std::move(commands);
  out["dirty_bytes_max"] = result.dirty_bytes_max;
  out["bytes_at_risk_max"] = result.bytes_at_risk_max;
  ordered_json laws = ordered_json::array();
  for (const Law& law : result.laws) laws.push_back({{"name", law.name}, {"ok", law.ok}, {"detail", law.detail}});
  out["laws"] = std::move(laws);
  out["kernel_messages"] = result.messages;
  out["ok"] = result.lawful();
  return out;
}

}  // namespace flushlab::lab
