// SPDX-License-Identifier: Apache-2.0
// The parts of a number's text, and the forms in which a double would be written as exactly that text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bobbin::csv {

inline constexpr size_t kDecimalDigits = 18;  // any number of 18 digits fits 64 bits
inline constexpr size_t kFloatDigits = 15;    // any decimal of 15 digits round-trips through a double

// Sign, digits, point, digits, exponent; without leading zeros, which printed numbers do not have.
struct NumberText {
  bool valid = false;
  bool negative = false;
  bool has_point = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view exponent_text;  // "e+05"
  int exponent = 0;

  [[nodiscard]] size_t num_digits() const { return whole.size() + fraction.size(); }
  [[nodiscard]] bool is_zero() const;
};

[[nodiscard]] NumberText take_number_apart(std::string_view text);

// The usual number with a point, read in a few instructions: up to seven digits before the point, some after
// it, 19 at most, not zero. The nearest double, printed, has its digits.
struct PlainDecimal {
  bool bare = false;        // ".5", and not "0.5"
  size_t whole_digits = 0;  // 0 for "0.5"
  size_t fraction_digits = 0;
  double value = 0;
  uint8_t forms = 0;  // as of float_forms(), or 0 where finding them takes longer
};
// From a scanner's field or a string: reads ten bytes, whatever the text's size.
[[nodiscard]] bool read_plain(std::string_view text, PlainDecimal& number);

// Whether the nearest double, printed, has the text's digits. Few digits always round-trip.
[[nodiscard]] bool has_few_digits(const NumberText& number);
[[nodiscard]] bool comes_back(const NumberText& number, std::string_view text);
// The same for a number with more digits, and the double nearest to it.
[[nodiscard]] bool comes_back(const NumberText& number, double value);

// The forms in which a double that comes_back() is written as this text: bits of 1 << Spelling::Number.
[[nodiscard]] uint8_t float_forms(const NumberText& number, std::string_view text);

// Those of %.16g, %.17g and %.18g among `forms` in which the nearest double is written as this text.
[[nodiscard]] uint8_t long_forms(const NumberText& number, std::string_view text, uint8_t forms);
inline constexpr uint8_t kLongForms = 7 << 4;

// Whether the nearest double, printed with 16, 17 or 18 digits, has the text's digits, whatever the form.
[[nodiscard]] bool has_long_digits(const NumberText& number, std::string_view text);

// The double nearest to the text, if a single multiplication or division is enough.
[[nodiscard]] bool read_few_digits(const NumberText& number, double& value);

}  // namespace bobbin::csv
