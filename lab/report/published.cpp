// SPDX-License-Identifier: GPL-2.0-only
#include "lab/report/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lab/report/run_report.hpp"
#include "lab/report/table.hpp"
#include "lab/scenario/document.hpp"
#include "lab/scenario/run.hpp"

namespace flushlab::lab {

using nlohmann::ordered_json;

namespace {

// ---- loading ----

// A value of a published file, with its place for errors.
class Node {
 public:
  Node(const Document& document, std::string pointer) : document_(&document), pointer_(std::move(pointer)) {}
  [[nodiscard]] const Json& json() const { return document_->tree.at(Json::json_pointer(pointer_)); }
  [[nodiscard]] bool has(const char* key) const { return json().contains(key); }
  [[nodiscard]] Node operator[](const std::string& key) const { return {*document_, pointer_ + pointer_step(key)}; }
  [[noreturn]] void refuse(const std::string& message) const { fail(document_->places.at(pointer_), message); }
  [[nodiscard]] std::string text(const char* key) const {
    if (!has(key) || !json()[key].is_string()) refuse(fmt::format("\"{}\" is needed, a text", key));
    return json()[key].get<std::string>();
  }
  [[nodiscard]] std::vector<Node> list(const char* key) const {
    if (!has(key) || !json()[key].is_array()) refuse(fmt::format("\"{}\" is needed, a list", key));
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < json()[key].size(); ++i) nodes.push_back((*this)[key][std::to_string(i)]);
    return nodes;
  }
  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> out;
    if (!has(key)) return out;
    for (const Node& node : list(key)) {
      if (!node.json().is_string()) node.refuse("expected a text");
      out.push_back(node.json().get<std::string>());
    }
    return out;
  }
  void only(const std::vector<std::string_view>& keys) const {
    if (!json().is_object()) refuse("expected an object, not " + describe(json()));
    for (const auto& [key, unused] : json().items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        fail(document_->places.at(pointer_ + pointer_step(key)), "unknown key", suggest(key, keys));
    }
  }

 private:
  const Document* document_;
  std::string pointer_;
};

const std::vector<std::string_view> kMetrics = {
    "iops",          "fsync_avg_us",       "flushes", "passthru_flush_avg_us", "flush_driver_avg_us",
    "write_cache",   "write_cache_hyphen", "gain",    "bandwidth_kib_s",       "bytes_written_mib",
    "block_sequence"};

PublishedCell read_cell(const Node& node) {
  node.only(
      {"column", "published", "scenario", "set", "metric", "over", "status", "tolerance_pct", "band", "impossible"});
  PublishedCell cell;
  cell.column = node.text("column");
  if (!node.has("published") || !(node.json()["published"].is_number() || node.json()["published"].is_string()))
    node.refuse("\"published\" is needed, a number or a word");
  cell.published = node.json()["published"];
  cell.scenario = node.text("scenario");
  cell.sets = node.texts("set");
  cell.metric = node.text("metric");
  if (std::find(kMetrics.begin(), kMetrics.end(), cell.metric) == kMetrics.end())
    node["metric"].refuse("unknown metric; " + suggest(cell.metric, kMetrics));
  if (cell.metric == "gain") cell.over = node.text("over");
  cell.status = node.text("status");
  if (cell.status != "calibrated" && cell.status != "predicted")
    node["status"].refuse("expected \"calibrated\" or \"predicted\"");
  if (node.has("tolerance_pct")) cell.tolerance_pct = node.json()["tolerance_pct"].get<double>();
  if (node.has("impossible")) cell.impossible = node.text("impossible");
  if (node.has("band")) {
    const Node band = node["band"];
    band.only({"draws", "over", "set"});
    if (!band.has("draws") || !band.json()["draws"].is_number_unsigned() || band.json()["draws"].get<unsigned>() < 2)
      band.refuse("\"draws\" is needed, 2 or more");
    cell.band = PublishedCell::Band{band.json()["draws"].get<unsigned>(), band.text("over"), band.texts("set")};
  }
  return cell;
}

// ---- running ----

// What a cell can ask of a run.
struct Metrics {
  double iops = 0, fsync_avg_us = 0, flushes = 0, passthru_flush_avg_us = 0, flush_driver_avg_us = 0;
  double bandwidth_kib_s = 0, bytes_written_mib = 0;
  std::string write_cache;
  std::string block_sequence;
  std::uint64_t hash = 0;
  bool lawful = true;
};

