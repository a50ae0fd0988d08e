// SPDX-License-Identifier: GPL-2.0-only
// Same inputs, same bytes: the event-log hash of every shipped scenario, held against the committed ones. Every build
// (gcc, clang, -O0, -O2, sanitizers) compares with the same file, so all of them agree with each other.
//
//   FLUSHLAB_UPDATE=1                rewrites the file; read the diff
//   FLUSHLAB_OTHER_PROGRAMS=a:b      further builds of the program that have to agree
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "lab/scenario/run.hpp"
#include "tests/e2e/program.hpp"

using namespace flushlab;

namespace {

const std::string kGolden = std::string(FLUSHLAB_SOURCE_DIR) + "/tests/e2e/event_log_hashes.txt";

std::string arguments_for(const std::string& scenario) {
  // Half a second of a fio job shows as much as thirty.
  return "run " + scenario + " --json" +
         (scenario.find("passthru") == std::string::npos ? " --set workload.fio.runtime=500ms" : "");
}

std::string hashes_of(const std::string& program) {
  const lab::ConfigRoot root(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
  std::string out;
  for (const std::string& name : lab::list_profiles(root, lab::ConfigKind::kScenario)) {
    const test::Outcome outcome = test::run_program(program, arguments_for(name), false);
    if (outcome.exit_code != 0) FAIL(program << " " << arguments_for(name) << " exits " << outcome.exit_code);
    out += name + " " + nlohmann::json::parse(outcome.out).at("event_log_hash").get<std::string>() + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("determinism: event-log hashes of all shipped scenarios are the committed ones, in every build") {
  const std::string hashes = hashes_of(FLUSHLAB_PROGRAM);
  if (std::getenv("FLUSHLAB_UPDATE") != nullptr) std::ofstream(kGolden) << hashes;
  std::ifstream in(kGolden);
  std::stringstream golden;
  golden << in.rdbuf();
  CHECK(hashes == golden.str());
  if (const char* others = std::getenv("FLUSHLAB_OTHER_PROGRAMS"); others != nullptr) {
    std::stringstream list(others);
    for (std::string program; std::getline(list, program, ':');) {
      CAPTURE(program);
      CHECK(hashes_of(program) == golden.str());
    }
  }
}

TEST_CASE("determinism: results do not depend on the number of threads, and a repeated run is the same to the byte") {
  const std::string arguments = "reproduce kioxia-nvme-7.4 --json --set workload.fio.runtime=50ms --threads ";
  const std::string one = test::run_program(FLUSHLAB_PROGRAM, arguments + "1", false).out;
  CHECK(one.size() > 1000);
  CHECK(test::run_program(FLUSHLAB_PROGRAM, arguments + "4", false).out == one);
  CHECK(test::run_program(FLUSHLAB_PROGRAM, arguments + "1", false).out == one);
}

TEST_CASE("determinism: a trace does not change a run") {
  const lab::ConfigRoot root(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
  const std::vector<std::string> sets = {"workload.fio.runtime=50ms"};
  const lab::Scenario scenario = lab::load_scenario(root, "cd6-v/uring-qd32.nvme-7.4", sets);
  const lab::RunResult plain = lab::run_scenario(scenario);
  lab::RunOptions options;
  std::size_t bytes = 0;
  options.trace = [&](std::string_view lines) { bytes += lines.size(); };
  CHECK(lab::run_scenario(scenario, options).event_log_hash == plain.event_log_hash);
  CHECK(bytes > 10000);
}
