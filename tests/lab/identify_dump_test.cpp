// SPDX-License-Identifier: GPL-2.0-only
// What the `qemu-7.2` drive answers, byte for byte, against what the emulated drive of the recordings answered; and
// dumps of drives as input: what is no dump is refused by name.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "lab/check/raw_host.hpp"
#include "lab/scenario/identify_dump.hpp"
#include "lab/scenario/profiles.hpp"

using namespace flushlab;
namespace fs = std::filesystem;

namespace {

const lab::ConfigRoot& root() {
  static const lab::ConfigRoot configs(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
  return configs;
}

const fs::path kDumps = fs::path(FLUSHLAB_RECORDINGS) / "dumps";

std::vector<char> contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

fs::path write_file(const std::string& name, const std::vector<char>& bytes) {
  const fs::path folder = fs::path(FLUSHLAB_BINARY_DIR) / "identify_dump";
  fs::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return folder / name;
}

}  // namespace

TEST_CASE("qemu-7.2: Identify data and the effects log are the recorded bytes") {
  struct Row {
    const char* file;
    spec::SubmissionEntry sqe;
  };
  spec::SubmissionEntry effects;
  effects.opc = static_cast<std::uint8_t>(spec::AdminOpcode::kGetLogPage);
  effects.nsid = spec::kBroadcastNsid;
  effects.cdw10 = 0x05U | (1023U << 16);
  const std::vector<Row> rows = {{"idctrl.bin", spec::make_identify(0x01)},
                                 {"idns.bin", spec::make_identify(0x00, 1)},
                                 {"nsdescs.bin", spec::make_identify(0x03, 1)},
                                 {"identify_cns6.bin", spec::make_identify(0x06)},
                                 {"effects.bin", effects}};
  lab::RawHost host(lab::load_device(root(), "qemu-7.2", {}));
  host.start();
  for (const Row& row : rows) {
    CAPTURE(row.file);
    const std::vector<char> recorded = contents(kDumps / row.file);
    REQUIRE(recorded.size() == 4096);
    std::memset(host.bytes(), 0xA5, 4096);
    REQUIRE(host.admin(row.sqe).status().ok());
    const auto* answered = reinterpret_cast<const char*>(host.bytes());
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      if (answered[i] == recorded[i]) continue;
      FAIL(fmt::format("byte {} is {:02x}, recorded {:02x}", i, static_cast<unsigned char>(answered[i]),
                       static_cast<unsigned char>(recorded[i])));
    }
  }
}

TEST_CASE("identify dumps: a profile's and its dump's are the same") {
  const lab::IdentifyDump dump =
      lab::read_dumps(root(), {(kDumps / "idctrl.bin").string(), (kDumps / "idns.bin").string(), "", ""});
  const lab::IdentifyDump profile = lab::identify_of(lab::load_device(root(), "qemu-7.2", {}));
  CHECK(std::memcmp(&dump.controller, &profile.controller, sizeof dump.controller) == 0);
  CHECK(std::memcmp(&dump.ns, &profile.ns, sizeof dump.ns) == 0);
  CHECK(dump.vs == 0x00010400);
}

TEST_CASE("identify dumps: what is no dump is an error that names the file") {
  const std::vector<char> ctrl = contents(kDumps / "idctrl.bin"), ns = contents(kDumps / "idns.bin");
  const std::string good_ctrl = (kDumps / "idctrl.bin").string(), good_ns = (kDumps / "idns.bin").string();
  std::vector<char> half(ctrl.begin(), ctrl.begin() + 2048), twice = ctrl;
  twice.insert(twice.end(), ctrl.begin(), ctrl.end());
  struct Row {
    std::string ctrl, ns;
    const char* says;
  };
  const std::vector<Row> rows = {
      {"/no/such/idctrl.bin", good_ns, "idctrl.bin"},
      {write_file("half.bin", half).string(), good_ns, "2048"},
      {write_file("twice.bin", twice).string(), good_ns, "8192"},
      {write_file("empty.bin", {}).string(), good_ns, "empty.bin"},
      {good_ctrl, write_file("half-ns.bin", half).string(), "half-ns.bin"},
      {good_ns, good_ctrl, "idns.bin"},  // the other way round
      {write_file("zeroes.bin", std::vector<char>(4096, 0)).string(), good_ns, "zeroes.bin"},
      {good_ctrl, write_file("zeroes-ns.bin", std::vector<char>(4096, 0)).string(), "zeroes-ns.bin"},
      {write_file("ones.bin", std::vector<char>(4096, -1)).string(), good_ns, "ones.bin"},
      {good_ctrl, write_file("ones-ns.bin", std::vector<char>(4096, -1)).string(), "ones-ns.bin"},
      {kDumps.string(), good_ns, "dumps"},  // a folder
  };
  for (const Row& row : rows) {
    CAPTURE(row.ctrl, row.ns);
    try {
      (void)lab::read_dumps(root(), {row.ctrl, row.ns, "", ""});
      FAIL("accepted");
    } catch (const lab::ConfigError& error) {
      CHECK(std::string(error.what()).find(row.says) != std::string::npos);
    }
  }
}
