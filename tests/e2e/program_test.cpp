// SPDX-License-Identifier: GPL-2.0-only
// The program as a user meets it: exit codes, messages, files, JSON.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/e2e/program.hpp"

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

using ::flushlab::test::Outcome;

Outcome run(const std::string& arguments, bool both = true) {
  return ::flushlab::test::run_program(FLUSHLAB_PROGRAM, arguments, both);
}

// A folder of this test's own, empty at the start.
fs::path scratch(const std::string& name) {
  const fs::path folder = fs::path(FLUSHLAB_BINARY_DIR) / "e2e" / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

const std::string kShortJob =
    "--name=a --filename=/dev/nvme0n1 --ioengine=io_uring --direct=1 --rw=randwrite --bs=4k --size=64M --number_ios=20 "
    "--fsync=1";

}  // namespace

TEST_CASE("program: version and help") {
  CHECK(run("--version").exit_code == 0);
  CHECK(run("--version").out.starts_with("flushlab "));
  const Outcome help = run("--help");
  CHECK(help.exit_code == 0);
  for (const char* verb : {"reproduce", "run", "fio", "compare", "limits", "oracle", "conformance", "profile"})
    CHECK(help.out.find(verb) != std::string::npos);
}

TEST_CASE("program: bad input exits 2 and says where and what to do") {
  struct Row {
    const char* arguments;
    std::vector<const char*> says;
  };
  const std::vector<Row> rows = {
      {"", {"subcommand"}},
      {"run no-such-scenario", {"no-such-scenario"}},
      {"run cd6-v/uring-qd1.nvme-7.4 --set device.timing.flush_answr=5us", {"flush_answr", "flush_answer"}},
      {"run cd6-v/uring-qd1.nvme-7.4 --set device.timing.flush_answer=5", {"flush_answer", "us"}},
      {"run cd6-v/uring-qd1.nvme-7.4 --set device.identify.npwg=7 --set device.identify.nows=4 --set "
       "device.identify.nsfeat=0x10",
       {"nows", "npwg"}},
      {"fio --name=a --iodpeth=4", {"iodpeth", "iodepth"}},
      {"fio --name=a --verify=md5", {"verify"}},
      {"fio --name=a --bs=4q", {"bs", "4q"}},
      {"fio --name=a --rw=write --size=1M --filename=/dev/nvme0n7", {"/dev/nvme0n7", "it has /dev/nvme0n1"}},
      {"fio --name=a --rw=write --size=1M --filename=/dev/nvme0", {"/dev/nvme0: there is no such device"}},
      {"fio --name=a --rw=write --size=1M --name=b --filename=/dev/nvme0n2", {"several devices"}},
      {"fio", {"no job"}},
      {"fio --name=a --rw=write --size=1M --trace /no/such/folder/t.jsonl", {"/no/such/folder/t.jsonl"}},
      {"fio --name=a --rw=write --size=1M --kernel nvme-7.5", {"nvme-7.5", "nvme-7.4"}},
      {"reproduce kioxia-nvme-7.5", {"kioxia-nvme-7.5", "kioxia-nvme-7.4"}},
      {"compare a b --scenario cd6-v/uring-qd1.nvme-7.4", {"a"}},
      {"limits", {"no drive", "--id-ctrl"}},
      {"limits qemu-7.1", {"qemu-7.1", "qemu-7.2"}},
      {"limits qemu-7.2 --kernel linux-5.4", {"linux-5.4", "linux-6.1"}},
      {"limits qemu-7.2 --id-ctrl x --id-ns y", {"at once"}},
      {"limits --id-ctrl x", {"--id-ns"}},
      {"limits --id-ctrl /no/such.bin --id-ns /no/such2.bin", {"/no/such.bin", "cannot be read"}},
      {"limits qemu-7.2 --cpus 0", {"cpus"}},
      {"oracle", {"DIR"}},
      {"oracle /no/such/folder", {"/no/such/folder"}},
      {"md", {"subcommand"}},
      {"md examine", {"no array", "--raid-devices"}},
      {"md examine --raid-devices 4", {"no size", "--size"}},
      {"md examine --level 7 --bits 8", {"--level 7", "1, 4, 5, 6 and 10"}},
      {"md examine --bits 0", {"--bits 0"}},
      {"md examine --bits 8 --size 8", {"at once"}},
      {"md examine --bits 8 --layout x9", {"--layout x9", "n2"}},
      {"md examine --bits 8 --metadata 2.0", {"--metadata 2.0", "1.2"}},
      {"md examine --bits 8 --logical-block-size 513", {"513", "power of two"}},
      {"md examine --bits 8 --io-opt 100", {"--io-opt 100", "512"}},
      {"md examine --bits 8 --kernel linux-5.4", {"linux-5.4"}},
      {"md examine --bits 8 --chunk 64X", {"--chunk 64X", "64M"}},
      {"md examine --raid-devices 2 --level 1 --size 25165824 --bitmap-chunk 4K --data-offset 512",
       {"too small", "--bitmap-chunk"}},
      {"md examine cd6-v/psync.nvme-7.4", {"no array"}},
      {"run cd6-v/psync.nvme-7.4 --set array.level=1", {"no array"}},
      {"run p5520/trace.linux-6.1 --set array.level=5", {"level 5", "1 or 10"}},
      {"run p5520/trace.linux-6.1 --set array.bitmap=clustered", {"not run", "internal or none"}},
      {"run p5520/trace.linux-6.1 --set array.bitmap=external", {"not run", "internal or none"}},
      {"run p5520/trace.linux-6.1 --set array.layout=n7", {"takes 7 to 384 devices, not 4"}},
      {"run p5520/trace.linux-6.1 --set array.size=4TB", {"too small"}},
      {"run p5520/trace.linux-6.1 --format pcap", {"pcap", "biosnoop"}},
      {"conformance no-such-drive", {"no-such-drive"}},
      {"conformance spec-vectors --set identify.vwc=0x01", {"vwc"}},
  };
  for (const Row& row : rows) {
    const Outcome outcome = run(row.arguments);
    CAPTURE(row.arguments, outcome.out);
    CHECK(outcome.exit_code == 2);
    for (const char* words : row.says) CHECK(outcome.out.find(words) != std::string::npos);
  }
}

