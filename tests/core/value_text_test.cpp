// SPDX-License-Identifier: Apache-2.0
#include "core/value_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <ctime>
#include <limits>
#include <string>

#include "core/calendar.hpp"
#include "core/scalar.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin {
namespace {

using testing::Random;

ColumnType type_of(const std::string& name) {
  return parse_column_type(name).value();
}

// The value that a text is parsed to, printed again; or the reason for refusing it.
std::string again(const std::string& type, const std::string& text) {
  Scalar value;
  const TextError error = parse_value(type_of(type), text, value);
  return error == TextError::none ? value_text(type_of(type), value) : explain(error, type_of(type));
}

template <class T>
std::string text(const std::string& type, T value) {
  return value_text(type_of(type), scalar_of(value));
}

void expect_round_trip(const ColumnType& type, Scalar value) {
  const std::string printed = value_text(type, value);
  ASSERT_LE(printed.size(), kMaxValueText);
  Scalar back;
  ASSERT_EQ(parse_value(type, printed, back), TextError::none) << to_string(type) << " " << printed;
  EXPECT_EQ(back, value) << to_string(type) << " " << printed << " became " << value_text(type, back);
}

TEST(ValueText, Integers) {
  EXPECT_EQ(text("i8", int8_t{-128}), "-128");
  EXPECT_EQ(text("u64", std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(again("u64", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(again("u64", "18446744073709551616"), "does not fit u64");
  EXPECT_EQ(again("u64", "-1"), "does not fit u64");
  EXPECT_EQ(again("u8", "256"), "does not fit u8");
  EXPECT_EQ(again("i8", "-129"), "does not fit i8");
  EXPECT_EQ(again("i64", "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(again("i64", "9223372036854775808"), "does not fit i64");
  EXPECT_EQ(again("i64", "+007"), "7");
  EXPECT_EQ(again("i64", "000000000000000000000000000000000000012"), "12");
  for (const char* bad :
       {"", "-", "+", "--1", "1-", " 1", "1 ", "0x1", "1.0", "12345678:", "/2345678", "1e3"}) {
    EXPECT_EQ(again("i64", bad), "is not a valid i64") << bad;
  }
}

TEST(ValueText, DigitsOfEverySize) {
  std::string digits;
  for (int size = 1; size <= 18; ++size) {
    digits += static_cast<char>('0' + size % 10);
    EXPECT_EQ(again("i64", digits), digits);
    for (size_t at = 0; at < digits.size(); ++at) {
      for (const char bad : {'/', ':', ' ', '\0', '\xff', '-', 'a'}) {
        std::string wrong = digits;
        wrong[at] = bad;
        if (at > 0 || bad != '-' || size == 1) {
          EXPECT_EQ(again("i64", wrong), "is not a valid i64") << wrong;
        }
      }
    }
  }
}

TEST(ValueText, Decimals) {
  EXPECT_EQ(text("decimal(2)", int64_t{-5}), "-0.05");
  EXPECT_EQ(text("decimal(0)", int64_t{-5}), "-5");
  EXPECT_EQ(text("decimal(18)", std::numeric_limits<int64_t>::min()), "-9.223372036854775808");
  EXPECT_EQ(again("decimal(2)", "153.6"), "153.60");
  EXPECT_EQ(again("decimal(2)", "96"), "96.00");
  EXPECT_EQ(again("decimal(2)", "-0.5"), "-0.50");
  EXPECT_EQ(again("decimal(2)", "1.5000"), "1.50");
  EXPECT_EQ(again("decimal(2)", "1.501"), "has more digits after the point than decimal(2)");
  EXPECT_EQ(again("decimal(18)", "9.223372036854775807"), "9.223372036854775807");
  EXPECT_EQ(again("decimal(18)", "9.223372036854775808"), "does not fit decimal(18)");
  EXPECT_EQ(again("decimal(2)", "99999999999999999999999"), "does not fit decimal(2)");
  EXPECT_EQ(again("decimal(1) i8", "12.7"), "12.7");
  EXPECT_EQ(again("decimal(1) i8", "12.8"), "does not fit decimal(1) i8");
  for (const char* bad : {"", ".", "1.", ".5", "-.5", "1.2.3", "1e2", "1,5", "nan", "1.00x", "1.x"}) {
    EXPECT_EQ(again("decimal(2)", bad), "is not a valid decimal(2)") << bad;
  }
}

TEST(ValueText, Booleans) {
  for (const char* yes : {"true", "True", "TRUE", "yes", "Y", "t"}) {
    EXPECT_EQ(again("bool", yes), "true");
  }
  for (const char* no : {"false", "False", "FALSE", "No", "n", "F"}) {
    EXPECT_EQ(again("bool", no), "false");
  }
  for (const char* bad : {"", "1", "tRUE", "yEs", "true "}) {
    EXPECT_EQ(again("bool", bad), "is not a valid bool") << bad;
  }
  EXPECT_EQ(text("bool", uint8_t{200}), "true");
}

TEST(ValueText, Floats) {
  EXPECT_EQ(again("f64", "0.1"), "0.1");
  EXPECT_EQ(again("f32", "0.1"), "0.1");
  EXPECT_EQ(again("f64", "1e5"), "1e+05");
  EXPECT_EQ(again("f64", "-0"), "-0");
  EXPECT_EQ(again("f64", "inf"), "inf");
  EXPECT_EQ(again("f64", "-inf"), "-inf");
  EXPECT_EQ(again("f64", "nan"), "nan");
  EXPECT_EQ(text("f64", -std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(again("f64", "1e400"), "does not fit f64");
  EXPECT_EQ(again("f32", "1e39"), "does not fit f32");
  for (const char* bad : {"", ".", "e5", "1e", "1.5x", "+1", " 1", "0x10"}) {
    EXPECT_EQ(again("f64", bad), "is not a valid f64") << bad;
  }
}

TEST(ValueText, Dates) {
  EXPECT_EQ(text("date", int32_t{0}), "1970-01-01");
  EXPECT_EQ(text("date", int32_t{-719528}), "0000-01-01");
  EXPECT_EQ(text("date", int32_t{-719529}), "-0001-12-31");
  EXPECT_EQ(again("date", "2000-02-29"), "2000-02-29");
  EXPECT_EQ(again("date", "9999-12-31"), "9999-12-31");
  EXPECT_EQ(again("date", "+10000-01-01"), "+10000-01-01");
  EXPECT_EQ(again("date", "2014/04/01"), "2014-04-01");
  EXPECT_EQ(again("date", "-0044/03/15"), "-0044-03-15");
  char slashes[kMaxValueText];
  EXPECT_EQ(std::string(slashes, format_date(-719529, {.day_mark = '/'}, slashes)), "-0001/12/31");
  EXPECT_EQ(again("date", "+9999999-01-01"), "does not fit date");
  for (const char* bad : {"1900-02-29", "2014-13-01", "2014-00-01",  "2014-04-31",  "2014-04-00",
                          "14-04-01",   "2014-4-01",  "2014-04-1",   "2014/04-01",  "2014-04/01",
                          "2014.04.01", "20140401",   "10000-01-01", "2014-04-011", "2014-04-01 ",
                          "",           "-",          "+2014",       "2014-0x-01",  "+0123456789012-01-01"}) {
    EXPECT_EQ(again("date", bad), "is not a valid date") << bad;
  }
}

TEST(ValueText, Timestamps) {
  EXPECT_EQ(again("timestamp[s]", "2014-08-08 18:00:01"), "2014-08-08 18:00:01");
  EXPECT_EQ(again("timestamp[ms]", "2014-08-08T18:00:01"), "2014-08-08 18:00:01.000");
  EXPECT_EQ(again("timestamp[us]", "1969-12-31 23:59:59.5"), "1969-12-31 23:59:59.500000");
  EXPECT_EQ(again("timestamp[ns]", "2262-04-11 23:47:16.854775807"), "2262-04-11 23:47:16.854775807");
  EXPECT_EQ(again("timestamp[ns]", "2262-04-11 23:47:16.854775808"), "does not fit timestamp[ns]");
  EXPECT_EQ(again("timestamp[ns]", "1677-09-21 00:12:43.145224192"), "1677-09-21 00:12:43.145224192");
  EXPECT_EQ(again("timestamp[ns]", "1677-09-21 00:12:43.145224191"), "does not fit timestamp[ns]");
  EXPECT_EQ(again("timestamp[ms]", "2014-08-08 18:00:01.2345"),
            "has more digits after the point than timestamp[ms]");
  for (const char* bad :
       {"2014-08-08", "2014-08-08 24:00:00", "2014-08-08 18:60:00", "2014-08-08 18:00:60", "2014-08-08 18:0",
        "2014-08-08 18:00:00.", "2014-08-08 18:00:00z", "2014-08-08 18:00:00+1", "2014-08-08 18:00:00+24:00",
        "2014-08-08 18:00:00 Z", "2014-08-08  18:00:00", "2014-08-08 18:00:00.1x", "2014-08-08x18:00:00",
        "2014-08-08 18:00:00,5", "2014-02-30 18:00:00"}) {
    EXPECT_EQ(again("timestamp[ms]", bad), "is not a valid timestamp[ms]") << bad;
  }
}

TEST(ValueText, TimestampsWithZonesAreUtc) {
  EXPECT_EQ(again("timestamp[s]", "2014/08/08 18:00"), "2014-08-08 18:00:00");
  EXPECT_EQ(again("timestamp[s]", "2014-08-08T18:00Z"), "2014-08-08 18:00:00");
  EXPECT_EQ(again("timestamp[s]", "2014-08-08 18:00:00+02:00"), "2014-08-08 16:00:00");
  EXPECT_EQ(again("timestamp[ms]", "2014-08-08 18:00:00.5-0530"), "2014-08-08 23:30:00.500");
  EXPECT_EQ(again("timestamp[s]", "1970-01-01 00:00:00+01"), "1969-12-31 23:00:00");
}

TEST(ValueText, Times) {
  EXPECT_EQ(again("time[s]", "18:00"), "18:00:00");
  EXPECT_EQ(again("time[ms]", "23:59:59.25"), "23:59:59.250");
  EXPECT_EQ(again("time[ns]", "00:00:00"), "00:00:00.000000000");
  EXPECT_EQ(again("time[s]", "18:00:00.5"), "has more digits after the point than time[s]");
  EXPECT_EQ(text("time[s]", int64_t{86'400}), "86400");  // not within a day
  EXPECT_EQ(again("time[s]", "-1"), "-1");
  for (const char* bad : {"", "24:00", "18:60", "18:00:60", "1:00", "18:00Z", "18:00:", "18:00:00.", "5"}) {
    EXPECT_EQ(again("time[s]", bad), "is not a valid time[s]") << bad;
  }
}

TEST(ValueText, TimeForms) {
  const auto written = [](const TimeForm& form, int64_t value) {
    char text[kMaxValueText];
    return std::string(text, format_timestamp(Logical::Unit::milliseconds, value, form, text));
  };
  EXPECT_EQ(written({.separator = 'T', .zone = {'Z'}}, 500), "1970-01-01T00:00:00.500Z");
  EXPECT_EQ(written({.digits = 1}, 500), "1970-01-01 00:00:00.5");
  EXPECT_EQ(written({.digits = 1}, 505), "1970-01-01 00:00:00.505");  // no digit is lost
  EXPECT_EQ(written({.trimmed = true}, 0), "1970-01-01 00:00:00");
  EXPECT_EQ(written({.seconds = false}, 60'000), "1970-01-01 00:01");
  EXPECT_EQ(written({.seconds = false}, 1000), "1970-01-01 00:00:01.000");
  EXPECT_EQ(written({.offset_minutes = 120, .zone = {'+', '0', '2'}}, 0), "1970-01-01 02:00:00.000+02");
}

TEST(ValueText, EveryBitPatternComesBack) {
  Random random(7);
  const char* const names[] = {"u8",
                               "u16",
                               "u32",
                               "u64",
                               "i8",
                               "i16",
                               "i32",
                               "i64",
                               "date",
                               "timestamp[s]",
                               "timestamp[ms]",
                               "timestamp[us]",
                               "timestamp[ns]",
                               "time[s]",
                               "time[ns]",
                               "decimal(0)",
                               "decimal(2)",
                               "decimal(18)",
                               "decimal(3) i8",
                               "decimal(4) i16",
                               "decimal(18) i32",
                               "f32",
                               "f64"};
  for (const char* name : names) {
    const ColumnType type = type_of(name);
    const uint64_t mask = ~uint64_t{0} >> (64 - size_bits(type.type));
    for (int i = 0; i < 2000; ++i) {
      const uint64_t drawn = random.next() >> random.below(64);
      for (const uint64_t bits : {drawn, ~drawn, mask / 2, mask / 2 + 1}) {
        const Scalar value{bits & mask};
        if (!is_float(type.type)) {
          expect_round_trip(type, value);
        } else if (type.type == DType::f64 ? !std::isnan(value_of<double>(value))
                                           : !std::isnan(value_of<float>(value))) {
          expect_round_trip(type, value);
        }
      }
    }
  }
}

TEST(Calendar, AgreesWithTheSystemOnEveryDay) {
  for (int64_t days = -800'000; days <= 3'000'000; days += 1) {
    const CivilDate date = date_of(days);
    ASSERT_EQ(days_of(date), days);
    if (days % 97 == 0) {
      const std::time_t seconds = days * 86'400;
      std::tm system{};
      ASSERT_NE(gmtime_r(&seconds, &system), nullptr);
      ASSERT_EQ(date, (CivilDate{system.tm_year + int64_t{1900}, static_cast<uint32_t>(system.tm_mon + 1),
                                 static_cast<uint32_t>(system.tm_mday)}));
    }
  }
}

TEST(Calendar, MonthsHaveTheirDays) {
  const uint32_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (uint32_t month = 1; month <= 12; ++month) {
    EXPECT_EQ(days_of_month(2015, month), days[month - 1]) << month;
  }
  EXPECT_EQ(days_of_month(2016, 2), 29U);
  EXPECT_EQ(days_of_month(1900, 2), 28U);
  EXPECT_EQ(days_of_month(-400, 2), 29U);
}

}  // namespace
}  // namespace bobbin
