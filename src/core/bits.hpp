// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic shared by host and device code.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/portable.hpp"

namespace bobbin {

template <class T>
inline constexpr uint32_t kBits = std::numeric_limits<std::make_unsigned_t<T>>::digits;

template <class T>
BOBBIN_HD constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}

template <class T>
BOBBIN_HD constexpr T round_up(T a, T multiple) {
  return ceil_div(a, multiple) * multiple;
}

// A mask of the lowest `n` bits; n is 0 to the type's width.
template <class T>
BOBBIN_HD constexpr T low_mask(uint32_t n) {
  static_assert(std::is_unsigned_v<T>);
  return n == 0 ? T{0} : static_cast<T>(static_cast<T>(~T{0}) >> (kBits<T> - n));
}

// The number of bits needed for `value`; 0 for 0.
BOBBIN_HD constexpr uint32_t bit_width_of(uint64_t value) {
  uint32_t n = 0;
  for (uint32_t step = 32; step != 0; step /= 2) {
    if ((value >> step) != 0) {
      value >>= step;
      n += step;
    }
  }
  return n + static_cast<uint32_t>(value);
}

// Floats are sign and magnitude: inverting the magnitude of negative ones converts them to two's complement,
// and back.
template <class Key>
[[nodiscard]] BOBBIN_HD constexpr Key turn_negative(Key bits) {
  return bits < 0 ? static_cast<Key>(bits ^ std::numeric_limits<Key>::max()) : bits;
}

}  // namespace bobbin
