// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/units.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

namespace flushlab::lab {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t scale;
};

constexpr std::array<Unit, 6> kDurationUnits = {{{"ns", 1},
                                                 {"us", 1'000},
                                                 {"ms", 1'000'000},
                                                 {"s", 1'000'000'000},
                                                 {"min", 60'000'000'000},
                                                 {"h", 3'600'000'000'000}}};
constexpr std::array<Unit, 11> kSizeUnits = {{{"B", 1},
                                              {"KiB", 1ULL << 10},
                                              {"MiB", 1ULL << 20},
                                              {"GiB", 1ULL << 30},
                                              {"TiB", 1ULL << 40},
                                              {"PiB", 1ULL << 50},
                                              {"kB", 1'000},
                                              {"MB", 1'000'000},
                                              {"GB", 1'000'000'000},
                                              {"TB", 1'000'000'000'000},
                                              {"PB", 1'000'000'000'000'000}}};
constexpr std::array<Unit, 3> kFractionUnits = {{{"", 1'000'000}, {"%", 10'000}, {"ppm", 1}}};

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

// value * 10 + digit, std::nullopt beyond 64 bits.
std::optional<std::uint64_t> append_digit(std::uint64_t value, char digit) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const auto d = static_cast<std::uint64_t>(digit - '0');
  if (value > (kMax - d) / 10) return std::nullopt;
  return value * 10 + d;
}

struct Quantity {
  const char* what;      // "a duration"
  const char* units;     // "ns, us, ms, s, min or h"
  const char* example;   // "194us"
  const char* smallest;  // "1ns"
  std::span<const Unit> table;
};

// A decimal number directly followed by a unit (one space between is allowed).
std::uint64_t parse_quantity(std::string_view text, const Quantity& quantity) {
  const auto fail = [&](const std::string& message, const std::string& remedy = {}) -> UnitError {
    return {message, remedy};
  };
  const std::string expected = std::string("write ") + quantity.what + " as a number and one of " + quantity.units +
                               ", such as " + quoted(quantity.example);
  std::uint64_t whole = 0;   // the digits without the point
  std::size_t decimals = 0;  // how many of them are behind the point
  bool any = false, point = false;
  std::size_t i = 0;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    const auto next = append_digit(whole, text[i]);
    if (!next) throw fail(quoted(text) + " does not fit in 64 bits", expected);
    whole = *next;
    any = true;
    if (point) ++decimals;
  }
  if (!any || (point && decimals == 0)) throw fail(quoted(text) + " is not " + quantity.what, expected);
  std::string_view name = text.substr(i);
  if (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  const auto unit =
      std::find_if(quantity.table.begin(), quantity.table.end(), [&](const Unit& u) { return u.name == name; });
  if (unit == quantity.table.end()) {
    if (name.empty()) throw fail(quoted(text) + " has no unit", expected);
    std::vector<std::string_view> names;
    for (const Unit& u : quantity.table) names.push_back(u.name);
    const std::string_view near = nearest_word(name, names);
    if (!near.empty())
      throw fail(quoted(text) + " has an unknown unit",
                 "did you mean " + quoted(std::string(text.substr(0, i)) + std::string(near)) + "?");
    throw fail(quoted(text) + " has an unknown unit", expected);
  }
  // whole * scale / 10^decimals, exactly. Common factors go first, so that "0.0000000001TB" and "3.84TB" both fit.
  std::uint64_t scale = unit->scale;
  while (decimals > 0 && (scale % 10 == 0 || whole % 10 == 0)) {
    (scale % 10 == 0 ? scale : whole) /= 10;
    --decimals;
  }
  // What is left of 10^decimals can still share a factor of 2 or 5 with the number or the scale (2.5KiB).
  for (std::size_t k = 0; k < decimals; ++k) {
    for (const std::uint64_t prime : {2ULL, 5ULL}) {
      if (scale % prime == 0) {
        scale /= prime;
      } else if (whole % prime == 0) {
        whole /= prime;
      } else {
        throw fail(quoted(text) + " is not a whole number of " + quantity.smallest, "round it");
      }
    }
  }
  if (scale != 0 && whole > std::numeric_limits<std::uint64_t>::max() / scale) {
    throw fail(quoted(text) + " does not fit in 64 bits", expected);
  }
  return whole * scale;
}

// value / scale as decimal digits, std::nullopt if that needs more than three behind the point.
std::optional<std::string> decimal(std::uint64_t value, std::uint64_t scale) {
  std::string text = std::to_string(value / scale);
  std::uint64_t rest = value % scale;
  if (rest == 0) return text;
  text += '.';
  for (int digits = 0; digits < 3 && rest != 0; ++digits) {
    rest *= 10;  // below 10 * 10^15: no overflow
    text += static_cast<char>('0' + rest / scale);
    rest %= scale;
  }
  if (rest != 0) return std::nullopt;
  return text;
}

}  // namespace

std::uint64_t parse_duration_ns(std::string_view text) {
  return parse_quantity(text, {"a duration", "ns, us, ms, s, min, h", "194us", "nanoseconds", kDurationUnits});
}

std::uint64_t parse_size_bytes(std::string_view text) {
  return parse_quantity(text,
                        {"a size", "B, KiB, MiB, GiB, TiB, PiB, kB, MB, GB, TB, PB", "4KiB", "bytes", kSizeUnits});
}

std::uint64_t parse_fraction_ppm(std::string_view text) {
  return parse_quantity(text, {"a fraction", "nothing, %, ppm", "0.4", "millionths", kFractionUnits});
}

std::uint64_t parse_integer(std::string_view text) {
  const std::string remedy = "write a whole number, such as 5 or \"0x05\"";
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  std::uint64_t value = 0;
  if (text.empty()) throw UnitError{"\"\" is not a number", remedy};
  for (const char c : text.substr(hex ? 2 : 0)) {
    if (hex) {
      const char lower = static_cast<char>(c | 0x20);
      if (!is_digit(c) && !(lower >= 'a' && lower <= 'f')) throw UnitError{quoted(text) + " is not a number", remedy};
      if (value >> 60 != 0) throw UnitError{quoted(text) + " does not fit in 64 bits", ""};
      value = (value << 4) | static_cast<std::uint64_t>(is_digit(c) ? c - '0' : lower - 'a' + 10);
    } else {
      if (!is_digit(c)) throw UnitError{quoted(text) + " is not a number", remedy};
      const auto next = append_digit(value, c);
      if (!next) throw UnitError{quoted(text) + " does not fit in 64 bits", ""};
      value = *next;
    }
  }
  return value;
}

std::string format_duration(std::uint64_t ns) {
  // The largest unit of ns, us, ms, s that needs at most three decimals, unless that only makes it longer.
  std::string best = std::to_string(ns) + "ns";
  if (ns == 0) return "0us";
  for (const Unit& unit : std::span(kDurationUnits).subspan(1, 3)) {
    if (ns < unit.scale / 10) break;
    const auto text = decimal(ns, unit.scale);
    if (text && text->size() + unit.name.size() <= best.size()) best = *text + std::string(unit.name);
  }
  return best;
}

std::string format_size(std::uint64_t bytes) {
  std::string best = std::to_string(bytes) + "B";
  for (const Unit& unit : std::span(kSizeUnits).subspan(1)) {
    if (bytes < unit.scale) continue;
    const auto text = decimal(bytes, unit.scale);
    if (text && text->size() + unit.name.size() < best.size()) best = *text + std::string(unit.name);
  }
  return best;
}

std::string format_bits(std::uint64_t value, unsigned bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string digits;
  for (std::uint64_t rest = value; rest != 0; rest >>= 4) digits.insert(digits.begin(), kDigits[rest & 0xF]);
  while (digits.size() < std::size_t{2} * bytes) digits.insert(digits.begin(), '0');
  return "0x" + digits;
}

std::string_view nearest_word(std::string_view word, const std::vector<std::string_view>& candidates) {
  const auto fold = [](char c) {
    if (c == '-' || c == ' ') return '_';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  if (word.size() > 64) return {};
  std::string_view best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> row;
  for (const std::string_view candidate : candidates) {
    // Levenshtein's distance, one row at a time.
    row.resize(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t above = row[j];
        const std::size_t change = fold(word[i - 1]) == fold(candidate[j - 1]) ? 0 : 1;
        row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + change});
        diagonal = above;
      }
    }
    // The beginning of a word, or a word with its unit left on ("flush_answer_ns"), is meant too.
    std::size_t distance = row.back();
    const bool prefix = word.size() >= 3 && candidate.substr(0, word.size()) == word;
    const bool extended = candidate.size() >= 4 && word.substr(0, candidate.size()) == candidate;
    if (prefix || extended) distance = std::min<std::size_t>(distance, 1);
    const std::size_t limit = std::max<std::size_t>(1, std::min(word.size(), candidate.size()) / 3);
    if (distance <= limit && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace flushlab::lab
