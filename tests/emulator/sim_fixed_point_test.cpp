// SPDX-License-Identifier: GPL-2.0-only
// Fixed-point arithmetic against vectors computed with 50 decimal digits, against libm, and against its own laws.
#include <rapidcheck.h>
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "emulator/sim/fixed_point.hpp"

using namespace flushlab::sim;

namespace {

constexpr double kUlp = 1.0 / 4294967296.0;
constexpr std::uint64_t kMax64 = ~std::uint64_t{0};

double to_double(Fixed x) {
  return static_cast<double>(x) * kUlp;
}

// A number whose magnitude is as likely small as large.
template <typename T>
T any_size() {
  const auto bits = *rc::gen::inRange(0, static_cast<int>(sizeof(T) * 8));
  return static_cast<T>(static_cast<T>(*rc::gen::arbitrary<T>()) >> bits);
}

bool within(Fixed got, Fixed want, Fixed slack) {
  return got >= want - slack && got <= want + slack;
}

}  // namespace

TEST_CASE("fixed point: log2 of integers has the correctly computed digits") {
  struct Case {
    Uint128 n;
    Fixed log2;
  };
  const Case cases[] = {
      {1, 0},
      {2, 4294967296},
      {3, 6807362106},
      {10, 14267572527},
      {1000, 42802717582},
      {1'000'000'000, 128408152745},
      {3'600'000'000'000, 179147956603},
      {kMax64, 274877906944},
      {Uint128{1} << 64, 274877906944},
      {Uint128{1'000'000'000'000'000} * 1'000'000'000'000'000, 428027175816},
      {~Uint128{0}, 549755813888},
  };
  for (const auto& c : cases) CHECK(log2_of(c.n) == c.log2);
  CHECK(log2_of(0) == kFixedMin);
}

TEST_CASE("fixed point: log2, ln, exp2 and exp of Q32.32 numbers") {
  struct Case {
    Fixed x;
    Fixed log2;
    Fixed ln;
  };
  const Case logs[] = {
      {1, -137438953472, -95265423098},
      {kFixedOne / 2, -4294967296, -2977044472},
      {kFixedOne, 0, 0},
      {kFixedOne + 1, 1, 1},
      {6442450944, 2512394810, 1741459379},
      {10 * kFixedOne, 14267572527, 9889527671},
      {kFixedMax, 133143986176, 92288378626},
  };
  for (const auto& c : logs) {
    CAPTURE(c.x);
    CHECK(fixed_log2(c.x) == c.log2);
    CHECK(within(fixed_ln(c.x), c.ln, 1));
  }
  CHECK(fixed_log2(0) == kFixedMin);
  CHECK(fixed_ln(-1) == kFixedMin);

  struct Power {
    Fixed x;
    Fixed exp2;
    Fixed exp;
    Fixed exp_slack;
  };
  const Power powers[] = {
      {kFixedMin, 0, 0, 0},
      {-34 * kFixedOne, 0, 0, 0},
      {-32 * kFixedOne, 1, 0, 0},
      {-kFixedOne, 2147483648, 1580030169, 1},
      {-1, 4294967295, 4294967295, 1},
      {0, 4294967296, 4294967296, 0},
      {1, 4294967297, 4294967297, 1},
      {kFixedOne / 2, 6074001000, 7081203938, 1},
      {kFixedOne, 8589934592, 11674931555, 2},
      {10 * kFixedOne + 12345, 4398055273380, 94603222152269, 22027},
      {30 * kFixedOne, 4611686018427387904, kFixedMax, 0},
      {31 * kFixedOne, kFixedMax, kFixedMax, 0},
      {kFixedMax, kFixedMax, kFixedMax, 0},
  };
  for (const auto& c : powers) {
    CAPTURE(c.x);
    CHECK(fixed_exp2(c.x) == c.exp2);
    CHECK(within(fixed_exp(c.x), c.exp, c.exp_slack));
  }
}

TEST_CASE("fixed point: products and quotients round, saturate and answer for zero") {
  CHECK(fixed_mul(3 * kFixedOne, -kFixedOne / 2) == -3 * kFixedOne / 2);
  CHECK(fixed_mul(1, kFixedOne / 2) == 1);  // half rounds towards plus infinity
  CHECK(fixed_mul(-1, kFixedOne / 2) == 0);
  CHECK(fixed_mul(kFixedMax, kFixedMax) == kFixedMax);
  CHECK(fixed_mul(kFixedMin, kFixedMax) == kFixedMin);
  CHECK(fixed_mul(kFixedMin, kFixedMin) == kFixedMax);
  CHECK(fixed_div(kFixedOne, 3 * kFixedOne) == 1431655765);
  CHECK(fixed_div(-2 * kFixedOne, 3 * kFixedOne) == -2863311531);
  CHECK(fixed_div(kFixedMin, -1) == kFixedMax);
  CHECK(fixed_div(kFixedMax, -1) == kFixedMin);
  CHECK(fixed_div(1, 0) == kFixedMax);
  CHECK(fixed_div(-1, 0) == kFixedMin);
  CHECK(fixed_div(0, 0) == 0);
  CHECK(mul_high(kMax64, kMax64) == kMax64 - 1);
  CHECK(mul_div(10, 1, 4) == 3);
  CHECK(mul_div(9, 1, 4) == 2);
  CHECK(mul_div(kMax64, kMax64, kMax64) == kMax64);
  CHECK(mul_div(kMax64, kMax64, kMax64 - 1) == kMax64);
  CHECK(mul_div(kMax64, 2, 1) == kMax64);
  CHECK(mul_div(0, 5, 0) == 0);
  CHECK(mul_div(1, 5, 0) == kMax64);
}

TEST_CASE("fixed point: scale_exp2 over the whole range of 64 bits") {
  CHECK(scale_exp2(0, kFixedMax) == 0);
  CHECK(scale_exp2(1, 63 * kFixedOne) == std::uint64_t{1} << 63);
  CHECK(scale_exp2(1, 64 * kFixedOne) == kMax64);
  CHECK(scale_exp2(kMax64, 0) == kMax64);
  CHECK(scale_exp2(kMax64, 1) == kMax64);
  CHECK(scale_exp2(kMax64, kFixedMax) == kMax64);
  CHECK(scale_exp2(kMax64, kFixedMin) == 0);
  CHECK(scale_exp2(kMax64, -64 * kFixedOne) == 1);
  CHECK(scale_exp2(kMax64, -65 * kFixedOne) == 0);  // just below one half
  CHECK(scale_exp2(3, -kFixedOne) == 2);
  CHECK(scale_exp2(5, -2 * kFixedOne) == 1);
  CHECK(scale_exp2(1'000'000'000'000, kFixedOne / 2) == 1'414'213'562'373);
  CHECK(scale_exp2(3'600'000'000'000, -kFixedOne / 2) == 2'545'584'412'272);
}

TEST_CASE("fixed point: isqrt at squares and their neighbours") {
  CHECK(isqrt(0) == 0);
  CHECK(isqrt(1) == 1);
  CHECK(isqrt(3) == 1);
  CHECK(isqrt(4) == 2);
  CHECK(isqrt(~Uint128{0}) == kMax64);
  CHECK(isqrt(Uint128{kMax64} * kMax64 - 1) == kMax64 - 1);
  REQUIRE(rc::check("isqrt(n)^2 <= n < (isqrt(n) + 1)^2", [] {
    const Uint128 n = (Uint128{any_size<std::uint64_t>()} << 64) | *rc::gen::arbitrary<std::uint64_t>();
    const Uint128 root = isqrt(n);
    RC_ASSERT(root * root <= n);
    RC_ASSERT(root == kMax64 || (root + 1) * (root + 1) > n);
  }));
}

TEST_CASE("fixed point: agrees with libm to its documented error") {
  REQUIRE(rc::check("log2 and ln", [] {
    const Fixed x = static_cast<Fixed>(any_size<std::uint64_t>() >> 1) | 1;
    RC_ASSERT(std::fabs(to_double(fixed_log2(x)) - std::log2(to_double(x))) <= 1.01 * kUlp);
    RC_ASSERT(std::fabs(to_double(fixed_ln(x)) - std::log(to_double(x))) <= 1.51 * kUlp);
  }));
  REQUIRE(rc::check("exp2 and exp", [] {
    const Fixed x = *rc::gen::inRange<Fixed>(-40 * kFixedOne, 21 * kFixedOne);
    const double exp2 = std::exp2(to_double(x));
    const double exp = std::exp(to_double(x));
    RC_ASSERT(std::fabs(to_double(fixed_exp2(x)) - exp2) <= 1.01 * kUlp + exp2 * 1e-15);
    RC_ASSERT(std::fabs(to_double(fixed_exp(x)) - exp) <= 1.01 * kUlp + exp * kUlp);
  }));
}

TEST_CASE("fixed point: laws") {
  REQUIRE(rc::check("logarithms and powers never fall", [] {
    const auto near = *rc::gen::inRange<std::uint64_t>(0, 4);
    const std::uint64_t n = any_size<std::uint64_t>();
    RC_ASSERT(log2_of(Uint128{n} + near) >= log2_of(n));
    const Fixed x = *rc::gen::inRange<Fixed>(-40 * kFixedOne, 40 * kFixedOne);
    const Fixed y = x + static_cast<Fixed>(near);
    RC_ASSERT(fixed_exp2(y) >= fixed_exp2(x));
    RC_ASSERT(fixed_exp(y) >= fixed_exp(x));
    RC_ASSERT(scale_exp2(n, y) >= scale_exp2(n, x));
  }));
  REQUIRE(rc::check("exp2 undoes log2", [] {
    const Fixed x = *rc::gen::inRange<Fixed>(kFixedOne, 1000 * kFixedOne);
    RC_ASSERT(within(fixed_exp2(fixed_log2(x)), x, 1 + (x >> 32)));
  }));
  REQUIRE(rc::check("mul_div is the nearest integer", [] {
    const std::uint64_t a = any_size<std::uint64_t>();
    const std::uint64_t b = any_size<std::uint64_t>() >> 1;
    const std::uint64_t c = any_size<std::uint64_t>() | 1;
    const Uint128 product = Uint128{a} * b;
    const Uint128 quotient = (product + c / 2) / c;
    RC_ASSERT(mul_div(a, b, c) == (quotient > kMax64 ? kMax64 : static_cast<std::uint64_t>(quotient)));
  }));
  REQUIRE(rc::check("division undoes multiplication", [] {
    const Fixed a = *rc::gen::inRange<Fixed>(-10000 * kFixedOne, 10000 * kFixedOne);
    const Fixed b = *rc::gen::inRange<Fixed>(kFixedOne, 10000 * kFixedOne);
    RC_ASSERT(within(fixed_div(fixed_mul(a, b), b), a, 1));
    RC_ASSERT(within(fixed_div(fixed_mul(a, -b), -b), a, 1));
  }));
}
