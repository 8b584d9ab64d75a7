// SPDX-License-Identifier: Apache-2.0
// A predicate in the form that plan uses: conditions in postfix order over numbered columns.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/bit_ranges.hpp"
#include "plan/plan.hpp"
#include "query/bind.hpp"

namespace bobbin::query {

// The codes of a string column with a dictionary.
struct CodesOf {
  uint32_t column = 0;

  friend bool operator==(const CodesOf&, const CodesOf&) = default;
};

// A column of a launch: a column of the file, its codes, or a bitmap of the predicate.
using Operand = std::variant<uint32_t, CodesOf, const BitmapWords*>;

struct Program {
  std::vector<Operand> operands;
  plan::Filter filter;
  std::vector<plan::Aggregate> aggregates;  // over operands
};

// Leaves are tests of numbers and codes, or rows.
[[nodiscard]] Program compile(const Bound& bound, std::span<const plan::Aggregate> aggregates);

// Whether it fits into one launch, including a column that gives the number of rows if no other does.
[[nodiscard]] bool fits(const Bound& bound, std::span<const plan::Aggregate> aggregates);

}  // namespace bobbin::query
