// SPDX-License-Identifier: Apache-2.0
// Constants of any kind against values of any type: ranges give the same results as comparing by value.
#include "query/ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/scalar.hpp"
#include "query/text.hpp"
#include "tests/query/meaning.hpp"
#include "tests/query/support.hpp"

namespace bobbin::query_tests {
namespace {

using query::Literal;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Compare kOps[] = {Compare::eq, Compare::ne, Compare::lt, Compare::le, Compare::gt, Compare::ge};

// Constants at the ends of all types, around them, between integers, and beyond everything.
std::vector<Literal> constants() {
  std::vector<Literal> all = {Literal(kNan),    Literal(kInfinity), Literal(-kInfinity), Literal(3.1),
                              Literal(0.0),     Literal(-0.0),      Literal(2.5),        Literal(-2.5),
                              Literal(1e300),   Literal(-1e300),    Literal(3.5e38),     Literal(-3.5e38),
                              Literal(1e-320),  Literal(1e-46),     Literal(16777217.0), Literal(0.5),
                              Literal(16777217)};
  const Int128 huge = (Int128{1} << 126) - 1 + (Int128{1} << 126);
  all.emplace_back(huge);
  all.emplace_back(-huge - 1);
  for (const int bits : {0, 7, 8, 15, 16, 24, 31, 32, 53, 63, 64, 100}) {
    const Int128 power = Int128{1} << bits;
    for (const Int128 value : {power, -power}) {
      for (int step = -2; step <= 2; ++step) {
        all.emplace_back(value + step);
        all.emplace_back(static_cast<double>(value) + 0.5 * step);
      }
      all.emplace_back(std::nextafter(static_cast<double>(value), kInfinity));
      all.emplace_back(std::nextafter(static_cast<double>(value), -kInfinity));
    }
  }
  return all;
}

template <class T>
Cell cell_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else {
    return Int128{value};
  }
}

template <class T>
std::vector<T> values_near(const std::vector<Literal>& literals) {
  std::vector<T> values = {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), T{0}, T{1}};
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kEnd = std::numeric_limits<T>::infinity();
    values.insert(values.end(), {-kEnd, kEnd, std::numeric_limits<T>::quiet_NaN(), -T{0}, T(3.1)});
    for (const Literal& literal : literals) {
      const T value = literal.kind == Literal::Kind::integer ? static_cast<T>(literal.integer)
                                                             : static_cast<T>(literal.real);
      values.insert(values.end(), {value, std::nextafter(value, kEnd), std::nextafter(value, -kEnd)});
    }
  } else {
    for (const Literal& literal : literals) {
      if (literal.kind == Literal::Kind::integer) {
        for (int step = -1; step <= 1; ++step) {
          values.push_back(
              static_cast<T>(static_cast<uint64_t>(literal.integer) + static_cast<uint64_t>(step)));
        }
      }
    }
  }
  return values;
}

TEST(QueryRanges, CompareByValue) {
  const std::vector<Literal> literals = constants();
  for (const DType type : kAllTypes) {
    visit_type(type, [&]<class T>(std::type_identity<T>) {
      const std::vector<T> values = values_near<T>(literals);
      for (const Literal& literal : literals) {
        for (const Compare op : kOps) {
          const ValueRange range = query::range_of(type, op, literal);
          for (const T value : values) {
            ASSERT_EQ(range.holds(type, scalar_of(value)), *compares(type, cell_of(value), op, literal))
                << to_string(type) << " op " << static_cast<int>(op) << " value "
                << static_cast<long double>(value) << " literal " << static_cast<double>(literal.integer)
                << " or " << literal.real;
          }
        }
      }
    });
  }
}

// A number's text, an integer with digits after the point, compared with integers: doubles are too small for
// these.
TEST(QueryRanges, IntegersCompareWithAllDigits) {
  Random random(8);
  for (int i = 0; i < 2000; ++i) {
    const int bits = static_cast<int>(random.below(67));
    const Int128 whole = (Int128{1} << bits) + static_cast<Int128>(random.below(7)) - 3;
    const bool negative = random.below(2) == 0;
    const char* const fractions[] = {"", ".", ".0", ".000", ".00000000000000000000001", ".5", ".99999999999"};
    const std::string fraction = whole < 0 ? "" : fractions[random.below(std::size(fractions))];
    const bool between = fraction.find_first_of("159") != std::string::npos;
    const std::string text = (negative ? "-" : "") + query::to_text(whole < 0 ? -whole : whole) + fraction;
    const Int128 integer = (negative ? -1 : 1) * (whole < 0 ? -whole : whole);
    const Literal literal = query::literal_of_digits(text);
    for (const DType type : {DType::i64, DType::u64, DType::i32}) {
      visit_integer(type, [&]<class T>(std::type_identity<T>) {
        for (int step = -2; step <= 2; ++step) {
          const auto value = static_cast<T>(static_cast<uint64_t>(integer) + static_cast<uint64_t>(step));
          const int sign = Int128{value} < integer   ? -1
                           : Int128{value} > integer ? 1
                           : between                 ? (negative ? 1 : -1)
                                                     : 0;
          for (const Compare op : kOps) {
            ASSERT_EQ(query::range_of(type, op, literal).holds(type, scalar_of(value)), holds(op, sign))
                << to_string(type) << " " << query::to_text(Int128{value}) << " op " << static_cast<int>(op)
                << " " << text;
          }
        }
      });
    }
  }
}

