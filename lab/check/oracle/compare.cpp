// SPDX-License-Identifier: GPL-2.0-only
#include "lab/check/oracle/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace flushlab::lab::oracle {

namespace {

template <typename C>
std::string line(const C& c) {
  std::string out = c.op;
  if (c.nlb != 0) out += fmt::format(" {}+{}", c.slba, c.nlb);
  if (c.fua) out += " fua";
  if (!c.args.empty() && (c.qid == 0 || c.nlb == 0 || c.op == "dsm")) out += " " + c.args;
  if (c.qid == 0) out += fmt::format(" nsid={}", c.nsid);
  if (c.status != 0) out += fmt::format(" status={:#06x}", c.status);
  if (c.result != 0) out += fmt::format(" result={:#x}", c.result);
  return out;
}

}  // namespace

std::string line_of(const RecordedCommand& command) {
  return line(command);
}
std::string line_of(const ModelCommand& command) {
  return line(command);
}

Difference compare_lines(const std::vector<std::string>& recorded, const std::vector<std::string>& model,
                         const std::string& what) {
  Difference difference;
  const auto [r, m] = std::mismatch(recorded.begin(), recorded.end(), model.begin(), model.end());
  if (r == recorded.end() && m == model.end()) return difference;
  difference.equal = false;
  difference.at = static_cast<std::size_t>(r - recorded.begin());
  constexpr std::size_t kAround = 3;
  const std::size_t first = difference.at > kAround ? difference.at - kAround : 0;
  difference.details.push_back(fmt::format("{:>6}  {:<50}  {}", what.substr(0, 6), "recorded", "model"));
  for (std::size_t i = first; i < std::max(recorded.size(), model.size()) && i <= difference.at + kAround; ++i) {
    const std::string left = i < recorded.size() ? recorded[i] : "(nothing)";
    const std::string right = i < model.size() ? model[i] : "(nothing)";
    difference.details.push_back(fmt::format("{:>5}{} {:<50}  {}", i, left == right ? " " : "*", left, right));
  }
  return difference;
}

bool same_blocks(const std::vector<RecordedCommand>& recorded, const std::vector<ModelCommand>& model,
                 std::uint64_t most_blocks) {
  // Runs of data commands between commands without a range; in each run the blocks by kind.
  using Range = std::tuple<std::string, bool, std::uint64_t, std::uint64_t>;  // op, fua, begin, end
  const auto runs_of = [](const auto& commands) {
    std::vector<std::vector<Range>> runs(1);
    std::vector<std::string> between;
    for (const auto& c : commands) {
      if (c.nlb == 0 || c.op == "dsm" || c.op == "write_zeroes") {
        between.push_back(line_of(c));
        runs.emplace_back();
      } else {
        runs.back().emplace_back(c.op, c.fua, c.slba, c.slba + c.nlb);
      }
    }
    for (auto& run : runs) {
      std::sort(run.begin(), run.end());
      std::vector<Range> joined;
      for (const Range& range : run) {
        if (!joined.empty() && std::get<0>(joined.back()) == std::get<0>(range) &&
            std::get<1>(joined.back()) == std::get<1>(range) && std::get<3>(joined.back()) == std::get<2>(range)) {
          std::get<3>(joined.back()) = std::get<3>(range);
        } else {
          joined.push_back(range);
        }
      }
      run = std::move(joined);
    }
    return std::pair(std::move(runs), std::move(between));
  };
  const bool legal = std::all_of(recorded.begin(), recorded.end(), [&](const RecordedCommand& c) {
    return c.nlb <= most_blocks || c.op == "dsm" || c.op == "write_zeroes";
  });
  return legal && runs_of(recorded) == runs_of(model);
}

