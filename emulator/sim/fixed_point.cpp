// SPDX-License-Identifier: GPL-2.0-only
#include "emulator/sim/fixed_point.hpp"

namespace flushlab::sim {

namespace {

constexpr std::uint64_t kOneQ63 = std::uint64_t{1} << 63;

// 2^(fraction / 2^32) as Q1.63, in [1, 2): the exponential series of fraction * ln 2. Each term rounds down by less
// than 2 units of 2^-63 and there are about 20, so the sum is good to 2^-58 and stays below 2.
std::uint64_t exp2_mantissa_q63(std::uint32_t fraction) {
  const std::uint64_t t_q64 = mul_high(std::uint64_t{fraction} << 32, kLn2Q64);
  std::uint64_t sum = kOneQ63;
  std::uint64_t term = kOneQ63;
  for (std::uint64_t n = 1; term != 0; ++n) {
    term = mul_high(term, t_q64) / n;
    sum += term;
  }
  return sum;
}

std::int64_t floor_of(Fixed x) {
  return x >> 32;
}
std::uint32_t fraction_of(Fixed x) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x) & 0xFFFFFFFFU);
}

int bit_width(Uint128 n) {
  const auto high = static_cast<std::uint64_t>(n >> 64);
  const std::uint64_t word = high != 0 ? high : static_cast<std::uint64_t>(n);
  return (high != 0 ? 64 : 0) + static_cast<int>(std::bit_width(word));
}

}  // namespace

Fixed log2_of(Uint128 n) {
  if (n == 0) return kFixedMin;
  const int width = bit_width(n);
  // The mantissa in [1, 2) as Q1.63. Squaring it doubles its logarithm, whose integer part is the next binary digit. An
  // error made in the i-th squaring weighs 2^-i, so all of them together stay below 2^-61.
  std::uint64_t mantissa =
      width > 64 ? static_cast<std::uint64_t>(n >> (width - 64)) : static_cast<std::uint64_t>(n) << (64 - width);
  std::uint64_t digits = 0;
  for (int i = 0; i < 33; ++i) {
    const Uint128 square = Uint128{mantissa} * mantissa;  // Q2.126
    const bool digit = (square >> 127) != 0;
    mantissa = static_cast<std::uint64_t>(square >> (digit ? 64 : 63));
    digits = (digits << 1) | (digit ? 1U : 0U);
  }
  return static_cast<Fixed>(width - 1) * kFixedOne + static_cast<Fixed>((digits + 1) >> 1);
}

Fixed fixed_log2(Fixed x) {
  if (x <= 0) return kFixedMin;
  return log2_of(static_cast<Uint128>(x)) - 32 * kFixedOne;
}

Fixed fixed_ln(Fixed x) {
  if (x <= 0) return kFixedMin;
  const Fixed log2 = fixed_log2(x);
  return static_cast<Fixed>((Int128{log2} * kLn2Q64 + (Int128{1} << 63)) >> 64);
}

Fixed fixed_exp2(Fixed x) {
  if (x >= 31 * kFixedOne) return kFixedMax;
  const std::int64_t drop = 31 - floor_of(x);  // from Q1.63 times 2^floor to Q32.32
  if (drop > 64) return 0;
  const Uint128 mantissa = exp2_mantissa_q63(fraction_of(x));
  return static_cast<Fixed>((mantissa + (Uint128{1} << (drop - 1))) >> drop);
}

Fixed fixed_exp(Fixed x) {
  return fixed_exp2(saturate_fixed((Int128{x} * kLog2eQ63 + (Int128{1} << 62)) >> 63));
}

std::uint64_t scale_exp2(std::uint64_t value, Fixed exponent) {
  constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  if (value == 0) return 0;
  const std::int64_t drop = 63 - floor_of(exponent);
  if (drop > 128) return 0;  // below half of one
  if (drop < 0) return max;
  const Uint128 product = Uint128{value} * exp2_mantissa_q63(fraction_of(exponent));
  Uint128 result = product;
  if (drop > 0) {  // the product may fill all 128 bits: round after the shift
    const Uint128 doubled = product >> (drop - 1);
    result = (doubled >> 1) + (doubled & 1);
  }
  return result > max ? max : static_cast<std::uint64_t>(result);
}

std::uint64_t isqrt(Uint128 n) {
  std::uint64_t root = 0;
  for (int bit = (bit_width(n) + 1) / 2 - 1; bit >= 0; --bit) {
    const std::uint64_t trial = root | (std::uint64_t{1} << bit);
    if (Uint128{trial} * trial <= n) root = trial;
  }
  return root;
}

}  // namespace flushlab::sim
