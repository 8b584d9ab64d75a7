// SPDX-License-Identifier: Apache-2.0
#include "csv/guess.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "core/calendar.hpp"
#include "core/digits.hpp"
#include "file/text.hpp"

namespace bobbin::csv {
namespace {

constexpr size_t kDecimalDigits = 18;  // any number of so many fits 64 bits
constexpr size_t kFloatDigits = 15;    // any decimal of so many comes back from a double
constexpr size_t kLongestNumber = 400;

// A number's text: sign, digits, point, digits, exponent.
struct NumberText {
  bool valid = false;
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  bool has_point = false;
  bool has_exponent = false;
  int exponent = 0;
};

size_t count_digits(std::string_view text) {
  size_t count = 0;
  while (count < text.size() && is_digit(text[count])) {
    ++count;
  }
  return count;
}

std::string_view take(std::string_view& text, size_t size) {
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

bool take_exponent(std::string_view text, int& exponent) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return false;
    }
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  return error == std::errc{} && end == text.data() + text.size() && exponent > -1000 && exponent < 1000;
}

NumberText take_apart(std::string_view text) {
  NumberText number;
  if (text.size() > kLongestNumber) {
    return number;
  }
  number.negative = text.starts_with('-');
  text.remove_prefix(number.negative ? 1 : 0);
  number.whole = take(text, count_digits(text));
  number.has_point = text.starts_with('.');
  if (number.has_point) {
    text.remove_prefix(1);
    number.fraction = take(text, count_digits(text));
  }
  number.has_exponent = text.starts_with('e') || text.starts_with('E');
  if (number.has_exponent) {
    text.remove_prefix(1);
    if (!take_exponent(text, number.exponent)) {
      return number;
    }
    text = {};
  }
  const bool zeros_in_front = number.whole.size() > 1 && number.whole.front() == '0';
  number.valid = text.empty() && !zeros_in_front && number.whole.size() + number.fraction.size() > 0;
  return number;
}

// The digits without zeros at either end, and the power of ten of the first one.
struct Significand {
  std::string digits;
  int power = 0;

  friend bool operator==(const Significand&, const Significand&) = default;
};

Significand significand_of(const NumberText& number) {
  Significand result{std::string(number.whole) + std::string(number.fraction),
                     static_cast<int>(number.whole.size()) + number.exponent};
  const size_t first = std::min(result.digits.find_first_not_of('0'), result.digits.size());
  result.digits.erase(0, first);
  result.power -= static_cast<int>(first);
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  return result.digits.empty() ? Significand{} : result;
}

// Whether a double, printed, is the text's number. Few digits always come back.
bool comes_back(const NumberText& number, std::string_view text) {
  const size_t digits = number.whole.size() + number.fraction.size();
  if (digits <= kFloatDigits && number.exponent > -200 && number.exponent < 200) {
    return true;
  }
  double value = 0;
  if (parse_double(text, value) != TextError::none) {
    return false;
  }
  char printed[kMaxValueText];
  const char* const end = std::to_chars(printed, printed + kMaxValueText, value).ptr;
  return significand_of(take_apart({printed, end})) == significand_of(number);
}

// Few digits are a whole number that a double holds, and so is a power of ten: their product or quotient is
// the double nearest to the text's number.
bool read_few_digits(const NumberText& number, double& value) {
  constexpr int kMostPower = 19;  // 5 to that power is below 2^53
  const int power = number.exponent - static_cast<int>(number.fraction.size());
  if (power < -kMostPower || power > kMostPower || number.whole.empty() ||
      number.has_point == number.fraction.empty() ||
      number.whole.size() + number.fraction.size() > kFloatDigits) {
    return false;
  }
  uint64_t digits = 0;
  for (const std::string_view part : {number.whole, number.fraction}) {
    for (const char c : part) {
      digits = 10 * digits + static_cast<uint64_t>(c - '0');
    }
  }
  const auto scale = static_cast<double>(kPowersOfTen[power < 0 ? -power : power]);
  value = power < 0 ? static_cast<double>(digits) / scale : static_cast<double>(digits) * scale;
  value = number.negative ? -value : value;
  return true;
}

bool is_minus_zero(const NumberText& number) {
  return number.negative && number.whole.find_first_not_of('0') == std::string_view::npos &&
         number.fraction.find_first_not_of('0') == std::string_view::npos;
}

// "0" does not count: a decimal of scale 18 may be 0.123456789012345678.
size_t whole_digits(std::string_view whole) {
  return whole == "0" ? 0 : whole.size();
}

// "0" or "-0.5".
bool value_is_below_one(std::string_view text) {
  return text[text.starts_with('-') ? 1 : 0] == '0';
}

// Four digits, and not the year 0.
bool is_plain_date(std::string_view text) {
  return text.size() >= 10 && text[4] == '-' && is_digit(text[0]) && text.substr(0, 4) != "0000";
}

}  // namespace

