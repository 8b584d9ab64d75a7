// SPDX-License-Identifier: Apache-2.0
// Expressions in aggregates and predicates, compared with an evaluation of one row after another.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "bobbin/bobbin.hpp"
#include "bobbin/partial.hpp"
#include "tests/backends.hpp"
#include "tests/codecs/compares.hpp"
#include "tests/drawn.hpp"
#include "tests/query/support.hpp"

namespace bobbin::query_tests {
namespace {

using query::AggregateSpec;
using query::col;
using query::Expression;
using query::Formula;
using query::Predicate;
using query::Value;
using Kind = Expression::Kind;

constexpr uint64_t kRowsPerGroup = 1500;

// ---- The reference ----

struct Overflow {};

// A null, an exact number of 10^-scale, or a double.
struct Number {
  bool null = false;
  bool real = false;
  Int128 integer = 0;
  uint32_t scale = 0;
  double value = 0;
};

void check_fits(bool overflows) {
  if (overflows) {
    throw Overflow();
  }
}

Int128 times_power(Int128 value, uint32_t digits) {
  for (; digits > 0; --digits) {
    check_fits(__builtin_mul_overflow(value, Int128{10}, &value));
  }
  return value;
}

double to_double(const Number& number) {
  return number.real         ? number.value
         : number.scale == 0 ? static_cast<double>(number.integer)
                             : static_cast<double>(number.integer) / std::pow(10.0, number.scale);
}

Number constant_number(const query::Literal& literal) {
  if (literal.kind == query::Literal::Kind::integer) {
    return {.integer = literal.integer};
  }
  // Those that are drawn have up to three digits after the point.
  return {.integer = static_cast<Int128>(std::llround(literal.real * 1000)), .scale = 3};
}

Number cell_number(const Column& column, const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) {
    return {.null = true};
  }
  if (const auto* real = std::get_if<double>(&cell)) {
    return {.real = true, .value = *real};
  }
  return {.integer = std::get<Int128>(cell), .scale = column.logical.scale};
}

Number combine(Kind kind, Number a, Number b) {
  if (a.null || b.null) {
    return {.null = true};
  }
  if (a.real || b.real) {
    const double x = to_double(a);
    const double y = to_double(b);
    return {.real = true, .value = kind == Kind::add ? x + y : kind == Kind::subtract ? x - y : x * y};
  }
  Number made;
  bool overflows = false;
  if (kind == Kind::multiply) {
    made.scale = a.scale + b.scale;
    overflows = __builtin_mul_overflow(a.integer, b.integer, &made.integer);
  } else {
    made.scale = std::max(a.scale, b.scale);
    const Int128 x = times_power(a.integer, made.scale - a.scale);
    const Int128 y = times_power(b.integer, made.scale - b.scale);
    overflows = kind == Kind::add ? __builtin_add_overflow(x, y, &made.integer)
                                  : __builtin_sub_overflow(x, y, &made.integer);
  }
  check_fits(overflows);
  return made;
}

Number number_of(const TestTable& table, uint64_t row, const Expression& expression) {
  switch (expression.kind) {
    case Kind::column: {
      const auto at = std::ranges::find(table.columns, expression.column, &Column::name);
      return cell_number(*at, table.cells[static_cast<size_t>(at - table.columns.begin())][row]);
    }
    case Kind::constant:
      return constant_number(*expression.constant);
    case Kind::negate: {
      Number number = number_of(table, row, expression.operands[0]);
      check_fits(__builtin_sub_overflow(Int128{0}, number.integer, &number.integer));
      number.value = -number.value;
      return number;
    }
    default:
      return combine(expression.kind, number_of(table, row, expression.operands[0]),
                     number_of(table, row, expression.operands[1]));
  }
}

std::optional<bool> holds_in(const TestTable& table, uint64_t row, const Predicate& predicate) {
  const Number a = number_of(table, row, predicate.expressions[0]);
  const Number b = number_of(table, row, predicate.expressions[1]);
  if (a.null || b.null) {
    return std::nullopt;
  }
  if (a.real || b.real) {
    return testing::holds(predicate.op, to_double(a), to_double(b));
  }
  const uint32_t scale = std::max(a.scale, b.scale);
  return testing::holds(predicate.op, times_power(a.integer, scale - a.scale),
                        times_power(b.integer, scale - b.scale));
}

// What is wrong with an aggregate, or nothing. Sums of floats are compared with some tolerance: their order
// is checked by comparing backends.
std::string wrong(const TestTable& table, const std::vector<uint64_t>& rows, const AggregateSpec& spec,
                  const Value& got) {
  uint64_t count = 0;
  uint32_t scale = 0;
  Int128 sum = 0;
  long double real_sum = 0;
  bool real = false;
  std::optional<Int128> least;
  std::optional<Int128> greatest;
  std::optional<double> low;
  std::optional<double> high;
  for (const uint64_t row : rows) {
    const Number number = number_of(table, row, *spec.expression);
    if (number.null) {
      continue;
    }
    ++count;
    scale = number.scale;
    real = number.real;
    if (number.real) {
      real_sum += number.value;
      if (!std::isnan(number.value)) {
        low = std::min(low.value_or(number.value), number.value);
        high = std::max(high.value_or(number.value), number.value);
      }
    } else {
      if (spec.kind == AggregateSpec::Kind::sum || spec.kind == AggregateSpec::Kind::avg) {
        check_fits(__builtin_add_overflow(sum, number.integer, &sum));
      }
      least = std::min(least.value_or(number.integer), number.integer);
      greatest = std::max(greatest.value_or(number.integer), number.integer);
    }
  }
  const auto near = [&](long double wanted) {
    return got.kind == Value::Kind::real &&
           (same(got, Value::of_real(static_cast<double>(wanted))) ||
            std::abs(got.real - static_cast<double>(wanted)) <= 1e-9 * std::abs(static_cast<double>(wanted)));
  };
  const auto exact = [&](Int128 wanted) {
    return got.kind == Value::Kind::integer && got.integer == wanted && got.logical.scale == scale;
  };
  bool right = false;
  switch (spec.kind) {
    case AggregateSpec::Kind::count:
      right = got.integer == Int128{count};
      break;
    case AggregateSpec::Kind::sum:
      right = count == 0 ? got.is_null() : real ? near(real_sum) : exact(sum);
      break;
    case AggregateSpec::Kind::avg:
      right = count == 0 ? got.is_null()
              : real     ? near(real_sum / static_cast<long double>(count))
                         : near(static_cast<long double>(sum) / std::pow(10.0L, scale) /
                                static_cast<long double>(count));
      break;
    case AggregateSpec::Kind::min:
      right = real ? (low.has_value() ? near(*low) : got.is_null())
                   : (least.has_value() ? exact(*least) : got.is_null());
      break;
    default:
      right = real ? (high.has_value() ? near(*high) : got.is_null())
                   : (greatest.has_value() ? exact(*greatest) : got.is_null());
  }
  return right ? ""
               : fmt::format("{} of {} is {}", static_cast<int>(spec.kind), to_string(*spec.expression),
                             to_string(got));
}

// ---- Drawn queries ----

Expression draw_expression(Random& random, const std::vector<std::string>& columns, int depth) {
  if (depth == 0 || random.below(5) == 0) {
    if (random.below(4) != 0) {
      return {.kind = Kind::column, .column = columns[random.below(columns.size())]};
    }
    const auto whole = static_cast<int64_t>(random.below(2000)) - 1000;
    return {.kind = Kind::constant,
            .constant = random.below(2) == 0 ? query::Literal(whole)
                                             : query::Literal(static_cast<double>(whole) + 0.125)};
  }
  if (random.below(8) == 0) {
    return {.kind = Kind::negate, .operands = {draw_expression(random, columns, depth - 1)}};
  }
  constexpr Kind kKinds[] = {Kind::add, Kind::subtract, Kind::multiply};
  return {
      .kind = kKinds[random.below(3)],
      .operands = {draw_expression(random, columns, depth - 1), draw_expression(random, columns, depth - 1)}};
}

// With at least one column, and not a column alone.
Expression draw_computed(Random& random, const std::vector<std::string>& columns) {
  return {.kind = random.below(2) == 0 ? Kind::multiply : Kind::add,
          .operands = {{.kind = Kind::column, .column = columns[random.below(columns.size())]},
                       draw_expression(random, columns, 2)}};
}

struct WrittenTable {
  file_tests::TempDir dir;
  TestTable table;
  std::optional<Reader> reader;

