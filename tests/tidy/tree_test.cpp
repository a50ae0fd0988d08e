// SPDX-License-Identifier: GPL-2.0-only
// The tree guards itself: which room may include which, licences, sizes, and what has no place in the model.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

const fs::path kRoot = FLUSHLAB_SOURCE_DIR;

struct Source {
  std::string path;  // relative to the root
  std::vector<std::string> lines;
};

std::vector<Source> sources(const std::vector<std::string>& tops) {
  std::vector<Source> found;
  for (const std::string& top : tops) {
    if (!fs::exists(kRoot / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".hpp") continue;
      Source source;
      source.path = fs::relative(entry.path(), kRoot).generic_string();
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) source.lines.push_back(line);
      found.push_back(std::move(source));
    }
  }
  std::sort(found.begin(), found.end(), [](const Source& a, const Source& b) { return a.path < b.path; });
  return found;
}

// "emulator/sim/x.hpp" -> "emulator/sim"; a file directly in a top folder is its own room.
std::string room_of(const std::string& path) {
  const auto first = path.find('/');
  const auto second = path.find('/', first + 1);
  return second == std::string::npos ? path.substr(0, first) : path.substr(0, second);
}

// What each room may include besides itself. The one-way rule of docs/architecture.md.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"emulator/sim", {}},
    {"emulator/spec", {}},
    {"emulator/queue", {"emulator/spec", "emulator/sim"}},
    {"emulator/media", {"emulator/spec", "emulator/sim", "emulator/queue"}},
    {"emulator/controller", {"emulator/media", "emulator/queue", "emulator/spec", "emulator/sim"}},
    {"hostmodel/kernel", {"emulator/sim", "emulator/spec", "emulator/queue"}},
    {"hostmodel/block", {"hostmodel/kernel", "emulator/sim", "emulator/spec", "emulator/queue"}},
    {"hostmodel/nvme", {"hostmodel/block", "hostmodel/kernel", "emulator/sim", "emulator/spec", "emulator/queue"}},
    {"hostmodel/dm", {"hostmodel/block", "hostmodel/kernel", "emulator/sim", "emulator/spec", "emulator/queue"}},
    {"hostmodel/md", {"hostmodel/block", "hostmodel/kernel", "emulator/sim", "emulator/spec", "emulator/queue"}},
    {"hostmodel/vfs", {"hostmodel/block", "hostmodel/kernel", "emulator/sim", "emulator/spec", "emulator/queue"}},
    {"hostmodel/io",
     {"hostmodel/vfs", "hostmodel/block", "hostmodel/kernel", "emulator/sim", "emulator/spec", "emulator/queue"}},
    {"hostmodel/fio",
     {"hostmodel/io", "hostmodel/vfs", "hostmodel/block", "hostmodel/kernel", "emulator/sim", "emulator/spec",
      "emulator/queue"}},
};

}  // namespace

TEST_CASE("tree: includes go one way, lab to hostmodel to emulator, and within them as the architecture says") {
  const std::regex include(R"re(^\s*#\s*include\s+"([^"]+)")re");
  std::vector<std::string> broken;
  std::set<std::string> rooms;
  for (const Source& source : sources({"emulator", "hostmodel"})) {
    const std::string room = room_of(source.path);
    rooms.insert(room);
    const auto allowed = kMayInclude.find(room);
    if (allowed == kMayInclude.end()) {
      broken.push_back(source.path + ": a room that this test does not know: add it with what it may include");
      continue;
    }
    for (const std::string& line : source.lines) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      const std::string target = room_of(match[1].str());
      if (target != room && !allowed->second.contains(target))
        broken.push_back(source.path + " includes " + match[1].str());
    }
  }
  for (const std::string& line : broken) UNSCOPED_INFO(line);
  CHECK(broken.empty());
  CHECK(rooms.size() >= 10);  // the test saw the tree
}

TEST_CASE("tree: every source file says its licence first") {
  std::vector<std::string> broken;
  for (const Source& source : sources({"emulator", "hostmodel", "lab", "tests", "bench"})) {
    if (source.lines.empty() || source.lines[0] != "// SPDX-License-Identifier: GPL-2.0-only")
      broken.push_back(source.path);
  }
  for (const std::string& line : broken) UNSCOPED_INFO(line);
  CHECK(broken.empty());
}

TEST_CASE("tree: a source file is one purpose, at most 650 lines") {
  std::vector<std::string> broken;
  for (const Source& source : sources({"emulator", "hostmodel", "lab"})) {
    if (source.lines.size() > 650) broken.push_back(source.path + ": " + std::to_string(source.lines.size()));
  }
  for (const std::string& line : broken) UNSCOPED_INFO(line);
  CHECK(broken.empty());
}

TEST_CASE("tree: no clock, thread, standard-library randomness or inheritance across the hot path in the model") {
  const std::regex forbidden(
      R"re(\b(system_clock|steady_clock|high_resolution_clock|random_device|mt19937|uniform_int_distribution|std::thread|std::rand)\b|\bvirtual\s)re");
  std::vector<std::string> broken;
  for (const Source& source : sources({"emulator", "hostmodel"})) {
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const std::string code = source.lines[i].substr(0, source.lines[i].find("//"));
      if (std::regex_search(code, forbidden))
        broken.push_back(source.path + ":" + std::to_string(i + 1) + ": " + source.lines[i]);
    }
  }
  for (const std::string& line : broken) UNSCOPED_INFO(line);
  CHECK(broken.empty());
}

TEST_CASE("tree: no floating point in the drive, and in the host only where fio's own rules are defined by it") {
  const std::regex floating(R"re(\b(double|float)\b)re");
  // fio defines offsets and statistics by IEEE doubles; these files say so in their headers.
  const std::set<std::string> allowed_rooms = {"hostmodel/fio"};
  std::vector<std::string> broken;
  for (const Source& source : sources({"emulator", "hostmodel"})) {
    if (allowed_rooms.contains(room_of(source.path))) continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const std::string code = source.lines[i].substr(0, source.lines[i].find("//"));
      if (std::regex_search(code, floating))
        broken.push_back(source.path + ":" + std::to_string(i + 1) + ": " + source.lines[i]);
    }
  }
  for (const std::string& line : broken) UNSCOPED_INFO(line);
  CHECK(broken.empty());
}
