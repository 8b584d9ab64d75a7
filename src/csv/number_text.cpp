// SPDX-License-Identifier: Apache-2.0
#include "csv/number_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <cstring>
#include <string>

#include "core/digits.hpp"
#include "core/value_text.hpp"
#include "core/wide_product.hpp"
#include "csv/spelling.hpp"

namespace bobbin::csv {
namespace {

constexpr size_t kLongestNumber = 400;
constexpr size_t kMostPlainDigits = 19;  // all numbers with as many digits fit 64 bits
constexpr size_t kMostFloatDigits = 17;  // of a double's shortest text
constexpr size_t kMostLongDigits = 40;   // of %.18g, with zeros after the point

// Eight bytes at a time: a byte is a digit if its upper half is 3, and is still 3 after 6 is added. What is
// carried into the next byte comes from one that is not a digit.
size_t count_digits(std::string_view text) {
  constexpr uint64_t kOnes = 0x0101'0101'0101'0101;
  constexpr uint64_t kThrees = 0x30 * kOnes;
  size_t count = 0;
  while (text.size() - count >= sizeof(uint64_t)) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + count, sizeof bytes);
    const uint64_t others = ((bytes ^ kThrees) | ((bytes + 6 * kOnes) ^ kThrees)) & (0xf0 * kOnes);
    if (others != 0) {
      return count + static_cast<size_t>(std::countr_zero(others)) / 8;
    }
    count += sizeof bytes;
  }
  while (count < text.size() && is_digit(text[count])) {
    ++count;
  }
  return count;
}

// The value of digits, read up to eight at a time.
class DigitSum {
 public:
  uint64_t value = 0;