  explicit WrittenTable(uint64_t seed, uint64_t rows, const std::string& codec = {}) {
    Random random(seed);
    table = draw_table(random, rows, kRowsPerGroup);
    const Status status = write(dir / "t.bob", table, kRowsPerGroup, codec);
    EXPECT_TRUE(status.ok()) << status.message();
    reader.emplace(Reader::open(dir / "t.bob").value());
  }
};

// Few digits after the point: more are an error.
const std::vector<std::string> kIntegers = {"u8", "i16", "u32", "decimal(2) i32"};
const std::vector<std::string> kNumbers = {"u8", "i16", "u32", "i64", "u64", "f32", "f64", "decimal(2) i32"};

void check(const WrittenTable& file, Random& random, Backend backend) {
  const auto& names = random.below(2) == 0 ? kIntegers : kNumbers;
  std::vector<AggregateSpec> specs;
  for (const auto kind : {AggregateSpec::Kind::count, AggregateSpec::Kind::sum, AggregateSpec::Kind::min,
                          AggregateSpec::Kind::max, AggregateSpec::Kind::avg}) {
    specs.push_back({.kind = kind, .expression = draw_computed(random, names)});
  }
  Predicate predicate{.kind = Predicate::Kind::compare_expressions,
                      .op = static_cast<Compare>(random.below(6)),
                      .expressions = {draw_computed(random, names), draw_expression(random, names, 1)}};
  const bool negated = random.below(3) == 0;
  const std::string text = to_string(predicate.expressions[0]) + " ? " + to_string(predicate.expressions[1]);
  std::vector<uint64_t> rows;
  try {
    for (uint64_t row = 0; row < file.table.rows; ++row) {
      if (holds_in(file.table, row, predicate) == !negated) {
        rows.push_back(row);
      }
    }
  } catch (Overflow) {
    return;
  }
  const query::Query query = query::from(*file.reader).where(negated ? !predicate : predicate).on(backend);
  for (const AggregateSpec& spec : specs) {
    const auto values = query.run({spec, query::count()});
    try {
      const std::string problem =
          wrong(file.table, rows, spec, values.has_value() ? (*values)[0] : Value::of_text("an error"));
      ASSERT_TRUE(values.has_value()) << values.error().message() << " where " << text;
      ASSERT_EQ((*values)[1].integer, Int128{rows.size()}) << (negated ? "not " : "") << text;
      ASSERT_EQ(problem, "") << "where " << text;
    } catch (Overflow) {
      ASSERT_FALSE(values.has_value()) << to_string(*spec.expression);
      ASSERT_NE(values.error().message().find("exceeds 128 bits"), std::string::npos);
    }
    if (backend != Backend::cpu && values.has_value()) {
      const auto host = query.on(Backend::cpu).run({spec, query::count()});
      ASSERT_TRUE(same((*host)[0], (*values)[0])) << to_string(*spec.expression) << " where " << text;
    }
  }
}

void check_groups(const WrittenTable& file, Random& random) {
  const AggregateSpec spec{.kind = AggregateSpec::Kind::sum, .expression = draw_computed(random, kIntegers)};
  const auto got =
      query::from(*file.reader)
          .group_by({"bool"}, {spec, {.kind = AggregateSpec::Kind::max, .expression = spec.expression}});
  std::map<Int128, std::vector<uint64_t>> groups;  // -1: null
  const auto key = std::ranges::find(file.table.columns, "bool", &Column::name) - file.table.columns.begin();
  for (uint64_t row = 0; row < file.table.rows; ++row) {
    const Cell& cell = file.table.cells[static_cast<size_t>(key)][row];
    groups[std::holds_alternative<Int128>(cell) ? std::get<Int128>(cell) : Int128{-1}].push_back(row);
  }
  ASSERT_TRUE(got.has_value()) << got.error().message();
  ASSERT_EQ(got->rows.size(), groups.size());
  size_t g = 0;
  for (const auto& [value, rows] : groups) {
    ASSERT_EQ(wrong(file.table, rows, spec, got->rows[g][1]), "");
    ASSERT_EQ(wrong(file.table, rows, {.kind = AggregateSpec::Kind::max, .expression = spec.expression},
                    got->rows[g][2]),
              "");
    ++g;
  }
}

TEST(Expressions, AgreeWithSlowEvaluation) {
  for (const uint64_t seed : bobbin::testing::drawn(3)) {
    const WrittenTable file(seed, 4700, seed == 2 ? "dict" : "");
    Random random(seed + 100);
    for (int i = 0; i < 60; ++i) {
      check(file, random, Backend::cpu);
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", query " << i;
    }
  }
}

TEST(Expressions, OfGroups) {
  const WrittenTable file(7, 4700);
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    check_groups(file, random);
    ASSERT_FALSE(HasFatalFailure()) << "query " << i;
  }
}

