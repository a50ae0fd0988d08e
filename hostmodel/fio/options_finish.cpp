// SPDX-License-Identifier: GPL-2.0-only
// What fio decides once it has read all options of a job: defaults that depend on other options, limits,
// contradictions.
#include <fmt/format.h>

#include <algorithm>

#include "hostmodel/fio/options.hpp"

namespace flushlab::fio {
namespace {

// Where the option that is named `name` in the table was last given, else `otherwise`.
std::string where_given(const JobOptions& job, std::string_view name, std::string_view otherwise) {
  for (auto given = job.given.rbegin(); given != job.given.rend(); ++given) {
    const OptionInfo* info = find_option(given->name);
    if (info != nullptr && info->name == name) return given->where;
  }
  return std::string(otherwise);
}

bool any(const PerDirection<std::uint64_t>& values) {
  return std::any_of(values.value.begin(), values.value.end(), [](std::uint64_t v) { return v != 0; });
}

bool any(const PerDirection<std::uint32_t>& values) {
  return std::any_of(values.value.begin(), values.value.end(), [](std::uint32_t v) { return v != 0; });
}

}  // namespace

JobOptions OptionSet::finish(std::string_view where) const {
  JobOptions job = raw_;
  const auto fail = [&](std::string_view option, std::string message, std::string remedy) {
    throw JobFileError({where_given(job, option, where), std::move(message), std::move(remedy)});
  };

  // Block sizes: a split decides, else a range, else bs; in whichever order they were written.
  for (std::size_t i = 0; i < kDirectionCount; ++i) {
    const auto& entries = job.bssplit.value[i];
    std::uint64_t& min_bytes = job.bs_min_bytes.value[i];
    std::uint64_t& max_bytes = job.bs_max_bytes.value[i];
    if (!entries.empty()) {
      if (range_min_bytes_.value[i]) {
        fail("bssplit", "bssplit and bsrange exclude each other", "keep one of them");
      }
      const auto [least, most] =
          std::minmax_element(entries.begin(), entries.end(),
                              [](const BsSplitEntry& a, const BsSplitEntry& b) { return a.bytes < b.bytes; });
      min_bytes = least->bytes;
      max_bytes = most->bytes;
    } else {
      min_bytes = range_min_bytes_.value[i].value_or(bs_bytes_.value[i]);
      max_bytes = range_max_bytes_.value[i].value_or(bs_bytes_.value[i]);
    }
    // fio heeds blockalign for random jobs only.
    job.blockalign_bytes.value[i] = is_random(job.rw) ? blockalign_bytes_.value[i].value_or(min_bytes) : min_bytes;
  }
  if (!is_random(job.rw) && std::any_of(blockalign_bytes_.value.begin(), blockalign_bytes_.value.end(),
                                        [](const auto& v) { return v.has_value(); })) {
    job.notes.emplace_back("blockalign has no effect on a sequential job");
  }

  if (!is_async(job.ioengine) && job.iodepth > 1) {
    job.notes.push_back(
        fmt::format("iodepth={} with the synchronous engine {} is capped at 1", job.iodepth, name_of(job.ioengine)));
    job.iodepth = 1;
  }
  const std::uint32_t batch = iodepth_batch_.value_or(1);
  job.iodepth_batch = batch == 0 || batch > job.iodepth ? job.iodepth : batch;
  job.iodepth_batch_complete_min = std::min(complete_min_.value_or(1), job.iodepth);
  job.iodepth_batch_complete_max =
      std::max(complete_max_.value_or(job.iodepth_batch_complete_min), job.iodepth_batch_complete_min);
  const std::uint32_t low = iodepth_low_.value_or(0);
  job.iodepth_low = low == 0 || low > job.iodepth ? job.iodepth : low;

  if (job.time_based && !job.runtime_ns) {
    job.notes.emplace_back("time_based needs a runtime, and is ignored without one");
    job.time_based = false;
  }
  if (any(job.rate_bytes_per_s) && any(job.rate_iops))
    fail("rate_iops", "rate and rate_iops exclude each other", "keep one of them");
  if (job.thinktime_spin_ns > job.thinktime_ns) {
    fail("thinktime_spin", "thinktime_spin is longer than thinktime",
         "thinktime is the whole pause, and the spin a part of it");
  }

  const bool distributed = job.random_distribution.kind != RandomDistribution::Kind::kUniform;
  const bool lfsr = job.random_generator == RandomGenerator::kLfsr;
  if (is_random(job.rw) && lfsr && distributed) {
    fail("random_distribution", "random_generator=lfsr visits every block once, whatever the distribution",
         "keep one of them");
  }
  if (distributed) job.norandommap = true;
  return job;
}

}  // namespace flushlab::fio
