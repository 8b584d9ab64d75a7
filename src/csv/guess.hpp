// SPDX-License-Identifier: Apache-2.0
// The type of a column from the texts of its values. Each value rules types out; what is left when all were
// seen, the plainest first, is the column's type. So the order of the values does not matter, and a type that
// fits all values and was the guess from some of them is also the guess from all.
//
// A type fits a text when the value, printed again, is equal to it: "007", "+5" and "-0" are no numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "bobbin/types.hpp"
#include "core/digits.hpp"
#include "core/value_text.hpp"

namespace bobbin::csv {

// An integer of one to eight digits, which most are. Reads eight bytes, whatever the text's size: those
// behind a scanner's field are there, and so are those behind the first byte of a string.
[[nodiscard]] inline bool read_short(std::string_view text, uint64_t& value) {
  if (text.size() - 1 >= 8) {
    return false;
  }
  uint64_t word = 0;
  std::memcpy(&word, text.data(), sizeof word);
  const size_t unused = 8 * (8 - text.size());
  word = word << unused | (0x3030'3030'3030'3030 & ((uint64_t{1} << unused) - 1));
  value = value_of_digits(word);
  return all_digits(word);
}

class Guess {
 public:
  // A value that is not null, of a scanner's field or a string.
  void add(std::string_view text);
  // A column that has seen nothing but nulls is of type utf8, and `known()` is false.
  [[nodiscard]] ColumnType type() const;
  [[nodiscard]] bool known() const { return seen_; }
  // Nothing more can be ruled out but that text is UTF-8.
  [[nodiscard]] bool is_text() const { return seen_ && (fits_ & ~kUtf8) == 0; }

 private:
  enum Fit : uint32_t {
    kBoolean = 1,
    kSigned = 2,
    kUnsigned = 4,
    kDecimal = 8,
    kFloat = 16,
    kDate = 32,
    kTimestamp = 64,
    kUtf8 = 128
  };

  [[nodiscard]] bool add_short(std::string_view text);
  [[nodiscard]] uint32_t look_at_number(std::string_view text);
  [[nodiscard]] uint32_t look_at_words(std::string_view text) const;
  [[nodiscard]] uint32_t look_at_time(std::string_view text);

  uint32_t fits_ = ~uint32_t{0};
  bool seen_ = false;
  bool outside_ns_ = false;      // a timestamp that nanoseconds do not reach
  uint8_t whole_digits_ = 0;     // the most before a decimal point,
  uint8_t scale_ = 0;            // behind it,
  uint8_t fraction_digits_ = 0;  // and behind a timestamp's
};

// The strict readers: only texts that fit the type in the sense above.
[[nodiscard]] bool read_long_signed(std::string_view text, int64_t& value);
[[nodiscard]] inline bool read_signed(std::string_view text, int64_t& value) {
  const bool negative = text.starts_with('-');
  uint64_t digits = 0;
  if (read_short(text.substr(negative ? 1 : 0), digits)) {
    value = static_cast<int64_t>(negative ? 0 - digits : digits);
    return text[negative ? 1 : 0] != '0' || text.size() == 1;
  }
  return read_long_signed(text, value);
}
[[nodiscard]] bool read_unsigned(std::string_view text, uint64_t& value);
[[nodiscard]] bool read_decimal(std::string_view text, uint8_t scale, int64_t& value);
[[nodiscard]] bool read_double(std::string_view text, double& value);
[[nodiscard]] bool read_date(std::string_view text, int32_t& days);
[[nodiscard]] bool read_timestamp(std::string_view text, Logical::Unit unit, int64_t& value);

}  // namespace bobbin::csv
