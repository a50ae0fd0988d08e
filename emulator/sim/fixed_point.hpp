// SPDX-License-Identifier: GPL-2.0-only
// Arithmetic without floating point: signed Q32.32 numbers, 128-bit products, logarithms and powers. The same bytes on
// every compiler and platform, because nothing here but integers takes part (no libm, whose last digits differ).
//
// Everything is total: a result that does not fit saturates, and each function says what it answers where mathematics
// has no answer. Everything is for configuration time except mul_high and fixed_mul, which are a few cycles.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace flushlab::sim {

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

// A signed Q32.32 number: the integer x stands for x / 2^32. One unit in the last place (ulp) is 2^-32.
using Fixed = std::int64_t;

inline constexpr Fixed kFixedOne = Fixed{1} << 32;
inline constexpr Fixed kFixedMax = std::numeric_limits<Fixed>::max();
inline constexpr Fixed kFixedMin = std::numeric_limits<Fixed>::min();
inline constexpr std::uint64_t kLn2Q64 = 0xB17217F7D1CF79AC;    // ln 2 * 2^64, rounded
inline constexpr std::uint64_t kLog2eQ63 = 0xB8AA3B295C17F0BC;  // log2 e * 2^63, rounded

// The high half of a * b: a times the fraction b / 2^64, rounded down.
[[nodiscard]] constexpr std::uint64_t mul_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((Uint128{a} * b) >> 64);
}

// a * b / c rounded to nearest, halves up; exact in between, saturating. c = 0: the largest value, or 0 when a * b is
// 0.
[[nodiscard]] constexpr std::uint64_t mul_div(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  const Uint128 product = Uint128{a} * b;
  if (c == 0) return product == 0 ? 0 : max;
  const Uint128 quotient = product / c;
  const Uint128 rest = product % c;
  if (quotient >= max) return max;
  return static_cast<std::uint64_t>(quotient) + (rest >= c - rest ? 1 : 0);
}

[[nodiscard]] constexpr Fixed saturate_fixed(Int128 value) {
  if (value > kFixedMax) return kFixedMax;
  if (value < kFixedMin) return kFixedMin;
  return static_cast<Fixed>(value);
}

// a * b and a / b rounded to nearest (halves towards plus infinity in the product, away from zero in the quotient).
// a / 0 saturates with the sign of a; 0 / 0 is 0.
[[nodiscard]] constexpr Fixed fixed_mul(Fixed a, Fixed b) {
  return saturate_fixed((Int128{a} * b + (Int128{1} << 31)) >> 32);
}
[[nodiscard]] constexpr Fixed fixed_div(Fixed a, Fixed b) {
  if (b == 0) return a == 0 ? 0 : (a > 0 ? kFixedMax : kFixedMin);
  const bool negative = (a < 0) != (b < 0);
  const Uint128 numerator = static_cast<Uint128>(a < 0 ? -Int128{a} : Int128{a}) << 32;
  const Uint128 denominator = static_cast<Uint128>(b < 0 ? -Int128{b} : Int128{b});
  const Int128 quotient = static_cast<Int128>((numerator + denominator / 2) / denominator);
  return saturate_fixed(negative ? -quotient : quotient);
}

// log2 of the integer n, within 1 ulp, never falling as n grows. log2 of 0 is kFixedMin.
[[nodiscard]] Fixed log2_of(Uint128 n);

// log2 x and ln x of a Q32.32 number, within 1 ulp; x <= 0 gives kFixedMin.
[[nodiscard]] Fixed fixed_log2(Fixed x);
[[nodiscard]] Fixed fixed_ln(Fixed x);

// 2^x and e^x. exp2 is within 1 ulp or 2^-60 of its value, whichever is more; exp within 1 ulp or 2^-32 of its value.
// Overflow saturates to kFixedMax, underflow to 0. Neither ever falls as x grows.
[[nodiscard]] Fixed fixed_exp2(Fixed x);
[[nodiscard]] Fixed fixed_exp(Fixed x);

// value * 2^exponent rounded to nearest, saturating: exp2 for results that Q32.32 cannot hold.
[[nodiscard]] std::uint64_t scale_exp2(std::uint64_t value, Fixed exponent);

// The largest integer whose square is at most n.
[[nodiscard]] std::uint64_t isqrt(Uint128 n);

}  // namespace flushlab::sim
