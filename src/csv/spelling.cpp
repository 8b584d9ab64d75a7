// SPDX-License-Identifier: Apache-2.0
#include "csv/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/calendar.hpp"
#include "core/digits.hpp"
#include "core/scalar.hpp"

namespace bobbin::csv {
namespace {

char* put(char* out, std::string_view text) {
  return std::copy(text.begin(), text.end(), out);
}

std::string_view text_between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

// Removes trailing zeros after the point, and the point itself, or leaves one digit after it.
char* trim_zeros(char* begin, char* end, bool keep_one) {
  const size_t point = text_between(begin, end).find('.');
  if (point == std::string_view::npos) {
    return keep_one ? put(end, ".0") : end;
  }
  char* const least = begin + point + (keep_one ? 2 : 1);
  while (end > least && end[-1] == '0') {
    --end;
  }
  return end[-1] == '.' ? end - 1 : end;
}

char* put_word(char* out, double value, const Spelling& spelling) {
  if (std::isnan(value)) {
    return put(out, kNanWords[spelling.nan]);
  }
  if (value < 0) {
    *out++ = '-';
  }
  return put(out, kInfinityWords[spelling.infinity]);
}

// Without an exponent, if there is room for the digits.
char* put_plain(char* out, double value) {
  const auto [end, error] = std::to_chars(out, out + kMaxValueText - 2, value, std::chars_format::fixed);
  return error == std::errc{} ? end : std::to_chars(out, out + kMaxValueText, value).ptr;
}

// The same, without a zero before the point.
char* put_bare(char* out, double value) {
  char* const end = put_plain(out, value);
  char* const digits = out + (*out == '-' ? 1 : 0);
  if (!text_between(digits, end).starts_with("0.")) {
    return end;
  }
  return std::copy(digits + 1, end, digits);
}

// As Python writes it: with an exponent below 1e-4 and from 1e16 on.
char* put_python(char* out, double value) {
  const double magnitude = std::abs(value);
  if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    return std::to_chars(out, out + kMaxValueText, value, std::chars_format::scientific).ptr;
  }
  char* const end = put_plain(out, value);
  return text_between(out, end).find('.') == std::string_view::npos ? put(end, ".0") : end;
}

char* put_double(char* out, double value, const Spelling& spelling) {
  if (!std::isfinite(value)) {
    return put_word(out, value, spelling);
  }
  switch (spelling.number) {
    case Spelling::Number::trimmed:
      return put_plain(out, value);
    case Spelling::Number::point:
      return put_python(out, value);
    case Spelling::Number::bare:
      return put_bare(out, value);
    case Spelling::Number::digits16:
    case Spelling::Number::digits17:
    case Spelling::Number::digits18:
      return std::to_chars(out, out + kMaxValueText, value, std::chars_format::general,
                           significant_digits(spelling.number))
          .ptr;
    case Spelling::Number::canonical:
      break;
  }
  return std::to_chars(out, out + kMaxValueText, value).ptr;
}

bool is_time(const ColumnType& type) {
  return type.logical.kind == Logical::Kind::timestamp || type.logical.kind == Logical::Kind::time;
}

constexpr std::array<std::string_view, 7> kNumberForms{"",      "trimmed", "point", "bare",
                                                       "%.16g", "%.17g",   "%.18g"};
constexpr std::string_view kDay = "%Y-%m-%d";
constexpr std::string_view kDayWithSlashes = "%Y/%m/%d";
constexpr std::string_view kMinute = "%H:%M";
constexpr std::string_view kSecond = ":%S";
constexpr std::string_view kTrimmedFraction = "%.f";

std::string_view day_text(const TimeForm& form) {
  return form.day_mark == '/' ? kDayWithSlashes : kDay;
}

std::string time_text(const ColumnType& type, const TimeForm& form) {
  std::string text;
  if (type.logical.kind == Logical::Kind::timestamp) {
    text = std::string(day_text(form)) + form.separator;
  }
  text += kMinute;
  if (form.seconds) {
    text += kSecond;
    const auto unit_digits = static_cast<int>(fraction_digits(type.logical.unit));
    const int digits = form.digits < 0 ? unit_digits : form.digits;
    text += form.trimmed && unit_digits > 0 ? std::string(kTrimmedFraction)
            : digits > 0                    ? fmt::format("%.{}f", digits)
                                            : "";
  }
  return text + std::string(form.zone_text());
}

bool take(std::string_view& text, std::string_view part) {
  const bool there = text.starts_with(part);
  text.remove_prefix(there ? part.size() : 0);
  return there;
}

// "%.3f" or "%.f", if present.
void take_fraction(std::string_view& text, const ColumnType& type, TimeForm& form) {
  form.trimmed = take(text, kTrimmedFraction);
  if (form.trimmed) {
    return;
  }
  form.digits = 0;
  if (text.size() >= 4 && text.starts_with("%.") && text[2] >= '1' && text[2] <= '9' && text[3] == 'f') {
    form.digits = static_cast<int8_t>(text[2] - '0');
    text.remove_prefix(4);
  }
  if (form.digits == static_cast<int>(fraction_digits(type.logical.unit))) {
    form.digits = -1;
  }
}

bool take_day(std::string_view& text, TimeForm& form) {
  const bool slashes = take(text, kDayWithSlashes);
  form.day_mark = slashes ? '/' : '-';
  return slashes || take(text, kDay);
}

bool parse_day_form(std::string_view text, TimeForm& form) {
  return take_day(text, form) && text.empty();
}

bool parse_time_form(const ColumnType& type, std::string_view text, TimeForm& form) {
  if (type.logical.kind == Logical::Kind::timestamp) {
    if (!take_day(text, form) || text.empty() || (text.front() != ' ' && text.front() != 'T')) {
      return false;
    }
    form.separator = text.front();
    text.remove_prefix(1);
  }
  if (!take(text, kMinute)) {
    return false;
  }
  form.seconds = take(text, kSecond);
  if (form.seconds) {
    take_fraction(text, type, form);
  }
  // A zone is anything that a timestamp may have after its time.
  const std::string example = "2000-01-01 00:00" + std::string(text);
  TimeParts parts;  // points into it
  if (!take_time_apart(example, parts) || parts.has_seconds) {
    return false;
  }
  set_zone(form, parts.zone, parts.offset_minutes);
  return type.logical.kind == Logical::Kind::timestamp || parts.zone.empty();
}

std::string number_text(const Spelling& spelling) {
  return std::string(kNumberForms[static_cast<size_t>(spelling.number)]);
}

template <size_t N>
bool find_word(const std::array<std::string_view, N>& words, std::string_view word, uint8_t& index) {
  const auto* const found = std::ranges::find(words, word);
  index = static_cast<uint8_t>(found - words.begin());
  return found != words.end();
}

void append(std::string& text, std::string_view word) {
  if (!word.empty()) {
    text += (text.empty() ? "" : " ") + std::string(word);
  }
}

bool parse_number_word(std::string_view word, Spelling& spelling) {
  if (uint8_t form = 0; !word.empty() && find_word(kNumberForms, word, form)) {
    spelling.number = static_cast<Spelling::Number>(form);
    return true;
  }
  if (take(word, "nan=")) {
    return find_word(kNanWords, word, spelling.nan);
  }
  if (take(word, "inf=")) {
    return find_word(kInfinityWords, word, spelling.infinity);
  }
  return spelling.form.parse_word(word);
}

bool parse_numbers(std::string_view text, Spelling& spelling) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (!parse_number_word(text.substr(0, end), spelling)) {
      return false;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

bool parse_words(std::string_view text, Spelling& spelling) {
  const auto* const found = std::ranges::find_if(kBooleanWords, [&](const BooleanWords& words) {
    return text == std::string(words.yes) + "/" + std::string(words.no);
  });
  spelling.words = static_cast<uint8_t>(found - kBooleanWords.begin());
  return found != kBooleanWords.end();
}

// A pattern of what the type has.
bool parse_pattern(const ColumnType& type, std::string_view text, Spelling& spelling) {
  const std::optional<DatePattern> pattern = DatePattern::parse(text);
  if (!pattern || !fits_type(*pattern, type)) {
    return false;
  }
  spelling.time = {};
  spelling.pattern = *pattern;
  return true;
}

// A date or a time with the full precision of its type.
Moment moment_of(const ColumnType& type, int64_t value) {
  if (type.logical.kind == Logical::Kind::date) {
    return {.days = value};
  }
  const uint32_t digits = fraction_digits(type.logical.unit);
  const auto per_second = static_cast<int64_t>(kPowersOfTen[digits]);
  const int64_t seconds = floor_divide(value, per_second);
  const int64_t days = floor_divide(seconds, kSecondsPerDay);
  const auto fraction = static_cast<uint64_t>(value - seconds * per_second);
  return {.days = days,
          .second_of_day = static_cast<uint32_t>(seconds - days * kSecondsPerDay),
          .nanoseconds = static_cast<uint32_t>(fraction * kPowersOfTen[9 - digits])};
}

// Null if the pattern has no text for the value.
char* put_by_pattern(const ColumnType& type, const DatePattern& pattern, Scalar value, char* out) {
  if (type.logical.kind == Logical::Kind::date) {
    return pattern.write(moment_of(type, static_cast<int32_t>(value.bits)), out);
  }
  const auto number = static_cast<int64_t>(value.bits);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 2;  // far from overflows
  const Moment moment = moment_of(type, std::clamp(number, -kMost, kMost));
  const bool is_time = type.logical.kind == Logical::Kind::time;
  if (number > kMost || number < -kMost || (is_time && moment.days != 0)) {
    return nullptr;
  }
  return pattern.write(moment, out);
}

bool is_number(const ColumnType& type) {
  return type.logical.kind == Logical::Kind::decimal || type.logical.kind == Logical::Kind::plain;
}

char* format_plainly(const ColumnType& type, const Spelling& spelling, Scalar value, char* out) {
  const auto number = static_cast<int64_t>(value.bits);
  switch (type.logical.kind) {
    case Logical::Kind::boolean: {
      const BooleanWords& words = kBooleanWords[spelling.words];
      return put(out, static_cast<uint8_t>(value.bits) != 0 ? words.yes : words.no);
    }
    case Logical::Kind::timestamp:
      return format_timestamp(type.logical.unit, number, spelling.time, out);
    case Logical::Kind::time:
      return format_time(type.logical.unit, number, spelling.time, out);
    case Logical::Kind::decimal: {
      char* const end = format_value(type, value, out);
      return spelling.number == Spelling::Number::canonical
                 ? end
                 : trim_zeros(out, end, spelling.number != Spelling::Number::trimmed);
    }
    case Logical::Kind::date:
      return format_date(static_cast<int32_t>(value.bits), spelling.time, out);
    case Logical::Kind::plain:
      break;
  }
  return type.type == DType::f64 ? put_double(out, value_of<double>(value), spelling)
                                 : format_value(type, value, out);
}

}  // namespace

char* format_spelled(const ColumnType& type, const Spelling& spelling, Scalar value, char* out) {
  if (!spelling.pattern.empty()) {
    if (char* const end = put_by_pattern(type, spelling.pattern, value, out); end != nullptr) {
      return end;
    }
  }
  if (spelling.form.is_plain() || !is_number(type)) {
    return format_plainly(type, spelling, value, out);
  }
  char plain[kMaxValueText];
  const char* const end = format_plainly(type, spelling, value, plain);
  return spelling.form.write(text_between(plain, end), out);
}

bool fits_type(const DatePattern& pattern, const ColumnType& type) {
  const Logical::Kind kind = type.logical.kind;
  const bool has_date = kind == Logical::Kind::date || kind == Logical::Kind::timestamp;
  const bool has_time = kind == Logical::Kind::time || kind == Logical::Kind::timestamp;
  return !pattern.empty() && pattern.has_date() == has_date && pattern.has_time() == has_time;
}

bool value_of_moment(const ColumnType& type, const Moment& moment, int64_t& value) {
  if (type.logical.kind == Logical::Kind::date) {
    value = moment.days;
    return moment.second_of_day == 0 && moment.nanoseconds == 0;
  }
  const uint32_t digits = fraction_digits(type.logical.unit);
  const uint64_t rest = kPowersOfTen[9 - digits];
  const int64_t seconds = moment.days * kSecondsPerDay + moment.second_of_day;
  return moment.nanoseconds % rest == 0 &&
         !__builtin_mul_overflow(seconds, static_cast<int64_t>(kPowersOfTen[digits]), &value) &&
         !__builtin_add_overflow(value, static_cast<int64_t>(moment.nanoseconds / rest), &value);
}

std::string spelling_text(const ColumnType& type, const Spelling& spelling) {
  if (spelling == Spelling{}) {
    return "";
  }
  std::string text = spelling.mixed ? "mixed" : "";
  if (!spelling.pattern.empty()) {
    append(text, spelling.pattern.text());
  } else if (type.logical.kind == Logical::Kind::boolean) {
    const BooleanWords& words = kBooleanWords[spelling.words];
    append(text, fmt::format("{}/{}", words.yes, words.no));
  } else if (type.logical.kind == Logical::Kind::date) {
    append(text, day_text(spelling.time));
  } else if (is_time(type)) {
    append(text, time_text(type, spelling.time));
  } else {
    append(text, number_text(spelling));
    append(text, spelling.nan == 0 ? "" : fmt::format("nan={}", kNanWords[spelling.nan]));
    append(text, spelling.infinity == 0 ? "" : fmt::format("inf={}", kInfinityWords[spelling.infinity]));
    append(text, spelling.form.text());
  }
  return text;
}

std::optional<Spelling> parse_spelling(const ColumnType& type, std::string_view text) {
  Spelling spelling;
  spelling.mixed = take(text, "mixed");
  if (spelling.mixed) {
    (void)take(text, " ");
  }
  const Logical::Kind kind = type.logical.kind;
  const bool fine = kind == Logical::Kind::boolean ? parse_words(text, spelling)
                    : is_number(type)
                        ? parse_numbers(text, spelling)
                        : (kind == Logical::Kind::date ? parse_day_form(text, spelling.time)
                                                       : parse_time_form(type, text, spelling.time)) ||
                              parse_pattern(type, text, spelling);
  return fine ? std::optional(spelling) : std::nullopt;
}

void set_zone(TimeForm& form, std::string_view zone, int16_t offset_minutes) {
  form.zone = {};
  std::copy_n(zone.begin(), std::min(zone.size(), form.zone.size()), form.zone.begin());
  form.offset_minutes = offset_minutes;
}

}  // namespace bobbin::csv