namespace {

bool by_worker(const std::string& task) {
  return task.starts_with("kworker");
}

template <typename C>
bool is_identify(const C& c, unsigned cns) {
  return c.op == "nvme_admin_identify" && c.args.starts_with(fmt::format("cns={},", cns));
}

// Streams whose order is certain: each program's, and the workers' by namespace.
template <typename C>
std::map<std::string, std::vector<std::string>> streams_of(const std::vector<C>& commands) {
  std::map<std::string, std::vector<std::string>> streams;
  for (const C& c : commands) {
    const std::string key = by_worker(c.task) ? fmt::format("worker, nsid {}", c.nsid) : "programs";
    streams[key].push_back(line_of(c));
  }
  return streams;
}

// The workers' commands without those that scans repeat; and how many scans there were, each whole. False: one is not.
template <typename C>
bool take_scans(const std::vector<C>& commands, std::vector<std::string>& rest, std::size_t& scans,
                std::vector<std::string>& shape) {
  std::map<std::uint32_t, std::vector<std::string>> by_namespace;
  std::size_t controller_lists = 0;
  scans = 0;
  for (const C& c : commands) {
    if (!by_worker(c.task)) continue;
    if (is_identify(c, 6)) {
      ++controller_lists;
    } else if (is_identify(c, 2)) {
      ++scans;
    } else if (c.op == "nvme_admin_identify" && c.nsid != 0) {
      by_namespace[c.nsid].push_back(line_of(c));
    } else {
      rest.push_back(line_of(c));
    }
  }
  if (scans == 0) return by_namespace.empty() && controller_lists == 0;
  for (const auto& [nsid, lines] : by_namespace) {
    if (lines.size() % scans != 0) return false;
    const std::size_t unit = lines.size() / scans;
    for (std::size_t i = unit; i < lines.size(); ++i) {
      if (lines[i] != lines[i % unit]) return false;
    }
    shape.insert(shape.end(), lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(unit));
  }
  return controller_lists == 0 || controller_lists == scans;
}

// Events that ask for a scan: resets, and commands of programs that the driver follows with one.
template <typename C>
std::size_t scan_requests(const std::vector<C>& commands) {
  std::size_t requests = 1;  // a rescan by ioctl or sysfs leaves no command of its own
  for (const C& c : commands) {
    if (c.op == "nvme_admin_set_features" && c.args.starts_with("fid=0x6,") && !by_worker(c.task)) ++requests;
    if (is_identify(c, 1) && by_worker(c.task)) ++requests;
  }
  return requests;
}

}  // namespace

AdminComparison compare_admin(const std::vector<RecordedCommand>& recorded, const std::vector<ModelCommand>& model,
                              const std::string& disk) {
  AdminComparison comparison;
  std::vector<std::string> r;
  std::vector<std::string> m;
  for (const RecordedCommand& c : recorded) r.push_back(line_of(c));
  for (const ModelCommand& c : model) m.push_back(line_of(c));
  const Difference whole = compare_lines(r, m, "admin");
  if (whole.equal) return comparison;
  comparison.exact = false;
  const auto recorded_streams = streams_of(recorded);
  const auto model_streams = streams_of(model);
  if (recorded_streams == model_streams) return comparison;
  const auto programs_of = [](const auto& streams) {
    const auto it = streams.find("programs");
    return it == streams.end() ? std::vector<std::string>{} : it->second;
  };
  const Difference programs = compare_lines(programs_of(recorded_streams), programs_of(model_streams), "admin");
  if (!programs.equal) {
    comparison.failure = fmt::format("admin commands of {}, from command {} on", disk, programs.at);
    comparison.details = programs.details;
    return comparison;
  }
  std::vector<std::string> recorded_rest, model_rest, recorded_shape, model_shape;
  std::size_t recorded_scans = 0;
  std::size_t model_scans = 0;
  const bool whole_scans = take_scans(recorded, recorded_rest, recorded_scans, recorded_shape) &&
                           take_scans(model, model_rest, model_scans, model_shape);
  const std::size_t most = scan_requests(recorded);
  const bool same = whole_scans && recorded_rest == model_rest && recorded_shape == model_shape &&
                    (recorded_scans != 0) == (model_scans != 0) && recorded_scans <= most && model_scans <= most;
  if (same) return comparison;
  comparison.failure = fmt::format("admin commands of {}, from command {} on", disk, whole.at);
  comparison.details = whole.details;
  return comparison;
}

}  // namespace flushlab::lab::oracle
