// SPDX-License-Identifier: Apache-2.0
// What limits of columns say about comparisons is true of all rows within these limits.
#include "plan/decide.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/scalar.hpp"
#include "tests/drawn.hpp"
#include "tests/plan/expressions.hpp"

namespace bobbin::plan {
namespace {

using testing::NumberColumn;
using testing::Random;

Limits draw_limits(Random& random, const NumberColumn& column) {
  if (is_float(column.type)) {
    const double least = static_cast<double>(random.below(4000)) / 8 - 250;
    return Limits::of(least, least + static_cast<double>(random.below(50)) / 4);
  }
  const Int128 room = column.bounds.greatest - column.bounds.least;
  const Int128 least = column.bounds.least + Int128{random.below(static_cast<uint64_t>(room))};
  return Limits::of(least, std::min(column.bounds.greatest, least + Int128{random.below(40)}));
}

// One of the ends, or a value between them.
Scalar draw_value(Random& random, DType type, const Limits& limits) {
  const uint64_t kind = random.below(3);
  if (is_float(type)) {
    const double middle = limits.least + (limits.greatest - limits.least) / 3;
    return scalar_of(kind == 0 ? limits.least : kind == 1 ? limits.greatest : middle);
  }
  const auto room = static_cast<uint64_t>(limits.integers.greatest - limits.integers.least);
  const Int128 value = kind == 0   ? limits.integers.least
                       : kind == 1 ? limits.integers.greatest
                                   : limits.integers.least + Int128{random.below(room + 1)};
  return scalar_of(static_cast<int64_t>(value));
}

TEST(Decisions, HoldForAllRows) {
  uint64_t decided = 0;
  for (const uint64_t seed : testing::drawn(3000)) {
    Random random(seed);
    std::vector<NumberColumn> columns;
    for (uint64_t c = 0, count = 1 + random.below(3); c < count; ++c) {
      const int64_t size = int64_t{1} << (8 + random.below(20));
      columns.push_back(random.below(4) == 0 ? NumberColumn{DType::f64}
                                             : NumberColumn{DType::i64, {-size / 4, size}});
    }
    const auto comparison = testing::draw_comparison(random, columns);
    if (!comparison.has_value()) {
      continue;
    }
    std::vector<std::optional<Limits>> limits;
    for (const NumberColumn& column : columns) {
      limits.emplace_back(draw_limits(random, column));
    }
    const Truth truth = truth_of(*comparison, limits);
    decided += truth != Truth::some ? 1 : 0;
    for (int row = 0; row < 30 && truth != Truth::some; ++row) {
      std::vector<Scalar> values;
      for (size_t c = 0; c < columns.size(); ++c) {
        values.push_back(draw_value(random, columns[c].type, *limits[c]));
      }
      ASSERT_EQ(testing::holds(*comparison, columns, [&](uint32_t c) { return values[c]; }),
                truth == Truth::all)
          << "seed " << seed;
    }
  }
  if (testing::kAllCasesRun) {
    EXPECT_GT(decided, 300);
  }
}

Comparison less_than_twice(uint32_t a, uint32_t b) {
  using Op = Expression::Op;
  return {.left = {{{.op = Op::column, .type = NumberType::i64, .column = a}}},
          .op = Compare::lt,
          .right = {{{.op = Op::column, .type = NumberType::i64, .column = b},
                     {.op = Op::constant, .type = NumberType::i64, .integer = 2},
                     {.op = Op::multiply, .type = NumberType::i64}}}};
}

TEST(Decisions, AreThoseOfTheEnds) {
  Comparison comparison = less_than_twice(0, 1);
  const auto truth = [&](Int128 least, Int128 greatest) {
    const std::vector<std::optional<Limits>> limits{Limits::of(least, greatest),
                                                    Limits::of(Int128{-5}, Int128{5})};
    return truth_of(comparison, limits);
  };
  EXPECT_EQ(truth(-20, -11), Truth::all);
  EXPECT_EQ(truth(-20, -10), Truth::some);
  EXPECT_EQ(truth(9, 30), Truth::some);
  EXPECT_EQ(truth(10, 30), Truth::none);
  comparison.negated = true;
  EXPECT_EQ(truth(10, 30), Truth::all);
}

TEST(Decisions, AreNotMadeWhereLimitsAreUnknown) {
  const Comparison comparison = less_than_twice(0, 1);
  const std::vector<std::optional<Limits>> unknown{std::nullopt, Limits::of(Int128{0}, Int128{1})};
  EXPECT_EQ(truth_of(comparison, unknown), Truth::some);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(truth_of(Compare::lt, Limits::of(-infinity, 1.0), Limits::of(2.0, infinity), true), Truth::some);
  EXPECT_EQ(truth_of(Compare::lt, Limits::of(0.0, 1.0), Limits::of(2.0, 3.0), true), Truth::all);
}

}  // namespace
}  // namespace bobbin::plan
