// SPDX-License-Identifier: Apache-2.0
// Finds the form of a column whose values no type fits as they are: dates in another order than year, month
// and day, numbers with marks and units, words for null. As with Guess, each value rules out forms, so that
// their order does not matter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/types.hpp"
#include "csv/date_pattern.hpp"
#include "csv/guess.hpp"
#include "csv/number_form.hpp"
#include "csv/spelling.hpp"

namespace bobbin::csv {

// Whether a value means null where others are numbers, dates, times or booleans.
[[nodiscard]] bool is_null_word(std::string_view text);
// All such words; those for NaN only on request.
[[nodiscard]] std::vector<std::string> null_words(bool with_nan);
// Without blanks around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);
// The same as a copy from which parsers may read whole words; false if the text is too long for any value.
[[nodiscard]] bool trim(std::string_view text, PlainNumber& copy);

class FormGuess {
 public:
  // `example`: a value that no plain type fits; empty: there is none but words for null.
  FormGuess(std::string_view example, const FormRules& rules);

  void add(std::string_view text);
  // Whether no form is left.
  [[nodiscard]] bool is_done() const { return begun_ && dates_.empty() && numbers_.empty(); }
  // Whether several forms are left which read values differently.
  [[nodiscard]] bool is_ambiguous() const;
  // How options make it one of them: "--date-format %m/%d/%Y or --date-format %d/%m/%Y".
  [[nodiscard]] std::string options() const;

  // One of them is the column's.
  [[nodiscard]] bool is_found() const;
  [[nodiscard]] ColumnType type() const;
  [[nodiscard]] Spelling spelling() const;
  // The words that mean null in this column.
  [[nodiscard]] std::vector<std::string> words() const;

 private:
  struct DateForm {
    DatePattern pattern;
    DatePattern::Ways ways;  // which the values so far allow
    uint32_t digits = 0;     // the most fractional ones of a second
    bool outside_ns = false;
    bool mixed = false;  // some values are written in other ways than others
  };
  struct PlainForm {
    NumberForm form;  // plain: values of any type, as they are
    Guess plain;
    bool takes_nan = false;  // as a number, not as null
    bool mixed = false;
  };

  void begin(std::string_view example);
  void see_word(std::string_view word);
  [[nodiscard]] static bool takes(DateForm& date, std::string_view text);
  [[nodiscard]] static bool takes(PlainForm& number, std::string_view text);
  [[nodiscard]] static bool swaps_marks(const PlainForm& a, const PlainForm& b);
  [[nodiscard]] const DateForm& date() const;
  [[nodiscard]] const PlainForm& number() const;

  std::vector<DateForm> dates_;
  std::vector<PlainForm> numbers_;
  std::vector<std::string> words_;
  std::vector<std::string> nans_;
  FormRules rules_;
  bool begun_ = false;
  bool seen_ = false;
};

}  // namespace bobbin::csv
