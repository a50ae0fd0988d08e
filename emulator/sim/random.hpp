// SPDX-License-Identifier: GPL-2.0-only
// Random numbers: named streams that all derive from one scenario seed. A consumer owns its stream, so adding or
// removing another consumer does not change what it draws. Integers only; the same numbers on every platform.
//
// The generator is xoshiro256** (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2018), seeded
// through splitmix64 as its authors advise; the name enters the seed through 64-bit FNV-1a and splitmix64's finaliser.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "emulator/sim/fixed_point.hpp"

namespace flushlab::sim {

class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed);
  // The stream called `name` of the scenario with this seed. Equal pairs give equal streams.
  RandomStream(std::uint64_t seed, std::string_view name);

  // 64 uniform bits; period 2^256 - 1.
  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // An unbiased integer in [0, n); 0 when n is 0. One draw, very rarely more (Lemire, "Fast Random Integer Generation
  // in an Interval", 2019).
  std::uint64_t below(std::uint64_t n) {
    Uint128 product = Uint128{next()} * n;
    if (static_cast<std::uint64_t>(product) < n) [[unlikely]] {
      const std::uint64_t uneven = (0 - n) % n;  // 2^64 mod n: so many low halves are one too many
      while (static_cast<std::uint64_t>(product) < uneven) product = Uint128{next()} * n;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // True with probability numerator / denominator; never for 0, always for numerator >= denominator. Exactly one draw
  // whatever the arguments, and a larger chance is true wherever a smaller one was, so that two runs which differ in
  // one chance stay comparable. The bias is below denominator / 2^64.
  bool chance(std::uint64_t numerator, std::uint64_t denominator) {
    const std::uint64_t drawn = mul_high(next(), denominator);
    return drawn < numerator || numerator >= denominator;
  }
  bool chance_ppm(std::uint64_t parts_per_million) { return chance(parts_per_million, 1'000'000); }

  bool operator==(const RandomStream&) const = default;

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace flushlab::sim
