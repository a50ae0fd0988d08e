// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flushlab::fio {

using nlohmann::ordered_json;

namespace {

constexpr double kDefaultPercentiles[] = {1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

std::uint64_t runtime_ms(const JobResult& job) {
  return (job.runtime_ns + 999'999) / 1'000'000;
}

std::vector<double> percentiles_of(const JobResult& job) {
  if (!job.options.percentile_list.empty()) return job.options.percentile_list;
  return {std::begin(kDefaultPercentiles), std::end(kDefaultPercentiles)};
}

ordered_json latency(const ClatHistogram& h, const JobResult& job, bool percentiles, bool bins) {
  ordered_json out;
  const bool any = h.count() != 0;
  out["min"] = any ? h.min() : 0;
  out["max"] = any ? h.max() : 0;
  out["mean"] = any ? h.mean() : 0.0;
  out["stddev"] = any ? h.stddev() : 0.0;
  out["N"] = h.count();
  if (percentiles && any) {
    ordered_json list;
    for (const double p : percentiles_of(job)) list[fmt::format("{:.6f}", p)] = h.percentile(p);
    out["percentile"] = std::move(list);
    if (bins) {
      ordered_json counts;
      h.for_each_bin([&](std::uint64_t value_ns, std::uint64_t count) { counts[fmt::format("{}", value_ns)] = count; });
      out["bins"] = std::move(counts);
    }
  }
  return out;
}

ordered_json direction(const DirectionStats& stats, const JobResult& job, bool bins) {
  const std::uint64_t ms = runtime_ms(job);
  const std::uint64_t bw_bytes = ms == 0 ? 0 : 1000 * stats.io_bytes / ms;
  ordered_json out;
  out["io_bytes"] = stats.io_bytes;
  out["io_kbytes"] = stats.io_bytes >> 10;
  out["bw_bytes"] = bw_bytes;
  out["bw"] = bw_bytes / 1024;
  out["iops"] = ms == 0 ? 0.0 : 1000.0 * static_cast<double>(stats.total_ios) / static_cast<double>(ms);
  out["runtime"] = stats.total_ios == 0 ? 0 : ms;
  out["total_ios"] = stats.total_ios;
  out["short_ios"] = 0;
  out["drop_ios"] = 0;
  out["slat_ns"] = latency(stats.slat, job, false, false);
  out["clat_ns"] = latency(stats.clat, job, job.options.clat_percentiles, bins);
  out["lat_ns"] = latency(stats.lat, job, false, false);
  return out;
}

struct Scale {
  double divisor;
  const char* unit;
};
// fio's choice of unit for a latency line.
Scale scale_of(const ClatHistogram& h) {
  if (h.min() > 2'000'000 && h.max() > 99'999'999 && h.stddev() > 1e6) return {1e6, "msec"};
  if (h.min() > 2000 && h.max() > 99'999 && h.stddev() > 1000) return {1e3, "usec"};
  return {1, "nsec"};
}

std::string latency_line(const char* label, const ClatHistogram& h) {
  if (h.count() == 0) return {};
  const Scale s = scale_of(h);
  return fmt::format("    {} ({}): min={:.0f}, max={:.0f}, avg={:.2f}, stdev={:.2f}\n", label, s.unit,
                     static_cast<double>(h.min()) / s.divisor, static_cast<double>(h.max()) / s.divisor,
                     h.mean() / s.divisor, h.stddev() / s.divisor);
}

std::string percentile_lines(const char* label, const ClatHistogram& h, const JobResult& job) {
  if (h.count() == 0 || !job.options.clat_percentiles) return {};
  const Scale s = scale_of(h);
  std::string out = fmt::format("    {} percentiles ({}):\n", label, s.unit);
  const std::vector<double> list = percentiles_of(job);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i % 4 == 0) out += "     | ";
    out += fmt::format("{:5.2f}th=[{:5.0f}]", list[i], static_cast<double>(h.percentile(list[i])) / s.divisor);
    out += i + 1 == list.size() ? "\n" : i % 4 == 3 ? ",\n" : ", ";
  }
  return out;
}

// fio's short numbers: 3927, 44.4k, 1.20M.
std::string short_count(double value) {
  if (value < 10'000) return fmt::format("{:.0f}", value);
  if (value < 1e6) return value < 1e5 ? fmt::format("{:.1f}k", value / 1e3) : fmt::format("{:.0f}k", value / 1e3);
  return fmt::format("{:.2f}M", value / 1e6);
}

}  // namespace

ordered_json json_output(const std::vector<JobResult>& jobs, bool with_bins) {
  ordered_json out;
  out["fio version"] = "fio-3.33 (flushlab)";
  ordered_json list = ordered_json::array();
  for (const JobResult& job : jobs) {
    ordered_json j;
    j["jobname"] = job.options.name;
    j["groupid"] = job.groupid;
    j["error"] = -job.error;
    j["elapsed"] = (job.start_ns + job.runtime_ns + 999'999'999) / 1'000'000'000;
    ordered_json given;
    for (const GivenOption& option : job.options.given) given[option.name] = option.bare ? "1" : option.value;
    j["job options"] = std::move(given);
    j["read"] = direction(job.read, job, with_bins);
    j["write"] = direction(job.write, job, with_bins);
    j["trim"] = direction(DirectionStats{}, job, with_bins);
    j["sync"] = {{"total_ios", job.syncs}, {"lat_ns", latency(job.sync_lat, job, true, with_bins)}};
    j["job_runtime"] = runtime_ms(job);
    j["latency_depth"] = job.options.iodepth;
    list.push_back(std::move(j));
  }
  out["jobs"] = std::move(list);
  out["disk_util"] = ordered_json::array();
  return out;
}

std::string normal_output(const std::vector<JobResult>& jobs) {
  std::string out;
  for (const JobResult& job : jobs) {
    for (const std::string& note : job.options.notes) out += "note: " + note + "\n";
    out += fmt::format("{}: (groupid={}, jobs=1): err={:2}\n", job.options.name, job.groupid, -job.error);
    const std::uint64_t ms = runtime_ms(job);
    for (const auto& [name, stats] : {std::pair{"read", &job.read}, std::pair{"write", &job.write}}) {
      if (stats->total_ios == 0) continue;
      const double seconds = static_cast<double>(ms) / 1000.0;
      const double iops = std::floor(static_cast<double>(stats->total_ios) / seconds);
      const double bytes_per_s = static_cast<double>(stats->io_bytes) / seconds;
      out +=
          fmt::format("  {}: IOPS={}, BW={:.1f}MiB/s ({:.1f}MB/s)({:.1f}MiB/{}msec)\n", name, short_count(iops),
                      bytes_per_s / 1048576.0, bytes_per_s / 1e6, static_cast<double>(stats->io_bytes) / 1048576.0, ms);
      out += latency_line("slat", stats->slat);
      out += latency_line("clat", stats->clat);
      out += latency_line(" lat", stats->lat);
      out += percentile_lines("clat", stats->clat, job);
    }
    if (job.syncs != 0) {
      out += "  fsync/fdatasync/sync_file_range:\n";
      out += latency_line("sync", job.sync_lat);
      out += percentile_lines("sync", job.sync_lat, job);
    }
    out += fmt::format("     issued rwts: total={},{},0,{} short=0,0,0,0 dropped=0,0,0,0\n", job.read.total_ios,
                       job.write.total_ios, job.syncs);
  }
  return out;
}

}  // namespace flushlab::fio
