// SPDX-License-Identifier: Apache-2.0
// Columns compared with columns, row by row, by value.
#pragma once

#include "bobbin/file.hpp"
#include "query/decoded.hpp"

namespace bobbin::query {

struct ColumnOperand {
  const DecodedColumn& values;
  const Column& column;
};

// The rows of which the comparison holds, or does not; a null on either side passes neither. Types fit, as
// binding has checked.
[[nodiscard]] Words compare_columns(const ColumnOperand& left, Compare op, const ColumnOperand& right,
                                    bool negated);

}  // namespace bobbin::query
