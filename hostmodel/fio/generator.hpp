// SPDX-License-Identifier: GPL-2.0-only
// The random numbers that fio draws: generators T32 (`tausworthe`), T64 (`tausworthe64`), `lfsr`, and the seeds of a
// job.
//
// Offsets are part of a result, so these give fio's own sequences, bit for bit, for fio 3.33 and for newer fio.
// All arithmetic is modulo 2^32 or 2^64; the only doubles are those with which fio itself scales a draw to a range:
// one division by a power of two, one multiplication and one truncation, each exact or correctly rounded in IEEE
// arithmetic and so the same on every machine (build without -ffast-math and without x87).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace flushlab::fio {

// Which fio's rules hold. The seeds changed in fio 3.35, the sync decision in fio 3.38.
enum class FioVersion : std::uint8_t {
  k3_33,  // fio 3.33, as in Debian 12
  kNew,   // fio >= 3.38; with it the published tables were measured. flushlab's default.
};

// fio's default generator: three 32-bit Tausworthe words.
class T32 {
 public:
  static constexpr double kScale = 4294967296.0;  // draws are in [0, kScale)
  static constexpr std::uint64_t kMax = 0xFFFF'FFFF;

  explicit constexpr T32(std::uint32_t seed_value = 0) { seed(seed_value); }
  constexpr void seed(std::uint32_t value) {
    const auto lcg = [value](std::uint32_t x) { return (x * 69069U) ^ value; };
    s1_ = at_least(lcg(kSeedStart), 1);
    s2_ = at_least(lcg(s1_), 7);
    s3_ = at_least(lcg(s2_), 15);
    for (int warm_up = 0; warm_up < 6; ++warm_up) next();
  }
  constexpr std::uint32_t next() {
    s1_ = step(s1_, 13, 19, 0xFFFF'FFFE, 12);
    s2_ = step(s2_, 2, 25, 0xFFFF'FFF8, 4);
    s3_ = step(s3_, 3, 11, 0xFFFF'FFF0, 17);
    return s1_ ^ s2_ ^ s3_;
  }
  [[nodiscard]] constexpr std::array<std::uint32_t, 3> state() const { return {s1_, s2_, s3_}; }

 private:
  // (2 xor 31) + (2 xor 17) + (2 xor 7): where powers were meant, fio has exclusive ors. Part of the sequence.
  static constexpr std::uint32_t kSeedStart = 53;
  static constexpr std::uint32_t at_least(std::uint32_t x, std::uint32_t minimum) {
    return x < minimum ? x + minimum : x;
  }
  static constexpr std::uint32_t step(std::uint32_t s, int a, int b, std::uint32_t mask, int d) {
    return ((s & mask) << d) ^ (((s << a) ^ s) >> b);
  }
  std::uint32_t s1_ = 0, s2_ = 0, s3_ = 0;
};

// `random_generator=tausworthe64`: five 64-bit words.
class T64 {
 public:
  static constexpr double kScale = 18446744073709551616.0;
  static constexpr std::uint64_t kMax = ~std::uint64_t{0};

  explicit constexpr T64(std::uint64_t seed_value = 0) { seed(seed_value); }
  constexpr void seed(std::uint64_t value) {
    constexpr std::array<std::uint64_t, 5> minimum = {1, 7, 15, 33, 49};
    std::uint64_t x = 53;  // as in T32
    for (std::size_t i = 0; i < s_.size(); ++i) {
      x = (x * 6906969069ULL) ^ value;
      if (x < minimum[i]) x += minimum[i];
      s_[i] = x;
    }
    for (int warm_up = 0; warm_up < 6; ++warm_up) next();
  }
  constexpr std::uint64_t next() {
    constexpr std::array<Word, 5> words = {
        {{1, 53, 1, 10}, {24, 50, 9, 5}, {3, 23, 12, 29}, {5, 24, 17, 23}, {3, 33, 23, 8}}};
    std::uint64_t result = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Word& w = words[i];
      const std::uint64_t mask = ~((std::uint64_t{1} << w.low_bits_cleared) - 1);
      s_[i] = ((s_[i] & mask) << w.d) ^ (((s_[i] << w.a) ^ s_[i]) >> w.b);
      result ^= s_[i];
    }
    return result;
  }

 private:
  struct Word {
    int a, b, low_bits_cleared, d;
  };
  std::array<std::uint64_t, 5> s_{};
};

// T32 or T64, as `random_generator` says; the same interface for both.
class Generator {
 public:
  explicit constexpr Generator(bool wide = false, std::uint64_t seed_value = 0) : wide_(wide) { seed(seed_value); }
  constexpr void seed(std::uint64_t value) {
    if (wide_) {
      t64_.seed(value);
    } else {
      t32_.seed(static_cast<std::uint32_t>(value));
    }
  }
  constexpr std::uint64_t next() { return wide_ ? t64_.next() : t32_.next(); }
  [[nodiscard]] constexpr std::uint64_t max() const { return wide_ ? T64::kMax : T32::kMax; }
  // floor(range * (next() / 2^32)), in that order of double operations; 2^64 with T64. `range` is below 2^53 for every
  // real device; where T64's quotient rounds up to 1 the result is `range`, as in fio.
  constexpr std::uint64_t scaled(std::uint64_t range) {
    const double unit =
        wide_ ? static_cast<double>(t64_.next()) / T64::kScale : static_cast<double>(t32_.next()) / T32::kScale;
    return static_cast<std::uint64_t>(static_cast<double>(range) * unit);
  }
  [[nodiscard]] constexpr bool wide() const { return wide_; }

 private:
  bool wide_;
  T32 t32_;
  T64 t64_;
};

// A number in [lo, hi], as fio draws percentages: lo + floor((hi - lo + 1) * (r / 2^32)).
constexpr std::uint32_t between(T32& generator, std::uint32_t lo, std::uint32_t hi) {
  const double unit = static_cast<double>(generator.next()) / T32::kScale;
  return lo + static_cast<std::uint32_t>(static_cast<double>(hi - lo + 1) * unit);
}

// `random_generator=lfsr`: visits each of `blocks` blocks once, in an order that needs no map.
class Lfsr {
 public:
  Lfsr() = default;
  // blocks >= 1 and below 2^32 - 1, else std::invalid_argument; a seed whose low bits are all ones is refused by fio
  // and is here replaced by the next lower start value.
  Lfsr(std::uint64_t blocks, std::uint64_t seed);
  // False when all blocks have been given in this pass; else the next one in `block`.
  bool next(std::uint64_t& block);
  // Starts a further pass from the seed. Its first step is a single one, while the very first of all is a double one.
  void reset();

 private:
  void step() { value_ = ((value_ >> 1) | top_) ^ ((value_ & 1) != 0 ? 0 : xor_mask_); }

  std::uint64_t blocks_ = 0;
  std::uint64_t start_ = 0;
  std::uint64_t value_ = 0;
  std::uint64_t top_ = 0;
  std::uint64_t xor_mask_ = 0;
  std::uint64_t issued_ = 0;
  bool double_step_ = true;
};

// What each of a job's seeds feeds.
enum class SeedUse : std::uint8_t {
  kBsRead = 0,
  kBsWrite = 1,
  kBsTrim = 2,
  kRwMix = 4,
  kFileChoice = 5,
  kOffset = 6,
  kSequentialOrRandom = 10,
  kStartDelay = 13,
  kZone = 16,
};
inline constexpr std::size_t kSeedCount = 21;

struct Seeds {
  std::array<std::uint64_t, kSeedCount> value{};
  // Whether the generators restart from these seeds at every pass after the first (randrepeat still 1 after set-up).
  bool reseed_each_pass = true;
  // Whether `randrepeat` counts as 1 for the distributions' seed (fio 3.33).
  bool randrepeat = true;
  [[nodiscard]] std::uint64_t operator[](SeedUse use) const { return value[static_cast<std::size_t>(use)]; }
};

inline constexpr std::uint64_t kDefaultRandSeed = 0x89;

struct SeedOptions {
  bool randrepeat = true;
  bool allrandrepeat = false;  // an option of its own in fio 3.33 only; newer fio: the other name of randrepeat
  bool randseed_given = false;
  std::uint64_t randseed = kDefaultRandSeed;
  bool random = false;            // the job's `rw` is one of the rand* modes
  std::uint32_t clone_index = 0;  // 0-based within numjobs: clones of fio 3.33 copy the options as job 0 changed them
  // Where fio would ask the operating system for seeds (randrepeat=0 without randseed) flushlab uses this scenario
  // seed instead, so that runs stay repeatable.
  std::uint64_t system_seed = 0;
};

// derive(R, t)[i] = (R * 0x9e370001^(4+i)) * t + i modulo 2^64. `job_number` is 1-based over all jobs of the run.
[[nodiscard]] std::array<std::uint64_t, kSeedCount> derive_seeds(std::uint64_t rand_seed, std::uint64_t job_number);
[[nodiscard]] Seeds job_seeds(FioVersion version, const SeedOptions& options, std::uint64_t job_number);

}  // namespace flushlab::fio
