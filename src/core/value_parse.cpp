// SPDX-License-Identifier: Apache-2.0
// Parses values from text.
#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "core/calendar.hpp"
#include "core/digits.hpp"
#include "core/scalar.hpp"
#include "core/value_text.hpp"

namespace bobbin {
namespace {

constexpr size_t kFewDigits = 18;  // all numbers with this many digits fit 64 bits, signed or unsigned

// Any number of digits; the value may need more than 64 bits.
TextError parse_magnitude(std::string_view digits, uint64_t& value) {
  if (digits.empty()) {
    return TextError::syntax;
  }
  if (digits.size() <= kFewDigits) {
    return parse_digits(digits.data(), digits.size(), value) ? TextError::none : TextError::syntax;
  }
  value = 0;
  bool fits = true;
  for (const char c : digits) {
    if (!is_digit(c)) {
      return TextError::syntax;
    }
    fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
           !__builtin_add_overflow(value, static_cast<uint64_t>(c - '0'), &value);
  }
  return fits ? TextError::none : TextError::range;
}

TextError with_sign(uint64_t magnitude, bool negative, int64_t& value) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  if (magnitude > kMost + (negative ? 1 : 0)) {
    return TextError::range;
  }
  value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  return TextError::none;
}

// Consumes a sign.
bool take_sign(std::string_view& text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative || (!text.empty() && text.front() == '+')) {
    text.remove_prefix(1);
  }
  return negative;
}

template <class T>
TextError parse_real(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    return stop == end ? TextError::range : TextError::syntax;
  }
  return error == std::errc{} && stop == end ? TextError::none : TextError::syntax;
}

// Two digits; 100 or more if they are not digits.
uint32_t two_digits(const char* text) {
  const auto tens = static_cast<uint32_t>(text[0]) - '0';
  const auto ones = static_cast<uint32_t>(text[1]) - '0';
  return tens > 9 || ones > 9 ? 100 : tens * 10 + ones;
}

// Consumes a year: four digits, or a sign and 4 to 12 digits, followed by a dash or a slash.
bool take_year(std::string_view& text, int64_t& year) {
  const bool with_sign = !text.empty() && (text.front() == '-' || text.front() == '+');
  const bool negative = take_sign(text);
  size_t size = 0;
  while (size < text.size() && text[size] != '-' && text[size] != '/') {
    ++size;
  }
  uint64_t number = 0;
  if (size == text.size() || size < 4 || size > (with_sign ? 12 : 4) ||
      !parse_digits(text.data(), size, number)) {
    return false;
  }
  year = negative ? -static_cast<int64_t>(number) : static_cast<int64_t>(number);
  text.remove_prefix(size);
  return true;
}

// Consumes a date, with the same separator in both places.
bool take_date(std::string_view& text, int64_t& days, char& mark) {
  int64_t year = 0;
  if (!take_year(text, year) || text.size() < 6 || text[3] != text[0]) {
    return false;
  }
  const uint32_t month = two_digits(text.data() + 1);
  const uint32_t day = two_digits(text.data() + 4);
  if (month < 1 || month > 12 || day < 1 || day > days_of_month(year, month)) {
    return false;
  }
  days = days_of({.year = year, .month = month, .day = day});
  mark = text[0];
  text.remove_prefix(6);
  return true;
}

size_t count_digits(std::string_view text) {
  const size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? text.size() : end;
}

// Consumes ":00" or ":00.25", if present.
bool take_seconds(std::string_view& text, TimeParts& parts) {
  parts.has_seconds = text.starts_with(':');
  if (!parts.has_seconds) {
    return true;
  }
  const uint32_t second = text.size() < 3 ? 100 : two_digits(text.data() + 1);
  parts.second_of_day += second;
  text.remove_prefix(std::min<size_t>(3, text.size()));
  if (text.starts_with('.')) {
    parts.fraction = text.substr(1, count_digits(text.substr(1)));
    text.remove_prefix(1 + parts.fraction.size());
    return second < 60 && !parts.fraction.empty();
  }
  return second < 60;
}

// Consumes "18:00", "18:00:00" or "18:00:00.25".
bool take_clock(std::string_view& text, TimeParts& parts) {
  if (text.size() < 5 || text[2] != ':') {
    return false;
  }
  const uint32_t hour = two_digits(text.data());
  const uint32_t minute = two_digits(text.data() + 3);
  parts.has_time = true;
  parts.second_of_day = int64_t{hour} * 3600 + minute * 60;
  text.remove_prefix(5);
  return take_seconds(text, parts) && hour < 24 && minute < 60;
}