TEST(Expressions, OnTheEmulator) {
  SKIP_WITHOUT_EMULATOR();
  const WrittenTable file(3, 3100);
  Random random(3);
  for (int i = 0; i < 6; ++i) {
    check(file, random, Backend::emulator);
    ASSERT_FALSE(HasFatalFailure()) << "query " << i;
  }
}

TEST(Expressions, AreBuiltAndParsed) {
  const Formula revenue = col("price") * (1 - col("discount"));
  const auto parsed = query::parse_aggregates("sum(price * (1 - discount)), avg(-(a + b) * 2)");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
  EXPECT_EQ((*parsed)[0], query::sum(revenue));
  EXPECT_EQ((*parsed)[1], query::avg(-(col("a") + col("b")) * 2));
  EXPECT_EQ(to_string(*(*parsed)[1].expression), "-(a + b) * 2");
  EXPECT_EQ(query::parse_predicate("(a + b) * 2 < c - 1 and (a < 1 or (b) = 2)").value(),
            (col("a") + col("b")) * 2 < col("c") - 1 && (col("a") < 1 || col("b") == 2));
  EXPECT_EQ(query::parse_predicate("3 * a between 1 and b").value(),
            3 * col("a") >= 1 && 3 * col("a") <= col("b"));
  EXPECT_EQ(query::parse_predicate("a - b is not null").value(), !(col("a").is_null() || col("b").is_null()));
  EXPECT_EQ(query::parse_predicate("a+1 in (1, b)").value(), col("a") + 1 == 1 || col("a") + 1 == col("b"));
}