  // The last `count` of eight characters.
  void add(uint64_t word, size_t count) {
    const size_t unused = 8 * (sizeof word - count);
    const uint64_t digits = (word ^ 0x3030'3030'3030'3030) >> unused << unused;
    others_ |= digits | (digits + 0x7676'7676'7676'7676);
    value = value * kPowersOfTen[count] + join_digits(digits);
  }
  // Whether all characters were digits.
  [[nodiscard]] bool is_number() const { return (others_ & 0x8080'8080'8080'8080) == 0; }

 private:
  uint64_t others_ = 0;
};

uint64_t load_eight(const char* text) {
  uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  return word;
}

// The position of the first point among eight characters, or eight.
size_t find_point(uint64_t word) {
  const uint64_t other = word ^ 0x2e2e'2e2e'2e2e'2e2e;  // 0 where there is a point
  const uint64_t points = (other - 0x0101'0101'0101'0101) & ~other & 0x8080'8080'8080'8080;
  return static_cast<size_t>(std::countr_zero(points)) / 8;
}

std::string_view take(std::string_view& text, size_t size) {
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

// "e5", "e+05" or "E-7".
bool take_exponent(std::string_view text, int& exponent) {
  text.remove_prefix(1);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return false;
    }
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  return error == std::errc{} && end == text.data() + text.size() && exponent > -1000 && exponent < 1000;
}

// The digits without zeros at either end: their number, the position of the first, and the power of ten above
// it.
struct Significand {
  size_t first = 0;
  size_t size = 0;
  int power = 0;
};

char digit_at(const NumberText& number, size_t i) {
  return i < number.whole.size() ? number.whole[i] : number.fraction[i - number.whole.size()];
}

Significand significand_of(const NumberText& number) {
  const size_t digits = number.num_digits();
  size_t first = 0;
  while (first < digits && digit_at(number, first) == '0') {
    ++first;
  }
  size_t end = digits;
  while (end > first && digit_at(number, end - 1) == '0') {
    --end;
  }
  const int power = static_cast<int>(number.whole.size()) + number.exponent - static_cast<int>(first);
  return {first, end - first, end > first ? power : 0};
}

bool same_number(const NumberText& a, const NumberText& b) {
  const Significand left = significand_of(a);
  const Significand right = significand_of(b);
  if (left.size != right.size || left.power != right.power) {
    return false;
  }
  for (size_t i = 0; i < left.size; ++i) {
    if (digit_at(a, left.first + i) != digit_at(b, right.first + i)) {
      return false;
    }
  }
  return true;
}

// Whether the value is the nearest double of no other number with as many digits after the point. Then its
// shortest text, which is one of these numbers, has the same digits. The doubles nearest to such numbers are
// farther apart than neighbouring doubles.
bool is_only_one(double value, size_t fraction_digits) {
  constexpr uint64_t kLeastExponent = 64;  // far from values without an exponent of their own
  constexpr uint32_t kFractionBits = 52;
  constexpr double kMargin = 1 + 1e-9;  // for the rounded unit
  const uint64_t exponent = std::bit_cast<uint64_t>(value) >> kFractionBits & 0x7ff;
  if (exponent < kLeastExponent || fraction_digits >= std::size(kPowersOfTen)) {
    return false;
  }
  const auto step = std::bit_cast<double>((exponent - kFractionBits) << kFractionBits);
  return step * kMargin * static_cast<double>(kPowersOfTen[fraction_digits]) < 1;
}

// 10^-digits times the power of two that makes it a number of 64 bits, rounded down.
constexpr auto kReciprocals = [] {
  std::array<uint64_t, kMostPlainDigits> all{};
  for (size_t digits = 1; digits < all.size(); ++digits) {
    const auto shift = static_cast<uint32_t>(63 + std::bit_width(kPowersOfTen[digits]));
    all[digits] = static_cast<uint64_t>((Int128{1} << shift) / static_cast<Int128>(kPowersOfTen[digits]));
  }
  return all;
}();

// The double nearest to number / 10^digits, unless that is hard to tell.
bool multiply_reciprocal(uint64_t number, size_t digits, double& nearest) {
  constexpr uint64_t kRest = 2047;  // bits of a product of 64 bits that a double has no room for
  const auto zeros = static_cast<uint32_t>(std::countl_zero(number));
  const uint64_t product = multiply_high(number << zeros, kReciprocals[digits]);
  // The exact product is larger, by less than 2. Only from values close to the middle of two doubles might
  // that lead to another one.
  const uint64_t rest = product >> 63 != 0 ? product & kRest : 2 * product & kRest;
  if (rest - (kRest / 2 - 1) < 4) {
    return false;
  }
  const auto exponent =
      1024 - zeros - static_cast<uint32_t>(std::bit_width(kPowersOfTen[digits]));  // of the product's unit
  nearest = static_cast<double>(product) * std::bit_cast<double>(uint64_t{exponent} << 52);
  return true;
}

// Whether all other numbers with as many digits after the point are beyond the middle between `nearest`, the
// double nearest to number / 10^digits, and the next double. As with is_only_one(), its shortest text has the
// number's digits then. Exact, for values from 2^-11 to 2^52: most numbers of 16 digits between 0.5 and 1,
// which are about as close as doubles, pass.
bool is_far_from_others(uint64_t number, size_t digits, double nearest) {
  constexpr uint64_t kMantissa = uint64_t{1} << 52;
  const auto bits = std::bit_cast<uint64_t>(nearest);
  const uint64_t halvings = 1023 + 52 - bits / kMantissa;  // of the mantissa, as an integer
  assert(halvings - 1 < 63);
  // All distances times 2^halvings and 10^digits, so that they are integers. Terms may exceed 64 bits, but
  // their difference does not.
  const uint64_t between_numbers = uint64_t{1} << halvings;
  const uint64_t to_middle = kPowersOfTen[digits] / 2;
  const uint64_t units = bits % kMantissa + kMantissa;
  const uint64_t above = (number << halvings) - units * kPowersOfTen[digits];
  const uint64_t distance = std::min(above, 0 - above);
  return to_middle + distance < between_numbers;
}

// The double nearest to number / 10^digits, if its shortest text is known to have the number's digits. At
// most seven of them are before the point, and 18 after it.
bool divide(uint64_t number, size_t digits, double& nearest) {
  if (number >= kPowersOfTen[kFloatDigits]) {
    return multiply_reciprocal(number, digits, nearest) && is_far_from_others(number, digits, nearest);
  }
  // Both fit 53 bits, so that the division rounds as it should.
  nearest = static_cast<double>(static_cast<int64_t>(number)) / static_cast<double>(kPowersOfTen[digits]);
  return true;
}

// Whether a double's shortest text has the number's digits, of which there are not too many for a double.
bool has_shortest_digits(const NumberText& number, double value) {
  const Significand digits = significand_of(number);
  if (digits.size == 0 || value == 0) {
    return digits.size == 0 && value == 0;
  }
  char all[kMostFloatDigits + 1];
  std::ranges::copy(number.fraction, std::ranges::copy(number.whole, all).out);
  char printed[kMaxValueText];  // d.ddde+05
  const char* const end = std::to_chars(printed, printed + kMaxValueText, value < 0 ? -value : value,
                                        std::chars_format::scientific)
                              .ptr;
  const std::string_view text(printed, static_cast<size_t>(end - printed));
  const std::string_view own(all + digits.first, digits.size);
  const size_t exponent = own.size() + (own.size() > 1 ? 1 : 0);
  int power = 0;
  return exponent < text.size() && text[0] == own[0] && text[exponent] == 'e' &&
         text.substr(std::min<size_t>(2, exponent), own.size() - 1) == own.substr(1) &&
         take_exponent(text.substr(exponent), power) && power == digits.power - 1;
}

bool prints_as(std::string_view text) {
  double value = 0;
  if (parse_double(text, value) != TextError::none) {
    return false;
  }
  char printed[kMaxValueText];
  const char* const end = std::to_chars(printed, printed + kMaxValueText, value).ptr;
  return text == std::string_view(printed, static_cast<size_t>(end - printed));
}

// 120, 12.5 or 0.05: digits before the point, and only the necessary ones after it.
struct PlainForm {
  size_t whole = 0;
  size_t fraction = 0;

  [[nodiscard]] size_t size() const { return whole + (fraction > 0 ? 1 + fraction : 0); }
};

PlainForm plain_form(const Significand& digits) {
  const auto size = static_cast<int>(digits.size);
  return {static_cast<size_t>(std::max(digits.power, 1)),
          static_cast<size_t>(std::max(0, size - digits.power))};
}

bool is_plain(const NumberText& number, const PlainForm& form) {
  return number.exponent_text.empty() && number.whole.size() == form.whole &&
         number.fraction.size() == form.fraction && number.has_point == (form.fraction > 0);
}

// The same without a zero before the point: .05
bool is_bare(const NumberText& number, const Significand& digits, const PlainForm& form) {
  return digits.power > 0 ? is_plain(number, form)
                          : number.exponent_text.empty() && number.whole.empty() &&
                                number.fraction.size() == form.fraction;
}

// 96.0
bool is_plain_with_zero(const NumberText& number, const PlainForm& form) {
  return number.exponent_text.empty() && number.whole.size() == form.whole && form.fraction == 0 &&
         number.fraction == "0";
}

// 1.25e-07: one digit, the others, and an exponent with its sign and at least two digits.
bool is_scientific(const NumberText& number, const Significand& digits) {
  const std::string_view exponent = number.exponent_text;
  return exponent.size() == (number.exponent > 99 || number.exponent < -99 ? 5 : 4) && exponent[0] == 'e' &&
         exponent[1] == (number.exponent < 0 ? '-' : '+') && number.whole.size() == 1 && digits.first == 0 &&
         number.fraction.size() == digits.size - 1 && number.has_point == (digits.size > 1);
}

size_t scientific_size(const Significand& digits) {
  const bool long_exponent = digits.power - 1 > 99 || digits.power - 1 < -99;
  return digits.size + (digits.size > 1 ? 1 : 0) + (long_exponent ? 5 : 4);
}

// A form such as %.17g.
std::string_view print_digits(double value, Spelling::Number form, char (&printed)[kMaxValueText]) {
  const char* const end = std::to_chars(printed, printed + kMaxValueText, value, std::chars_format::general,
                                        significant_digits(form))
                              .ptr;
  return {printed, static_cast<size_t>(end - printed)};
}

// Those of a number of at least 0.001 without a zero at the end: all but those of many digits, if the zero
// before the point is as the form wants it.
uint8_t forms_of_usual(const PlainDecimal& number) {
  constexpr uint8_t kBare = bit_of(Spelling::Number::bare);
  constexpr uint8_t kWithZero = bit_of(Spelling::Number::canonical) | bit_of(Spelling::Number::trimmed) |
                                bit_of(Spelling::Number::point);
  return number.bare ? kBare : (number.whole_digits > 0 ? kWithZero | kBare : kWithZero);
}

uint8_t zero_forms(const NumberText& number) {
  if (number.whole != "0" || !number.exponent_text.empty()) {
    return 0;
  }
  const bool bare = !number.has_point;
  return static_cast<uint8_t>((bare ? bit_of(Spelling::Number::canonical) |
                                          bit_of(Spelling::Number::trimmed) | bit_of(Spelling::Number::bare)
                                    : 0) |
                              (number.fraction == "0" ? bit_of(Spelling::Number::point) : 0));
}

}  // namespace

bool NumberText::is_zero() const {
  return whole.find_first_not_of('0') == std::string_view::npos &&
         fraction.find_first_not_of('0') == std::string_view::npos;
}

NumberText take_number_apart(std::string_view text) {
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
  if (text.starts_with('e') || text.starts_with('E')) {
    number.exponent_text = text;
    if (!take_exponent(text, number.exponent)) {
      return number;
    }
    text = {};
  }
  const bool zeros_in_front = number.whole.size() > 1 && number.whole.front() == '0';
  number.valid = text.empty() && !zeros_in_front && number.num_digits() > 0;
  return number;
}

bool read_plain(std::string_view text, PlainDecimal& number) {
  constexpr size_t kLeastCharacters = 3;
  if (text.size() < kLeastCharacters) {
    return false;
  }
  const size_t sign = text.front() == '-' ? 1 : 0;  // no branch: half of all values may be negative
  const char* const begin = text.data() + sign;
  const size_t digits = text.size() - 1 - sign;
  const uint64_t word = load_eight(begin);
  const size_t point = find_point(word);
  const size_t fraction = digits - point;  // wraps around if the point is after the text
  const bool below_one = *begin == '0';
  if (digits > kMostPlainDigits || fraction - 1 >= kMostPlainDigits - 1 || point == sizeof word ||
      (below_one && point != 1)) {
    return false;
  }
  const uint64_t before = (uint64_t{1} << (8 * point)) - 1;
  const uint64_t first = (word & before) | (load_eight(begin + 1) & ~before);  // without the point
  DigitSum sum;
  if (digits <= sizeof word) {
    sum.add(first << (8 * (sizeof word - digits)), digits);
  } else {
    sum.add(first, sizeof word);
    if (digits > 2 * sizeof word) {
      sum.add(load_eight(begin + 1 + sizeof word), sizeof word);
    }
    sum.add(load_eight(begin + 1 + digits - sizeof word), (digits - 1) % sizeof word + 1);
  }
  double size = 0;
  if (!sum.is_number() || sum.value == 0 || !divide(sum.value, fraction, size)) {
    return false;
  }
  number.value = std::bit_cast<double>(std::bit_cast<uint64_t>(size) | uint64_t{sign} << 63);
  number.bare = point == 0;
  number.whole_digits = below_one ? 0 : point;
  number.fraction_digits = fraction;
  number.forms = text.back() != '0' && size >= 0.001 ? forms_of_usual(number) : uint8_t{0};
  return true;
}

bool has_few_digits(const NumberText& number) {
  return number.exponent > -200 && number.exponent < 200 &&
         (number.num_digits() <= kFloatDigits ||
          (number.num_digits() <= kMostLongDigits && significand_of(number).size <= kFloatDigits));
}

bool comes_back(const NumberText& number, std::string_view text) {
  if (has_few_digits(number)) {
    return true;
  }
  double value = 0;
  if (parse_double(text, value) != TextError::none) {
    return false;
  }
  return comes_back(number, value);
}

bool comes_back(const NumberText& number, double value) {
  if (number.exponent_text.empty() && is_only_one(value, number.fraction.size())) {
    return true;
  }
  if (number.num_digits() <= kMostFloatDigits + 1) {
    return has_shortest_digits(number, value);
  }
  // An integer with more digits than a double's shortest text may be the exact value of the double.
  char printed[kMaxValueText];
  const char* const end = std::to_chars(printed, printed + kMaxValueText, value).ptr;
  return same_number(take_number_apart({printed, static_cast<size_t>(end - printed)}), number);
}

uint8_t float_forms(const NumberText& number, std::string_view text) {
  constexpr int kMostPower = 15;    // up to here a double's integer digits are its shortest ones
  constexpr int kLeastPower = -18;  // as many zeros after the point as a value's text has room for
  if (number.is_zero()) {
    return zero_forms(number);
  }
  const Significand digits = significand_of(number);
  const PlainForm form = plain_form(digits);
  const bool plain = is_plain(number, form);
  const bool scientific = is_scientific(number, digits);
  const bool fits_plain = digits.power >= kLeastPower && digits.power <= kMostPower;
  const bool shorter_plain = form.size() <= scientific_size(digits);
  const bool canonical = digits.power > kMostPower ? prints_as(text) : (shorter_plain ? plain : scientific);
  const bool python_plain = digits.power > -4 && digits.power <= kMostPower + 1;
  const bool python =
      python_plain ? (form.fraction > 0 ? plain : is_plain_with_zero(number, form)) : scientific;
  return static_cast<uint8_t>(
      (canonical ? bit_of(Spelling::Number::canonical) : 0) |
      (plain && fits_plain ? bit_of(Spelling::Number::trimmed) : 0) |
      (is_bare(number, digits, form) && fits_plain ? bit_of(Spelling::Number::bare) : 0) |
      (python ? bit_of(Spelling::Number::point) : 0));
}

uint8_t long_forms(const NumberText& number, std::string_view text, uint8_t forms) {
  if (number.exponent_text.empty() && !number.has_point && number.whole.size() <= kFloatDigits) {
    return kLongForms;  // an integer, in any of them
  }
  double value = 0;
  if (number.num_digits() > kMostLongDigits || parse_double(text, value) != TextError::none) {
    return 0;
  }
  uint8_t found = 0;
  for (const Spelling::Number form :
       {Spelling::Number::digits16, Spelling::Number::digits17, Spelling::Number::digits18}) {
    if ((forms & bit_of(form)) == 0) {
      continue;
    }
    char printed[kMaxValueText];
    if (text == print_digits(value, form, printed)) {
      found = static_cast<uint8_t>(found | bit_of(form));
    }
  }
  return found;
}

bool has_long_digits(const NumberText& number, std::string_view text) {
  double value = 0;
  if (number.num_digits() > kMostLongDigits || parse_double(text, value) != TextError::none) {
    return false;
  }
  for (const Spelling::Number form :
       {Spelling::Number::digits16, Spelling::Number::digits17, Spelling::Number::digits18}) {
    char printed[kMaxValueText];
    const std::string_view other = print_digits(value, form, printed);
    if (same_number(take_number_apart(other), number)) {
      return true;
    }
  }
  return false;
}

bool read_few_digits(const NumberText& number, double& value) {
  constexpr int kMostPower = 19;  // 5 to that power is below 2^53
  const int power = number.exponent - static_cast<int>(number.fraction.size());
  if (power < -kMostPower || power > kMostPower || number.whole.empty() ||
      number.has_point == number.fraction.empty() || number.num_digits() > kFloatDigits) {
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

}  // namespace bobbin::csv
