// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/dm/table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

namespace flushlab::dm {

namespace {

constexpr std::uint64_t kMaxChunkSectors = std::uint64_t{1} << 31;

struct Line {
  std::size_t number;
  std::vector<std::string> words;
  std::size_t next = 0;

  const std::string& word(const char* what) {
    if (next >= words.size())
      throw TableError(fmt::format("dm table, line {}: {} is missing at the end", number, what));
    return words[next++];
  }
  std::uint64_t integer(const char* what) {
    const std::string& text = word(what);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw TableError(fmt::format("dm table, line {}: '{}': {} is a number of sectors", number, text, what));
    return value;
  }
};

TargetSpec parse_target(Line& line) {
  TargetSpec target;
  target.begin = line.integer("the first sector");
  target.length = line.integer("the length");
  if (target.length == 0) throw TableError(fmt::format("dm table, line {}: a target of no length", line.number));
  if (target.begin + target.length < target.begin)
    throw TableError(fmt::format("dm table, line {}: the target ends beyond the last possible sector", line.number));
  const std::string& type = line.word("the target type");
  if (type == "linear") {
    const std::string& device = line.word("the device");
    target.members.push_back({device, line.integer("the offset on the device")});
  } else if (type == "striped") {
    target.type = TargetType::kStriped;
    const std::uint64_t stripes = line.integer("the number of stripes");
    const std::uint64_t chunk_sectors = line.integer("the chunk size");
    if (stripes == 0 || stripes > 1024 || chunk_sectors == 0 || chunk_sectors > kMaxChunkSectors ||
        target.length % stripes != 0) {
      throw TableError(
          fmt::format("dm table, line {}: striped wants 1 to 1024 stripes, a chunk of 1 to {} sectors, and "
                      "a length that the stripes divide",
                      line.number, kMaxChunkSectors));
    }
    target.chunk_sectors = static_cast<std::uint32_t>(chunk_sectors);
    for (std::uint64_t i = 0; i < stripes; ++i) {
      const std::string& device = line.word("a stripe's device");
      target.members.push_back({device, line.integer("a stripe's offset")});
    }
  } else if (type == "crypt") {
    target.type = TargetType::kCrypt;
    line.word("the cipher");
    line.word("the key");
    line.integer("the IV offset");
    const std::string& device = line.word("the device");
    target.members.push_back({device, line.integer("the offset on the device")});
    line.next = line.words.size();  // optional parameters change nothing that is modelled
  } else {
    throw UnknownTarget(fmt::format("dm target '{}' is not modelled; known are linear, striped, crypt", type));
  }
  if (line.next != line.words.size())
    throw TableError(fmt::format("dm table, line {}: '{}' is one word too many", line.number, line.words[line.next]));
  return target;
}

}  // namespace

std::vector<TargetSpec> parse_table(std::string_view text) {
  std::vector<TargetSpec> table;
  std::istringstream in{std::string(text)};
  std::size_t number = 0;
  for (std::string raw; std::getline(in, raw);) {
    ++number;
    Line line{number, {}, 0};
    std::istringstream words(raw);
    for (std::string word; words >> word;) line.words.push_back(word);
    if (line.words.empty()) continue;
    table.push_back(parse_target(line));
    const std::uint64_t expected =
        table.size() == 1 ? 0 : table[table.size() - 2].begin + table[table.size() - 2].length;
    if (table.back().begin != expected) {
      throw TableError(fmt::format("dm table, line {}: starts at sector {}, the target before it ends at {}", number,
                                   table.back().begin, expected));
    }
  }
  if (table.empty()) throw TableError("dm table: no target; a line is START LENGTH TYPE ...");
  return table;
}

}  // namespace flushlab::dm