TEST(Expressions, TextIsParsedToTheSame) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const Expression drawn = draw_computed(random, {"a", "odd \"name", "and", "nan", "b2"});
    const std::string text = to_string(drawn);
    const auto parsed = query::parse_aggregates("sum(" + text + ")");
    ASSERT_TRUE(parsed.has_value()) << text << parsed.error().message();
    ASSERT_EQ(*(*parsed)[0].expression, drawn) << text;
  }
}

TEST(Expressions, NameWhatIsWrong) {
  const WrittenTable file(1, 100);
  const auto error = [&](const std::string& text) {
    const auto parsed = query::parse_aggregates(text);
    return (parsed.has_value() ? query::from(*file.reader).run(*parsed).error() : parsed.error()).message();
  };
  const auto has = [&](const std::string& text, const std::string& part) {
    EXPECT_NE(error(text).find(part), std::string::npos) << error(text);
  };
  has("sum(utf8 * 2)", "column 'utf8' holds utf8: expressions require numeric columns");
  has("sum(date + 1)", "column 'date' holds date: expressions require numeric columns");
  has("sum(nothing + 1)", "column 'nothing' does not exist");
  has("sum(1 + 2)", "1 + 2 has no column");
  has("sum(5)", "character 5: expected a column's name, found '5'");
  has("count(distinct u8 + 1)", "character 16: count(distinct) takes a column, not an expression");
  has("sum(u8 * 0.0000000000000000001)", "1e-19 has too many digits to calculate with integers and decimals");
  has("sum(u8 * (1 - 1e-300))", "1e-300 has too many digits");
  has("sum(u8 * 1234567890123456789012345678901234567890)", "has too many digits");
  has("sum(u8 +)", "character 9: expected a number, a column's name or '(', found ')'");
  has("sum((u8 + 1)", "character 13: expected ')'");
  has("sum(\"decimal(4)\" * \"decimal(4)\" * \"decimal(4)\" * \"decimal(4)\" * \"decimal(4)\")",
      "a product has 20 digits after the point: at most 18 are supported");
  std::string many = "u8";
  for (int i = 0; i < 200; ++i) {
    many += " + u8";
  }
  has("sum(" + many + ")", "more than 100 operators");
}

