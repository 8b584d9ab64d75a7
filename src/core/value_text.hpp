// SPDX-License-Identifier: Apache-2.0
// Values as text, beyond what bobbin/text.hpp offers: parsing, and other forms of times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bobbin/text.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

enum class TextError : uint8_t {
  none,
  syntax,  // not in the syntax of the type
  range,   // a value outside the type's range
  digits   // more digits after the point than the type stores
};

// How a date, time or timestamp is written. Parts that the form omits, such as seconds, are still written if
// they are not zero: every text reads back as its value.
struct TimeForm {
  char day_mark = '-';   // between year, month and day: '-' or '/'
  char separator = ' ';  // between the day and the hour
  bool seconds = true;
  bool trimmed = false;        // no trailing zeros in the fractional digits
  int8_t digits = -1;          // fractional digits; -1: as many as the unit has
  int16_t offset_minutes = 0;  // east of UTC; values are UTC
  std::array<char, 6> zone{};  // as written: empty, "Z", "+02:00", "+0200" or "+02"; padded with NUL

  [[nodiscard]] std::string_view zone_text() const {
    const std::string_view text(zone.data(), zone.size());
    return text.substr(0, text.find('\0'));
  }
  friend bool operator==(const TimeForm&, const TimeForm&) = default;
};
[[nodiscard]] char* format_date(int32_t days, const TimeForm& form, char* out);
[[nodiscard]] char* format_timestamp(Logical::Unit unit, int64_t value, const TimeForm& form, char* out);
[[nodiscard]] char* format_time(Logical::Unit unit, int64_t value, const TimeForm& form, char* out);

// The inverse, exactly: a value outside the type is an error, never rounded, except that floats are rounded
// to the nearest. Integers and decimals may have a plus sign and leading zeros, decimals fewer digits than
// their scale, or more if those are zeros; booleans are any of kBooleanWords; dates may have slashes,
// 2014/08/08; a space or a T separates day and hour; seconds may be missing, and there may be fewer
// fractional digits than the unit has; a timestamp with Z or an offset such as +02:00 is converted to UTC.
[[nodiscard]] TextError parse_value(const ColumnType& type, std::string_view text, Scalar& value);

// "is not a valid i64", "does not fit i8", "has more digits after the point than decimal(2)".
[[nodiscard]] std::string explain(TextError error, const ColumnType& type);

// The parts of parse_value(), for loops over one type.
[[nodiscard]] TextError parse_unsigned(std::string_view text, uint64_t& value);
[[nodiscard]] TextError parse_signed(std::string_view text, int64_t& value);
[[nodiscard]] TextError parse_decimal(std::string_view text, uint8_t scale, int64_t& value);
[[nodiscard]] TextError parse_double(std::string_view text, double& value);
[[nodiscard]] TextError parse_float(std::string_view text, float& value);
struct BooleanWords {
  std::string_view yes;
  std::string_view no;
};
inline constexpr std::array<BooleanWords, 10> kBooleanWords{{{"true", "false"},
                                                             {"True", "False"},
                                                             {"TRUE", "FALSE"},
                                                             {"yes", "no"},
                                                             {"Yes", "No"},
                                                             {"YES", "NO"},
                                                             {"t", "f"},
                                                             {"T", "F"},
                                                             {"y", "n"},
                                                             {"Y", "N"}}};
[[nodiscard]] TextError parse_boolean(std::string_view text, uint8_t& value);
[[nodiscard]] TextError parse_date(std::string_view text, int32_t& days);
[[nodiscard]] TextError parse_timestamp(std::string_view text, Logical::Unit unit, int64_t& value);
[[nodiscard]] TextError parse_time(std::string_view text, Logical::Unit unit, int64_t& value);

// The components of the text of a date, timestamp or time.
struct TimeParts {
  char day_mark = '-';
  bool has_date = false;
  bool has_time = false;
  bool has_seconds = false;
  char separator = ' ';
  std::string_view fraction;  // fractional digits, without the point
  std::string_view zone;      // "Z", "+02:00", ...
  int64_t days = 0;
  int64_t second_of_day = 0;
  int16_t offset_minutes = 0;
};
// A date, a time, or both; false for any other text.
[[nodiscard]] bool take_time_apart(std::string_view text, TimeParts& parts);
// Like parse_timestamp() and parse_time().
[[nodiscard]] TextError timestamp_of(const TimeParts& parts, Logical::Unit unit, int64_t& value);
[[nodiscard]] TextError time_of_day(const TimeParts& parts, Logical::Unit unit, int64_t& value);

// A point in time with the full precision of its text.
struct Instant {
  Int128 nanoseconds = 0;  // since 1970-01-01 00:00:00
  bool and_more = false;   // plus a fraction of a nanosecond
};
// A date, which means midnight, or a timestamp with any number of fractional digits.
[[nodiscard]] TextError parse_instant(std::string_view text, Instant& instant);

// Fractional digits of a unit: 0, 3, 6, 9.
[[nodiscard]] constexpr uint32_t fraction_digits(Logical::Unit unit) {
  return 3 * static_cast<uint32_t>(unit);
}

}  // namespace bobbin