TEST_CASE("program: a file that exists is not overwritten unless told to") {
  const fs::path trace = scratch("overwrite") / "t.jsonl";
  const std::string line = "fio " + kShortJob + " --trace " + trace.string();
  REQUIRE(run(line).exit_code == 0);
  const auto size = fs::file_size(trace);
  CHECK(size > 0);
  const Outcome again = run(line);
  CHECK(again.exit_code == 2);
  CHECK(again.out.find("--force") != std::string::npos);
  CHECK(fs::file_size(trace) == size);
  CHECK(run(line + " --force").exit_code == 0);
  CHECK(fs::file_size(trace) == size);
}

TEST_CASE("program: a trace has the recordings' fields, one command a line, and QD1 fsync=1 is W F W F ... W") {
  const fs::path trace = scratch("trace") / "t.jsonl";
  REQUIRE(run("fio " + kShortJob + " --trace " + trace.string()).exit_code == 0);
  std::ifstream in(trace);
  std::string wire;
  std::uint64_t seq = 0;
  for (std::string line; std::getline(in, line); ++seq) {
    const json command = json::parse(line);
    for (const char* field : {"seq", "t_us", "disk", "qid", "cid", "op", "bytes", "ev", "nsid", "task", "cpu",
                              "done_before", "rwbs", "cseq", "cev", "c_us", "status"}) {
      CHECK(command.contains(field));
    }
    CHECK(command["seq"] == seq);
    CHECK(command["status"] == 0);
    if (command["op"] == "write") {
      wire += 'W';
      CHECK(command["nlb"] == 8);
      CHECK(command["fua"] == 0);
      CHECK(command["task"] == "fio");
      CHECK(command["rwbs"] == "WS");
    } else {
      CHECK(command["op"] == "flush");
      CHECK(command["task"] == "kworker-H");
      CHECK(command["rwbs"] == "FF");
      wire += 'F';
    }
  }
  CHECK(wire == "WFWFWFWFWFWFWFWFWFWFWFWFWFWFWFWFWFWFWFW");  // 20 writes, 19 flushes: none after the last
}

