// SPDX-License-Identifier: Apache-2.0
// A table whose first rows in the order of each of its columns are found by thresholds: floats, decimals and
// columns with nulls, in one row group that is large enough for a sample and in one that is not.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/query/support.hpp"

namespace bobbin::query_tests {

using Rows = std::vector<std::vector<query::Value>>;

inline constexpr uint64_t kTopRowGroup = 70'000;  // more than 64 vectors
inline constexpr uint64_t kTopRows = kTopRowGroup + 4000;

[[nodiscard]] TestTable draw_top_table();

[[nodiscard]] bool same_rows(const Rows& a, const Rows& b);
[[nodiscard]] Rows first_rows(const Rows& rows, uint64_t limit);

// The first rows by each column, in both directions, compared with the whole order. Empty if they are
// correct.
[[nodiscard]] std::string check_top_rows(Backend backend, std::span<const uint64_t> limits);

}  // namespace bobbin::query_tests
