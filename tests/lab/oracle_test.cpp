// SPDX-License-Identifier: GPL-2.0-only
// The model against the recordings of real kernels (6.1 and 6.12, stock and with the patch), and the judge itself: a
// recording that is changed, cut off or foreign is noticed.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "lab/check/oracle/flush_replay.hpp"
#include "lab/check/oracle/shell.hpp"
#include "lab/check/oracle/verdict.hpp"

using namespace flushlab;
namespace fs = std::filesystem;
using lab::oracle::Outcome;

namespace {

const lab::ConfigRoot& root() {
  static const lab::ConfigRoot configs(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
  return configs;
}

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A copy of one scenario's files that a test may change.
struct Copy {
  fs::path folder;
  std::string name;

  Copy(const std::string& group, std::string scenario) : name(std::move(scenario)) {
    folder = fs::temp_directory_path() / fmt::format("flushlab-oracle-{}-{}", ::getpid(), counter++);
    fs::create_directories(folder);
    for (const char* suffix : {".json", ".jsonl", ".bio.jsonl"})
      fs::copy_file(fs::path(FLUSHLAB_RECORDINGS) / group / (name + suffix), folder / (name + suffix));
  }
  ~Copy() { fs::remove_all(folder); }
  [[nodiscard]] fs::path file(const std::string& suffix) const { return folder / (name + suffix); }
  void edit(const std::string& suffix, const std::string& from, const std::string& to) const {
    std::string text = read(file(suffix));
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    std::ofstream(file(suffix)) << text;
  }
  [[nodiscard]] lab::oracle::Verdict judge() const { return lab::oracle::judge(root(), file(".json")); }

  static inline int counter = 0;
};

const std::string kQd1 = "k6.12-blk512";
const std::string kQd1Name = "a01-psync-direct-fsync1";

}  // namespace

TEST_CASE("oracle: every scenario of the recordings passes, or is one of a few that are not modelled") {
  // What a skip may say, and how many say it.
  const std::vector<std::pair<const char*, int>> not_modelled = {
      {"two controllers", 6}, {"read_iolog", 4}, {"setup: mkfs.xfs", 2}, {"mdadm --remove", 2}, {"mdadm --level=0", 3},
  };
  std::map<std::string, int> skipped;
  std::vector<std::string> groups;
  for (const auto& entry : fs::directory_iterator(FLUSHLAB_RECORDINGS)) {
    if (entry.path().filename() != "dumps") groups.push_back(entry.path().filename());
  }
  std::sort(groups.begin(), groups.end());
  REQUIRE(groups.size() >= 70);
  std::size_t passed = 0;
  std::string table = "| group | scenario | verdict | what was held |\n|---|---|---|---|\n";
  for (const std::string& group : groups) {
    for (const auto& verdict : lab::oracle::judge_all(root(), fs::path(FLUSHLAB_RECORDINGS) / group, 2)) {
      CAPTURE(group, verdict.scenario, verdict.reason, verdict.details);
      if (verdict.outcome == Outcome::kSkip) {
        const auto known = std::find_if(not_modelled.begin(), not_modelled.end(), [&](const auto& one) {
          return verdict.reason.find(one.first) != std::string::npos;
        });
        REQUIRE(known != not_modelled.end());
        ++skipped[known->first];
      } else {
        CHECK(verdict.outcome == Outcome::kPass);
        ++passed;
      }
      table += fmt::format("| {} | {} | {} | {} |\n", group, verdict.scenario, lab::oracle::word_of(verdict.outcome),
                           verdict.outcome == Outcome::kPass ? verdict.how : verdict.reason);
    }
  }
  CHECK(passed >= 650);
  for (const auto& [reason, count] : not_modelled) {
    CAPTURE(reason);
    CHECK(skipped[reason] == count);
  }
  // The table in the documentation is this run's. FLUSHLAB_UPDATE=1 writes it anew.
  const std::string document = std::string(FLUSHLAB_SOURCE_DIR) + "/docs/oracle.md";
  std::string text = read(document);
  const std::string marker = "<!-- generated from here on -->\n";
  const std::size_t at = text.find(marker);
  REQUIRE(at != std::string::npos);
  const std::string wanted = text.substr(0, at) + marker + "\n" + table;
  if (std::getenv("FLUSHLAB_UPDATE") != nullptr) {
    std::ofstream(document) << wanted;
  } else {
    CHECK(text == wanted);
  }
}

TEST_CASE("oracle: a recording that says something else fails, and says where") {
  struct Row {
    const char* what;
    const char* suffix;
    const char* from;
    const char* to;
    const char* reason;
  };
  const Row row = GENERATE(values<Row>({
      {"another block", ".jsonl", "\"slba\":9368", "\"slba\":9376", "I/O commands of nvme0n1, from command 0"},
      {"FUA", ".jsonl", "\"fua\":0", "\"fua\":1", "I/O commands of nvme0n1, from command 0"},
      {"another length", ".jsonl", "\"nlb\":8", "\"nlb\":16", "I/O commands of nvme0n1, from command 0"},
      {"another opcode", ".jsonl", "\"op\":\"flush\"", "\"op\":\"read\"", "I/O commands of nvme0n1, from command 1"},
      {"an error", ".jsonl", "\"status\":0", "\"status\":16386", "I/O commands of nvme0n1, from command 0"},
      {"another limit", ".json", "\"max_segments\":128", "\"max_segments\":64", "max_segments"},
      {"another job", ".json", "--randseed=1", "--randseed=2", "I/O commands of nvme0n1, from command 0"},
      {"a queue that the bio's CPU does not feed", ".bio.jsonl", "\"rwbs\":\"FWS\",\"sector\":0,\"sectors\":0",
       "\"rwbs\":\"FWF\",\"sector\":0,\"sectors\":8", "has not asked for"},
  }));
  CAPTURE(row.what);
  const Copy copy(kQd1, kQd1Name);
  CHECK(copy.judge().outcome == Outcome::kPass);
  copy.edit(row.suffix, row.from, row.to);
  const auto verdict = copy.judge();
  CAPTURE(verdict.reason);
  CHECK(verdict.outcome == Outcome::kFail);
  CHECK(verdict.reason.find(row.reason) != std::string::npos);
}

TEST_CASE("oracle: an array's recording that says something else fails, and says where") {
  struct Row {
    const char* what;
    const char* file;
    const char* from;
    const char* to;
    const char* reason;
  };
  const Row row = GENERATE(values<Row>({
      {"a longer page", "seed-r10-64M-qd1-nofsync.jsonl", "\"slba\":24,\"nlb\":7", "\"slba\":24,\"nlb\":8",
       "metadata 24+8 is written; the model's array has 16+8, 24+7, 8+1"},
      {"a page elsewhere", "seed-r10-64M-qd1-nofsync.jsonl", "\"slba\":16,\"nlb\":8", "\"slba\":40,\"nlb\":8",
       "metadata 40+8 is written"},
      {"data elsewhere", "seed-r10-64M-qd1-nofsync.json", "--randseed=", "--randseed=7", "data commands of member"},
      {"another bitmap", "seed-r10-64M-create.json", "--bitmap-chunk=64M", "--bitmap-chunk=128M", "metadata"},
      {"another layout", "seed-r10-64M-create.json", "--layout=n2", "--layout=f2", "optimal_io_size"},
      {"another chunk", "seed-r10-64M-create.json", "--chunk=512K", "--chunk=1M", ""},
  }));
  CAPTURE(row.what);
  const fs::path folder = fs::temp_directory_path() / fmt::format("flushlab-oracle-array-{}", ::getpid());
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const char* name : {"seed-r10-64M-create", "seed-r10-64M-qd1-nofsync"}) {
    for (const char* suffix : {".json", ".jsonl", ".bio.jsonl"}) {
      const std::string file = std::string(name) + suffix;
      fs::copy_file(fs::path(FLUSHLAB_RECORDINGS) / "md-seed-opt0" / file, folder / file);
    }
  }
  const fs::path header = folder / "seed-r10-64M-qd1-nofsync.json";
  CHECK(lab::oracle::judge(root(), header).outcome == Outcome::kPass);
  std::string text = read(folder / row.file);
  const std::size_t at = text.find(row.from);
  REQUIRE(at != std::string::npos);
  text.replace(at, std::string_view(row.from).size(), row.to);
  std::ofstream(folder / row.file) << text;
  const auto verdict = lab::oracle::judge(root(), header);
  CAPTURE(verdict.reason);
  CHECK(verdict.outcome == Outcome::kFail);
  CHECK(verdict.reason.find(row.reason) != std::string::npos);
  fs::remove_all(folder);
}

