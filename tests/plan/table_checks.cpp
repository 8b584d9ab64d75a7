// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/table_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "bobbin/query.hpp"
#include "tests/drawn.hpp"
#include "tests/query/support.hpp"

namespace bobbin::testing {
namespace {

using query_tests::Cell;
using query_tests::TestTable;

constexpr uint64_t kRows = 3700;
constexpr uint64_t kRowsPerGroup = 1500;

// Few values, most of which are in two of the row groups.
Cell draw_cell(Random& random, const Column& column, uint64_t group) {
  if ((column.nullable || is_string(column.type)) && random.below(5) == 0) {
    return {};
  }
  const auto number = static_cast<Int128>(3 * group + random.below(7));
  if (is_string(column.type)) {
    return fmt::format("value {}", static_cast<int64_t>(number));
  }
  if (is_float(column.type)) {
    constexpr double kReals[] = {0.0, -0.0, std::numeric_limits<double>::quiet_NaN(),
                                 -std::numeric_limits<double>::infinity()};
    const uint64_t place = random.below(12);
    return place < std::size(kReals) ? kReals[place] : 0.25 * static_cast<double>(number) - 2;
  }
  if (column.name == "few") {
    return static_cast<Int128>(random.below(3));
  }
  return column.name == "wide" ? number * 1'000'003 - 5'000'000 : number - 4;
}

TestTable draw_table() {
  Random random(11);
  TestTable table{.columns = {{.name = "text", .type = DType::utf8},
                              {.name = "wide", .type = DType::i64, .nullable = true},
                              {.name = "small", .type = DType::i16},
                              {.name = "few", .type = DType::u8, .nullable = true},
                              {.name = "real", .type = DType::f64, .nullable = true}},
                  .cells = {},
                  .rows = kRows};
  for (const Column& column : table.columns) {
    std::vector<Cell>& cells = table.cells.emplace_back();
    for (uint64_t row = 0; row < kRows; ++row) {
      cells.push_back(draw_cell(random, column, row / kRowsPerGroup));
    }
  }
  return table;
}

std::vector<bool> passing(const TestTable& table, const query::Predicate& predicate) {
  std::vector<bool> passes(table.rows);
  for (uint64_t row = 0; row < table.rows; ++row) {
    passes[row] = query_tests::evaluate(table, row, predicate) == true;
  }
  return passes;
}

constexpr std::string_view kDistinctFilters[] = {
    "small <= 100", "small < 2", "text is not null and wide >= 0", "text like '%e 4' or real < 0.5"};

Result<std::string> compare_distinct(const std::string& path, Backend backend, bool compares) {
  const TestTable table = draw_table();
  BOBBIN_TRY(query_tests::write(path, table, kRowsPerGroup, "dict"));
  BOBBIN_ASSIGN(const Reader reader, Reader::open(path));
  for (const std::string_view filter : drawn_of(kDistinctFilters)) {
    BOBBIN_ASSIGN(const query::Predicate predicate, query::parse_predicate(filter));
    const std::vector<bool> passes = passing(table, predicate);
    for (const Column& column : table.columns) {
      const query::AggregateSpec spec = query::count_distinct(column.name);
      const query::Query asked = query::from(reader).where(predicate);
      BOBBIN_ASSIGN(const auto here, asked.run({spec}));
      BOBBIN_ASSIGN(const auto there, asked.on(backend).run({spec}));
      const query::Value wanted = query_tests::aggregate(table, passes, spec);
      if (compares && (!query_tests::same(here[0], wanted) || !query_tests::same(there[0], wanted))) {
        return fmt::format("distinct values of {} where {}: {} and {} instead of {}", column.name, filter,
                           to_string(here[0]), to_string(there[0]), to_string(wanted));
      }
    }
  }
  return std::string();
}

bool same_rows(const std::vector<std::vector<query::Value>>& a,
               const std::vector<std::vector<query::Value>>& b) {
  return std::ranges::equal(a, b, [](const auto& left, const auto& right) {
    return std::ranges::equal(left, right, query_tests::same);
  });
}

constexpr std::string_view kGroupFilters[] = {"real > -1.5 and text in ('value 3', 'value 9')",
                                              "small < wide"};
constexpr std::string_view kGroupAggregates[] = {"count(), min(wide), max(wide), sum(small), count(real)",
                                                 "min(real), max(real), avg(wide), min(small)",
                                                 "min(small - wide), max(real * 2), max(wide * 3)"};

Result<std::string> compare_groups(const std::string& path, Backend backend, bool compares) {
  const TestTable table = draw_table();
  BOBBIN_TRY(query_tests::write(path, table, kRowsPerGroup));
  BOBBIN_ASSIGN(const Reader reader, Reader::open(path));
  for (const std::string_view filter : drawn_of(kGroupFilters)) {
    BOBBIN_ASSIGN(const query::Predicate predicate, query::parse_predicate(filter));
    const std::vector<bool> passes = passing(table, predicate);
    for (const std::string_view text : drawn_of(kGroupAggregates)) {
      BOBBIN_ASSIGN(const auto aggregates, query::parse_aggregates(text));
      for (const std::vector<std::string>& keys :
           {std::vector<std::string>{"text"}, {"few"}, {"few", "text"}, {"wide"}}) {
        const query::Query asked = query::from(reader).where(predicate);
        BOBBIN_ASSIGN(const auto here, asked.group_by(keys, aggregates));
        BOBBIN_ASSIGN(const auto there, asked.on(backend).group_by(keys, aggregates));
        // The slow evaluation has no expressions.
        const auto wanted = aggregates[0].expression.has_value()
                                ? here.rows
                                : query_tests::group_by(table, passes, keys, aggregates);
        if (compares && (!same_rows(here.rows, wanted) || !same_rows(there.rows, wanted))) {
          return fmt::format("{} by {} where {} differ", text, fmt::join(keys, ", "), filter);
        }
      }
    }
  }
  return std::string();
}

std::string in_compiled_kernels(Result<std::string> (*compare)(const std::string&, Backend, bool),
                                Backend backend, bool compares) {
  const file_tests::TempDir folder;
  ::setenv("BOBBIN_QUERY_KERNELS", "compiled", 1);
  const auto problem = compare(folder / "table.bob", backend, compares);
  ::unsetenv("BOBBIN_QUERY_KERNELS");
  return problem.has_value() ? *problem : std::string(problem.error().message());
}

}  // namespace

std::string check_distinct(Backend backend, bool compares) {
  return in_compiled_kernels(&compare_distinct, backend, compares);
}

std::string check_grouped_nulls(Backend backend, bool compares) {
  return in_compiled_kernels(&compare_groups, backend, compares);
}

}  // namespace bobbin::testing
