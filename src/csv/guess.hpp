// SPDX-License-Identifier: Apache-2.0
// Infers the type of a column from the texts of its values. Each value rules out types; the plainest type
// that remains after all values is the column's type. So the order of the values does not matter, and a type
// that was inferred from some values and fits all of them is also the type inferred from all. The same holds
// for the form in which the values are written (Spelling).
//
// A type fits a text if the value, printed again, equals it: "007", "+5" and "-0" are not numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/types.hpp"
#include "core/digits.hpp"
#include "core/portable.hpp"
#include "core/value_text.hpp"
#include "csv/spelling.hpp"

namespace bobbin::csv {

// An integer of one to eight digits, which is the usual case. Reads eight bytes, whatever the text's size:
// there are always that many after the start of a scanner's field or of a string.
[[nodiscard]] BOBBIN_INLINE bool read_short(std::string_view text, uint64_t& value) {
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
struct PlainDecimal;
class FormGuess;

// What is known about the forms of a text's values.
struct FormRules {
  DatePattern date{};         // empty: found from the values
  NumberForm::Marks marks{};  // those that are not given are found from the values
  bool words = true;          // whether NA and the like may mean null

  [[nodiscard]] bool has_marks() const { return !marks.group.empty() || marks.point != '\0'; }
};

// To infer a type: add() all values; if look_for_forms() says so, add() all of them once more.
class Guess {
 public:
  Guess();
  Guess(Guess&&) noexcept;
  Guess& operator=(Guess&&) noexcept;
  ~Guess();

  // A value that only the type text fits, while other values of the column have another type.
  struct Misfit {
    std::string text;
    bool quoted = false;
    uint64_t line = 0;
  };

  // Adds a non-null value from a scanner's field or a string. True if it is a new misfit, which is then the
  // last of misfits().
  bool add(std::string_view text);
  // To be called when all values were added. True if they could have a form, such as that of 1,234 or
  // 8/20/17, which is found when all are added again, in any order.
  [[nodiscard]] bool look_for_forms(const FormRules& rules);
  // How options make one of several possible forms the column's; empty if there are not several.
  [[nodiscard]] std::string ambiguous_options() const;
  // The words that mean null in this column, besides the empty field; the empty field may then be in quotes.
  [[nodiscard]] std::vector<std::string> null_words() const;
  [[nodiscard]] bool has_form() const;
  // The value of the last text that was added, if it is a double and adding it has read it; otherwise NaN.
  [[nodiscard]] double number() const { return number_; }
  // Whether the values so far, of which some have many digits, are numbers.
  [[nodiscard]] bool may_be_float() const { return scale_ >= kManyDigits && (fits_ & kFloats) != 0; }
  // A column in which all values so far are null has the type utf8.
  [[nodiscard]] ColumnType type() const;
  [[nodiscard]] Spelling spelling() const;
  // Whether only a value that does not fit the type can still change it.
  [[nodiscard]] bool settled() const;
  // Nothing more can be ruled out except that text is UTF-8.
  [[nodiscard]] bool is_text() const;

  // The first few texts that made a column text although most of its values have another type.
  [[nodiscard]] bool is_text_by_misfits() const;
  // Whether the column is text only because its timestamps have different offsets from UTC.
  [[nodiscard]] bool is_text_by_zones() const;
  [[nodiscard]] bool has_more_misfits() const { return given_up_; }
  [[nodiscard]] const std::vector<Misfit>& misfits() const { return misfits_; }
  [[nodiscard]] Misfit& last_misfit() { return misfits_.back(); }
  void set_line(size_t misfit, uint64_t line) { misfits_[misfit].line = line; }
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
    kLongFloat = 256,  // all doubles in %.17g or similar, although not in their shortest text
    kAnyFloat = 512,   // some in one form, some in another
    kFloats = kFloat | kLongFloat | kAnyFloat
  };

  [[nodiscard]] bool takes_usual() const;
  void add_usual(const PlainDecimal& number);
  [[nodiscard]] bool add_any(std::string_view text);
  [[nodiscard]] uint32_t look_at_plain(const PlainDecimal& number, std::string_view text);
  [[nodiscard]] uint32_t look_at_short(std::string_view text);
  [[nodiscard]] bool is_known_misfit(std::string_view text) const;
  [[nodiscard]] bool add_misfit(std::string_view text);
  void see_fraction(std::string_view fraction);
  [[nodiscard]] uint32_t see_whole(size_t digits);
  [[nodiscard]] bool reads_back(const NumberText& number, std::string_view text);
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

  static constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
  // From this many digits after the point on, numbers that fit a double are doubles: people do not type them.
  static constexpr uint8_t kLongFraction = 10;
  static constexpr uint8_t kManyDigits = 8;  // where such a number may follow

  uint32_t fits_ = ~uint32_t{0};
  double number_ = kNoNumber;
  bool seen_ = false;
  bool utf8_ = true;
  bool given_up_ = false;  // too many misfits: the column is text
  uint64_t regular_ = 0;   // values that are not misfits
  uint64_t irregular_ = 0;
  std::vector<Misfit> misfits_;
  std::unique_ptr<FormGuess> forms_;  // while values are added again, and after that
  bool has_long_text_ = false;        // longer than the values of any form
  bool comma_is_point_ = false;       // so that 1.5 is not a number

  // Numbers.
  uint8_t whole_digits_ = 0;       // the most digits before a decimal point,
  uint8_t scale_ = 0;              // after it,
  uint8_t least_fraction_ = 0xff;  // and the fewest
  bool trimmed_ = true;            // no trailing zeros in fractions
  bool point_ = true;              // all have a point, and ".0" is the only fraction that ends in zero
  uint8_t float_forms_ = 0xff;     // as float_forms() and long_forms()
  uint8_t nan_words_ = 0;          // bits, by kNanWords
  uint8_t infinity_words_ = 0;

  // Booleans.
  uint16_t boolean_words_ = 0;  // bits, by kBooleanWords
  bool seen_yes_ = false;
  bool seen_no_ = false;

  // Times.
  bool outside_ns_ = false;  // a timestamp outside the range of nanoseconds
  bool seen_zone_ = false;
  bool dash_ = false;  // between year, month and day
  bool slash_ = false;
  bool blank_ = false;  // between day and hour
  bool letter_ = false;
  bool with_seconds_ = false;
  bool without_seconds_ = false;
  bool trimmed_seconds_ = true;
  uint8_t fraction_digits_ = 0;  // the most fractional digits of a second,
  uint8_t least_digits_ = 0xff;  // and the fewest
  TimeForm zone_;                // only its zone is used
};

// The strict parsers: accept only texts that fit the type in the sense above, in the column's spelling.
[[nodiscard]] bool read_long_signed(std::string_view text, int64_t& value);
[[nodiscard]] BOBBIN_INLINE bool read_signed(std::string_view text, int64_t& value) {
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

// The digits after the point that a decimal's spelling requires.
class FractionRule {
 public:
  FractionRule(const Spelling& spelling, uint8_t scale)
      : least_(spelling.mixed                                   ? 0
               : spelling.number == Spelling::Number::canonical ? scale
               : spelling.number == Spelling::Number::point     ? 1
                                                                : 0),
        no_zeros_(!spelling.mixed && spelling.number != Spelling::Number::canonical) {}

  // A text with this number of digits after its point, up to its last character.
  [[nodiscard]] bool operator()(std::string_view text, size_t digits) const {
    return digits >= least_ && !(no_zeros_ && digits > least_ && text.back() == '0');
  }

 private:
  size_t least_;
  bool no_zeros_;
};

}  // namespace bobbin::csv
