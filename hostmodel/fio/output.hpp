// SPDX-License-Identifier: GPL-2.0-only
// Results as fio 3.33 prints them: --output-format=json with fio's own keys, and the human summary.
//
// What a simulation cannot have is left out rather than made up: process ids, page faults, context switches, wall-clock
// timestamps. What it has is computed as fio computes it (IOPS from a runtime in whole milliseconds, rounded up).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hostmodel/fio/job.hpp"

namespace flushlab::fio {

[[nodiscard]] nlohmann::ordered_json json_output(const std::vector<JobResult>& jobs, bool with_bins);
[[nodiscard]] std::string normal_output(const std::vector<JobResult>& jobs);

}  // namespace flushlab::fio
