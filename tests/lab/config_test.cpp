// SPDX-License-Identifier: GPL-2.0-only
// Configuration: every shipped file loads, the schema is the tables', and every fault of an input is named with its
// place, what was expected and the nearest valid word.
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "lab/report/published.hpp"
#include "lab/scenario/profiles.hpp"
#include "lab/scenario/scenario.hpp"
#include "lab/scenario/schema.hpp"
#include "lab/scenario/tables.hpp"

using namespace flushlab;
using lab::ConfigError;
using lab::ConfigKind;
using lab::ConfigRoot;

namespace {

ConfigRoot shipped() {
  return ConfigRoot(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
}

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// A scenario's text with something put in the place of @.
std::string scenario_with(const std::string& device, const std::string& more = "") {
  return R"({"name":"t","device":)" + device +
         R"(,"kernel":"nvme-7.4","host":"cd6-v-host","workload":{"fio":"--name=a --rw=write --size=1M"})" + more + "}";
}

std::string error_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  try {
    (void)lab::parse_scenario(shipped(), text, "t.json", sets);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("config: every shipped profile, scenario and published table loads") {
  const ConfigRoot root = shipped();
  std::size_t count = 0;
  for (const std::string& name : lab::list_profiles(root, ConfigKind::kDevice)) {
    CAPTURE(name);
    CHECK(lab::load_device(root, name).name == name);
    ++count;
  }
  for (const std::string& name : lab::list_profiles(root, ConfigKind::kKernel)) {
    CAPTURE(name);
    CHECK(lab::load_kernel(root, name).name == name);
    ++count;
  }
  for (const std::string& name : lab::list_profiles(root, ConfigKind::kHost)) {
    CAPTURE(name);
    CHECK(lab::load_host(root, name).name == name);
    ++count;
  }
  for (const std::string& name : lab::list_profiles(root, ConfigKind::kScenario)) {
    CAPTURE(name);
    CHECK(lab::load_scenario(root, name).name == name);
    ++count;
  }
  CHECK(count >= 18);
  CHECK(lab::load_published(root).size() >= 4);
}

TEST_CASE("config: the committed schemas are what the tables say (regenerate with: flushlab profile schema KIND)") {
  for (const ConfigKind kind : {ConfigKind::kDevice, ConfigKind::kKernel, ConfigKind::kHost, ConfigKind::kScenario}) {
    const std::string path =
        std::string(FLUSHLAB_SOURCE_DIR) + "/configs/schema/" + std::string(lab::name_of(kind)) + ".schema.json";
    CAPTURE(path);
    CHECK((read_text(path) == lab::json_schema(kind).dump(2) + "\n"));
  }
}

TEST_CASE("config: no table has a key twice, and every field says what it means") {
  const auto walk = [](const auto& self, const lab::StructTable& table) -> void {
    std::set<std::string_view> keys;
    for (const lab::Field& field : table.fields) {
      CAPTURE(std::string(table.what), std::string(field.key));
      CHECK(keys.insert(field.key).second);
      CHECK_FALSE(field.doc.empty());
      if (field.child != nullptr) self(self, *field.child);
    }
  };
  for (const ConfigKind kind : {ConfigKind::kDevice, ConfigKind::kKernel, ConfigKind::kHost})
    walk(walk, lab::table_of(kind));
}

TEST_CASE("config: what is written back loads to the same") {
  const ConfigRoot root = shipped();
  for (const std::string& name : lab::list_profiles(root, ConfigKind::kDevice)) {
    const auto json = lab::to_json(lab::load_device(root, name));
    CHECK(lab::to_json(lab::parse_device(root, json.dump(), "again.json")) == json);
  }
  for (const std::string& name : lab::list_profiles(root, ConfigKind::kScenario)) {
    const auto tree = lab::resolve_scenario(root, name).tree;
    CHECK(lab::parse_scenario(root, tree.dump(), "again.json").tree == tree);
  }
}

TEST_CASE("config: bad input is named with its place and its remedy") {
  struct Row {
    std::string text;
    std::vector<std::string> sets;
    std::vector<const char*> says;
  };
  const auto extends = [](const std::string& more) {
    return scenario_with(R"({"extends":"generic-plp",)" + more + "}");
  };
  const std::string good = scenario_with("\"generic-plp\"");
  const std::vector<Row> rows = {
      // JSON itself
      {"{", {}, {"t.json:1:", "not JSON"}},
      {"{\"name\": \"a\",}", {}, {"t.json:1:", "remove the comma"}},
      {"[]", {}, {"t.json", "expected an object"}},
      {R"({"name":"a","name":"b"})", {}, {"/name", "given twice"}},
      // the scenario
      {R"({"name":"a"})", {}, {"\"device\" is missing"}},
      {scenario_with("\"generic-plp\"", R"(,"sead":1)"), {}, {"/sead", "unknown key", "\"seed\""}},
      {scenario_with("\"generic-plp\"", R"(,"seed":"x")"), {}, {"/seed", "whole number"}},
      {scenario_with("\"generic-plp\"", R"(,"seed":-1)"), {}, {"/seed", "whole number"}},
      {scenario_with("\"generic-pip\""), {}, {"/device", "generic-pip", "did you mean \"generic-plp\""}},
      {scenario_with("\"no-such.json\""), {}, {"/device", "cannot read", "no-such.json"}},
      {scenario_with("\"../devices/generic-plp\""), {}, {"/device", "../devices/generic-plp", "there is no device"}},
      {scenario_with("\"./generic-plp\""), {}, {"/device", "./generic-plp", "there is no device"}},
      {scenario_with("\"\""), {}, {"/device", "there is no device"}},
      {scenario_with("17"), {}, {"/device", "name, a path or an object"}},
      {scenario_with("\"generic-plp\"", R"(,"setup":{})"), {}, {"/setup", "list of steps"}},
      {scenario_with("\"generic-plp\"", R"(,"setup":[{"set_feature":{"fid":6}}])"),
       {},
       {"/setup/0/set_feature", "\"value\""}},
      {scenario_with("\"generic-plp\"", R"(,"setup":[{"write_cache":"write thru"}])"),
       {},
       {"/setup/0/write_cache", "write through"}},
      {scenario_with("\"generic-plp\"", R"(,"setup":[{"set_featur":{}}])"), {}, {"/setup/0/set_featur", "set_feature"}},
      // the workload
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host"})", {}, {"\"workload\" is missing"}},
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host","workload":{}})",
       {},
       {"/workload", "exactly one of"}},
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host","workload":{"foi":"x"}})",
       {},
       {"/workload/foi", "fio_job"}},
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host","workload":{"fio":"--name=a --iodpeth=2"}})",
       {},
       {"/workload/fio", "iodpeth", "iodepth"}},
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host","workload":{"fio":"--name='a"}})",
       {},
       {"/workload/fio", "quote"}},
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host","workload":{"fio_file":"none.fio"}})",
       {},
       {"/workload/fio_file", "none.fio"}},
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host","workload":{"nvme_cli":{"verb":"flsh"}}})",
       {},
       {"/workload/nvme_cli/verb", "flush"}},
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host","workload":{"nvme_cli":{"verb":"flush","count":0}}})",
       {},
       {"/workload/nvme_cli/count", "1 to"}},
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host","workload":{"fio":"--name=a --rw=write --bs=100 --direct=1"}})",
       {},
       {"/workload/fio", "bs 100", "512"}},
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host","workload":{"fio":"--name=a --rw=write --bs=512 --direct=1"}})",
       {"device.identify.lba_size=4KiB"},
       {"bs 512", "4096"}},
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host","workload":{"fio":"--name=a --rw=write --cpus_allowed=99"}})",
       {},
       {"cpus_allowed=99", "0 to 15"}},
      {R"({"device":"generic-plp","kernel":"nvme-7.4","host":"cd6-v-host","workload":{"fio":"--name=a --rw=randrw --rate=1m"}})",
       {},
       {"mixed"}},
      // keys, types, units, ranges, origins
      {extends(R"("timing":{"flush_answr":{"value":"1us","origin":"assumed: x"}})"),
       {},
       {"/device/timing/flush_answr", "unknown key", "flush_answer"}},
      {extends(R"("timing":{"flush_answer":"194us"})"),
       {},
       {"/device/timing/flush_answer", "where its value comes from", "origin"}},
      {extends(R"("timing":{"flush_answer":{"value":"194","origin":"assumed: x"}})"),
       {},
       {"/device/timing/flush_answer/value", "194", "us"}},
      {extends(R"("timing":{"flush_answer":{"value":194,"origin":"assumed: x"}})"),
       {},
       {"/device/timing/flush_answer/value", "us"}},
      {extends(R"("timing":{"flush_answer":{"value":"194KiB","origin":"assumed: x"}})"),
       {},
       {"/device/timing/flush_answer/value", "us"}},
      {extends(R"("timing":{"flush_answer":{"value":"2h","origin":"assumed: x"}})"),
       {},
       {"/device/timing/flush_answer/value", "60s"}},
      {extends(R"("timing":{"flush_answer":{"value":"1us","origin":"guessed"}})"),
       {},
       {"/device/timing/flush_answer/origin", "measured"}},
      {extends(R"("timing":{"flush_answer":{"value":"1us"}})"), {}, {"/device/timing/flush_answer", "origin"}},
      {extends(R"("timing":{"flush_servers":{"value":0,"origin":"assumed: x"}})"),
       {},
       {"/device/timing/flush_servers/value", "1 to 64"}},
      {extends(R"("timing":7)"), {}, {"/device/timing", "expected an object"}},
      {extends(R"("identify":{"size":"1.5"})"), {}, {"/device/identify/size", "GiB"}},
      {extends(R"("identify":{"vwc":"0x1ff"})"), {}, {"/device/identify/vwc", "0xFF"}},
      {extends(R"("write_cache":{"get_features":"sometimes"})"), {}, {"/device/write_cache/get_features", "actual"}},
      {extends(R"("write_cache":{"volatile":1})"), {}, {"/device/write_cache/volatile", "true"}},
      {scenario_with(R"({"extends":"generic-none"})"), {}, {"/device/extends", "generic-none"}},
      // combinations that cannot be
      {extends(R"("identify":{"lba_size":"1000B"})"), {}, {"/device/identify/lba_size", "power of two"}},
      {extends(R"("identify":{"size":"10000001B"})"), {}, {"/device/identify/size", "multiple of lba_size"}},
      {extends(R"("identify":{"vwc":"0x02"})"), {}, {"/device/identify/vwc", "reserved"}},
      {extends(R"("identify":{"vwc":"0x09"})"), {}, {"/device/identify/vwc", "reserved"}},
      {extends(R"("identify":{"vwc":"0x01"})"), {}, {"/device/identify/vwc", "ver", "0x05"}},
      {extends(R"("identify":{"awupf":3})"), {}, {"/device/identify/awupf", "awun"}},
      {extends(R"("identify":{"nsfeat":"0x02","nawupf":3})"), {}, {"/device/identify/nawupf", "nawun"}},
      {extends(R"("identify":{"nsfeat":"0x02","nawun":7,"nawupf":7,"nabspf":3,"nabsn":7})"),
       {},
       {"/device/identify/nabspf", "nawupf"}},
      {extends(R"("identify":{"nsfeat":"0x10","npwg":7,"nows":4})"), {}, {"/device/identify/nows", "npwg"}},
      {extends(R"("identify":{"nsfeat":"0x20"})"), {}, {"/device/identify/nsfeat", "2.1"}},
      {extends(R"("identify":{"vwcnp":true})"), {}, {"/device/identify/vwcnp", "2.0"}},
      {extends(R"("write_cache":{"wce_saveable":true})"), {}, {"/device/write_cache/wce_saveable", "oncs"}},
      {extends(R"("identify":{"lba_formats":"513"})"), {}, {"/device/identify/lba_formats", "\"513\"", "power of two"}},
      {extends(R"("identify":{"lba_formats":"512, 512+x"})"), {}, {"/device/identify/lba_formats", "\"512+x\""}},
      {extends(R"("identify":{"lba_formats":"4096"})"), {}, {"/device/identify/lba_formats", "512"}},
      {extends(R"("identify":{"more_namespaces":"128"})"), {}, {"/device/identify/more_namespaces", "128MiB"}},
      {extends(R"("identify":{"nn":1,"more_namespaces":"128MiB"})"), {}, {"/device/identify/", "nn"}},
      {extends(R"("effects":"09h")"), {}, {"/device/effects", "\"09h\"", "OPCODE=EFFECTS"}},
      {extends(R"("effects":"109h=1")"), {}, {"/device/effects", "\"109h=1\""}},
      {extends(R"("effects":"io 00h=123456789h")"), {}, {"/device/effects", "io 00h"}},
      {extends(R"("faults":"io 00h")"), {}, {"/device/faults", "\"io 00h\"", "hang"}},
      {extends(R"("faults":"IO 00h 1 hang")"), {}, {"/device/faults", "io or admin"}},
      {extends(R"("faults":"io 00h 0 hang")"), {}, {"/device/faults", "from 1"}},
      {extends(R"("faults":"io 00h 1+0 hang")"), {}, {"/device/faults", "N+COUNT"}},
      {extends(R"("faults":"io 00h 1 0001h")"), {}, {"/device/faults", "is an error"}},
      {extends(R"("faults":"io 00h 1 8000h")"), {}, {"/device/faults", "is an error"}},
      {extends(R"("faults":"io 00h 1 10002h")"), {}, {"/device/faults", "io 00h 1 10002h"}},
      // overrides
      {good, {"device.timing.flush_answer"}, {"--set device.timing.flush_answer", "path=value"}},
      {good, {"device.timing.flush_answr=5us"}, {"--set device.timing.flush_answr=5us", "flush_answer"}},
      {good, {"device.timing.flush_answer=5"}, {"--set device.timing.flush_answer=5", "us"}},
      {good, {"device.timing=5us"}, {"--set device.timing=5us", "group"}},
      {good, {"device.timing.flush_answer.value=5us"}, {"--set", "no keys below"}},
      {good, {"devise.timing.flush_answer=5us"}, {"--set", "device"}},
      {good, {"kernel=nvme-7.5"}, {"--set kernel=nvme-7.5", "nvme-7.4"}},
      {good, {"seed=x"}, {"--set seed=x", "whole number"}},
      {good, {"host.placement.policy=pinned"}, {"--set host.placement.policy=pinned", "placement.cpus"}},
      {good, {"host.placement.cpus=[99]"}, {"--set host.placement.cpus=[99]", "99"}},
      {good, {"host.fio_cpu=16"}, {"--set host.fio_cpu=16", "0 to 15"}},
      {good, {"workload.fio.iodpeth=4"}, {"iodpeth", "iodepth"}},
  };
  for (const Row& row : rows) {
    const std::string error = error_of(row.text, row.sets);
    CAPTURE(row.text, row.sets, error);
    for (const char* words : row.says) CHECK(error.find(words) != std::string::npos);
    CHECK(error != "no error");
  }
}

