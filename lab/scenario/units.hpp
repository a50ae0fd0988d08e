// SPDX-License-Identifier: GPL-2.0-only
// Numbers with units, as configuration writes them: "193.2us", "3.84TB", "0x05", "40%". Integer arithmetic only, exact
// or refused: what cannot be held in whole nanoseconds, bytes or millionths is an error, not rounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flushlab::lab {

// What is wrong with the text and, where there is one, what to type instead. The caller adds the place.
struct UnitError {
  std::string message;
  std::string remedy;
};

// A decimal number and one of ns, us, ms, s, min, h. Result in ns. Throws UnitError.
[[nodiscard]] std::uint64_t parse_duration_ns(std::string_view text);
// A decimal number and one of B, KiB, MiB, GiB, TiB, PiB, kB, MB, GB, TB, PB. Result in bytes. Throws UnitError.
[[nodiscard]] std::uint64_t parse_size_bytes(std::string_view text);
// A fraction: "0.4", "40%", "400000ppm". Result in millionths. Throws UnitError.
[[nodiscard]] std::uint64_t parse_fraction_ppm(std::string_view text);
// "0x1A" or "26". Throws UnitError.
[[nodiscard]] std::uint64_t parse_integer(std::string_view text);

// The shortest text that parses to exactly this value.
[[nodiscard]] std::string format_duration(std::uint64_t ns);
[[nodiscard]] std::string format_size(std::uint64_t bytes);
// "0x05", at least `bytes` bytes wide.
[[nodiscard]] std::string format_bits(std::uint64_t value, unsigned bytes);

// The candidate with the smallest edit distance to `word`, ignoring case and taking '-', '_' and ' ' for the same;
// empty if none is near enough to have been meant. Ties: the first.
[[nodiscard]] std::string_view nearest_word(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace flushlab::lab
