// SPDX-License-Identifier: GPL-2.0-only
// Latency distributions in integer ns: built once from a profile's parameters, then sampled with one random number, no
// allocation and no floating point. Immutable; a copy shares its table (at most 32 KiB), so copying is cheap and
// thread-safe.
//
// D1. quantile(u) is the value that a fraction u / 2^64 of all samples stay at or below; it never falls as u grows.
//     sample() is quantile() of one draw, so a change of parameters keeps runs comparable draw by draw.
// D2. Tables keep 20 bits below the ns and round each sample to nearest: small means come out as asked.
// D3. The tails are true to a probability of 2^-33 (1.2e-10) on each side and end there.
// D4. Values saturate at kMaxLatencyNs. A parameter beyond its range throws std::invalid_argument, which names it.
// D5. Mean and quantiles are within 0.1 % of the ideal distribution's, or within 1 ns where that is more, for sigma up
//     to 2 and gamma shapes 0.5 to 100. Beyond, to the limits below, quantiles from p0.1 to p99.9 are within 0.5 %.
//
// exponential, shifted_lognormal and gamma describe the part above floor_ns: their whole mean is floor plus theirs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "emulator/sim/fixed_point.hpp"
#include "emulator/sim/random.hpp"

namespace flushlab::sim {

// "A fraction quantile_ppb / 10^9 of the samples is at or below value_ns."
struct EmpiricalPoint {
  std::uint32_t quantile_ppb;
  std::uint64_t value_ns;
};

class Distribution {
 public:
  static constexpr std::uint64_t kMaxLatencyNs = (std::uint64_t{1} << 43) - 1;  // 2.4 hours; the limit of all _ns below
  static constexpr std::uint64_t kMaxSigmaPpm = 5'000'000;                      // sigma 5
  static constexpr std::uint64_t kMinGammaShapePpm = 100'000;                   // shape 0.1
  static constexpr std::uint64_t kMaxGammaShapePpm = 1'000'000'000;             // shape 1000
  static constexpr std::size_t kMaxEmpiricalPoints = 512;

  Distribution() = default;  // constant(0)

  // Always value_ns. Draws no random number.
  static Distribution constant(std::uint64_t value_ns);
  // Every integer in [lo_ns, hi_ns] alike.
  static Distribution uniform(std::uint64_t lo_ns, std::uint64_t hi_ns);
  static Distribution exponential(std::uint64_t mean_ns, std::uint64_t floor_ns = 0);
  // floor_ns + median_ns * e^(sigma * z), z standard normal, sigma = sigma_ppm / 10^6.
  static Distribution shifted_lognormal(std::uint64_t floor_ns, std::uint64_t median_ns, std::uint64_t sigma_ppm);
  // A normal variable; what falls below 0 is 0, which raises the mean above mean_ns when sd_ns is not small against it.
  static Distribution normal(std::uint64_t mean_ns, std::uint64_t sd_ns);
  // Gamma of shape shape_ppm / 10^6 and the given mean: shape 1 is exponential, its variance is mean^2 / shape.
  static Distribution gamma(std::uint64_t shape_ppm, std::uint64_t mean_ns, std::uint64_t floor_ns = 0);
  // Linear between the points, flat before the first and after the last. Quantiles and values must not fall; two points
  // at one quantile are a jump, two with one value an atom. Exact: kinks are where the points are.
  static Distribution empirical(const std::vector<EmpiricalPoint>& points);

  [[nodiscard]] std::uint64_t sample(RandomStream& random) const {
    if (const auto* value_ns = std::get_if<Constant>(&shape_)) return value_ns->value_ns;
    return quantile(random.next());
  }
  [[nodiscard]] std::uint64_t quantile(std::uint64_t u) const {
    if (const auto* table = std::get_if<std::shared_ptr<const QuantileTable>>(&shape_)) return (*table)->at(u);
    if (const auto* range = std::get_if<Uniform>(&shape_)) return range->lo_ns + mul_high(u, range->values);
    if (const auto* constant = std::get_if<Constant>(&shape_)) return constant->value_ns;
    return std::get_if<std::shared_ptr<const SegmentTable>>(&shape_)->get()->at(u);
  }

  // The mean of what sample() gives, rounded to nearest: integrated over the table, so after clamping and saturation.
  [[nodiscard]] std::uint64_t mean_ns() const { return mean_ns_; }
  [[nodiscard]] bool is_constant() const { return std::holds_alternative<Constant>(shape_); }

