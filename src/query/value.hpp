// SPDX-License-Identifier: Apache-2.0
// Converts values of a column, and sums of them, to results.
#pragma once

#include "bobbin/query.hpp"
#include "core/scalar.hpp"
#include "query/average.hpp"

namespace bobbin::query {

[[nodiscard]] inline Value to_value(const Column& column, Scalar scalar) {
  return visit_type(column.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      return Value::of_real(value_of<T>(scalar));
    } else {
      return Value::of_integer(value_of<T>(scalar), column.logical);
    }
  });
}

// For integers and their logical type; null if there are none.
[[nodiscard]] inline Value sum_of(const Column& column, Int128 sum, uint64_t count) {
  const bool decimal = column.logical.kind == Logical::Kind::decimal;
  return count == 0 ? Value() : Value::of_integer(sum, decimal ? column.logical : Logical());
}
[[nodiscard]] inline Value average_of(const Column& column, Int128 sum, uint64_t count) {
  return count == 0 ? Value() : Value::of_real(average(sum, count, column.logical.scale));
}

}  // namespace bobbin::query
