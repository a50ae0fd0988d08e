// SPDX-License-Identifier: GPL-2.0-only
// From Identify to queue limits, explained: every limit with the formula that gave it, the fields that it came from,
// and what is implausible about them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hostmodel/block/queue_limits.hpp"
#include "hostmodel/kernel/kernel_profile.hpp"
#include "hostmodel/nvme/limits.hpp"

namespace flushlab::lab {

// One attribute of /sys/block/DEVICE/queue.
struct LimitLine {
  std::string name;     // sysfs's
  std::string value;    // as sysfs shows it
  std::string formula;  // with the numbers in it
  std::string fields;   // of Identify and CAP
};

struct LimitsReport {
  std::string kernel;
  std::string rejected;  // why the kernel refuses the limits; empty: it takes them
  block::QueueLimits limits;
  std::uint64_t sectors = 0;  // capacity, 512 bytes
  std::vector<LimitLine> lines;
  std::vector<std::string> warnings;
};

[[nodiscard]] LimitsReport explain_limits(const kernel::KernelProfile& kernel, const nvme::IdentifyView& identify,
                                          std::uint16_t cpus);

// {"kernel": ..., "limits": {...}, "warnings": [...]} with sysfs's names and units; "limits" is null where the kernel
// refuses them, and "rejected" says why.
[[nodiscard]] nlohmann::ordered_json to_json(const LimitsReport& report);
[[nodiscard]] std::string to_text(const LimitsReport& report);
// Several kernels side by side; a value that differs from the first column's is marked with *.
[[nodiscard]] std::string to_text(const std::vector<LimitsReport>& reports);

}  // namespace flushlab::lab
