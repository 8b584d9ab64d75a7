// SPDX-License-Identifier: Apache-2.0
// What zigzag does to a value. Kernels that are compiled at run time include this header, so it needs nothing
// of the host.
#pragma once

#include <type_traits>

#include "core/bits.hpp"
#include "core/portable.hpp"

namespace bobbin::codec::zigzag {

// Both work on bit patterns.
template <class T>
[[nodiscard]] BOBBIN_HD constexpr T code_of(T value) {
  static_assert(std::is_unsigned_v<T>);
  const T sign = static_cast<T>(T{0} - (value >> (kBits<T> - 1)));
  return static_cast<T>(static_cast<T>(value << 1) ^ sign);
}
template <class T>
[[nodiscard]] BOBBIN_HD constexpr T value_of_code(T code) {
  static_assert(std::is_unsigned_v<T>);
  return static_cast<T>(static_cast<T>(code >> 1) ^ static_cast<T>(T{0} - (code & 1)));
}

}  // namespace bobbin::codec::zigzag
