// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/next_io_distribution.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace flushlab::fio {
namespace {

constexpr std::uint64_t kMostZetaTerms = 10'000'000;

constexpr std::uint64_t hash_of(std::uint64_t rank) {
  return rank * 0x61C8864680B583EBULL;
}

// One step of Jenkins' mix: x takes z in, z takes y in.
void mix(std::uint32_t& x, std::uint32_t y, std::uint32_t& z, int rotation) {
  x = (x - z) ^ std::rotl(z, rotation);
  z += y;
}

double unit_closed(T32& generator) {
  return static_cast<double>(generator.next()) / static_cast<double>(T32::kMax);
}

}  // namespace

std::uint32_t file_name_hash(std::string_view name) {
  std::uint32_t a = 0x61C8'8647U + static_cast<std::uint32_t>(name.size());
  std::uint32_t b = a;
  std::uint32_t c = a;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i])); };
  while (name.size() > 12) {
    a += byte(0);
    b += byte(4);
    c += byte(8);
    mix(a, b, c, 4);
    mix(b, c, a, 6);
    mix(c, a, b, 8);
    mix(a, b, c, 16);
    mix(b, c, a, 19);
    mix(c, a, b, 4);
    name.remove_prefix(12);
  }
  if (name.empty()) return c;
  std::array<std::uint32_t, 3> tail{};
  for (std::size_t i = 0; i < name.size(); ++i) tail[i / 4] += byte(i) << (8 * (i % 4));
  a += tail[0];
  b += tail[1];
  c += tail[2];
  c = (c ^ b) - std::rotl(b, 14);
  a = (a ^ c) - std::rotl(c, 11);
  b = (b ^ a) - std::rotl(a, 25);
  c = (c ^ b) - std::rotl(b, 16);
  a = (a ^ c) - std::rotl(c, 4);
  b = (b ^ a) - std::rotl(a, 14);
  c = (c ^ b) - std::rotl(b, 24);
  return c;
}

BlockDistribution::BlockDistribution(const RandomDistribution& distribution, std::uint64_t ranges, std::uint32_t seed)
    : kind_(distribution.kind), ranges_(ranges), generator_(seed) {
  const double n = static_cast<double>(ranges);
  const double p = distribution.parameter;
  if (kind_ == RandomDistribution::Kind::kNormal) {
    deviation_ = std::min(static_cast<std::uint64_t>(std::ceil(n * p / 100.0)), ranges / 2);
    if (distribution.center)
      shift_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(n * (*distribution.center - 0.5)));
    return;
  }
  shift_ = generator_.next();  // drawn even if a center replaces it
  if (distribution.center) shift_ = static_cast<std::uint64_t>(std::floor(n * *distribution.center));
  if (kind_ == RandomDistribution::Kind::kPareto) {
    power_ = std::log(p) / std::log(1.0 - p);
    return;
  }
  for (std::uint64_t i = 1; i <= std::min(ranges, kMostZetaTerms); ++i)
    zeta_ += std::pow(1.0 / static_cast<double>(i), p);
  zeta2_ = 1.0 + std::pow(0.5, p);
  alpha_ = 1.0 / (1.0 - p);
  eta_ = (1.0 - std::pow(2.0 / n, 1.0 - p)) / (1.0 - zeta2_ / zeta_);
}

std::uint64_t BlockDistribution::next() {
  switch (kind_) {
    case RandomDistribution::Kind::kZipf:
      return zipf();
    case RandomDistribution::Kind::kPareto:
      return pareto();
    default:
      return normal();
  }
}

std::uint64_t BlockDistribution::zipf() {
  const double u = unit_closed(generator_);
  const double z = u * zeta_;
  std::uint64_t rank = 1;  // from 1
  if (z >= zeta2_) {
    const double value = static_cast<double>(ranges_) * std::pow(eta_ * u - eta_ + 1.0, alpha_);
    rank = 1 + (value < static_cast<double>(T64::kMax) && value >= 0 ? static_cast<std::uint64_t>(value) : 0);
  } else if (z >= 1.0) {
    rank = 2;
  }
  return (hash_of(rank - 1) + shift_) % ranges_;
}

std::uint64_t BlockDistribution::pareto() {
  const double u = unit_closed(generator_);
  const auto rank = static_cast<std::uint64_t>(static_cast<double>(ranges_ - 1) * std::pow(u, power_));
  return (hash_of(rank) + shift_) % ranges_;
}

std::uint64_t BlockDistribution::normal() {
  constexpr std::uint64_t kDraws = 12;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) sum += generator_.next() % (ranges_ + 1);
  sum = (sum + kDraws - 1) / kDraws;
  if (deviation_ != 0) {
    const double unit = static_cast<double>(generator_.next()) / T32::kScale;
    std::int64_t move =
        static_cast<std::int64_t>(static_cast<double>(deviation_) * unit) - static_cast<std::int64_t>(deviation_ / 2);
    while (move != 0 && static_cast<std::uint64_t>(move) + sum >= ranges_) move /= 2;
    sum += static_cast<std::uint64_t>(move);
  }
  return (hash_of(sum) + shift_) % ranges_;
}

}  // namespace flushlab::fio