TEST_CASE("oracle: what cannot be read is an error that names file and line, what is not known a skip that names it") {
  SECTION("cut off in the middle of a line") {
    const Copy copy(kQd1, kQd1Name);
    const std::string text = read(copy.file(".jsonl"));
    std::ofstream(copy.file(".jsonl")) << text.substr(0, text.size() - 40);
    CHECK_THROWS_WITH(copy.judge(), Catch::Contains(".jsonl:39") && Catch::Contains("cut off"));
  }
  SECTION("cut off at a line's end") {
    const Copy copy(kQd1, kQd1Name);
    std::string text = read(copy.file(".jsonl"));
    text.pop_back();
    std::ofstream(copy.file(".jsonl")) << text.substr(0, text.rfind('\n') + 1);
    CHECK_THROWS_WITH(copy.judge(), Catch::Contains("38 commands, the header counts 39"));
  }
  SECTION("a line is missing") {
    const Copy copy(kQd1, kQd1Name);
    copy.edit(".jsonl", "\"seq\":3,", "\"seq\":4,");
    CHECK_THROWS_WITH(copy.judge(), Catch::Contains(".jsonl:4") && Catch::Contains("seq 4 where 3 comes next"));
  }
  SECTION("a field is missing, or of another kind") {
    const Copy copy(kQd1, kQd1Name);
    copy.edit(".jsonl", "\"disk\":\"nvme0n1\",", "");
    CHECK_THROWS_WITH(copy.judge(), Catch::Contains(".jsonl:1") && Catch::Contains("\"disk\" is missing"));
  }
  SECTION("no JSON") {
    const Copy copy(kQd1, kQd1Name);
    std::ofstream(copy.file(".json")) << "{\"scenario\": ";
    CHECK_THROWS_WITH(copy.judge(), Catch::Contains(".json: not JSON"));
  }
  SECTION("no recording at all") {
    CHECK_THROWS_WITH(lab::oracle::judge_all(root(), FLUSHLAB_SOURCE_DIR "/docs", 1),
                      Catch::Contains("no recording in it"));
    CHECK_THROWS_WITH(lab::oracle::judge_all(root(), "/no/such/folder", 1), Catch::Contains("not a folder"));
  }
  struct Row {
    const char* from;
    const char* to;
    const char* reason;
  };
  for (const Row& row : std::vector<Row>{
           {"\"fio --name=a", "\"mkfs.ext4 --name=a", "the program mkfs.ext4"},
           {"--fsync=1", "--verify=md5", "verify"},
           {"/dev/nvme0n1 --ioengine", "/dev/md0 --ioengine", "/dev/md0"},
           {"\"kernel\":\"6.12", "\"kernel\":\"5.10", "kernel 5.10"},
           {"\"lba\":512", "\"zoned\":true", "zoned"},
           {"--fsync=1\"", "--fsync=1 | tee log\"", "the shell's |"},
       }) {
    const Copy copy(kQd1, kQd1Name);
    copy.edit(".json", row.from, row.to);
    const auto verdict = copy.judge();
    CAPTURE(row.to, verdict.reason);
    CHECK(verdict.outcome == Outcome::kSkip);
    CHECK(verdict.reason.find(row.reason) != std::string::npos);
  }
}

