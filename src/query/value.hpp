// SPDX-License-Identifier: Apache-2.0
// From a column's value to an answer.
#pragma once

#include "bobbin/query.hpp"
#include "core/scalar.hpp"

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

}  // namespace bobbin::query