TEST_CASE("program: fio's JSON has fio's keys") {
  const Outcome outcome = run("fio " + kShortJob + " --output-format=json", false);
  REQUIRE(outcome.exit_code == 0);
  const json result = json::parse(outcome.out);
  const json& job = result.at("jobs").at(0);
  CHECK(job.at("jobname") == "a");
  CHECK(job.at("write").at("total_ios") == 20);
  CHECK(job.at("write").at("io_bytes") == 20 * 4096);
  CHECK(job.at("sync").at("total_ios") == 19);
  CHECK(job.at("write").at("clat_ns").at("percentile").contains("99.000000"));
  CHECK(job.at("sync").at("lat_ns").at("N") == 19);
}

TEST_CASE("program: run --json is complete, lawful and repeatable") {
  const std::string line = "run cd6-v/uring-qd32.nvme-7.4 --set workload.fio.runtime=1 --json";
  const Outcome first = run(line, false);
  REQUIRE(first.exit_code == 0);
  CHECK(run(line, false).out == first.out);
  const json result = json::parse(first.out);
  CHECK(result.at("schema") == "flushlab.run/1");
  CHECK(result.at("ok") == true);
  CHECK(result.at("laws").size() >= 3);
  const json other = json::parse(run(line + " --seed 2", false).out);
  CHECK(other.at("event_log_hash") != result.at("event_log_hash"));
}

TEST_CASE("program: compare shows the patch") {
  const Outcome outcome =
      run("compare nvme-7.4 nvme-7.4+honor-wce --scenario cd6-v/uring-qd1.nvme-7.4 --set workload.fio.runtime=1 --json",
          false);
  REQUIRE(outcome.exit_code == 0);
  const json result = json::parse(outcome.out);
  CHECK(result.at("a").at("write_cache") == "write back");
  CHECK(result.at("b").at("write_cache") == "write through");
  for (const json& row : result.at("figures")) {
    if (row.at("figure") == "flushes") CHECK(row.at("b") == 0);
    if (row.at("figure") == "iops") CHECK(row.at("ratio") > 10);
  }
}

TEST_CASE("program: the scenario in docs/configuration.md runs as it stands there") {
  std::ifstream in(std::string(FLUSHLAB_SOURCE_DIR) + "/docs/configuration.md");
  std::stringstream text;
  text << in.rdbuf();
  const std::string page = text.str();
  const auto begin = page.find("```json\n{") + 8;
  const auto end = page.find("```", begin);
  REQUIRE(end != std::string::npos);
  const fs::path file = scratch("docs") / "my-scenario.json";
  std::ofstream(file) << page.substr(begin, end - begin);
  const Outcome outcome = run("run " + file.string() + " --json --set workload.fio.runtime=10ms", false);
  REQUIRE(outcome.exit_code == 0);
  CHECK(json::parse(outcome.out).at("queue").at("write_cache") == "write through");
}

