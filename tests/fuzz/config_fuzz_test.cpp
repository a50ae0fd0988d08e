// SPDX-License-Identifier: GPL-2.0-only
// Mutated configurations either load or throw a ConfigError with a place; nothing crashes, hangs or escapes.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "emulator/sim/random.hpp"
#include "lab/scenario/profiles.hpp"
#include "lab/scenario/scenario.hpp"

using namespace flushlab;

namespace {

std::string mutate(std::string text, sim::RandomStream& random) {
  static const std::vector<std::string> kPieces = {"\"",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   ",",
                                                   ":",
                                                   "null",
                                                   "-1",
                                                   "1e999",
                                                   "18446744073709551616",
                                                   "\"us\"",
                                                   "\"1us\"",
                                                   "\"extends\"",
                                                   "\"value\"",
                                                   "\\u0000",
                                                   "//",
                                                   "/*",
                                                   "0x",
                                                   "9999999999999999999999us",
                                                   "true",
                                                   "\xff",
                                                   "\"\"",
                                                   "{}",
                                                   "[[[[[[[["};
  const std::uint64_t edits = 1 + random.below(4);
  for (std::uint64_t i = 0; i < edits && !text.empty(); ++i) {
    const auto at = static_cast<std::size_t>(random.below(text.size()));
    switch (random.below(5)) {
      case 0:
        text.erase(at, 1 + random.below(12));
        break;
      case 1:
        text.insert(at, kPieces[random.below(kPieces.size())]);
        break;
      case 2:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 3:
        text.insert(at, text.substr(random.below(text.size()), random.below(40)));
        break;
      default: {  // another number
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text.replace(digit, 1, std::to_string(random.next()));
      }
    }
  }
  return text;
}

}  // namespace

TEST_CASE("config: mutated files load or say what is wrong") {
  const lab::ConfigRoot root(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
  sim::RandomStream random(20260101, "config-fuzz");
  std::uint64_t loaded = 0;
  std::uint64_t refused = 0;
  const auto attempt = [&](const auto& load) {
    try {
      load();
      ++loaded;
    } catch (const lab::ConfigError& error) {
      ++refused;
      if (error.file.empty() || error.message.empty()) FAIL("an error without a place: " << error.what());
    }
  };
  std::vector<std::pair<bool, std::string>> texts;  // is a device
  for (const std::string& name : lab::list_profiles(root, lab::ConfigKind::kDevice)) {
    texts.emplace_back(true, *root.read_file(root.directory / "devices" / (name + ".json")));
  }
  texts.emplace_back(false, *root.read_file(root.directory / "scenarios/cd6-v/uring-qd32.nvme-7.4.json"));
  texts.emplace_back(false, lab::resolve_scenario(root, "cd6-v/latency-passthru-wce1.nvme-7.4+honor-wce").tree.dump());
  for (int i = 0; i < 20000; ++i) {
    const auto& picked = texts[random.below(texts.size())];
    const bool device = picked.first;
    const std::string& text = picked.second;
    const std::string mutated = mutate(text, random);
    attempt([&] {
      if (device) {
        (void)lab::parse_device(root, mutated, "mutated.json");
      } else {
        (void)lab::parse_scenario(root, mutated, "mutated.json");
      }
    });
  }
  CHECK(loaded > 100);
  CHECK(refused > 10000);
}
