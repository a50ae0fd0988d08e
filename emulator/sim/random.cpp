// SPDX-License-Identifier: GPL-2.0-only
#include "emulator/sim/random.hpp"

namespace flushlab::sim {

namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio, odd: splitmix64's step

constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

}  // namespace

// mix is a bijection of four different counters, so at most one word is zero: never the forbidden state of all zeros.
RandomStream::RandomStream(std::uint64_t seed) : state_{} {
  for (auto& word : state_) word = mix(seed += kGolden);
}

// Seed and name are each mixed before they meet: neighbouring seeds and similar names end far apart.
RandomStream::RandomStream(std::uint64_t seed, std::string_view name)
    : RandomStream(mix(mix(seed + kGolden) ^ fnv1a(name))) {}

}  // namespace flushlab::sim