// "Z", "+02:00", "+0200" or "+02"; an empty text means UTC or no zone.
bool parse_zone(std::string_view text, int16_t& minutes) {
  minutes = 0;
  if (text.empty() || text == "Z") {
    return true;
  }
  const bool colon = text.size() == 6 && text[3] == ':';
  if ((text[0] != '+' && text[0] != '-') || (text.size() != 3 && text.size() != 5 && !colon)) {
    return false;
  }
  const uint32_t hour = two_digits(text.data() + 1);
  const uint32_t minute = text.size() == 3 ? 0 : two_digits(text.data() + text.size() - 2);
  const auto size = static_cast<int16_t>(hour * 60 + minute);
  minutes = static_cast<int16_t>(text[0] == '-' ? -size : size);
  return hour < 24 && minute < 60;
}

// Converts fractional digits to a multiple of 10^-digits; no digits mean zero.
TextError parse_fraction(std::string_view text, uint32_t digits, uint64_t& fraction) {
  fraction = 0;
  if (text.size() > digits) {
    return TextError::digits;
  }
  if (!text.empty() && parse_digits(text.data(), text.size(), fraction)) {
    fraction *= kPowersOfTen[digits - text.size()];
  }
  return TextError::none;
}

// Seconds and a fraction in a unit, if the result fits.
TextError to_unit(Int128 seconds, std::string_view fraction_text, Logical::Unit unit, int64_t& value) {
  const uint32_t digits = fraction_digits(unit);
  uint64_t fraction = 0;
  if (const TextError error = parse_fraction(fraction_text, digits, fraction); error != TextError::none) {
    return error;
  }
  const Int128 sum = seconds * static_cast<Int128>(kPowersOfTen[digits]) + static_cast<Int128>(fraction);
  if (sum < std::numeric_limits<int64_t>::min() || sum > std::numeric_limits<int64_t>::max()) {
    return TextError::range;
  }
  value = static_cast<int64_t>(sum);
  return TextError::none;
}

// Narrows an integer.
template <class T, class Wide>
TextError narrow(Wide wide, Scalar& value) {
  if (!std::in_range<T>(wide)) {
    return TextError::range;
  }
  value = scalar_of(static_cast<T>(wide));
  return TextError::none;
}

template <class T>
TextError parse_plain(std::string_view text, Scalar& value) {
  if constexpr (std::is_floating_point_v<T>) {
    T number = 0;
    const TextError error = parse_real(text, number);
    value = scalar_of(number);
    return error;
  } else {
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t> number = 0;
    TextError error = TextError::none;
    if constexpr (std::is_signed_v<T>) {
      error = parse_signed(text, number);
    } else {
      error = parse_unsigned(text, number);
    }
    return error == TextError::none ? narrow<T>(number, value) : error;
  }
}

}  // namespace

TextError parse_unsigned(std::string_view text, uint64_t& value) {
  const bool negative = take_sign(text);
  const TextError error = parse_magnitude(text, value);
  return error == TextError::none && negative && value != 0 ? TextError::range : error;
}

TextError parse_signed(std::string_view text, int64_t& value) {
  const bool negative = take_sign(text);
  uint64_t magnitude = 0;
  const TextError error = parse_magnitude(text, magnitude);
  return error == TextError::none ? with_sign(magnitude, negative, value) : error;
}

TextError parse_decimal(std::string_view text, uint8_t scale, int64_t& value) {
  const bool negative = take_sign(text);
  const size_t point = text.find('.');
  uint64_t whole = 0;
  if (const TextError error = parse_magnitude(text.substr(0, point), whole); error != TextError::none) {
    return error;
  }
  std::string_view digits = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (point != std::string_view::npos && digits.empty()) {
    return TextError::syntax;
  }
  uint64_t fraction = 0;
  if (digits.size() > scale) {
    if (digits.find_first_not_of("0123456789") != std::string_view::npos) {
      return TextError::syntax;
    }
    if (digits.find_first_not_of('0', scale) != std::string_view::npos) {
      return TextError::digits;
    }
    digits = digits.substr(0, scale);
  }
  if (!digits.empty() && !parse_digits(digits.data(), digits.size(), fraction)) {
    return TextError::syntax;
  }
  fraction *= kPowersOfTen[scale - digits.size()];
  if (__builtin_mul_overflow(whole, kPowersOfTen[scale], &whole) ||
      __builtin_add_overflow(whole, fraction, &whole)) {
    return TextError::range;
  }
  return with_sign(whole, negative, value);
}

TextError parse_double(std::string_view text, double& value) {
  return parse_real(text, value);
}
TextError parse_float(std::string_view text, float& value) {
  return parse_real(text, value);
}

