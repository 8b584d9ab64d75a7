// SPDX-License-Identifier: Apache-2.0
// The first rows of an order, found by thresholds: of floats, decimals and columns with nulls, in row groups
// that are large enough for a sample and in others.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "bobbin/bobbin.hpp"
#include "tests/backends.hpp"
#include "tests/drawn.hpp"
#include "tests/query/support.hpp"

namespace bobbin::query_tests {
namespace {

using query::OrderTerm;
using query::Value;
using Rows = std::vector<std::vector<Value>>;

constexpr uint64_t kLarge = 70'000;  // rows of a row group: more than 64 vectors
constexpr uint64_t kRows = kLarge + 4000;

Cell draw_cell(Random& random, const Column& column, uint64_t row) {
  if (column.nullable && random.below(column.name == "empty" ? 3000 : 9) != 1) {
    if (column.name == "empty" || random.below(20) == 0) {
      return {};
    }
  }
  if (is_float(column.type)) {
    constexpr double kReals[] = {-0.0, 0.0, std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity()};
    const uint64_t place = random.below(4000);
    return place < std::size(kReals) ? kReals[place] : static_cast<double>(random.below(5000)) / 8 - 300;
  }
  if (column.name == "rising") {
    return static_cast<Int128>(row / 3);
  }
  return static_cast<Int128>(random.below(20'000)) - 10'000;
}

TestTable draw_top_table() {
  Random random(5);
  const ColumnType decimal = parse_column_type("decimal(2)").value();
  TestTable table{.columns = {{.name = "real", .type = DType::f64},
                              {.name = "float", .type = DType::f32, .nullable = true},
                              {.name = "price", .type = decimal.type, .logical = decimal.logical},
                              {.name = "number", .type = DType::i32, .nullable = true},
                              {.name = "empty", .type = DType::i16, .nullable = true},
                              {.name = "rising", .type = DType::u32}},
                  .cells = {},
                  .rows = kRows};
  for (const Column& column : table.columns) {
    std::vector<Cell>& cells = table.cells.emplace_back();
    for (uint64_t row = 0; row < kRows; ++row) {
      cells.push_back(draw_cell(random, column, row));
    }
  }
  return table;
}

bool same_rows(const Rows& a, const Rows& b) {
  return std::ranges::equal(a, b, [](const auto& left, const auto& right) {
    return std::ranges::equal(left, right,
                              [](const Value& one, const Value& other) { return same(one, other); });
  });
}

Rows first_rows(const Rows& rows, uint64_t limit) {
  return {rows.begin(), rows.begin() + static_cast<ptrdiff_t>(limit)};
}

void check_orders(Backend backend, std::span<const uint64_t> limits) {
  const file_tests::TempDir dir;
  const TestTable table = draw_top_table();
  ASSERT_OK(write(dir / "t.bob", table, kLarge));
  const Reader reader = Reader::open(dir / "t.bob").value();
  const std::vector<bool> all(kRows, true);
  for (const uint64_t i : bobbin::testing::drawn(2 * table.columns.size())) {
    const std::string& column = table.columns[i / 2].name;
    const bool descending = i % 2 != 0;
    Rows wanted = select(table, all, {column, "rising"});
    sort_rows(wanted, {{0, descending}});
    for (const uint64_t limit : limits) {
      const OrderTerm term = descending ? query::descending(column) : query::ascending(column);
      const auto got =
          query::from(reader).on(backend).select({column, "rising"}, {.order = {term}, .limit = limit});
      ASSERT_TRUE(got.has_value()) << got.error().message();
      ASSERT_TRUE(same_rows(got->rows, first_rows(wanted, limit)))
          << limit << " rows by " << column << (descending ? " descending" : "");
    }
  }
}

TEST(TopRows, AreThoseOfTheWholeOrder) {
  constexpr uint64_t kLimits[] = {1, 20, 3000};
  check_orders(Backend::cpu, kLimits);
}

TEST(TopRows, AreTheSameOnTheEmulator) {
  SKIP_WITHOUT_EMULATOR();
  constexpr uint64_t kLimits[] = {10};
  check_orders(Backend::emulator, kLimits);
}

// A limit above those that are sorted for each row group has no threshold: it gives the whole order.
TEST(TopRows, WithNullsFirstOrLastAndMoreTerms) {
  const file_tests::TempDir dir;
  ASSERT_OK(write(dir / "t.bob", draw_top_table(), kLarge));
  const Reader reader = Reader::open(dir / "t.bob").value();
  const query::Query some = query::from(reader).where(query::col("price") < 50);
  for (const uint64_t i : bobbin::testing::drawn(16)) {
    const std::string column = (i & 1) != 0 ? "float" : "empty";
    const auto nulls = (i & 2) != 0 ? OrderTerm::Nulls::first : OrderTerm::Nulls::last;
    std::vector<OrderTerm> order{{.column = column, .is_descending = (i & 4) != 0, .nulls = nulls}};
    if ((i & 8) != 0) {
      order.push_back(query::descending("rising"));
    }
    const Rows whole = some.select({column, "rising"}, {.order = order, .limit = kRows})->rows;
    const Rows first = some.select({column, "rising"}, {.order = order, .limit = 25})->rows;
    ASSERT_TRUE(same_rows(first, first_rows(whole, 25))) << i;
  }
}

}  // namespace
}  // namespace bobbin::query_tests
