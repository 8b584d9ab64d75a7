// SPDX-License-Identifier: Apache-2.0
// Columns of rle and sparse for composed kernels: row numbers and values are decoded once, which takes little
// memory if they are few relative to the rows, and each vector's first number is searched once.
#pragma once

#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "plan/column_plan.hpp"

namespace bobbin::plan {

// Whether an array has few row numbers.
[[nodiscard]] bool expands(const Array& array);
// The column for such an array; what it needs is added to `kept`. Asynchronous.
[[nodiscard]] Result<ColumnPlan> expand_column(const Array& array, std::vector<DeviceBuffer>& kept,
                                               StreamView stream);

}  // namespace bobbin::plan
