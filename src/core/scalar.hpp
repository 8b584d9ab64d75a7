// SPDX-License-Identifier: Apache-2.0
// The order of values, as integers.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "bobbin/types.hpp"
#include "core/bits.hpp"
#include "core/dispatch.hpp"
#include "core/portable.hpp"

namespace bobbin {

// An integer for each value, in the order of the values. For floats, -0.0 is below +0.0, and NaNs are beyond
// the infinities, on the side of their sign bit.
template <class T>
[[nodiscard]] constexpr auto order_key(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return turn_negative(std::bit_cast<std::make_signed_t<BitsOf<T>>>(value));
  } else {
    return value;
  }
}

// The inverse.
template <class T, class Key>
[[nodiscard]] constexpr T value_of_key(Key key) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(turn_negative(key));
  } else {
    return key;
  }
}

// The key that ranges of values use (ValueRange): an integer's bits, a float's order_key().
template <class T>
[[nodiscard]] BOBBIN_HD constexpr BitsOf<T> range_key(uint64_t bits) {
  using Bits = BitsOf<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<Bits>(turn_negative(static_cast<std::make_signed_t<Bits>>(bits)));
  } else {
    return static_cast<Bits>(bits);
  }
}

}  // namespace bobbin