TEST_CASE("program: limits of a profile and of a drive's dumps, as text and as JSON") {
  const fs::path dumps = fs::path(FLUSHLAB_RECORDINGS) / "dumps";
  const std::string files =
      "--id-ctrl " + (dumps / "idctrl.bin").string() + " --id-ns " + (dumps / "idns.bin").string();
  const Outcome profile = run("limits qemu-7.2 --kernel linux-6.1 --cpus 2 --json", false);
  const Outcome drive = run("limits " + files + " --kernel linux-6.1 --cpus 2 --json", false);
  CHECK(profile.exit_code == 0);
  CHECK(drive.exit_code == 0);
  const json of_profile = json::parse(profile.out), of_drive = json::parse(drive.out);
  CHECK(of_profile["kernel"] == "linux-6.1");
  CHECK(of_profile["limits"]["optimal_io_size"] == 512);
  CHECK(of_profile["limits"]["write_cache"] == "write back");
  for (const auto& [name, value] : of_drive["limits"].items()) {
    CAPTURE(name);
    if (name != "discard_max_bytes") CHECK(value == of_profile["limits"][name]);  // DMRSL is in neither dump
  }
  const Outcome all = run("limits qemu-7.2 --all-kernels --json", false);
  CHECK(json::parse(all.out).size() >= 5);
  const Outcome text = run("limits qemu-7.2 --kernel linux-6.12");
  for (const char* words : {"physical_block_size", "min(", "NPWG", "warning: NOWS 0"})
    CHECK(text.out.find(words) != std::string::npos);
}

TEST_CASE("program: oracle and conformance print verdicts and exit 1 on a fail") {
  const fs::path group = fs::path(FLUSHLAB_RECORDINGS) / "k6.12-blk512";
  const Outcome text = run("oracle " + group.string());
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("pass  k6.12-blk512/a01-psync-direct-fsync1") != std::string::npos);
  CHECK(text.out.find(" 0 fail") != std::string::npos);
  const json verdicts = json::parse(run("oracle " + group.string() + " --json", false).out);
  REQUIRE(!verdicts["scenarios"].empty());
  for (const json& entry : verdicts["scenarios"]) {
    CHECK(entry["verdict"] == "pass");
    CHECK(entry["reason"].is_null());
  }
  const fs::path changed = scratch("oracle");
  for (const char* suffix : {".json", ".jsonl", ".bio.jsonl"})
    fs::copy_file(group / (std::string("a01-psync-direct-fsync1") + suffix), changed / (std::string("a01") + suffix));
  std::string header;
  {
    std::ifstream in(changed / "a01.json");
    std::ostringstream all;
    all << in.rdbuf();
    header = all.str();
  }
  const auto at = header.find("--fsync=1");
  REQUIRE(at != std::string::npos);
  header.replace(at, 9, "--fsync=2");
  std::ofstream(changed / "a01.json") << header;
  const Outcome failed = run("oracle " + changed.string());
  CAPTURE(failed.out);
  CHECK(failed.exit_code == 1);
  CHECK(failed.out.find("1 fail") != std::string::npos);

  CHECK(run("conformance").exit_code == 0);
  CHECK(run("conformance").out.find("69 pass, 0 fail") != std::string::npos);
  CHECK(run("conformance spec-vectors --set faults=\"io 00h 1+99 800Ch\"").exit_code == 1);
  const json vectors = json::parse(run("conformance qemu-7.2 --json", false).out);
  CHECK(vectors["device"] == "qemu-7.2");
  for (const json& entry : vectors["vectors"]) {
    CHECK(entry["verdict"] != "fail");
    if (entry["vector"] == 9) CHECK(entry["reason"] == "write_cache.wce_survives_reset");
  }
}

