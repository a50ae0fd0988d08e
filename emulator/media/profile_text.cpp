// SPDX-License-Identifier: GPL-2.0-only
#include "emulator/media/profile_text.hpp"

#include <bit>
#include <charconv>

#include "emulator/spec/status.hpp"

namespace flushlab::media {

namespace {

// The entries between separators, without blanks around them; an empty text has none.
std::vector<std::string_view> entries(std::string_view text, char separator) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    std::string_view entry = text.substr(0, end);
    while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
    while (!entry.empty() && entry.back() == ' ') entry.remove_suffix(1);
    if (!entry.empty()) all.push_back(entry);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return all;
}

// 12, 0x0c or 0Ch.
std::optional<std::uint64_t> number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.ends_with('h')) {
    base = 16;
    text.remove_suffix(1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string quoted(std::string_view entry) {
  return "\"" + std::string(entry) + "\"";
}

}  // namespace

std::optional<std::vector<LbaFormat>> parse_lba_formats(std::string_view text, std::string& error) {
  std::vector<LbaFormat> formats;
  for (const std::string_view entry : entries(text, ',')) {
    const std::size_t plus = entry.find('+');
    const auto data = number(entry.substr(0, plus));
    const auto metadata =
        plus == std::string_view::npos ? std::optional<std::uint64_t>(0) : number(entry.substr(plus + 1));
    if (!data || !metadata || *data < 512 || *data > 65536 || !std::has_single_bit(*data) || *metadata > 1024) {
      error = quoted(entry) +
              " is not a format; write the bytes of a block, a power of two from 512, and \"+\" the bytes "
              "of its metadata, such as \"512, 512+8, 4096\"";
      return std::nullopt;
    }
    formats.push_back({static_cast<std::uint32_t>(*data), static_cast<std::uint16_t>(*metadata)});
  }
  if (formats.size() > 64) {
    error = "a namespace has at most 64 formats";
    return std::nullopt;
  }
  return formats;
}

std::optional<std::vector<std::uint64_t>> parse_namespace_sizes(std::string_view text, std::string& error) {
  std::vector<std::uint64_t> sizes;
  for (const std::string_view entry : entries(text, ',')) {
    unsigned shift = 0;
    std::string_view digits = entry;
    for (const auto& [unit, bits] :
         {std::pair("KiB", 10U), std::pair("MiB", 20U), std::pair("GiB", 30U), std::pair("TiB", 40U)}) {
      if (!entry.ends_with(unit)) continue;
      shift = bits;
      digits = entry.substr(0, entry.size() - 3);
    }
    const auto value = number(digits);
    if (!value || shift == 0 || *value == 0 || *value > (std::uint64_t{1} << (62 - shift))) {
      error = quoted(entry) + " is not a size; write it with its unit, such as \"128MiB\"";
      return std::nullopt;
    }
    sizes.push_back(*value << shift);
  }
  return sizes;
}

std::optional<std::vector<EffectsOverride>> parse_effects(std::string_view text, std::string& error) {
  std::vector<EffectsOverride> all;
  for (const std::string_view entry : entries(text, ',')) {
    const bool io = entry.starts_with("io ");
    const std::string_view pair = io ? entry.substr(3) : entry;
    const std::size_t equals = pair.find('=');
    const auto opcode = number(pair.substr(0, equals));
    const auto effects = number(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
    if (!opcode || *opcode > 0xFF || !effects || *effects > 0xFFFFFFFF) {
      error = quoted(entry) +
              " is not an entry; write OPCODE=EFFECTS, with \"io \" in front for an I/O command, such as \"09h=10001h, "
              "io 00h=3\"";
      return std::nullopt;
    }
    all.push_back({static_cast<std::uint8_t>(*opcode), static_cast<std::uint32_t>(*effects), io});
  }
  return all;
}

std::optional<std::vector<Fault>> parse_faults(std::string_view text, std::string& error) {
  std::vector<Fault> all;
  for (const std::string_view entry : entries(text, ';')) {
    const std::vector<std::string_view> words = entries(entry, ' ');
    const auto bad = [&]() -> std::optional<std::vector<Fault>> {
      error =
          quoted(entry) +
          " is not a fault; write io or admin, the opcode, which one (N or N+COUNT, from 1), and a "
          "status word that is an error (bytes 15:14 of a completion entry, the phase bit 0; 800Ch: Internal Error, "
          "DNR) or hang, such as \"io 00h 2 800Ch; io 01h 5+3 hang\"";
      return std::nullopt;
    };
    if (words.size() != 4 || (words[0] != "io" && words[0] != "admin")) return bad();
    Fault fault;
    fault.admin = words[0] == "admin";
    const auto opcode = number(words[1]);
    const std::size_t plus = words[2].find('+');
    const auto first = number(words[2].substr(0, plus));
    const auto count =
        plus == std::string_view::npos ? std::optional<std::uint64_t>(1) : number(words[2].substr(plus + 1));
    const auto status = words[3] == "hang" ? std::optional<std::uint64_t>(0) : number(words[3]);
    if (!opcode || *opcode > 0xFF || !first || *first == 0 || !count || *count == 0 || !status || *status > 0xFFFF)
      return bad();
    if (words[3] != "hang" && (*status % 2 != 0 || spec::Status::from_word(static_cast<std::uint16_t>(*status)).ok()))
      return bad();
    fault.opcode = static_cast<std::uint8_t>(*opcode);
    fault.first = *first;
    fault.count = *count;
    fault.status_word = static_cast<std::uint16_t>(*status);
    all.push_back(fault);
  }
  return all;
}

}  // namespace flushlab::media
