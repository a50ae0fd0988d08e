// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/generator.hpp"

#include <initializer_list>
#include <stdexcept>

namespace flushlab::fio {
namespace {

constexpr std::uint64_t kSeedFactor = 0x9e370001;
constexpr std::uint64_t kFixedSeed = 0xb1899bed;  // fio 3.33's for random offsets

constexpr std::uint64_t mask_of(std::initializer_list<int> taps) {
  std::uint64_t mask = 0;
  for (const int tap : taps) mask |= std::uint64_t{1} << (tap - 1);
  return mask;
}

// Feedback masks of maximal registers, from width 3. Width 30 is not in use: 31 serves.
constexpr unsigned kNarrowest = 3;
constexpr unsigned kWidest = 32;
constexpr std::array<std::uint64_t, kWidest - kNarrowest + 1> kTaps = {
    mask_of({3, 2}),        mask_of({4, 3}),           mask_of({5, 3}),        mask_of({6, 5}),
    mask_of({7, 6}),        mask_of({8, 6, 5, 4}),     mask_of({9, 5}),        mask_of({10, 7}),
    mask_of({11, 9}),       mask_of({12, 6, 4, 1}),    mask_of({13, 4, 3, 1}), mask_of({14, 5, 3, 1}),
    mask_of({15, 14}),      mask_of({16, 15, 13, 4}),  mask_of({17, 14}),      mask_of({18, 11}),
    mask_of({19, 6, 2, 1}), mask_of({20, 17}),         mask_of({21, 19}),      mask_of({22, 21}),
    mask_of({23, 18}),      mask_of({24, 23, 22, 17}), mask_of({25, 22}),      mask_of({26, 6, 2, 1}),
    mask_of({27, 5, 2, 1}), mask_of({28, 25}),         mask_of({29, 27}),      0,
    mask_of({31, 28}),      mask_of({32, 31, 29, 1})};

}  // namespace

Lfsr::Lfsr(std::uint64_t blocks, std::uint64_t seed) : blocks_(blocks) {
  if (blocks == 0 || blocks >= (std::uint64_t{1} << kWidest) - 1) {
    throw std::invalid_argument("lfsr needs 1 to 2^32 - 2 blocks");
  }
  unsigned width = kNarrowest;
  while (width < kWidest && ((std::uint64_t{1} << width) <= blocks || kTaps[width - kNarrowest] == 0)) ++width;
  top_ = std::uint64_t{1} << (width - 1);
  xor_mask_ = kTaps[width - kNarrowest];
  const std::uint64_t ones = (std::uint64_t{1} << width) - 1;
  start_ = seed & ones;
  if (start_ == ones) --start_;  // the one value from which the register does not move
  value_ = start_;
}

bool Lfsr::next(std::uint64_t& block) {
  if (issued_ >= blocks_) return false;
  ++issued_;
  if (double_step_) {
    double_step_ = false;
    step();
  }
  do {
    step();
  } while (value_ >= blocks_);
  block = value_;
  return true;
}

void Lfsr::reset() {
  value_ = start_;
  issued_ = 0;
}

std::array<std::uint64_t, kSeedCount> derive_seeds(std::uint64_t rand_seed, std::uint64_t job_number) {
  std::array<std::uint64_t, kSeedCount> seeds{};
  std::uint64_t s = rand_seed;
  for (int i = 0; i < 4; ++i) s *= kSeedFactor;
  for (std::size_t i = 0; i < kSeedCount; ++i) {
    seeds[i] = s * job_number + i;
    s *= kSeedFactor;
  }
  return seeds;
}

Seeds job_seeds(FioVersion version, const SeedOptions& options, std::uint64_t job_number) {
  Seeds seeds;
  bool randrepeat = options.randrepeat;
  // Clones start from the options that the first one has changed already.
  if (version == FioVersion::k3_33 && options.randseed_given && options.clone_index > 0) randrepeat = false;
  const bool from_system = !randrepeat && !options.randseed_given;
  seeds.value = derive_seeds(from_system ? options.system_seed : options.randseed, job_number);
  if (version == FioVersion::k3_33) {
    if (options.allrandrepeat) {
      for (std::size_t i = 0; i < kSeedCount; ++i) seeds.value[i] = kFixedSeed * job_number + i;
    }
    if (options.random && randrepeat) seeds.value[static_cast<std::size_t>(SeedUse::kOffset)] = kFixedSeed * job_number;
  }
  seeds.randrepeat = randrepeat && !options.randseed_given;
  seeds.reseed_each_pass = seeds.randrepeat;
  return seeds;
}

}  // namespace flushlab::fio