TEST_CASE("oracle: what a program's field does not hold, or a guest's setup does that the model does not, is a skip") {
  const std::vector<std::pair<const char*, const char*>> lines = {
      {"nvme set-feature /dev/nvme0 -f 6 --value=4294967296", "4294967296"},
      {"nvme set-feature /dev/nvme0 -f 300 --value=1", "300"},
      {"nvme set-feature /dev/nvme0 -f 6", "--value"},
      {"nvme get-feature /dev/nvme0 -s 0", "-f"},
      {"nvme get-feature /dev/nvme0 -f 6 -s 9", "9"},
      {"nvme write /dev/nvme0n1 --block-count=65536 --data-size=512 --data=/tmp/d", "65536"},
      {"nvme io-passthru /dev/nvme0n1 --opcode=1 --data-len=99999999999", "99999999999"},
      {"nvmeadm /dev/nvme0 265 6 0", "265"},
      {"sleep x", "sleep x"},
      {"sleep -1", "sleep -1"},
      {"sleep 999999999999999999999", "sleep 9999"},
      {"dd if=/dev/zero of=/dev/nvme0n1 bs=4k count=1 oflag=frob", "oflag=frob"},
      {"dd if=/dev/zero of=/dev/nvme0n1 bs=9223372036854775807 count=3", "bs="},
      {"fio --name=a --filename=/dev/nvme0n1 --ioengine=psync --direct=1 --rw=write --bs=1 --size=4k", "whole blocks"},
      {"frobnicate /dev/nvme0n1", "frobnicate"},
  };
  for (const auto& [line, reason] : lines) {
    CAPTURE(line);
    const Copy copy(kQd1, kQd1Name);
    auto header = nlohmann::json::parse(read(copy.file(".json")));
    header["commands"] = nlohmann::json::array({line});
    std::ofstream(copy.file(".json")) << header.dump();
    const auto verdict = copy.judge();
    CAPTURE(verdict.reason);
    CHECK(verdict.outcome == Outcome::kSkip);
    CHECK(verdict.reason.find(reason) != std::string::npos);
  }
  const Copy copy(kQd1, kQd1Name);
  auto header = nlohmann::json::parse(read(copy.file(".json")));
  header["setup"] = nlohmann::json::array({"mount /dev/nvme0n1 /mnt"});
  std::ofstream(copy.file(".json")) << header.dump();
  CHECK(copy.judge().outcome == Outcome::kSkip);
}

