// SPDX-License-Identifier: Apache-2.0
// Values as text: what CSV, the command and queries print and read. Every value has a text, and every text
// that format_value() gives reads back as the same value (a NaN as some NaN).
//
//   integers      -12
//   decimals      -0.50 with exactly the scale's digits; of scale 0 no point
//   booleans      true, false
//   dates         2014-08-08
//   timestamps    2014-08-08 18:00:00.250 with as many digits of a second as the unit has
//   floats        the shortest decimal that reads back as the same value; inf, -inf, nan
//
// Years outside 0 to 9999 have a sign and at least four digits: -0044-03-15, +12345-01-01.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bobbin/types.hpp"

namespace bobbin {

enum class TextError : uint8_t {
  none,
  syntax,  // no such value is written so
  range,   // a value, but beyond the type
  digits   // more digits behind the point than the type keeps
};

// No text of a number is longer.
inline constexpr size_t kMaxValueText = 48;

// Writes a value of any type but strings, at most kMaxValueText characters; returns their end.
[[nodiscard]] char* format_value(const ColumnType& type, Scalar value, char* out);
[[nodiscard]] std::string value_text(const ColumnType& type, Scalar value);

// The other way, exactly: a value that the type does not hold is an error, never rounded, except that floats
// are the nearest to the text. Integers and decimals may have a plus and leading zeros, decimals fewer digits
// than their scale, or more when those are zeros; booleans are true, True, TRUE and so on; between the day
// and the hour stands a blank or a T; digits of a second may be fewer than the unit's.
[[nodiscard]] TextError parse_value(const ColumnType& type, std::string_view text, Scalar& value);

// "is no i64", "does not fit i8", "has more than 2 digits behind the point".
[[nodiscard]] std::string explain(TextError error, const ColumnType& type);

// The parts of parse_value(), for loops over one type.
[[nodiscard]] TextError parse_unsigned(std::string_view text, uint64_t& value);
[[nodiscard]] TextError parse_signed(std::string_view text, int64_t& value);
[[nodiscard]] TextError parse_decimal(std::string_view text, uint8_t scale, int64_t& value);
[[nodiscard]] TextError parse_double(std::string_view text, double& value);
[[nodiscard]] TextError parse_float(std::string_view text, float& value);
[[nodiscard]] TextError parse_boolean(std::string_view text, uint8_t& value);
[[nodiscard]] TextError parse_date(std::string_view text, int32_t& days);
[[nodiscard]] TextError parse_timestamp(std::string_view text, Logical::Unit unit, int64_t& value);

// A point in time as exactly as it is written.
struct Instant {
  Int128 nanoseconds = 0;  // since 1970-01-01 00:00:00
  bool and_more = false;   // and a part of one
};
// A date, which is its midnight, or a timestamp with any number of digits of a second.
[[nodiscard]] TextError parse_instant(std::string_view text, Instant& instant);

// Digits of a second in a unit: 0, 3, 6, 9.
[[nodiscard]] constexpr uint32_t fraction_digits(Logical::Unit unit) {
  return 3 * static_cast<uint32_t>(unit);
}

}  // namespace bobbin