TextError parse_boolean(std::string_view text, uint8_t& value) {
  for (const BooleanWords& words : kBooleanWords) {
    value = text == words.yes ? 1 : 0;
    if (value == 1 || text == words.no) {
      return TextError::none;
    }
  }
  return TextError::syntax;
}

TextError parse_date(std::string_view text, int32_t& days) {
  int64_t wide = 0;
  char mark = '-';
  if (!take_date(text, wide, mark) || !text.empty()) {
    return TextError::syntax;
  }
  if (!std::in_range<int32_t>(wide)) {
    return TextError::range;
  }
  days = static_cast<int32_t>(wide);
  return TextError::none;
}

bool take_time_apart(std::string_view text, TimeParts& parts) {
  parts = {};
  if (text.size() > 2 && text[2] == ':') {
    return take_clock(text, parts) && text.empty();
  }
  if (!take_date(text, parts.days, parts.day_mark)) {
    return false;
  }
  parts.has_date = true;
  if (text.empty()) {
    return true;
  }
  parts.separator = text.front();
  text.remove_prefix(1);
  if ((parts.separator != ' ' && parts.separator != 'T') || !take_clock(text, parts)) {
    return false;
  }
  parts.zone = text;
  return parse_zone(text, parts.offset_minutes);
}

TextError timestamp_of(const TimeParts& parts, Logical::Unit unit, int64_t& value) {
  // The seconds of the smallest timestamp, times the unit, are below the type's range: hence the wide sum.
  const Int128 seconds =
      Int128{parts.days} * kSecondsPerDay + parts.second_of_day - int64_t{parts.offset_minutes} * 60;
  return to_unit(seconds, parts.fraction, unit, value);
}

TextError time_of_day(const TimeParts& parts, Logical::Unit unit, int64_t& value) {
  return to_unit(parts.second_of_day, parts.fraction, unit, value);
}

TextError parse_timestamp(std::string_view text, Logical::Unit unit, int64_t& value) {
  TimeParts parts;
  if (!take_time_apart(text, parts) || !parts.has_date || !parts.has_time) {
    return TextError::syntax;
  }
  return timestamp_of(parts, unit, value);
}

TextError parse_time(std::string_view text, Logical::Unit unit, int64_t& value) {
  TimeParts parts;
  if (take_time_apart(text, parts) && !parts.has_date) {
    return time_of_day(parts, unit, value);
  }
  // A value outside of one day is written as a number.
  const auto day = kSecondsPerDay * static_cast<int64_t>(kPowersOfTen[fraction_digits(unit)]);
  const TextError error = parse_signed(text, value);
  return error == TextError::none && value >= 0 && value < day ? TextError::syntax : error;
}

TextError parse_instant(std::string_view text, Instant& instant) {
  constexpr uint32_t kDigits = fraction_digits(Logical::Unit::nanoseconds);
  TimeParts parts;
  if (!take_time_apart(text, parts) || !parts.has_date) {
    return TextError::syntax;
  }
  uint64_t fraction = 0;
  (void)parse_fraction(parts.fraction.substr(0, kDigits), kDigits, fraction);
  const Int128 seconds =
      Int128{parts.days} * kSecondsPerDay + parts.second_of_day - int64_t{parts.offset_minutes} * 60;
  instant.nanoseconds = seconds * static_cast<Int128>(kPowersOfTen[kDigits]) + static_cast<Int128>(fraction);
  instant.and_more = parts.fraction.find_first_not_of('0', kDigits) != std::string_view::npos;
  return TextError::none;
}

TextError parse_value(const ColumnType& type, std::string_view text, Scalar& value) {
  TextError error = TextError::none;
  int64_t number = 0;
  switch (type.logical.kind) {
    case Logical::Kind::boolean: {
      uint8_t truth = 0;
      error = parse_boolean(text, truth);
      value = scalar_of(truth);
      return error;
    }
    case Logical::Kind::time:
      error = parse_time(text, type.logical.unit, number);
      value = scalar_of(number);
      return error;
    case Logical::Kind::date: {
      int32_t days = 0;
      error = parse_date(text, days);
      value = scalar_of(days);
      return error;
    }
    case Logical::Kind::timestamp:
      error = parse_timestamp(text, type.logical.unit, number);
      value = scalar_of(number);
      return error;
    case Logical::Kind::decimal:
      error = parse_decimal(text, type.logical.scale, number);
      return error != TextError::none ? error : visit_integer(type.type, [&]<class T>(std::type_identity<T>) {
        return narrow<T>(number, value);
      });
    case Logical::Kind::plain:
      break;
  }
  return visit_type(type.type, [&]<class T>(std::type_identity<T>) { return parse_plain<T>(text, value); });
}

}  // namespace bobbin