Metrics metrics_of(const RunResult& run) {
  const CommandSummary& flush = run.of(nvme::CommandKind::kFlush);
  return {iops(run),
          fsync_avg_us(run),
          static_cast<double>(flush.commands),
          passthru_avg_us(run),
          driver_avg_us(flush),
          bandwidth_kib_s(run),
          bytes_written_mib(run),
          run.write_cache,
          run.block_sequence,
          run.event_log_hash,
          run.lawful()};
}

// All distinct runs, by scenario and overrides, in the order in which they were first asked for.
class Runs {
 public:
  Runs(const ConfigRoot& root, std::uint64_t seed, std::span<const std::string> sets)
      : root_(root), seed_(seed), sets_(sets.begin(), sets.end()) {}

  std::size_t ask(const std::string& scenario, const std::vector<std::string>& sets) {
    std::string key = scenario;
    for (const std::string& set : sets) key += '\n' + set;
    const auto [it, fresh] = index_.emplace(key, scenarios_.size());
    if (fresh) {
      std::vector<std::string> all = sets;
      all.push_back(fmt::format("seed={}", seed_));
      all.insert(all.end(), sets_.begin(), sets_.end());
      scenarios_.push_back(load_scenario(root_, scenario, all));
    }
    return it->second;
  }
  void run(unsigned threads) {
    metrics_.resize(scenarios_.size());
    for_each_run(
        scenarios_, threads, [&](std::size_t i, const RunResult& result) { metrics_[i] = metrics_of(result); },
        [&](std::size_t i) {
          RunOptions options;
          options.block_sequence = sequences_.count(i) != 0;
          return options;
        });
  }
  void want_sequence(std::size_t run) { sequences_.insert(run); }
  [[nodiscard]] const Metrics& at(std::size_t run) const { return metrics_[run]; }
  [[nodiscard]] const std::vector<Metrics>& all() const { return metrics_; }

 private:
  const ConfigRoot& root_;
  std::uint64_t seed_;
  std::vector<std::string> sets_;
  std::map<std::string, std::size_t> index_;
  std::vector<Scenario> scenarios_;
  std::vector<Metrics> metrics_;
  std::set<std::size_t> sequences_;  // runs whose block_sequence is asked for
};

// The runs that one cell rests on.
struct CellRuns {
  std::size_t run = 0;
  std::size_t over = 0;
  std::vector<std::size_t> draws;
};

CellRuns ask_for(Runs& runs, const PublishedCell& cell) {
  CellRuns asked;
  asked.run = runs.ask(cell.scenario, cell.sets);
  if (cell.metric == "block_sequence") runs.want_sequence(asked.run);
  if (!cell.over.empty()) asked.over = runs.ask(cell.over, cell.sets);
  if (cell.band) {
    for (unsigned draw = 1; draw <= cell.band->draws; ++draw) {
      std::vector<std::string> sets = cell.band->sets;
      sets.push_back(fmt::format("{}={}", cell.band->over, draw));
      asked.draws.push_back(runs.ask(cell.over.empty() ? cell.scenario : cell.over, sets));
    }
  }
  return asked;
}

double number_of(const Metrics& m, const std::string& metric) {
  if (metric == "iops") return m.iops;
  if (metric == "fsync_avg_us") return m.fsync_avg_us;
  if (metric == "flushes") return m.flushes;
  if (metric == "bandwidth_kib_s") return m.bandwidth_kib_s;
  if (metric == "bytes_written_mib") return m.bytes_written_mib;
  if (metric == "passthru_flush_avg_us") return m.passthru_flush_avg_us;
  return m.flush_driver_avg_us;
}

double error_pct(double simulated, double published) {
  if (published == 0) return simulated == 0 ? 0 : 100;
  return (simulated - published) / published * 100;
}

void judge_band(const PublishedCell& cell, const std::vector<double>& draws, CellResult& result) {
  std::vector<double> sorted = draws;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double fraction) {
    return sorted[static_cast<std::size_t>(std::lround(fraction * static_cast<double>(sorted.size() - 1)))];
  };
  const double published = cell.published.get<double>();
  result.band = CellResult::Band{at(0.05), at(0.5), at(0.95)};
  result.simulated = result.band->median;
  result.error_pct = error_pct(result.band->median, published);
  result.ok = result.band->low <= published && published <= result.band->high;
  std::size_t nearest = 0;
  for (std::size_t i = 1; i < draws.size(); ++i) {
    if (std::abs(draws[i] - published) < std::abs(draws[nearest] - published)) nearest = i;
  }
  result.note = fmt::format("5 to 95 % of {} draws of {}; nearest draw {}: {:.1f} ({:+.1f} %)", draws.size(),
                            cell.band->over, nearest + 1, draws[nearest], error_pct(draws[nearest], published));
}

