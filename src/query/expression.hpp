// SPDX-License-Identifier: Apache-2.0
// Expressions with their names resolved: scales of decimals become multiplications by powers of ten, and each
// step gets the narrowest type that holds all its values, as zone maps bound those of columns.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/query.hpp"
#include "plan/expression.hpp"

namespace bobbin::query {

// Columns are columns of the file.
struct BoundExpression {
  plan::Expression program;
  ColumnType type{};  // of its values: f64, i64 or a decimal; integers may be larger than 64 bits
  std::string text;   // for messages
};
struct BoundComparison {
  plan::Comparison program;
  std::string text;
};

// The integers that a column may hold, by its number.
using FindBounds = std::function<plan::Bounds(uint32_t column)>;
// All integers of a type.
[[nodiscard]] plan::Bounds bounds_of(DType type);

// Whether one launch can evaluate it: no step has 128 bits, and there are few columns.
[[nodiscard]] bool fits_launch(const plan::Expression& expression);
[[nodiscard]] bool fits_launch(const plan::Comparison& comparison);

[[nodiscard]] Result<BoundExpression> bind_expression(const Reader& reader, const Expression& expression,
                                                      const FindBounds& find);
[[nodiscard]] Result<BoundComparison> bind_comparison(const Reader& reader, const Predicate& predicate,
                                                      bool negated, const FindBounds& find);

}  // namespace bobbin::query
