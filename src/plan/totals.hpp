// SPDX-License-Identifier: Apache-2.0
// From what folds leave to what people ask for.
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

// The value that stands at a place in its type's order.
[[nodiscard]] Scalar value_of_place(DType type, uint64_t place);
// As WideSum tells it.
[[nodiscard]] Int128 sum_of(DType type, const WideSum& sum);
// Nothing when there was nothing.
void set_extremes(DType type, const Extremes& extremes, Total& total);

// Conditions have their parts, and columns that exist.
[[nodiscard]] Status check_filter(const Filter& filter, std::span<const Source> columns);
// Tests of one column with a dictionary, one of which must hold, as one test: the dictionary is looked at for
// all. The filter has been checked.
[[nodiscard]] Filter merge_tests(const Filter& filter, std::span<const Source> columns);
// All ranges of a test.
[[nodiscard]] std::vector<ValueRange> ranges_of(const Condition& condition);
[[nodiscard]] Status check_aggregate(const Aggregate& aggregate, size_t columns);

// Which rows there are: those of all arrays.
struct Rows {
  uint64_t offset = 0;  // of the first column
  uint64_t length = 0;

  static Result<Rows> of(std::span<const Source> columns);
};

}  // namespace bobbin::plan
