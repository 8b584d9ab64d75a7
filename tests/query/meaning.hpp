// SPDX-License-Identifier: Apache-2.0
// Columns with logical types: constants near their values, and comparisons that use only the C library's
// calendar and integers.
#pragma once

#include "bobbin/query.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::query_tests {

[[nodiscard]] bool holds(Compare op, int sign);

// A value of such a column, derived from a nearby one.
[[nodiscard]] Int128 draw_stored(testing::Random& random, const Logical& logical, Int128 value);
[[nodiscard]] query::Literal draw_by_meaning(testing::Random& random, const Logical& logical, Int128 stored);
[[nodiscard]] bool compares_by_meaning(const Logical& logical, Int128 stored, Compare op,
                                       const query::Literal& literal);

}  // namespace bobbin::query_tests
