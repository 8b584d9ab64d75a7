// SPDX-License-Identifier: Apache-2.0
#include "query/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "core/digits.hpp"
#include "core/value_text.hpp"
#include "query/text.hpp"

namespace bobbin::query {
namespace {

Int128 to_integer(double whole) {
  constexpr double kFarReal = 0x1p100;
  return static_cast<Int128>(std::clamp(whole, -kFarReal, kFarReal));
}

Place exactly(Int128 value) {
  return {.floor = value, .ceil = value};
}

// A constant with a further fraction is above it.
Place at_or_above(Int128 floor, bool and_more) {
  return {.floor = floor, .ceil = floor + (and_more ? 1 : 0)};
}

Place negative_of(const Place& place) {
  return {.floor = -place.ceil, .ceil = -place.floor, .is_nan = place.is_nan};
}

// Digits without zeros at either end, and the position of the point: after this many digits, or before them
// if negative.
struct Digits {
  std::string digits;
  int64_t point = 0;

  friend bool operator==(const Digits&, const Digits&) = default;
};

Digits split(std::string_view text) {
  constexpr int64_t kMostExponent = int64_t{1} << 40;  // larger than the number of digits of any double
  const size_t e = text.find_first_of("eE");
  int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view written = text.substr(e + 1);
    written.remove_prefix(written.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), exponent);
    if (error == std::errc::result_out_of_range) {
      exponent = written.starts_with('-') ? -kMostExponent : kMostExponent;
    }
    exponent = std::clamp<int64_t>(exponent, -kMostExponent, kMostExponent);
  }
  const std::string_view mantissa = text.substr(0, e);
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  Digits split{.digits = std::string(mantissa), .point = static_cast<int64_t>(point) + exponent};
  std::erase(split.digits, '.');
  const size_t zeros = std::min(split.digits.find_first_not_of('0'), split.digits.size());
  split.digits.erase(0, zeros);
  split.point -= static_cast<int64_t>(zeros);
  split.digits.erase(split.digits.find_last_not_of('0') + 1);
  return split.digits.empty() ? Digits() : split;
}

std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, std::end(text), value).ptr};
}

// A constant given as a double means the shortest decimal that reads back as it, and compares with integers
// and with f32 as the double itself. The digits are kept if they mean something else in any of these cases.
bool needs_digits(double value, std::string_view text) {
  constexpr double kLastWhole = 0x1p53;  // beyond it, not all integers are doubles
  return !(std::abs(value) < kLastWhole) || split(shortest(std::abs(value))) != split(text) ||
         nearest_to_digits<float>(text) != static_cast<float>(std::abs(value));
}

Place place_of_magnitude(const Digits& number, uint32_t scale, Int128 far) {
  const int64_t whole = number.point + scale;
  if (number.digits.empty()) {
    return exactly(0);
  }
  Int128 floor = 0;
  for (int64_t i = 0; i < whole; ++i) {  // the first digit is not 0: soon it is far
    const auto at = static_cast<size_t>(i);
    const int digit = at < number.digits.size() ? number.digits[at] - '0' : 0;
    if (__builtin_mul_overflow(floor, Int128{10}, &floor) ||
        __builtin_add_overflow(floor, Int128{digit}, &floor) || floor >= far) {
      return exactly(far);
    }
  }
  const auto before_point = static_cast<size_t>(std::max<int64_t>(whole, 0));
  return at_or_above(floor, number.digits.size() > before_point);
}

Place place_of_decimal(const Literal& literal, uint32_t scale) {
  if (literal.kind == Literal::Kind::integer) {
    constexpr Int128 kBeyond = Int128{1} << 65;  // beyond all values; times 10^18 it has 126 bits
    return exactly(std::clamp(literal.integer, -kBeyond, kBeyond) * static_cast<Int128>(kPowersOfTen[scale]));
  }
  if (!literal.text.empty()) {
    return place_of_digits(literal.text, scale);
  }
  return std::isfinite(literal.real) ? place_of_digits(shortest(literal.real), scale) : place_of(literal);
}

