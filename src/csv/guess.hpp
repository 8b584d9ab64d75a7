// SPDX-License-Identifier: Apache-2.0
// The type of a column from the texts of its values. Each value rules types out; what is left when all were
// seen, the plainest first, is the column's type. So the order of the values does not matter, and a type that
// fits all values and was the guess from some of them is also the guess from all. The same holds for the form
// in which the values are written (Spelling).
//
// A type fits a text when the value, printed again, is equal to it: "007", "+5" and "-0" are not numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/types.hpp"
#include "core/digits.hpp"
#include "core/value_text.hpp"
#include "csv/spelling.hpp"

namespace bobbin::csv {

// An integer of one to eight digits, which most are. Reads eight bytes, whatever the text's size: those
// after a scanner's field are there, and so are those after the first byte of a string.
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

struct NumberText;

class Guess {
 public:
  // A value that no other type than text has, while others of the column have one.
  struct Misfit {
    std::string text;
    bool quoted = false;
    uint64_t line = 0;
  };

  // A value that is not null, of a scanner's field or a string. True: it is a misfit that was not known yet,
  // and the last one of misfits().
  bool add(std::string_view text);
  // A column that has seen nothing but nulls is of type utf8.
  [[nodiscard]] ColumnType type() const;
  [[nodiscard]] Spelling spelling() const;
  // Another value may change the type to one that does not fit the values seen so far only.
  [[nodiscard]] bool settled() const { return seen_ && !waits_for_other_word(); }
  // Nothing more can be ruled out but that text is UTF-8.
  [[nodiscard]] bool is_text() const { return given_up_; }

  // The first few texts that made a column text, where most of its values are of another type.
  [[nodiscard]] bool is_text_by_misfits() const;
  [[nodiscard]] bool has_more_misfits() const { return given_up_; }
  [[nodiscard]] const std::vector<Misfit>& misfits() const { return misfits_; }
  [[nodiscard]] Misfit& last_misfit() { return misfits_.back(); }
  // The type of the other values.
  [[nodiscard]] ColumnType regular_type() const;

 private:
  enum Fit : uint32_t {
    kBoolean = 1,
    kSigned = 2,
    kUnsigned = 4,
    kDecimal = 8,
    kFloat = 16,
    kDate = 32,
    kTimestamp = 64,
    kTime = 128,
    kLongFloat = 256  // a double by %.17g or so, though not by its shortest text
  };

  [[nodiscard]] uint32_t look_at_short(std::string_view text);
  [[nodiscard]] bool add_misfit(std::string_view text);
  void see_fraction(std::string_view fraction);
  [[nodiscard]] uint32_t look_at_float(const NumberText& number, std::string_view text);
  [[nodiscard]] uint32_t look_at_number(std::string_view text);
  [[nodiscard]] uint32_t look_at_words(std::string_view text);
  [[nodiscard]] uint32_t look_at_boolean(std::string_view text);
  [[nodiscard]] uint32_t look_at_time(std::string_view text);
  [[nodiscard]] bool see_zone(const TimeParts& parts);
  void see_time_form(const TimeParts& parts);
  [[nodiscard]] bool waits_for_other_word() const;
  [[nodiscard]] bool prefers_float() const;
  [[nodiscard]] bool decimals_are_mixed() const;
  [[nodiscard]] Spelling boolean_spelling() const;
  [[nodiscard]] Spelling decimal_spelling() const;
  [[nodiscard]] Spelling float_spelling() const;
  [[nodiscard]] Spelling date_spelling() const;
  [[nodiscard]] Spelling time_spelling(Logical::Unit unit) const;

  uint32_t fits_ = ~uint32_t{0};
  bool seen_ = false;
  bool utf8_ = true;
  bool given_up_ = false;  // too many misfits: the column is text
  uint64_t regular_ = 0;   // values that are not misfits
  uint64_t irregular_ = 0;
  std::vector<Misfit> misfits_;

  // Numbers.
  uint8_t whole_digits_ = 0;       // the most before a decimal point,
  uint8_t scale_ = 0;              // after it,
  uint8_t least_fraction_ = 0xff;  // and the fewest
  bool trimmed_ = true;            // no zeros at the end of a fraction
  bool point_ = true;              // none but ".0", and all have a point
  uint8_t float_forms_ = 0xff;     // as float_forms() and long_forms()
  uint8_t nan_words_ = 0;          // bits, by kNanWords
  uint8_t infinity_words_ = 0;

  // Booleans.
  uint16_t boolean_words_ = 0;  // bits, by kBooleanWords
  bool seen_yes_ = false;
  bool seen_no_ = false;

  // Times.
  bool outside_ns_ = false;  // a timestamp that nanoseconds do not reach
  bool seen_zone_ = false;
  bool dash_ = false;  // between year, month and day
  bool slash_ = false;
  bool blank_ = false;  // between day and hour
  bool letter_ = false;
  bool with_seconds_ = false;
  bool without_seconds_ = false;
  bool trimmed_seconds_ = true;
  uint8_t fraction_digits_ = 0;  // the most of a second,
  uint8_t least_digits_ = 0xff;  // and the fewest
  TimeForm zone_;                // of which only the zone counts
};

// The strict readers: only texts that fit the type in the sense above, in the column's spelling.
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
[[nodiscard]] bool read_double(std::string_view text, const Spelling& spelling, double& value);
[[nodiscard]] bool read_boolean(std::string_view text, const Spelling& spelling, uint8_t& value);
[[nodiscard]] bool read_date(std::string_view text, const Spelling& spelling, int32_t& days);
[[nodiscard]] bool read_timestamp(std::string_view text, Logical::Unit unit, const Spelling& spelling,
                                  int64_t& value);
[[nodiscard]] bool read_time(std::string_view text, Logical::Unit unit, const Spelling& spelling,
                             int64_t& value);

// The digits after the point that a decimal's spelling asks for.
class FractionRule {
 public:
  FractionRule(const Spelling& spelling, uint8_t scale)
      : least_(spelling.mixed                                   ? 0
               : spelling.number == Spelling::Number::canonical ? scale
               : spelling.number == Spelling::Number::point     ? 1
                                                                : 0),
        no_zeros_(!spelling.mixed && spelling.number != Spelling::Number::canonical) {}

  // A text with that number of digits after its point, the last of which is its last character.
  [[nodiscard]] bool operator()(std::string_view text, size_t digits) const {
    return digits >= least_ && !(no_zeros_ && digits > least_ && text.back() == '0');
  }

 private:
  size_t least_;
  bool no_zeros_;
};

}  // namespace bobbin::csv