TEST_CASE("oracle: a recording that cannot be read keeps nobody from judging the others") {
  const Copy copy(kQd1, kQd1Name);
  std::ofstream(copy.folder / "a00.json") << "{";
  std::ofstream(copy.folder / "a00.jsonl") << "";
  const auto verdicts = lab::oracle::judge_all(root(), copy.folder, 1);
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].outcome == Outcome::kFail);
  CHECK(verdicts[0].unreadable);
  CHECK(verdicts[0].reason.find("a00.json") != std::string::npos);
  CHECK(verdicts[1].outcome == Outcome::kPass);
}

TEST_CASE("oracle: the flush replay notices a Flush too many and one too few") {
  auto recording = lab::oracle::load_recording(fs::path(FLUSHLAB_RECORDINGS) / kQd1 / (kQd1Name + ".json"));
  CHECK(lab::oracle::replay_flushes(recording, "nvme0n1", false).failure.empty());
  SECTION("one too many") {
    auto extra = recording.commands[1];
    REQUIRE(extra.op == "flush");
    recording.commands.push_back(extra);
    CHECK(lab::oracle::replay_flushes(recording, "nvme0n1", false).failure.find("has not asked for") !=
          std::string::npos);
  }
  SECTION("one too few") {
    recording.commands.erase(recording.commands.begin() + 1);
    CHECK_FALSE(lab::oracle::replay_flushes(recording, "nvme0n1", false).failure.empty());
  }
}

TEST_CASE("oracle: the guest's shell") {
  using lab::oracle::parse_shell;
  const auto words = [](const std::string& line) {
    std::string out;
    for (const auto& command : parse_shell(line, {{"OUT", "/out"}})) {
      for (const auto& word : command.words) out += "[" + word + "]";
      if (!command.output.empty()) out += ">" + command.output;
      if (command.background) out += "&";
      out += ";";
    }
    return out;
  };
  CHECK(words("echo \"write back\" > /sys/x") == "[echo][write back]>/sys/x;");
  CHECK(words("fio --a=b > /dev/null 2>&1 &") == "[fio][--a=b]>/dev/null&;");
  CHECK(words("for f in 1 2; do nvme -f $f; done") == "[nvme][-f][1];[nvme][-f][2];");
  CHECK(words("a; b 'x y' $OUT/z") == "[a];[b][x y][/out/z];");
  CHECK_THROWS_WITH(words("a && b"), Catch::Contains("&&"));
  CHECK_THROWS_WITH(words("echo $(ls)"), Catch::Contains("substitution"));
  CHECK_THROWS_WITH(words("echo $HOME"), Catch::Contains("$HOME"));
  CHECK_THROWS_WITH(words("echo \"open"), Catch::Contains("quote"));
}
