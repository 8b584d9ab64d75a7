// SPDX-License-Identifier: Apache-2.0
// Compares columns with columns, row by row, by value.
#pragma once

#include "bobbin/file.hpp"
#include "query/decoded.hpp"

namespace bobbin::query {

struct ColumnOperand {
  const DecodedColumn& values;
  const Column& column;
};

// The rows for which the comparison holds, or does not hold; a null on either side satisfies neither. Binding
// has checked that the types fit.
[[nodiscard]] BitmapWords compare_columns(const ColumnOperand& left, Compare op, const ColumnOperand& right,
                                          bool negated);

// The factor for a column's integers that makes any two columns of a class comparable: units of 10^-18, or
// nanoseconds.
[[nodiscard]] Int128 factor_of(const Column& column);

}  // namespace bobbin::query
