// SPDX-License-Identifier: Apache-2.0
// Converts what folds produce to results.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bobbin/types.hpp"
#include "core/scalar.hpp"
#include "plan/plan.hpp"
#include "plan/values.hpp"

namespace bobbin::plan {

// The value at a position in its type's order.
[[nodiscard]] Scalar value_of_place(DType type, uint64_t place);
// In the form of WideSum.
[[nodiscard]] Int128 sum_of(DType type, const WideSum& sum);
// Empty if there were no values.
void set_extremes(DType type, const Extremes& extremes, Total& total);

// Checks that conditions have their operands, and that columns exist.
[[nodiscard]] Status check_filter(const Filter& filter, std::span<const Source> columns);
// Combines tests of one dictionary column of which at least one must hold into one test, so that the
// dictionary is evaluated once. The filter has been checked.
[[nodiscard]] Filter merge_tests(const Filter& filter, std::span<const Source> columns);
// All ranges of a test.
[[nodiscard]] std::vector<ValueRange> ranges_of(const Condition& condition);
[[nodiscard]] Status check_aggregate(const Aggregate& aggregate, std::span<const Source> columns);

// The rows: the same for all arrays.
struct Rows {
  uint64_t offset = 0;  // of the first column
  uint64_t length = 0;

  static Result<Rows> of(std::span<const Source> columns);
};

}  // namespace bobbin::plan
