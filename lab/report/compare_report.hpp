// SPDX-License-Identifier: GPL-2.0-only
// Two runs side by side, with ratios.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/scenario/run.hpp"

namespace flushlab::lab {

struct Comparison {
  struct Row {
    std::string figure;
    double a = 0;
    double b = 0;
  };
  std::string name_a, name_b;
  std::string write_cache_a, write_cache_b;
  std::uint64_t hash_a = 0, hash_b = 0;
  std::vector<Row> rows;
};

[[nodiscard]] Comparison compare_runs(const std::string& name_a, const RunResult& a, const std::string& name_b,
                                      const RunResult& b);
[[nodiscard]] std::string comparison_text(const Comparison& comparison);
[[nodiscard]] nlohmann::ordered_json comparison_json(const Comparison& comparison);  // "flushlab.compare/1"

}  // namespace flushlab::lab