// Integers and decimals are compared with all digits of a constant, though none is equal to it.
TEST(Expressions, CompareWithNumbersThatAreNoDecimals) {
  const file_tests::TempDir dir;
  const TestTable table{.columns = {{.name = "i", .type = DType::i64}},
                        .cells = {{Int128{INT64_MIN}, Int128{0}, Int128{INT64_MAX}}},
                        .rows = 3};
  ASSERT_TRUE(write(dir / "t.bob", table, kRowsPerGroup).ok());
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value());
  const auto count = [&](const std::string& text) {
    const auto predicate = query::parse_predicate(text);
    return predicate.has_value() ? query::from(*reader).where(*predicate).count().value() : 99;
  };
  EXPECT_EQ(count("i + 0 > 9223372036854775806.0000000000000000001"), 1);
  EXPECT_EQ(count("i + 0 > 9223372036854775807.0000000000000000001"), 0);
  EXPECT_EQ(count("i + 0 < 9223372036854775806.9999999999999999999"), 2);
  EXPECT_EQ(count("-9223372036854775807.9999999999999999999 > i * 1"), 1);
  EXPECT_EQ(count("-9223372036854775808.0000000000000000001 < i * 1"), 3);
  EXPECT_EQ(count("i + 0 >= 1e-300"), 1);
  EXPECT_EQ(count("i + 0 <= 1e-300"), 2);
  EXPECT_EQ(count("i + 0 <= -1e-300"), 1);
  EXPECT_EQ(count("i + 0 = 1e-300"), 0);
  EXPECT_EQ(count("i + 0 != 1e-300"), 3);
  EXPECT_EQ(count("i + 0 < 1e400"), 3);
  EXPECT_EQ(count("i + 0 < -1e400"), 0);
  EXPECT_EQ(count("not i + 0 < 1e9223372036854775808"), 0);
  EXPECT_EQ(count("i + 0 in (1e-300, 0)"), 1);
  EXPECT_EQ(count("i + 0 between 1e-300 and 1e300"), 1);
  EXPECT_EQ(count("0.5 * i < 1e-300"), 2);
  EXPECT_EQ(count("i * i > 1e36"), 2);  // the greatest is 8.5e37
  EXPECT_EQ(count("i * i > 85070591730234615847396907784232501249.5"), 1);
  EXPECT_EQ(count("i * i >= 85070591730234615847396907784232501249"), 2);
  EXPECT_EQ(count("i * i < 1e40"), 3);
  EXPECT_EQ(count("i * i * -1 < -1e40"), 0);
}

TEST(Expressions, InPartials) {
  const WrittenTable file(4, 4700);
  const std::vector<AggregateSpec> specs = {query::avg(col("u8") * col("decimal(2) i32")),
                                            query::min(col("f64") - 1), query::sum(col("i16") * 3)};
  const query::Query query = query::from(*file.reader);
  std::optional<query::Partial> all;
  for (size_t g = 0; g < file.reader->num_row_groups(); ++g) {
    const auto part = query.row_groups(g, g + 1).partial({"bool"}, specs);
    ASSERT_TRUE(part.has_value()) << part.error().message();
    const auto read = query::Partial::from_bytes(part->to_bytes());
    ASSERT_TRUE(read.has_value()) << read.error().message();
    if (all.has_value()) {
      ASSERT_TRUE(all->merge(*read).ok());
    } else {
      all = *read;
    }
  }
  const auto merged = all->finish();
  const auto whole = query.group_by({"bool"}, specs);
  ASSERT_TRUE(merged.has_value() && whole.has_value());
  ASSERT_EQ(merged->rows.size(), whole->rows.size());
  for (size_t i = 0; i < whole->rows.size(); ++i) {
    for (size_t c = 0; c < whole->rows[i].size(); ++c) {
      EXPECT_TRUE(same(merged->rows[i][c], whole->rows[i][c])) << i << ", " << c;
    }
  }
}

}  // namespace
}  // namespace bobbin::query_tests
