// SPDX-License-Identifier: Apache-2.0
#include "query/place.hpp"

#include <gtest/gtest.h>

#include <string>

#include "query/text.hpp"

namespace bobbin::query_tests {
namespace {

using query::Literal;
using query::Place;
using query::Value;

Column column_of(const char* type) {
  const ColumnType parsed = parse_column_type(type).value();
  return {"c", parsed.type, false, parsed.logical};
}

// "350", or "350..351" for one between them.
std::string place(const char* type, const Literal& literal) {
  const auto found = query::place_in(column_of(type), literal);
  if (!found.has_value()) {
    return found.error().message();
  }
  const std::string floor = query::to_text(found->floor);
  return found->floor == found->ceil ? floor : floor + ".." + query::to_text(found->ceil);
}

TEST(QueryPlaces, OfDecimals) {
  EXPECT_EQ(place("decimal(2)", 3.5), "350");
  EXPECT_EQ(place("decimal(1)", 3.1), "31");
  EXPECT_EQ(place("decimal(2)", 3.505), "350..351");
  EXPECT_EQ(place("decimal(2)", -3.505), "-351..-350");
  EXPECT_EQ(place("decimal(2)", 0.1 + 0.2), "30..31");  // 0.30000000000000004
  EXPECT_EQ(place("decimal(2)", 7), "700");
  EXPECT_EQ(place("decimal(2)", -0.0), "0");
  EXPECT_EQ(place("decimal(2)", 1e-300), "0..1");
  EXPECT_EQ(place("decimal(2)", -1e-300), "-1..0");
  EXPECT_EQ(place("decimal(0)", 1e22), "10000000000000000000000");
  EXPECT_EQ(place("decimal(18)", 1e300), query::to_text(query::kFar));
  EXPECT_EQ(place("decimal(18)", Literal(Int128{1} << 120)),
            query::to_text((Int128{1} << 65) * 1'000'000'000 * 1'000'000'000));
}

TEST(QueryPlaces, OfDigitsOfAnyNumber) {
  const auto digits = [](std::string_view text, uint32_t scale) {
    const Place found = query::place_of_digits(text, scale);
    return std::pair(query::to_text(found.floor), found.ceil - found.floor == 1);
  };
  EXPECT_EQ(digits("12345678901234567.89", 2), std::pair(std::string("1234567890123456789"), false));
  EXPECT_EQ(digits("12345678901234567.890000000000000000000001", 2),
            std::pair(std::string("1234567890123456789"), true));
  EXPECT_EQ(digits("-0.0001", 3), std::pair(std::string("-1"), true));
  EXPECT_EQ(digits("1234.5e-2", 3), std::pair(std::string("12345"), false));
  EXPECT_EQ(digits(".5E+1", 0), std::pair(std::string("5"), false));
  EXPECT_EQ(digits("0e99999999999999999999", 2), std::pair(std::string("0"), false));
  EXPECT_EQ(digits("1e99999", 2), std::pair(query::to_text(query::kFar), false));
  EXPECT_EQ(digits("1e9223372036854775808", 2), std::pair(query::to_text(query::kFar), false));
  EXPECT_EQ(digits("1e-9223372036854775809", 2), std::pair(std::string("0"), true));
}

TEST(QueryPlaces, OfTimes) {
  EXPECT_EQ(place("date", "1970-01-03"), "2");
  EXPECT_EQ(place("date", "1970-01-03 00:00:00.000"), "2");
  EXPECT_EQ(place("date", "1970-01-03T00:00:00.00000000000000000001"), "2..3");
  EXPECT_EQ(place("date", "1969-12-31 12:00:00"), "-1..0");
  EXPECT_EQ(place("timestamp[s]", "1970-01-02"), "86400");
  EXPECT_EQ(place("timestamp[ms]", "1970-01-01 00:00:01.5"), "1500");
  EXPECT_EQ(place("timestamp[s]", "1969-12-31 23:59:59.5"), "-1..0");
  EXPECT_EQ(place("timestamp[ns]", "+999999-01-01 00:00:00"), "31494753244800000000000");
  for (const char* const text : {"", "1970", "1970-13-01", "1970-01-01 ", "1970-01-01 0:00", "1970-01-01x",
                                 "1970-01-01 00:00:00.", "1970-01-01 00:00:00.1234567890x"}) {
    EXPECT_TRUE(
        place("timestamp[ms]", text).starts_with("column 'c' holds timestamp[ms]: it is compared with"))
        << text;
  }
}

TEST(QueryValues, AreShownByTheirMeaning) {
  const auto shown = [](const char* type, Int128 value) {
    return query::to_string(Value::of_integer(value, column_of(type).logical));
  };
  EXPECT_EQ(shown("i64", -350), "-350");
  EXPECT_EQ(shown("decimal(2)", -350), "-3.50");
  EXPECT_EQ(shown("decimal(2)", -5), "-0.05");
  EXPECT_EQ(shown("decimal(0)", 5), "5");
  EXPECT_EQ(shown("decimal(18)", Int128{1'000'000'000'000'000'000} * 1'000'000'000'000'000'000),
            "1000000000000000000.000000000000000000");
  EXPECT_EQ(shown("date", -1), "1969-12-31");
  EXPECT_EQ(shown("timestamp[ms]", -1), "1969-12-31 23:59:59.999");
  EXPECT_EQ(shown("bool", 1), "true");
  EXPECT_EQ(query::to_string(Value()), "null");
  EXPECT_EQ(query::to_string(Value::of_real(0.1)), "0.1");
  EXPECT_EQ(query::to_string(Value::of_text("a")), "a");
}

}  // namespace
}  // namespace bobbin::query_tests
