// SPDX-License-Identifier: GPL-2.0-only
#include "lab/check/conformance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "emulator/spec/feature.hpp"
#include "emulator/spec/identify.hpp"
#include "emulator/spec/log_page.hpp"
#include "lab/check/conformance_bench.hpp"
#include "lab/report/table.hpp"

namespace flushlab::lab {

using conformance::Bench;
using conformance::Check;

namespace conformance {
std::span<const Vector> cache_vectors();
std::span<const Vector> command_vectors();
}  // namespace conformance

namespace {

const std::vector<conformance::Vector>& table() {
  static const std::vector<conformance::Vector> all = [] {
    std::vector<conformance::Vector> vectors;
    for (const auto part : {conformance::cache_vectors(), conformance::command_vectors()})
      vectors.insert(vectors.end(), part.begin(), part.end());
    std::stable_sort(vectors.begin(), vectors.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    return vectors;
  }();
  return all;
}

}  // namespace

std::size_t conformance_vectors() {
  return table().size();
}

std::string conformance_vector_name(std::size_t index) {
  return fmt::format("{} {}", table()[index].number, table()[index].name);
}

ConformanceResult run_conformance_vector(const media::DeviceProfile& profile, std::size_t index) {
  const conformance::Vector& vector = table()[index];
  ConformanceResult result;
  result.vector = vector.number;
  result.section = vector.section;
  result.name = vector.name;
  Bench bench(profile);
  const Check check = vector.run(bench);
  result.expected = check.expected;
  result.got = check.got;
  if (!check.not_applicable.empty()) {
    result.verdict = ConformanceResult::Verdict::kNotApplicable;
    result.reason = check.not_applicable;
  } else if (!check.ok && !check.setting.empty()) {
    result.verdict = ConformanceResult::Verdict::kDiffers;
    result.reason = check.setting;
  } else if (!check.ok) {
    result.verdict = ConformanceResult::Verdict::kFail;
  }
  return result;
}

std::vector<ConformanceResult> run_conformance(const media::DeviceProfile& profile) {
  std::vector<ConformanceResult> results;
  for (std::size_t i = 0; i < table().size(); ++i) results.push_back(run_conformance_vector(profile, i));
  return results;
}

const char* word_of(ConformanceResult::Verdict verdict) {
  switch (verdict) {
    case ConformanceResult::Verdict::kPass:
      return "pass";
    case ConformanceResult::Verdict::kFail:
      return "fail";
    case ConformanceResult::Verdict::kDiffers:
      return "differs";
    case ConformanceResult::Verdict::kNotApplicable:
      return "n/a";
  }
  return "fail";
}

nlohmann::ordered_json to_json(const std::string& device, const std::vector<ConformanceResult>& results) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ConformanceResult& r : results) {
    nlohmann::ordered_json entry = {
        {"vector", r.vector},     {"section", r.section}, {"name", r.name},   {"verdict", word_of(r.verdict)},
        {"expected", r.expected}, {"got", r.got},         {"reason", nullptr}};
    if (!r.reason.empty()) entry["reason"] = r.reason;
    list.push_back(std::move(entry));
  }
  return {{"device", device}, {"vectors", list}};
}

std::string to_text(const std::vector<ConformanceResult>& results) {
  std::vector<std::string> sections;
  for (const ConformanceResult& r : results) {
    if (std::find(sections.begin(), sections.end(), r.section) == sections.end()) sections.push_back(r.section);
  }
  std::string out;
  std::size_t counts[4] = {};
  for (const std::string& section : sections) {
    out += section + "\n";
    Table rows({"vector", "verdict", "what", "expected", "got"});
    for (const ConformanceResult& r : results) {
      if (r.section != section) continue;
      ++counts[static_cast<std::size_t>(r.verdict)];
      rows.row({fmt::format("#{}", r.vector), word_of(r.verdict), r.name, r.expected,
                r.verdict == ConformanceResult::Verdict::kNotApplicable ? r.reason
                : r.reason.empty()                                      ? r.got
                                                                        : r.got + " (" + r.reason + ")"});
    }
    out += rows.text() + "\n";
  }
  return out + fmt::format("{} pass, {} fail, {} differ as the profile says, {} n/a\n", counts[0], counts[1], counts[2],
                           counts[3]);
}

}  // namespace flushlab::lab
