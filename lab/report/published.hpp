// SPDX-License-Identifier: GPL-2.0-only
// Published figures: what others measured, which run answers each, and how well.
//
// Rules:
//   P1  A figure comes out of a scenario with one device and one host profile for all rows of a machine; nothing in a
//   row
//       changes a parameter.
//   P2  A cell says whether its figure took part in fitting ("calibrated") or not ("predicted").
//   P3  A figure that rests on a draw which the publication does not state is shown as the 5 to 95 % band over many
//       draws, and holds when the published value lies inside. It is never shown as one chosen draw.
//   P4  A cell that no one set of parameters can reach together with the others prints its error and the reason.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/scenario/config.hpp"

namespace flushlab::lab {

struct PublishedCell {
  std::string column;
  nlohmann::ordered_json published;  // a number, or a word
  std::string scenario;
  std::vector<std::string> sets;  // overrides for this cell's run: the row's own inputs, never parameters
  std::string metric;
  std::string over;    // gain: the scenario of the denominator
  std::string status;  // "calibrated" or "predicted"
  double tolerance_pct = 2.0;
  struct Band {
    unsigned draws = 0;
    std::string over;  // the path that is drawn: 1, 2, ...
    std::vector<std::string> sets;
  };
  std::optional<Band> band;
  std::string impossible;  // the reason (P4)
};

struct PublishedRow {
  nlohmann::ordered_json labels;
  std::vector<PublishedCell> cells;
};

struct PublishedTable {
  std::string id, source, device, workload;
  std::vector<PublishedRow> rows;
};

// All tables of configs/published, in file order. Throws ConfigError.
[[nodiscard]] std::vector<PublishedTable> load_published(const ConfigRoot& root);

struct CellResult {
  const PublishedCell* cell = nullptr;
  nlohmann::ordered_json simulated;
  std::optional<double> error_pct;  // not for words
  bool ok = false;
  struct Band {
    double low = 0, median = 0, high = 0;
  };
  std::optional<Band> band;
  std::string note;
};

struct Reproduction {
  std::uint64_t seed = 1;
  std::uint64_t event_log_hash = 0;  // of all runs, in order
  std::size_t runs = 0;
  struct Row {
    const PublishedRow* row = nullptr;
    std::vector<CellResult> cells;
  };
  struct Table {
    const PublishedTable* table = nullptr;
    std::vector<Row> rows;
  };
  std::vector<Table> tables;
  // Every cell holds, but for those with a reason why they cannot.
  [[nodiscard]] bool ok() const;
};

// Runs what the tables need, each distinct run once, on up to `threads` threads. `tables` must outlive the result.
[[nodiscard]] Reproduction reproduce(const ConfigRoot& root, const std::vector<PublishedTable>& tables,
                                     std::uint64_t seed, std::span<const std::string> sets, unsigned threads);

[[nodiscard]] std::string reproduction_text(const Reproduction& reproduction);
[[nodiscard]] nlohmann::ordered_json reproduction_json(const Reproduction& reproduction);  // "flushlab.reproduce/1"

}  // namespace flushlab::lab