TEST_CASE("config: overrides change what they name and say so") {
  const lab::Scenario s =
      lab::parse_scenario(
          shipped(), scenario_with("\"generic-plp\""), "t.json",
          std::vector<std::string>{"device.timing.flush_answer=5us", "kernel=nvme-7.4+honor-wce", "seed=9",
                                   "host.placement.cpus=[1,2]", "workload.fio.iodepth=8",
                                   "workload.fio.ioengine=io_uring", "device.identify.vwc=0x05",
                                   "device.timing.flush_merge=true", "device.timing.write_lat_sigma=0.5"})
          .scenario;
  CHECK(s.device.timing.flush_answer_ns.value == 5000);
  CHECK(s.device.timing.flush_answer_ns.origin == "set: --set device.timing.flush_answer=5us");
  CHECK(s.device.timing.flush_merge.value == 1);
  CHECK(s.device.timing.write_lat_sigma_ppm.value == 500000);
  CHECK(s.device.identify.vwc == 5);
  CHECK(s.kernel.name == "nvme-7.4+honor-wce");
  CHECK(s.kernel.vwc_policy == kernel::VwcPolicy::kVwcWce);
  CHECK(s.kernel.max_segments == 256);  // from what it extends
  CHECK(s.seed == 9);
  CHECK(s.host.placement.cpus == std::vector<std::uint16_t>{1, 2});
  CHECK(std::get<lab::FioWorkload>(s.workload).jobs.at(0).iodepth == 8);
}

TEST_CASE("config: extends that comes back to itself is refused") {
  ConfigRoot root = shipped();
  root.list_files = [](const std::filesystem::path&) { return std::vector<std::string>{"a.json", "b.json"}; };
  root.read_file = [](const std::filesystem::path& path) -> std::optional<std::string> {
    return path.filename() == "a.json" ? R"({"extends":"b"})" : R"({"extends":"a"})";
  };
  CHECK_THROWS_WITH(lab::load_device(root, "a"), Catch::Contains("comes back to"));
}