std::string last_words(const std::string& text, std::size_t count) {
  std::size_t from = text.size();
  while (from != 0 && (text[from - 1] != ' ' || --count != 0)) --from;
  return text.substr(from);
}

CellResult judge(const Runs& runs, const PublishedCell& cell, const CellRuns& asked) {
  CellResult result;
  result.cell = &cell;
  const Metrics& run = runs.at(asked.run);
  if (cell.metric == "write_cache" || cell.metric == "write_cache_hyphen") {
    std::string mode = run.write_cache;
    if (cell.metric == "write_cache_hyphen") std::replace(mode.begin(), mode.end(), ' ', '-');
    result.simulated = mode;
    result.ok = mode == cell.published.get<std::string>();
    return result;
  }
  if (cell.metric == "block_sequence") {  // its end: the array had been written to before
    const std::string published = cell.published.get<std::string>();
    const std::string simulated = last_words(
        run.block_sequence, static_cast<std::size_t>(std::count(published.begin(), published.end(), ' ')) + 1);
    result.simulated = simulated;
    result.ok = simulated == published;
    return result;
  }
  const auto value = [&](std::size_t draw) {
    return cell.metric == "gain" ? run.iops / runs.at(draw).iops : number_of(runs.at(draw), cell.metric);
  };
  if (cell.band) {
    std::vector<double> draws;
    for (const std::size_t draw : asked.draws) draws.push_back(value(draw));
    judge_band(cell, draws, result);
    return result;
  }
  const double simulated = cell.metric == "gain" ? value(asked.over) : value(asked.run);
  result.simulated = simulated;
  result.error_pct = error_pct(simulated, cell.published.get<double>());
  result.ok = std::abs(*result.error_pct) <= cell.tolerance_pct;
  if (!cell.impossible.empty() && !result.ok) result.note = cell.impossible;
  return result;
}

std::string labels_text(const ordered_json& labels) {
  std::string out;
  for (const auto& [key, value] : labels.items()) {
    out += out.empty() ? "" : ", ";
    out += value.is_string() ? value.get<std::string>() : key + " " + value.dump();
  }
  return out;
}

std::string value_text(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  const auto number = value.get<double>();
  return number == std::floor(number) ? fmt::format("{:.0f}", number) : fmt::format("{:.1f}", number);
}

}  // namespace

