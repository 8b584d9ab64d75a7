// SPDX-License-Identifier: Apache-2.0
// Drawn expressions, and their values computed one row and one step at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bobbin/types.hpp"
#include "core/scalar.hpp"
#include "plan/expression.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// A column of an expression. Of integers, the least and the greatest.
struct NumberColumn {
  DType type{};
  plan::Bounds bounds{};
};
// The column of these values.
[[nodiscard]] NumberColumn number_column(DType type, const std::vector<std::byte>& values);

// With at least one column. No step has 128 bits. Empty if the columns do not allow it.
[[nodiscard]] std::optional<plan::Expression> draw_expression(Random& random,
                                                              const std::vector<NumberColumn>& columns);
[[nodiscard]] std::optional<plan::Comparison> draw_comparison(Random& random,
                                                              const std::vector<NumberColumn>& columns);
// a * b, or a + b if that would have 128 bits; empty if that would too.
[[nodiscard]] std::optional<plan::Expression> combination(const std::vector<NumberColumn>& columns,
                                                          uint32_t a, uint32_t b);

struct Number {
  Int128 integer = 0;
  double real = 0;
};
[[nodiscard]] Number evaluate(const plan::Expression& expression, const std::vector<NumberColumn>& columns,
                              const std::function<Scalar(uint32_t)>& value);
[[nodiscard]] bool holds(const plan::Comparison& comparison, const std::vector<NumberColumn>& columns,
                         const std::function<Scalar(uint32_t)>& value);

}  // namespace bobbin::testing
