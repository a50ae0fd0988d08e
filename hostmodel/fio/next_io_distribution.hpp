// SPDX-License-Identifier: GPL-2.0-only
// Blocks of `random_distribution=zipf`, `pareto` and `normal`, as fio computes them from its per-file T32.
//
// These, other than everything else of a job's offsets, take std::pow (zipf and pareto at each draw) and std::log
// (pareto at set-up), which IEEE 754 does not define to the last bit: two C libraries may, for about one draw in a
// million, disagree about the block. zipf's zeta sums min(ranges, 10^7) terms at set-up (about 0.3 s at most).
#pragma once

#include <cstdint>
#include <string_view>

#include "hostmodel/fio/generator.hpp"
#include "hostmodel/fio/options.hpp"

namespace flushlab::fio {

// fio's hash of a file name: Jenkins' mix over single bytes, tail as little-endian words.
[[nodiscard]] std::uint32_t file_name_hash(std::string_view name);

class BlockDistribution {
 public:
  BlockDistribution() = default;
  // `ranges` >= 1. kind: zipf, pareto or normal.
  BlockDistribution(const RandomDistribution& distribution, std::uint64_t ranges, std::uint32_t seed);
  [[nodiscard]] std::uint64_t next();

 private:
  [[nodiscard]] std::uint64_t zipf();
  [[nodiscard]] std::uint64_t pareto();
  [[nodiscard]] std::uint64_t normal();

  RandomDistribution::Kind kind_ = RandomDistribution::Kind::kUniform;
  std::uint64_t ranges_ = 1;
  T32 generator_;
  std::uint64_t shift_ = 0;                            // added to the hashed rank
  double zeta_ = 0, zeta2_ = 0, alpha_ = 0, eta_ = 0;  // zipf
  double power_ = 0;                                   // pareto
  std::uint64_t deviation_ = 0;                        // normal, in blocks
};

}  // namespace flushlab::fio
