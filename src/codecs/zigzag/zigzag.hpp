// SPDX-License-Identifier: Apache-2.0
// Signed integers as unsigned ones, small if the magnitude is: see spec.md.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "codecs/codec.hpp"
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

// The unsigned type of the same size.
[[nodiscard]] constexpr DType code_type(DType type) {
  return static_cast<DType>(static_cast<uint8_t>(type) - static_cast<uint8_t>(DType::i8) +
                            static_cast<uint8_t>(DType::u8));
}

}  // namespace bobbin::codec::zigzag
