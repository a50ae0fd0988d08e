// SPDX-License-Identifier: GPL-2.0-only
// The spec's conformance vectors: every one a test of its own against the drive that they are written for, and against
// every other profile; and the runner notices a drive that answers wrongly.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "lab/check/conformance.hpp"
#include "lab/scenario/profiles.hpp"

using namespace flushlab;
using Verdict = lab::ConformanceResult::Verdict;

namespace {

constexpr std::size_t kVectors = 69;  // numbers 1 to 69

const lab::ConfigRoot& root() {
  static const lab::ConfigRoot configs(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
  return configs;
}

std::vector<lab::ConformanceResult> results_with(const char* set, const char* and_set = nullptr) {
  std::vector<std::string> sets = {set};
  if (and_set != nullptr) sets.emplace_back(and_set);
  return lab::run_conformance(lab::load_device(root(), "spec-vectors", sets));
}

template <std::size_t I>
void run_vector() {
  for (const std::string& device : lab::list_profiles(root(), lab::ConfigKind::kDevice)) {
    const lab::ConformanceResult result = lab::run_conformance_vector(lab::load_device(root(), device, {}), I);
    CAPTURE(device, result.vector, result.name, result.expected, result.got, result.reason);
    CHECK(result.verdict != Verdict::kFail);
    if (device == "spec-vectors") CHECK(result.verdict == Verdict::kPass);
    CHECK(result.reason.empty() == (result.verdict == Verdict::kPass));
  }
}

template <std::size_t... I>
std::vector<std::unique_ptr<Catch::AutoReg>> register_all(std::index_sequence<I...>) {
  std::vector<std::unique_ptr<Catch::AutoReg>> all;
  (all.push_back(std::make_unique<Catch::AutoReg>(
       Catch::makeTestInvoker(&run_vector<I>), CATCH_INTERNAL_LINEINFO, Catch::StringRef(),
       Catch::NameAndTags{"conformance: #" + lab::conformance_vector_name(I)})),
   ...);
  return all;
}
const auto kRegistered = register_all(std::make_index_sequence<kVectors>());

}  // namespace

TEST_CASE("conformance: the table has every number of the sheet once") {
  CHECK(lab::conformance_vectors() == kVectors);
  std::multiset<int> numbers;
  for (const lab::ConformanceResult& r : lab::run_conformance(lab::load_device(root(), "spec-vectors", {})))
    numbers.insert(r.vector);
  for (int number = 1; number <= 69; ++number) CHECK(numbers.count(number) == 1);
}

TEST_CASE("conformance: a drive that answers wrongly is noticed, by the vectors that ask") {
  struct Row {
    const char* set;
    std::vector<int> fail;  // among others
  };
  const std::vector<Row> rows = {
      {"faults=admin 0Ah 1+99 800Ch", {1, 2, 3, 4, 5}},
      {"faults=io 00h 1+99 800Ch", {13, 14, 18}},
      {"faults=io 00h 1+99 hang", {13, 14}},
  };
  for (const Row& row : rows) {
    std::set<int> failed;
    for (const lab::ConformanceResult& r : results_with(row.set)) {
      if (r.verdict == Verdict::kFail) failed.insert(r.vector);
    }
    for (const int number : row.fail) {
      CAPTURE(row.set, number);
      CHECK(failed.count(number) == 1);
    }
    CHECK(failed.size() < 40);
  }
}

TEST_CASE("conformance: a drive that departs from the specification as its profile says differs, by name") {
  struct Row {
    const char* set;
    std::vector<int> differ;
  };
  const std::vector<Row> rows = {{"write_cache.get_features=always_0", {1}},
                                 {"write_cache.get_features=error", {1}},
                                 {"write_cache.set_features=ignored", {6}},
                                 {"write_cache.wce_survives_reset=true", {9}},
                                 {"write_cache.feature_without_cache=true", {11, 12}}};
  for (const Row& row : rows) {
    std::set<int> differ;
    for (const lab::ConformanceResult& r : results_with(row.set)) {
      CAPTURE(row.set, r.vector, r.name, r.expected, r.got);
      CHECK(r.verdict != Verdict::kFail);
      if (r.verdict == Verdict::kDiffers) differ.insert(r.vector);
    }
    for (const int number : row.differ) CHECK(differ.count(number) == 1);
  }
}

TEST_CASE("conformance: each answer on which implementations differ is a profile setting") {
  struct Row {
    const char* set;
    int vector;
    const char* got;
    const char* and_set = nullptr;
  };
  const std::vector<Row> rows = {
      {"identify.accepts_feature_nsid=false", 10, "821E"},
      {"identify.accepts_feature_nsid=true", 10, "ok"},
      {"identify.unknown_log_is_invalid_field=false", 60, "8212"},
      {"identify.unknown_log_is_invalid_field=true", 60, "8004"},
      {"identify.delete_cq_without_dnr=false", 53, "8218"},
      {"identify.delete_cq_without_dnr=true", 53, "0218"},
      {"identify.absent_cqid_is_invalid_qid=false", 52, "8200"},
      {"identify.absent_cqid_is_invalid_qid=true", 52, "8202", "identify.io_queue_pairs=4"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.set, row.vector);
    bool seen = false;
    for (const lab::ConformanceResult& r : results_with(row.set, row.and_set)) {
      if (r.vector != row.vector) continue;
      seen = true;
      CAPTURE(r.expected, r.got);
      CHECK(r.verdict == Verdict::kPass);
      CHECK(r.got.find(row.got) != std::string::npos);
    }
    CHECK(seen);
  }
}