bool read_long_signed(std::string_view text, int64_t& value) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || (digits.front() == '0' && (digits.size() > 1 || negative)) || digits.front() == '+') {
    return false;
  }
  return parse_signed(text, value) == TextError::none;
}

bool read_unsigned(std::string_view text, uint64_t& value) {
  if (text.empty() || !is_digit(text.front()) || (text.front() == '0' && text.size() > 1)) {
    return false;
  }
  return parse_unsigned(text, value) == TextError::none;
}

bool read_decimal(std::string_view text, uint8_t scale, int64_t& value) {
  const bool negative = text.starts_with('-');
  std::string_view whole = text.substr(negative ? 1 : 0);
  const size_t point = whole.find('.');
  const size_t fraction = point == std::string_view::npos ? 0 : whole.size() - point - 1;
  whole = whole.substr(0, point);
  if (whole.empty() || fraction > scale || (whole.front() == '0' && whole.size() > 1) ||
      whole.front() == '+' || whole_digits(whole) + scale > kDecimalDigits) {
    return false;
  }
  return parse_decimal(text, scale, value) == TextError::none && !(negative && value == 0);
}

bool read_double(std::string_view text, double& value) {
  if (text == "nan" || text == "inf" || text == "-inf") {
    return parse_double(text, value) == TextError::none;
  }
  const NumberText number = take_apart(text);
  if (!number.valid || text == "-0") {
    return false;
  }
  return read_few_digits(number, value) ||
         (comes_back(number, text) && parse_double(text, value) == TextError::none);
}

bool read_date(std::string_view text, int32_t& days) {
  return is_plain_date(text) && parse_date(text, days) == TextError::none;
}

bool read_timestamp(std::string_view text, Logical::Unit unit, int64_t& value) {
  return is_plain_date(text) && parse_timestamp(text, unit, value) == TextError::none;
}

uint32_t Guess::look_at_number(std::string_view text) {
  const NumberText number = take_apart(text);
  if (!number.valid || text == "-0") {
    return 0;
  }
  uint32_t fits = 0;
  const bool plain =
      !number.has_exponent && !number.whole.empty() && number.has_point == !number.fraction.empty();
  if (plain && !number.has_point) {
    int64_t small = 0;
    uint64_t large = 0;
    fits |= read_signed(text, small) ? uint32_t{kSigned} : 0;
    fits |= read_unsigned(text, large) ? uint32_t{kUnsigned} : 0;
  }
  if (plain && !is_minus_zero(number) && number.fraction.size() <= kDecimalDigits &&
      number.whole.size() <= kDecimalDigits) {
    whole_digits_ = std::max(whole_digits_, static_cast<uint8_t>(whole_digits(number.whole)));
    scale_ = std::max(scale_, static_cast<uint8_t>(number.fraction.size()));
    fits |= whole_digits_ + scale_ <= static_cast<int>(kDecimalDigits) ? uint32_t{kDecimal} : 0;
  }
  if ((fits_ & kFloat) != 0 && comes_back(number, text)) {
    fits |= kFloat;
  }
  return fits;
}

uint32_t Guess::look_at_words(std::string_view text) const {
  uint8_t truth = 0;
  if ((fits_ & kBoolean) != 0 && parse_boolean(text, truth) == TextError::none) {
    return kBoolean;
  }
  return text == "nan" || text == "inf" || text == "-inf" ? uint32_t{kFloat} : 0;
}