Int128 floor_divide_wide(Int128 value, Int128 by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

Place place_of_instant(const Instant& instant, const Logical& logical) {
  constexpr uint32_t kDigits = fraction_digits(Logical::Unit::nanoseconds);
  constexpr Int128 kDay = Int128{86'400} * static_cast<Int128>(kPowersOfTen[kDigits]);
  const Int128 unit = logical.kind == Logical::Kind::date
                          ? kDay
                          : static_cast<Int128>(kPowersOfTen[kDigits - fraction_digits(logical.unit)]);
  const Int128 floor = floor_divide_wide(instant.nanoseconds, unit);
  return at_or_above(floor, instant.and_more || floor * unit != instant.nanoseconds);
}

Status cannot(const Column& column, const Literal& literal, std::string_view wanted) {
  return {StatusCode::invalid_argument,
          fmt::format("column {} holds {}: it is compared with {}, not with the {} {}",
                      single_quoted(column.name), type_text(column), wanted, kind_text(literal),
                      to_text(literal))};
}

Result<Place> place_in_time(const Column& column, const Literal& literal) {
  const bool date = column.logical.kind == Logical::Kind::date;
  Instant instant;
  if (literal.kind != Literal::Kind::text || parse_instant(literal.text, instant) != TextError::none) {
    return cannot(column, literal,
                  date ? "dates such as '2014-08-08'" : "times such as '2014-08-08 18:00:00'");
  }
  return place_of_instant(instant, column.logical);
}

Result<Place> place_in_day(const Column& column, const Literal& literal) {
  int64_t value = 0;
  if (literal.kind != Literal::Kind::text ||
      parse_time(literal.text, column.logical.unit, value) != TextError::none) {
    return cannot(column, literal, "times such as '18:00:00'");
  }
  return exactly(value);
}

}  // namespace

Place place_of(const Literal& literal) {
  if (literal.kind != Literal::Kind::real) {
    return exactly(std::clamp(literal.integer, -kFar, kFar));
  }
  if (!literal.text.empty()) {
    return place_of_digits(literal.text, 0);
  }
  if (std::isnan(literal.real)) {
    return {.is_nan = true};
  }
  return {.floor = to_integer(std::floor(literal.real)), .ceil = to_integer(std::ceil(literal.real))};
}

Place place_of_digits(std::string_view text, uint32_t scale, Int128 far) {
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative || text.starts_with('+') ? 1 : 0);
  const Place magnitude = place_of_magnitude(split(text), scale, far);
  return negative ? negative_of(magnitude) : magnitude;
}

Place place_in_128_bits(const Literal& number, uint32_t scale) {
  constexpr Int128 kLast = (Int128{1} << 126) - 1 + (Int128{1} << 126);
  return place_of_digits(number.text.empty() ? shortest(number.real) : number.text, scale, kLast);
}

template <class T>
T nearest_to_digits(std::string_view text) {
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative || text.starts_with('+') ? 1 : 0);
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    value = split(text).point > 0 ? std::numeric_limits<T>::infinity() : T{0};
  }
  return negative ? -value : value;
}
template float nearest_to_digits<float>(std::string_view text);
template double nearest_to_digits<double>(std::string_view text);

Literal literal_of_digits(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative || text.starts_with('+') ? 1 : 0);
  Literal literal(nearest_to_digits<double>(text));
  if (needs_digits(literal.real, digits)) {
    literal.text = (negative ? "-" : "") + std::string(digits);
  }
  return literal;
}

Result<Place> place_in(const Column& column, const Literal& literal) {
  const bool number = literal.kind == Literal::Kind::integer || literal.kind == Literal::Kind::real;
  switch (column.logical.kind) {
    case Logical::Kind::decimal:
      return number ? Result<Place>(place_of_decimal(literal, column.logical.scale))
                    : cannot(column, literal, "numbers");
    case Logical::Kind::date:
    case Logical::Kind::timestamp:
      return place_in_time(column, literal);
    case Logical::Kind::time:
      return place_in_day(column, literal);
    case Logical::Kind::boolean:
      if (literal.kind != Literal::Kind::boolean &&
          (literal.kind != Literal::Kind::integer || literal.integer < 0 || literal.integer > 1)) {
        return cannot(column, literal, "true and false");
      }
      break;
    case Logical::Kind::plain:
      break;
  }
  return place_of(literal);
}

}  // namespace bobbin::query
