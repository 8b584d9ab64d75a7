// SPDX-License-Identifier: Apache-2.0
// Tables and predicates for the tests of queries, and a slow evaluation that does not use ranges, zone maps
// or codecs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bobbin/query.hpp"
#include "tests/codecs/component.hpp"
#include "tests/file/support.hpp"

namespace bobbin::query_tests {

using testing::Random;

// A null, an integer, a float, a string.
using Cell = std::variant<std::monostate, Int128, double, std::string>;

struct TestTable {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> cells;  // of each column
  uint64_t rows = 0;
};

// Columns of several types, with values that cluster by row group so that zone maps are useful.
[[nodiscard]] TestTable draw_table(Random& random, uint64_t rows, uint64_t rows_per_group);
[[nodiscard]] Status write(const std::string& path, const TestTable& table, uint64_t rows_per_group,
                           const std::string& codec = {});

// A constant near a value of the column, or far from all.
[[nodiscard]] query::Literal draw_literal(Random& random, const TestTable& table, size_t column);
[[nodiscard]] query::Predicate draw_predicate(Random& random, const TestTable& table, int depth);

// Empty for "unknown", as in SQL.
[[nodiscard]] std::optional<bool> compares(DType type, const Cell& cell, Compare op,
                                           const query::Literal& literal);
[[nodiscard]] std::optional<bool> evaluate(const TestTable& table, uint64_t row,
                                           const query::Predicate& predicate);
[[nodiscard]] query::Value aggregate(const TestTable& table, const std::vector<bool>& passes,
                                     const query::AggregateSpec& spec);
[[nodiscard]] query::GroupCounts group_counts(const TestTable& table, const std::vector<bool>& passes,
                                              size_t column);

// Rows of keys and aggregates, ordered by the keys; and values of rows, in the table's order.
[[nodiscard]] std::vector<std::vector<query::Value>> group_by(
    const TestTable& table, const std::vector<bool>& passes, const std::vector<std::string>& keys,
    const std::vector<query::AggregateSpec>& aggregates);
[[nodiscard]] std::vector<std::vector<query::Value>> select(const TestTable& table,
                                                            const std::vector<bool>& passes,
                                                            const std::vector<std::string>& columns);
// By positions in the rows, each descending or not; equal rows stay in their order.
void sort_rows(std::vector<std::vector<query::Value>>& rows,
               const std::vector<std::pair<size_t, bool>>& order);

// By value: 0.0 and -0.0 are equal, and so are NaNs.
[[nodiscard]] bool same(const query::Value& a, const query::Value& b);

// The predicate as text.
[[nodiscard]] std::string to_source(const query::Predicate& predicate);

}  // namespace bobbin::query_tests
