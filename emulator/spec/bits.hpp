// SPDX-License-Identifier: GPL-2.0-only
// A run of bits in a word, named once and then read, placed or replaced: what a C bit-field would be if its layout were
// not the compiler's choice. `cc::kMPS.get(cc)` reads, `cc::kEN.put(1)` places, `kDTYPE.set(word, 1)` replaces.
#pragma once

#include <cassert>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace flushlab::spec {

template <class T>
class Bits {
  static_assert(std::is_unsigned_v<T>);

 public:
  // Bits high:low, both inclusive, as the specification writes them.
  constexpr Bits(unsigned high, unsigned low) : low_(low), width_(high - low + 1) {
    assert(low <= high && high < std::numeric_limits<T>::digits);
  }
  constexpr explicit Bits(unsigned bit) : Bits(bit, bit) {}

  // The largest value that the field holds.
  [[nodiscard]] constexpr T max() const {
    return static_cast<T>(std::numeric_limits<T>::max() >> (std::numeric_limits<T>::digits - static_cast<int>(width_)));
  }
  [[nodiscard]] constexpr T mask() const { return static_cast<T>(max() << low_); }
  [[nodiscard]] constexpr T get(T word) const { return static_cast<T>((word >> low_) & max()); }
  [[nodiscard]] constexpr bool in(T word) const { return (word & mask()) != 0; }  // any bit of the field is set
  // The field's value moved to its place; the value has to fit.
  [[nodiscard]] constexpr T put(std::uint64_t value = 1) const {
    assert(value <= max());
    return static_cast<T>((static_cast<T>(value) & max()) << low_);
  }
  template <class E>
  requires std::is_enum_v<E>
  [[nodiscard]] constexpr T put(E value) const { return put(static_cast<std::uint64_t>(value)); }
  // The word with this field replaced.
  template <class V>
  [[nodiscard]] constexpr T set(T word, V value) const {
    return static_cast<T>((word & static_cast<T>(~mask())) | put(value));
  }

  [[nodiscard]] constexpr unsigned low() const { return low_; }
  [[nodiscard]] constexpr unsigned width() const { return width_; }

  // `kDsm | kWriteZeroes` is the word with all bits of both fields set.
  friend constexpr T operator|(Bits a, Bits b) { return static_cast<T>(a.mask() | b.mask()); }
  friend constexpr T operator|(T a, Bits b) { return static_cast<T>(a | b.mask()); }

 private:
  unsigned low_;
  unsigned width_;
};

using Bits8 = Bits<std::uint8_t>;
using Bits16 = Bits<std::uint16_t>;
using Bits32 = Bits<std::uint32_t>;
using Bits64 = Bits<std::uint64_t>;

}  // namespace flushlab::spec
