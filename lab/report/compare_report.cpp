// SPDX-License-Identifier: GPL-2.0-only
#include "lab/report/compare_report.hpp"

#include <fmt/format.h>

#include "lab/report/run_report.hpp"
#include "lab/report/table.hpp"

namespace flushlab::lab {

Comparison compare_runs(const std::string& name_a, const RunResult& a, const std::string& name_b, const RunResult& b) {
  Comparison out;
  out.name_a = name_a;
  out.name_b = name_b;
  out.write_cache_a = a.write_cache;
  out.write_cache_b = b.write_cache;
  out.hash_a = a.event_log_hash;
  out.hash_b = b.event_log_hash;
  const auto both = [&](const char* figure, auto&& f) { out.rows.push_back({figure, f(a), f(b)}); };
  using nvme::CommandKind;
  both("iops", [](const RunResult& r) { return iops(r); });
  both("fsync_avg_us", [](const RunResult& r) { return fsync_avg_us(r); });
  both("writes", [](const RunResult& r) { return static_cast<double>(r.of(CommandKind::kWrite).commands); });
  both("fua_writes", [](const RunResult& r) { return static_cast<double>(r.of(CommandKind::kWrite).fua); });
  both("flushes", [](const RunResult& r) { return static_cast<double>(r.of(CommandKind::kFlush).commands); });
  both("write_driver_avg_us", [](const RunResult& r) { return driver_avg_us(r.of(CommandKind::kWrite)); });
  both("flush_driver_avg_us", [](const RunResult& r) { return driver_avg_us(r.of(CommandKind::kFlush)); });
  both("dirty_bytes_max", [](const RunResult& r) { return static_cast<double>(r.dirty_bytes_max); });
  return out;
}

std::string comparison_text(const Comparison& comparison) {
  Table table({"figure", comparison.name_a, comparison.name_b, "ratio"});
  table.row({"write_cache", comparison.write_cache_a, comparison.write_cache_b, ""});
  for (const auto& row : comparison.rows) {
    table.row({row.figure, fmt::format("{:.1f}", row.a), fmt::format("{:.1f}", row.b),
               row.a == 0 ? std::string("-") : fmt::format("x{:.3f}", row.b / row.a)});
  }
  return table.text() + fmt::format("event log hashes: {:#018x} {:#018x}\n", comparison.hash_a, comparison.hash_b);
}

nlohmann::ordered_json comparison_json(const Comparison& comparison) {
  nlohmann::ordered_json out;
  out["schema"] = "flushlab.compare/1";
  out["a"] = {{"name", comparison.name_a},
              {"write_cache", comparison.write_cache_a},
              {"event_log_hash", fmt::format("{:#018x}", comparison.hash_a)}};
  out["b"] = {{"name", comparison.name_b},
              {"write_cache", comparison.write_cache_b},
              {"event_log_hash", fmt::format("{:#018x}", comparison.hash_b)}};
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& row : comparison.rows) {
    nlohmann::ordered_json r{{"figure", row.figure}, {"a", row.a}, {"b", row.b}};
    r["ratio"] = row.a == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(row.b / row.a);
    rows.push_back(std::move(r));
  }
  out["figures"] = std::move(rows);
  return out;
}

}  // namespace flushlab::lab