TEST_CASE("program: md examine prints an array's arithmetic, as JSON and as text") {
  const json bits = json::parse(run("md examine --bits 57228 --kernel linux-6.1 --json", false).out);
  CHECK(bits["bits"] == 57228);
  CHECK(bits["bitmap_bytes"] == 7410);
  CHECK(bits["superblock_sector"] == 8);
  CHECK(bits["pages"] == json::parse(R"([{"index":0,"sector":16,"write_bytes":4096},
                                         {"index":1,"sector":24,"write_bytes":3584}])"));
  CHECK(bits["error"].is_null());
  CHECK(bits["warnings"].size() == 2);
  const std::string array =
      "md examine --level 10 --layout n2 --raid-devices 4 --size 3750483968 --chunk 512K --bitmap-chunk 64M "
      "--metadata 1.2 --data-offset 264192 --bitmap-offset 8 --logical-block-size 512 --io-opt 4096 ";
  const json whole = json::parse(run(array + "--kernel linux-6.12 --json", false).out);
  CHECK(whole["bits"] == 57228);
  CHECK(whole["pages"][1]["write_bytes"] == 4096);
  const Outcome text = run(array + "--kernel linux-6.12");
  for (const char* words : {"Array Size : 3750483968 KiB (3.49 TiB 3.84 TB)", "Layout : near=2", "57228 bits (chunks)",
                            "Bad Block Log : 512 entries available at offset 24 sectors"})
    CHECK(text.out.find(words) != std::string::npos);
  const json behind = json::parse(run("md examine --level 1 --raid-devices 2 --size 25165824 --bitmap-chunk 256K "
                                      "--metadata 1.0 --bitmap-offset -24 "
                                      "--io-opt 16384 --kernel linux-6.12 --json",
                                      false)
                                      .out);
  CHECK(behind["pages"][1]["write_bytes"] == 2560);
  CHECK(behind["pages"][0]["sector"].get<std::int64_t>() == behind["superblock_sector"].get<std::int64_t>() - 24);
  const Outcome scenario = run("md examine p5520/md-bitmap.linux-6.1 --json", false);
  CHECK(json::parse(scenario.out)["pages"] == bits["pages"]);
  const Outcome refused =
      run("md examine --raid-devices 2 --level 1 --size 25165824 --bitmap-chunk 4K --data-offset 512 --json", false);
  CHECK(refused.exit_code == 2);
  CHECK(json::parse(refused.out)["error"].get<std::string>().find("too small") != std::string::npos);
}

TEST_CASE("program: biosnoop's columns show the published block trace, in its order") {
  std::istringstream lines(run("run p5520/trace.linux-6.1 --format biosnoop", false).out);
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line) && line.find("p5520/trace") == std::string::npos;)
    rows.push_back(line);
  REQUIRE(rows.size() == 21);
  CHECK(rows[0].starts_with("TIME(s)     COMM           PID     DISK      T SECTOR     BYTES   LAT(ms)"));
  struct Want {
    std::size_t first, count;
    const char *sector, *bytes;
    double least_ms, most_ms;
  };
  // A page that is written whole takes what the publication printed; the part of one at least as long.
  for (const Want& want : {Want{9, 4, "16", "4096", 0.01, 0.02}, Want{13, 2, "115346512", "4096", 0.01, 0.02},
                           Want{15, 4, "24", "3584", 0.42, 5}, Want{19, 2, "2019022184", "4096", 0.01, 0.02}}) {
    for (std::size_t i = want.first; i < want.first + want.count; ++i) {
      CAPTURE(rows[i]);
      std::istringstream words(rows[i]);
      std::string time, comm, pid, disk, type, sector, bytes;
      double latency = 0;
      words >> time >> comm >> pid >> disk >> type >> sector >> bytes >> latency;
      CHECK(type == "W");
      CHECK(sector == want.sector);
      CHECK(bytes == want.bytes);
      CHECK(latency >= want.least_ms);
      CHECK(latency <= want.most_ms);
    }
  }
}

TEST_CASE("program: filename chooses the namespace") {
  const fs::path trace = scratch("filename") / "t.jsonl";
  REQUIRE(run("fio --name=a --rw=write --bs=4k --size=64k --direct=1 --filename=/dev/nvme0n2 --set "
              "device.identify.nn=2 --set device.identify.more_namespaces=1GiB --device generic-plp --trace " +
              trace.string())
              .exit_code == 0);
  std::ifstream in(trace);
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line); ++lines) CHECK(json::parse(line)["nsid"] == 2);
  CHECK(lines == 16);
}