uint32_t Guess::look_at_time(std::string_view text) {
  int32_t days = 0;
  int64_t value = 0;
  if (!is_plain_date(text)) {
    return 0;
  }
  if (text.size() == 10) {
    return parse_date(text, days) == TextError::none ? uint32_t{kDate} : 0;
  }
  const size_t point = text.find('.');
  const size_t digits = point == std::string_view::npos ? 0 : text.size() - point - 1;
  if (digits > 9) {
    return 0;
  }
  // Checked to the second, so that nanoseconds' narrow range is a matter of the column as a whole.
  const std::string_view second = text.substr(0, point);
  const std::string_view fraction = text.substr(second.size());
  if (parse_timestamp(second, Logical::Unit::seconds, value) != TextError::none ||
      (!fraction.empty() && (digits == 0 || count_digits(fraction.substr(1)) != digits))) {
    return 0;
  }
  outside_ns_ = outside_ns_ || value < -9'223'372'036 || value >= 9'223'372'036;
  fraction_digits_ = std::max(fraction_digits_, static_cast<uint8_t>(digits));
  return fraction_digits_ > 6 && outside_ns_ ? 0 : uint32_t{kTimestamp};
}

// The common cases: a short integer, or a short decimal, where all were such. Their digits are few enough for
// a double.
bool Guess::add_short(std::string_view text) {
  if ((fits_ & kDecimal) == 0 || text.size() > kFloatDigits) {
    return false;
  }
  int64_t value = 0;
  uint32_t fits = kDecimal | kFloat | kUtf8;
  size_t whole = text.size();
  if (read_signed(text, value)) {
    fits |= kSigned | (value < 0 ? 0 : uint32_t{kUnsigned});
  } else {
    whole = text.find('.');
    const size_t fraction = whole < text.size() ? text.size() - whole - 1 : 0;
    if (fraction == 0 || !read_decimal(text, static_cast<uint8_t>(fraction), value)) {
      return false;
    }
    scale_ = std::max(scale_, static_cast<uint8_t>(fraction));
  }
  whole -= text.starts_with('-') ? 1 : 0;
  whole_digits_ =
      std::max(whole_digits_, static_cast<uint8_t>(whole == 1 && value_is_below_one(text) ? 0 : whole));
  fits_ &= whole_digits_ + scale_ <= static_cast<int>(kDecimalDigits) ? fits : fits & ~uint32_t{kDecimal};
  return true;
}

void Guess::add(std::string_view text) {
  seen_ = true;
  if (add_short(text)) {
    return;
  }
  if ((fits_ & ~uint32_t{kUtf8}) == 0) {
    fits_ &= file::is_utf8(text) ? uint32_t{kUtf8} : 0;
    return;
  }
  uint32_t fits = 0;
  constexpr uint32_t kNumbers = kSigned | kUnsigned | kDecimal | kFloat;
  if ((fits_ & kNumbers) != 0) {
    fits |= look_at_number(text);
  }
  if (fits == 0 && (fits_ & (kBoolean | kFloat)) != 0) {
    fits |= look_at_words(text);
  }
  if (fits == 0 && (fits_ & (kDate | kTimestamp)) != 0) {
    fits |= look_at_time(text);
  }
  // What is anything of these is ASCII.
  fits |= fits != 0 || file::is_utf8(text) ? uint32_t{kUtf8} : 0;
  fits_ &= fits;
}

ColumnType Guess::type() const {
  if (!seen_) {
    return {DType::utf8};
  }
  if ((fits_ & kBoolean) != 0) {
    return {DType::u8, {.kind = Logical::Kind::boolean}};
  }
  if ((fits_ & kSigned) != 0) {
    return {DType::i64};
  }
  if ((fits_ & kUnsigned) != 0) {
    return {DType::u64};
  }
  if ((fits_ & kDecimal) != 0) {
    return {DType::i64, {.kind = Logical::Kind::decimal, .scale = scale_}};
  }
  if ((fits_ & kFloat) != 0) {
    return {DType::f64};
  }
  if ((fits_ & kDate) != 0) {
    return {DType::i32, {.kind = Logical::Kind::date}};
  }
  if ((fits_ & kTimestamp) != 0) {
    const auto unit = static_cast<Logical::Unit>((fraction_digits_ + 2) / 3);
    return {DType::i64, {.kind = Logical::Kind::timestamp, .unit = unit}};
  }
  return {(fits_ & kUtf8) != 0 ? DType::utf8 : DType::binary};
}

}  // namespace bobbin::csv
