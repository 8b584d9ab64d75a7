// SPDX-License-Identifier: Apache-2.0
#include "tests/query/top_rows.hpp"

#include <algorithm>
#include <limits>

#include "bobbin/bobbin.hpp"
#include "tests/drawn.hpp"

namespace bobbin::query_tests {
namespace {

using query::OrderTerm;
using query::Value;

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

}  // namespace

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
                  .rows = kTopRows};
  for (const Column& column : table.columns) {
    std::vector<Cell>& cells = table.cells.emplace_back();
    for (uint64_t row = 0; row < kTopRows; ++row) {
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

namespace {

std::string check_order(const query::Query& question, const TestTable& table, size_t column, bool descending,
                        std::span<const uint64_t> limits) {
  const std::string& name = table.columns[column].name;
  Rows wanted = select(table, std::vector<bool>(kTopRows, true), {name, "rising"});
  sort_rows(wanted, {{0, descending}});
  const OrderTerm term = descending ? query::descending(name) : query::ascending(name);
  for (const uint64_t limit : limits) {
    const auto got = question.select({name, "rising"}, {.order = {term}, .limit = limit});
    if (!got.has_value()) {
      return got.error().message();
    }
    if (!same_rows(got->rows, first_rows(wanted, limit))) {
      return std::to_string(limit) + " rows by " + name + (descending ? " descending" : "") + " differ";
    }
  }
  return "";
}

}  // namespace

std::string check_top_rows(Backend backend, std::span<const uint64_t> limits) {
  const file_tests::TempDir dir;
  const TestTable table = draw_top_table();
  if (const Status written = write(dir / "t.bob", table, kTopRowGroup); !written.ok()) {
    return written.message();
  }
  const Reader reader = Reader::open(dir / "t.bob").value();
  const query::Query question = query::from(reader).on(backend);
  for (const uint64_t i : bobbin::testing::drawn(2 * table.columns.size())) {
    if (std::string fault = check_order(question, table, i / 2, i % 2 != 0, limits); !fault.empty()) {
      return fault;
    }
  }
  return "";
}

}  // namespace bobbin::query_tests