 private:
  static constexpr int kFractionBits = 20;  // table values are ns * 2^20, below 2^63
  static std::uint64_t round_to_ns(std::uint64_t value_q20) {
    return (value_q20 + (std::uint64_t{1} << (kFractionBits - 1))) >> kFractionBits;
  }

  // Where u lies: on the lower (u < 1/2) or the upper side, in a cell that is a 32nd of an octave of the distance to
  // its end, so that cells shrink with the tail. Cell k of a side begins at probability tail_probability(k) and ends at
  // k + 1's.
  static constexpr int kSubBits = 5;
  static constexpr std::size_t kOctaves = 32;
  static constexpr std::size_t kCells = kOctaves << kSubBits;  // a side
  struct Place {
    std::size_t upper;  // 1 on the upper side, 0 on the lower
    std::size_t cell;
    std::uint64_t fraction;  // of the way through the cell, away from the tail, of 2^64
  };
  static Place place_of(std::uint64_t u) {
    // Each side is drawn half of the time: a branch on it would be mispredicted as often.
    const std::uint64_t upper = u >> 63;
    std::uint64_t tail = (u ^ (0 - upper)) << 1;  // distance to the end, of 2^65
    constexpr std::uint64_t end = std::uint64_t{1} << (64 - kOctaves);
    if (tail < end) tail = end;
    const int octave = std::countl_zero(tail);
    const std::uint64_t aligned = tail << octave;
    // The leading one of `aligned` counts as one octave: hence kOctaves - 2 and not - 1.
    const std::size_t cell =
        (aligned >> (63 - kSubBits)) + ((kOctaves - 2 - static_cast<std::size_t>(octave)) << kSubBits);
    return {upper, cell, aligned << (1 + kSubBits)};
  }
  // The probability at which cell k begins, of 2^64; tail_probability(kCells) is one half.
  static constexpr std::uint64_t tail_probability(std::size_t k) {
    constexpr std::size_t cells_per_octave = std::size_t{1} << kSubBits;
    const std::uint64_t mantissa = (k % cells_per_octave) + cells_per_octave;
    return mantissa << ((k >> kSubBits) + 64 - kOctaves - kSubBits - 1);
  }

  struct Constant {
    std::uint64_t value_ns;
  };
  struct Uniform {
    std::uint64_t lo_ns;
    std::uint64_t values;
  };
  // Quantiles at the cells' ends, both sides, each from the tail to the median; linear within a cell.
  struct QuantileTable {
    std::array<std::array<std::uint64_t, kCells + 1>, 2> sides_q20;  // lower, upper

    [[nodiscard]] std::uint64_t at(std::uint64_t u) const {
      const Place place = place_of(u);
      const std::uint64_t* const node = sides_q20[place.upper].data() + place.cell;
      const auto rise = static_cast<std::int64_t>(node[1] - node[0]);
      const auto step =
          static_cast<std::int64_t>((Int128{rise} * static_cast<std::int64_t>(place.fraction >> 1)) >> 63);
      return round_to_ns(node[0] + static_cast<std::uint64_t>(step));
    }
  };
  // A piecewise linear quantile function with its kinks where the points are.
  struct SegmentTable {
    struct Segment {
      std::uint64_t first_u;
      std::uint64_t last_u;  // inclusive; the last segment's is 2^64 - 1
      std::uint64_t value_q20;
      std::uint64_t rise_q20;  // over a whole 2^64 of (u - first_u) << shift
      int shift;
    };
    std::vector<Segment> segments;
    std::array<std::uint16_t, 2 * kCells> first_segment;  // of the lowest u in each cell, lower side first

    [[nodiscard]] std::uint64_t at(std::uint64_t u) const {
      const Place place = place_of(u);
      std::size_t i = first_segment[place.upper * kCells + place.cell];
      while (u > segments[i].last_u) ++i;
      const Segment& segment = segments[i];
      return round_to_ns(segment.value_q20 + mul_high((u - segment.first_u) << segment.shift, segment.rise_q20));
    }
  };

  // The distribution whose quantiles on each side are lower(k, p) and upper(k, p) ns * 2^20 at cell end k, which has
  // tail probability p / 2^64. Neither may exceed kMaxLatencyNs * 2^20.
  template <typename Lower, typename Upper>
  static Distribution tabulate(const Lower& lower, const Upper& upper);

  std::variant<Constant, Uniform, std::shared_ptr<const QuantileTable>, std::shared_ptr<const SegmentTable>> shape_;
  std::uint64_t mean_ns_ = 0;
};

}  // namespace flushlab::sim
