// SPDX-License-Identifier: GPL-2.0-only
// Integers as the wire holds them: least significant byte first (NVMe Base 2.1 sec. 1.4.1), alignment 1, so that a
// struct of them has the layout of the specification and no other. On a little-endian machine each is a plain load or
// store.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace flushlab::spec {

template <class T>
class LittleEndian {
  static_assert(std::is_unsigned_v<T>);
  using Bytes = std::array<std::uint8_t, sizeof(T)>;

 public:
  constexpr LittleEndian() = default;
  constexpr LittleEndian(T value) : bytes_(encode(value)) {}  // implicit: a field is assigned like an integer

  constexpr LittleEndian& operator=(T value) {
    bytes_ = encode(value);
    return *this;
  }

  [[nodiscard]] constexpr T value() const {
    if constexpr (std::endian::native == std::endian::little) {
      return std::bit_cast<T>(bytes_);
    } else {
      T value = 0;
      for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>((value << 8) | bytes_[i]);
      return value;
    }
  }
  constexpr operator T() const { return value(); }

 private:
  static constexpr Bytes encode(T value) {
    if constexpr (std::endian::native == std::endian::little) {
      return std::bit_cast<Bytes>(value);
    } else {
      Bytes bytes{};
      for (auto& byte : bytes) {
        byte = static_cast<std::uint8_t>(value);
        value = static_cast<T>(value >> 8);
      }
      return bytes;
    }
  }

  Bytes bytes_{};
};

using Le16 = LittleEndian<std::uint16_t>;
using Le32 = LittleEndian<std::uint32_t>;
using Le64 = LittleEndian<std::uint64_t>;

// A 128-bit counter or capacity. Nothing here needs arithmetic above 64 bits, only the wire does.
struct Le128 {
  constexpr Le128() = default;
  constexpr Le128(std::uint64_t low_half, std::uint64_t high_half = 0) : low(low_half), high(high_half) {}

  // The value if it fits in 64 bits, otherwise the largest that does.
  [[nodiscard]] constexpr std::uint64_t saturated() const {
    return high.value() == 0 ? low.value() : ~std::uint64_t{0};
  }
  constexpr bool operator==(const Le128& other) const {
    return low.value() == other.low.value() && high.value() == other.high.value();
  }

  Le64 low;   // bits 63:0
  Le64 high;  // bits 127:64
};

static_assert(sizeof(Le16) == 2 && alignof(Le16) == 1 && std::is_trivially_copyable_v<Le16>);
static_assert(sizeof(Le32) == 4 && alignof(Le32) == 1 && std::is_trivially_copyable_v<Le32>);
static_assert(sizeof(Le64) == 8 && alignof(Le64) == 1 && std::is_trivially_copyable_v<Le64>);
static_assert(sizeof(Le128) == 16 && alignof(Le128) == 1 && std::is_trivially_copyable_v<Le128>);

// Bytes that the specification reserves. Zero when built; whatever came in when read.
template <std::size_t N>
using Reserved = std::array<std::uint8_t, N>;

}  // namespace flushlab::spec
