// SPDX-License-Identifier: GPL-2.0-only
// The model against recordings of a real kernel: the same fio command line, the same commands in the same order.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "lab/scenario/run.hpp"

using namespace flushlab;

namespace {

struct Recording {
  std::string name, drive, job, wire;
  bool write_through = false;
};

std::vector<Recording> recordings() {
  std::ifstream in(std::string(FLUSHLAB_SOURCE_DIR) + "/tests/oracle/depth1.test");
  std::vector<Recording> all;
  bool answer = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("scenario ")) {
      all.push_back({line.substr(9), "", "", "", false});
      answer = false;
    } else if (line.starts_with("drive ")) {
      all.back().drive = line.substr(6);
    } else if (line.starts_with("write-through ")) {
      all.back().write_through = line.ends_with("1");
    } else if (line.starts_with("run fio ")) {
      all.back().job = line.substr(8);
    } else if (line == "----") {
      answer = true;
    } else if (answer && !line.empty()) {
      all.back().wire = line;
    }
  }
  return all;
}

std::uint64_t number_after(const std::string& text, const std::string& key) {
  return std::stoull(text.substr(text.find(key) + key.size()));
}

// The trace's lines in the recordings' letters.
std::string wire_of(const std::string& jsonl) {
  std::string wire;
  std::istringstream in(jsonl);
  for (std::string line; std::getline(in, line);) {
    const auto c = nlohmann::json::parse(line);
    if (c.at("qid") == 0) continue;
    if (!wire.empty()) wire += ' ';
    if (c.at("op") == "flush") {
      wire += "F";
    } else {
      wire += c.at("op") == "read" ? "R" : c.at("fua") == 1 ? "W!" : "W";
      wire +=
          std::to_string(c.at("slba").get<std::uint64_t>()) + "+" + std::to_string(c.at("nlb").get<std::uint64_t>());
    }
  }
  return wire;
}

}  // namespace

TEST_CASE("oracle: one job at depth 1 sends what a real kernel sent, command by command") {
  const lab::ConfigRoot root(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
  const std::vector<Recording> all = recordings();
  CHECK(all.size() >= 30);
  for (const Recording& recording : all) {
    CAPTURE(recording.name, recording.job);
    nlohmann::ordered_json tree = {
        {"name", "oracle"}, {"device", "generic-plp"}, {"kernel", "linux-6.12"}, {"host", "cd6-v-host"}};
    tree["workload"] = {{"fio", recording.job}, {"fio_version", "3.33"}};
    if (recording.write_through) tree["setup"] = {{{"write_cache", "write through"}}};
    const std::vector<std::string> sets = {
        "host.cpus=2",
        "device.identify.size=256MiB",
        "device.identify.nsfeat=0x14",
        "device.write_cache.wce_default=true",
        "device.identify.lba_size=" + std::to_string(number_after(recording.drive, "lba=")) + "B",
        "device.identify.vwc=" + std::string(number_after(recording.drive, "vwc=") == 0 ? "0x06" : "0x07"),
        "device.identify.mdts=" + std::to_string(number_after(recording.drive, "mdts="))};
    const lab::Scenario scenario = lab::parse_scenario(root, tree.dump(), "oracle", sets).scenario;
    std::string trace;
    lab::RunOptions options;
    options.trace = [&](std::string_view lines) { trace += lines; };
    const lab::RunResult result = lab::run_scenario(scenario, options);
    CHECK(result.lawful());
    CHECK(wire_of(trace) == recording.wire);
  }
}
