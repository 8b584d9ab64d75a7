// SPDX-License-Identifier: Apache-2.0
// A drawn query over arrays, with the answer that decoded values give.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "array/array.hpp"
#include "plan/plan.hpp"
#include "tests/codecs/component.hpp"
#include "tests/plan/expressions.hpp"

namespace bobbin::testing {

// A column and its decoded values.
struct PlainColumn {
  Array array;
  std::vector<std::byte> bytes;
  array::Bitmap valid;

  [[nodiscard]] bool is_null(uint64_t row) const { return !valid.at(row); }
  [[nodiscard]] Scalar at(uint64_t row) const {
    Scalar scalar;
    std::copy_n(bytes.data() + row * size_bytes(array.type), size_bytes(array.type),
                reinterpret_cast<std::byte*>(&scalar.bits));
    return scalar;
  }
};

struct QueryCase {
  std::vector<PlainColumn> columns;
  plan::Filter filter;
  std::vector<plan::Aggregate> aggregates;
  std::vector<NumberColumn> numbers;  // of the columns

  [[nodiscard]] uint64_t length() const { return columns[0].array.length; }
  [[nodiscard]] uint64_t offset() const { return columns[0].array.offset; }
  [[nodiscard]] bool has_null(std::span<const uint32_t> some, uint64_t row) const {
    return std::ranges::any_of(some, [&](uint32_t column) { return columns[column].is_null(row); });
  }
  [[nodiscard]] bool has_expressions() const {
    return std::ranges::any_of(aggregates,
                               [](const plan::Aggregate& a) { return a.expression != nullptr; }) ||
           std::ranges::any_of(filter, [](const plan::Condition& c) { return c.comparison != nullptr; });
  }
};

// Which rows match, as the meaning of a filter says.
[[nodiscard]] std::vector<bool> rows_that_pass(const QueryCase& c);
// Empty, or the first total that differs from that of the decoded values.
[[nodiscard]] std::string compare_totals(const QueryCase& c, const std::vector<plan::Total>& got,
                                         const std::vector<bool>& rows);
// Empty, or what went wrong with what.
[[nodiscard]] std::string report(const QueryCase& c, std::string_view path,
                                 const Result<std::string>& result);
[[nodiscard]] std::string_view name_of_path(plan::QueryPath path);

// A range with an end at a value of the column, near one, or anywhere.
[[nodiscard]] ValueRange draw_range(const PlainColumn& column, Random& random);
// Rows begin .. begin+kept-1 of arrays; each array starts `apart` rows later than the previous one.
void add_columns(QueryCase& c, const std::vector<Array>& arrays, uint64_t begin, uint64_t kept,
                 uint64_t apart = 0);
// A filter and aggregates.
void add_questions(QueryCase& c, Random& random);
// Columns of any cascade.
[[nodiscard]] QueryCase draw_case(Random& random);
// Columns made by encoders.
[[nodiscard]] Array draw_long_column(Random& random, uint64_t length);
[[nodiscard]] QueryCase draw_long_case(Random& random, uint64_t length);

}  // namespace bobbin::testing