TEST(QueryRanges, FloatsCompareWithDigitsByTheNearestValue) {
  const auto holds_for = [](DType type, Compare op, const char* text, double value) {
    const Scalar scalar = type == DType::f32 ? scalar_of(static_cast<float>(value)) : scalar_of(value);
    return query::range_of(type, op, query::literal_of_digits(text)).holds(type, scalar);
  };
  EXPECT_TRUE(holds_for(DType::f64, Compare::eq, "9007199254740993.0", 9007199254740992.0));
  EXPECT_TRUE(holds_for(DType::f64, Compare::gt, "1e999", kInfinity));
  EXPECT_FALSE(holds_for(DType::f64, Compare::eq, "1e999", kInfinity));
  EXPECT_TRUE(holds_for(DType::f64, Compare::lt, "-1e999", -kInfinity));
  EXPECT_TRUE(holds_for(DType::f64, Compare::lt, "1e999", std::numeric_limits<double>::max()));
  EXPECT_TRUE(holds_for(DType::f64, Compare::eq, "1e-999", 0));
  // As a double it is halfway between two floats; the digits are above.
  EXPECT_TRUE(holds_for(DType::f32, Compare::eq, "1.00000005960464477539062500001", 1.0000001192092896));
}

TEST(QueryRanges, BetweenIsTwoComparisons) {
  const std::vector<Literal> literals = constants();
  Random random(1);
  for (const DType type : kAllTypes) {
    visit_type(type, [&]<class T>(std::type_identity<T>) {
      const std::vector<T> values = values_near<T>(literals);
      for (int i = 0; i < 300; ++i) {
        const Literal& least = literals[random.below(literals.size())];
        const Literal& greatest = literals[random.below(literals.size())];
        const ValueRange range = query::range_between(type, least, greatest);
        for (const T value : values) {
          ASSERT_EQ(range.holds(type, scalar_of(value)),
                    *compares(type, cell_of(value), Compare::ge, least) &&
                        *compares(type, cell_of(value), Compare::le, greatest))
              << to_string(type) << " value " << static_cast<long double>(value);
        }
      }
    });
  }
}

TEST(QueryRanges, ListsAreAnyOfTheirValues) {
  const std::vector<Literal> literals = constants();
  Random random(2);
  for (const DType type : kAllTypes) {
    visit_type(type, [&]<class T>(std::type_identity<T>) {
      const std::vector<T> values = values_near<T>(literals);
      for (int i = 0; i < 200; ++i) {
        std::vector<Literal> list;
        for (uint64_t n = random.below(12); n > 0; --n) {
          list.push_back(literals[random.below(literals.size())]);
        }
        const std::vector<ValueRange> ranges = query::ranges_of(type, list);
        for (const T value : values) {
          const bool held = std::ranges::any_of(
              ranges, [&](const ValueRange& r) { return r.holds(type, scalar_of(value)); });
          const bool equal = std::ranges::any_of(
              list, [&](const Literal& l) { return *compares(type, cell_of(value), Compare::eq, l); });
          ASSERT_EQ(held, equal) << to_string(type) << " value " << static_cast<long double>(value);
        }
      }
    });
  }
}

TEST(QueryRanges, NeighboursShareARange) {
  const std::vector<Literal> list = {3, 1, 2, 2.0, 7, 6.5, 300, -1, 0};
  EXPECT_EQ(query::ranges_of(DType::u8, list).size(), 2);  // 0 to 3, and 7
  EXPECT_EQ(query::ranges_of(DType::i8, list).size(), 2);  // -1 to 3, and 7
  EXPECT_EQ(query::ranges_of(DType::f32, list).size(), 8);
}

}  // namespace
}  // namespace bobbin::query_tests
