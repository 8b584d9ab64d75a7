// SPDX-License-Identifier: Apache-2.0
// Maps a DType at run time to a C++ type at compile time.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "bobbin/types.hpp"

namespace bobbin {

// Calls f with std::type_identity of the column's type. The type must not be a string type.
template <class F>
decltype(auto) visit_type(DType type, F&& f) {
  switch (type) {
    case DType::u8:
      return std::forward<F>(f)(std::type_identity<uint8_t>{});
    case DType::u16:
      return std::forward<F>(f)(std::type_identity<uint16_t>{});
    case DType::u32:
      return std::forward<F>(f)(std::type_identity<uint32_t>{});
    case DType::i8:
      return std::forward<F>(f)(std::type_identity<int8_t>{});
    case DType::i16:
      return std::forward<F>(f)(std::type_identity<int16_t>{});
    case DType::i32:
      return std::forward<F>(f)(std::type_identity<int32_t>{});
    case DType::i64:
      return std::forward<F>(f)(std::type_identity<int64_t>{});
    case DType::f32:
      return std::forward<F>(f)(std::type_identity<float>{});
    case DType::f64:
      return std::forward<F>(f)(std::type_identity<double>{});
    case DType::u64:
    case DType::utf8:
    case DType::binary:
      break;
  }
  return std::forward<F>(f)(std::type_identity<uint64_t>{});
}

// The same for work on bit patterns, where signedness does not matter: f gets the unsigned type.
template <class F>
decltype(auto) visit_bits(DType type, F&& f) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) -> decltype(auto) {
    return std::forward<F>(f)(std::type_identity<BitsOf<T>>{});
  });
}

// The same for integer arithmetic, where signedness matters: floats count as unsigned bit patterns.
template <class F>
decltype(auto) visit_integer(DType type, F&& f) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) -> decltype(auto) {
    return std::forward<F>(f)(
        std::type_identity<std::conditional_t<std::is_floating_point_v<T>, BitsOf<T>, T>>{});
  });
}

}  // namespace bobbin
