// SPDX-License-Identifier: Apache-2.0
// Shortens long chains of tests: those of one column become one test.
#pragma once

#include <span>
#include <vector>

#include "bobbin/file.hpp"
#include "query/bind.hpp"

namespace bobbin::query {

// If one column has more ranges than this, they become a set.
inline constexpr size_t kMaxRanges = 8;

// The parts of an `and` or `or` as one predicate; there is at least one. Nested parts of the same kind are
// flattened.
[[nodiscard]] Bound merge_parts(std::span<const Column> columns, Bound::Kind kind, std::vector<Bound> parts);

// The values in one of the ranges, or in none of them.
[[nodiscard]] Bound any_range(std::span<const Column> columns, uint32_t column,
                              std::span<const ValueRange> ranges, bool negated);

}  // namespace bobbin::query
