// SPDX-License-Identifier: Apache-2.0
// Formats values as text.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/calendar.hpp"
#include "core/digits.hpp"
#include "core/scalar.hpp"
#include "core/value_text.hpp"

namespace bobbin {
namespace {

char* put(char* out, std::string_view text) {
  return std::copy(text.begin(), text.end(), out);
}

char* put_two(char* out, uint32_t value) {
  out[0] = static_cast<char>('0' + value / 10);
  out[1] = static_cast<char>('0' + value % 10);
  return out + 2;
}

template <class T>
char* put_integer(char* out, T value) {
  return std::to_chars(out, out + kMaxValueText, value).ptr;
}

// With leading zeros.
char* put_padded(char* out, uint64_t value, size_t digits) {
  char text[kMaxValueText];
  const auto size = static_cast<size_t>(put_integer(text, value) - text);
  out = std::fill_n(out, digits > size ? digits - size : 0, '0');
  return put(out, {text, size});
}

// The digits with the decimal point inserted.
char* put_decimal(char* out, int64_t value, size_t scale) {
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (value < 0) {
    *out++ = '-';
  }
  char* const end = put_padded(out, magnitude, scale + 1);
  if (scale == 0) {
    return end;
  }
  std::copy_backward(end - scale, end, end + 1);
  *(end - scale) = '.';
  return end + 1;
}

char* put_date(char* out, int64_t days, char mark) {
  const CivilDate date = date_of(days);
  if (date.year >= 0 && date.year <= 9999) {
    const auto year = static_cast<uint32_t>(date.year);
    out = put_two(put_two(out, year / 100), year % 100);
  } else {
    *out++ = date.year < 0 ? '-' : '+';
    out = put_padded(out, static_cast<uint64_t>(date.year < 0 ? -date.year : date.year), 4);
  }
  *out++ = mark;
  out = put_two(out, date.month);
  *out++ = mark;
  return put_two(out, date.day);
}

char* put_clock(char* out, uint32_t second_of_day, bool with_seconds) {
  out = put_two(out, second_of_day / 3600);
  *out++ = ':';
  out = put_two(out, second_of_day / 60 % 60);
  if (!with_seconds) {
    return out;
  }
  *out++ = ':';
  return put_two(out, second_of_day % 60);
}

// `digits` fractional digits of a second, from a fraction in the unit's digits.
char* put_fraction(char* out, uint64_t fraction, uint32_t unit_digits, const TimeForm& form) {
  uint32_t digits = unit_digits;
  const uint32_t wanted = form.digits < 0 ? unit_digits : static_cast<uint32_t>(form.digits);
  while (digits > 0 && fraction % 10 == 0 && (form.trimmed || digits > wanted)) {
    fraction /= 10;
    --digits;
  }
  if (digits == 0) {
    return out;
  }
  *out++ = '.';
  return put_padded(out, fraction, digits);
}

template <class T>
char* put_float(char* out, T value) {
  return std::isnan(value) ? put(out, "nan") : std::to_chars(out, out + kMaxValueText, value).ptr;
}

char* put_plain(char* out, DType type, Scalar value) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      return put_float(out, value_of<T>(value));
    } else {
      return put_integer(out, value_of<T>(value));
    }
  });
}

int64_t signed_of(DType type, Scalar value) {
  const uint32_t unused = 64 - size_bits(type);
  return static_cast<int64_t>(value.bits << unused) >> unused;
}

}  // namespace

char* format_value(const ColumnType& type, Scalar value, char* out) {
  switch (type.logical.kind) {
    case Logical::Kind::boolean:
      return put(out, static_cast<uint8_t>(value.bits) != 0 ? "true" : "false");
    case Logical::Kind::date:
      return format_date(static_cast<int32_t>(value.bits), {}, out);
    case Logical::Kind::timestamp:
      return format_timestamp(type.logical.unit, signed_of(DType::i64, value), {}, out);
    case Logical::Kind::time:
      return format_time(type.logical.unit, signed_of(DType::i64, value), {}, out);
    case Logical::Kind::decimal:
      return put_decimal(out, signed_of(type.type, value), type.logical.scale);
    case Logical::Kind::plain:
      break;
  }
  return put_plain(out, type.type, value);
}

char* format_date(int32_t days, const TimeForm& form, char* out) {
  return put_date(out, days, form.day_mark);
}

char* format_timestamp(Logical::Unit unit, int64_t value, const TimeForm& form, char* out) {
  const uint32_t digits = fraction_digits(unit);
  const auto per_second = static_cast<int64_t>(kPowersOfTen[digits]);
  const int64_t seconds = floor_divide(value, per_second);
  // Unsigned, because the seconds of the smallest value, multiplied by this, are below the type's range.
  const uint64_t fraction =
      static_cast<uint64_t>(value) - static_cast<uint64_t>(seconds) * static_cast<uint64_t>(per_second);
  int64_t local = 0;
  if (__builtin_add_overflow(seconds, int64_t{form.offset_minutes} * 60, &local)) {
    local = seconds;  // values at the ends of the type's range are printed in UTC
  }
  const int64_t days = floor_divide(local, kSecondsPerDay);
  // Unsigned, because the day's first second may be below the type's range.
  const auto second_of_day = static_cast<uint32_t>(static_cast<uint64_t>(local) -
                                                   static_cast<uint64_t>(days) * uint64_t{kSecondsPerDay});
  const bool with_seconds = form.seconds || second_of_day % 60 != 0 || fraction != 0;
  out = put_date(out, days, form.day_mark);
  *out++ = form.separator;
  out = put_clock(out, second_of_day, with_seconds);
  out = with_seconds ? put_fraction(out, fraction, digits, form) : out;
  return put(out, form.zone_text());
}

char* format_time(Logical::Unit unit, int64_t value, const TimeForm& form, char* out) {
  const uint32_t digits = fraction_digits(unit);
  const auto per_second = static_cast<int64_t>(kPowersOfTen[digits]);
  if (value < 0 || value >= kSecondsPerDay * per_second) {
    return put_integer(out, value);  // not a time of day: a foreign file may hold any value
  }
  const auto second_of_day = static_cast<uint32_t>(value / per_second);
  const auto fraction = static_cast<uint64_t>(value % per_second);
  const bool with_seconds = form.seconds || second_of_day % 60 != 0 || fraction != 0;
  out = put_clock(out, second_of_day, with_seconds);
  return with_seconds ? put_fraction(out, fraction, digits, form) : out;
}

std::string value_text(const ColumnType& type, Scalar value) {
  char text[kMaxValueText];
  return {text, format_value(type, value, text)};
}

std::string explain(TextError error, const ColumnType& type) {
  const std::string name = to_string(type);
  switch (error) {
    case TextError::none:
      return "is a " + name;
    case TextError::syntax:
      break;
    case TextError::range:
      return "does not fit " + name;
    case TextError::digits:
      return "has more digits after the point than " + name;
  }
  return "is not a valid " + name;
}

}  // namespace bobbin
