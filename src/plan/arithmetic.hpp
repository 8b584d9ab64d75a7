// SPDX-License-Identifier: Apache-2.0
// What the operations of expressions do to two numbers, on the CPU and in kernels. Integers wrap around:
// their type holds all values of existing rows.
#pragma once

#include <type_traits>

#include "core/portable.hpp"

namespace bobbin::plan {

template <class T>
[[nodiscard]] BOBBIN_HD constexpr auto as_unsigned(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

struct Add {
  template <class T>
  [[nodiscard]] BOBBIN_HD static constexpr T of(T a, T b) {
    return static_cast<T>(as_unsigned(a) + as_unsigned(b));
  }
};
struct Subtract {
  template <class T>
  [[nodiscard]] BOBBIN_HD static constexpr T of(T a, T b) {
    return static_cast<T>(as_unsigned(a) - as_unsigned(b));
  }
};
struct Multiply {
  template <class T>
  [[nodiscard]] BOBBIN_HD static constexpr T of(T a, T b) {
    return static_cast<T>(as_unsigned(a) * as_unsigned(b));
  }
};

}  // namespace bobbin::plan