std::vector<PublishedTable> load_published(const ConfigRoot& root) {
  std::vector<PublishedTable> tables;
  const auto folder = root.directory / "published";
  for (const std::string& name : root.list_files(folder)) {
    const auto text = root.read_file(folder / name);
    if (!text) continue;
    const Document document = parse_document(*text, "published/" + name);
    const Node top(document, "");
    top.only({"tables"});
    for (const Node& node : top.list("tables")) {
      node.only({"id", "source", "device", "workload", "rows"});
      PublishedTable table{node.text("id"), node.text("source"), node.text("device"), node.text("workload"), {}};
      for (const Node& row_node : node.list("rows")) {
        row_node.only({"labels", "cells"});
        PublishedRow row;
        row.labels = row_node.json().value("labels", ordered_json::object());
        for (const Node& cell : row_node.list("cells")) row.cells.push_back(read_cell(cell));
        table.rows.push_back(std::move(row));
      }
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

bool Reproduction::ok() const {
  for (const Table& table : tables) {
    for (const Row& row : table.rows) {
      for (const CellResult& cell : row.cells) {
        if (!cell.ok && cell.cell->impossible.empty()) return false;
      }
    }
  }
  return true;
}

Reproduction reproduce(const ConfigRoot& root, const std::vector<PublishedTable>& tables, std::uint64_t seed,
                       std::span<const std::string> sets, unsigned threads) {
  Runs runs(root, seed, sets);
  std::vector<CellRuns> asked;
  for (const PublishedTable& table : tables) {
    for (const PublishedRow& row : table.rows) {
      for (const PublishedCell& cell : row.cells) asked.push_back(ask_for(runs, cell));
    }
  }
  runs.run(threads);
  Reproduction out;
  out.seed = seed;
  sim::EventLog hash;
  for (const Metrics& m : runs.all()) hash.record(0, sim::EventKind::kJob, m.hash);
  out.event_log_hash = hash.hash();
  out.runs = runs.all().size();
  std::size_t next = 0;
  for (const PublishedTable& table : tables) {
    Reproduction::Table table_result{&table, {}};
    for (const PublishedRow& row : table.rows) {
      Reproduction::Row row_result{&row, {}};
      for (const PublishedCell& cell : row.cells) row_result.cells.push_back(judge(runs, cell, asked[next++]));
      table_result.rows.push_back(std::move(row_result));
    }
    out.tables.push_back(std::move(table_result));
  }
  return out;
}

std::string reproduction_text(const Reproduction& reproduction) {
  std::string out;
  std::vector<std::string> notes;
  for (const Reproduction::Table& table : reproduction.tables) {
    out += fmt::format("{}\n  {}\n  {}\n", table.table->id, table.table->device, table.table->workload);
    Table text({"row", "figure", "published", "simulated", "error %", "", "band 5-95 %", ""});
    for (const Reproduction::Row& row : table.rows) {
      for (const CellResult& cell : row.cells) {
        std::string verdict = cell.ok ? "ok" : cell.cell->impossible.empty() ? "OUT" : "off";
        if (!cell.note.empty()) {
          const std::string note =
              fmt::format("{}, {}: {}", labels_text(row.row->labels), cell.cell->column, cell.note);
          const auto known = std::find(notes.begin(), notes.end(), note);
          verdict += fmt::format(" [{}]", known - notes.begin() + 1);
          if (known == notes.end()) notes.push_back(note);
        }
        text.row({labels_text(row.row->labels), cell.cell->column, value_text(cell.cell->published),
                  value_text(cell.simulated), cell.error_pct ? fmt::format("{:+.2f}", *cell.error_pct) : "",
                  cell.cell->status, cell.band ? fmt::format("{:.1f} - {:.1f}", cell.band->low, cell.band->high) : "",
                  verdict});
      }
    }
    out += text.text() + "\n";
  }
  for (std::size_t i = 0; i < notes.size(); ++i) out += fmt::format("[{}] {}\n", i + 1, notes[i]);
  out += fmt::format("{}; {} runs, seed {}, event log hash {:#018x}\n",
                     reproduction.ok() ? "all figures hold" : "some figures are out of tolerance", reproduction.runs,
                     reproduction.seed, reproduction.event_log_hash);
  return out;
}

ordered_json reproduction_json(const Reproduction& reproduction) {
  ordered_json out;
  out["schema"] = "flushlab.reproduce/1";
  out["ok"] = reproduction.ok();
  out["seed"] = reproduction.seed;
  out["event_log_hash"] = fmt::format("{:#018x}", reproduction.event_log_hash);
  ordered_json tables = ordered_json::array();
  for (const Reproduction::Table& table : reproduction.tables) {
    ordered_json rows = ordered_json::array();
    for (const Reproduction::Row& row : table.rows) {
      ordered_json cells = ordered_json::array();
      for (const CellResult& cell : row.cells) {
        ordered_json c;
        c["column"] = cell.cell->column;
        c["published"] = cell.cell->published;
        c["simulated"] = cell.simulated;
        c["error_pct"] = cell.error_pct ? ordered_json(*cell.error_pct) : ordered_json(nullptr);
        c["tolerance_pct"] = cell.cell->tolerance_pct;
        c["status"] = cell.cell->status;
        c["ok"] = cell.ok;
        c["band"] = cell.band ? ordered_json{{"low", cell.band->low},
                                             {"median", cell.band->median},
                                             {"high", cell.band->high},
                                             {"draws", cell.cell->band->draws}}
                              : ordered_json(nullptr);
        c["note"] = cell.note.empty() ? ordered_json(nullptr) : ordered_json(cell.note);
        cells.push_back(std::move(c));
      }
      rows.push_back({{"labels", row.row->labels}, {"cells", std::move(cells)}});
    }
    tables.push_back({{"id", table.table->id}, {"rows", std::move(rows)}});
  }
  out["tables"] = std::move(tables);
  return out;
}

}  // namespace flushlab::lab
