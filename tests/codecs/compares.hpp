// SPDX-License-Identifier: Apache-2.0
// Comparisons of plain values, to check those on encoded data.
#pragma once

#include "bobbin/types.hpp"

namespace bobbin::testing {

inline constexpr Compare kAllCompares[] = {Compare::eq, Compare::ne, Compare::lt,
                                           Compare::le, Compare::gt, Compare::ge};

[[nodiscard]] constexpr bool holds(Compare op, auto a, auto b) {
  switch (op) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a != b;
    case Compare::lt:
      return a < b;
    case Compare::le:
      return a <= b;
    case Compare::gt:
      return a > b;
    case Compare::ge:
      return a >= b;
  }
  return false;
}

}  // namespace bobbin::testing
