// SPDX-License-Identifier: Apache-2.0
// How fields are written, around the spelling of their values: in quotes or not, and what a null looks
// like. A column has one form; the texts of fields that differ from it are kept, so that they can be written
// again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv/convert.hpp"
#include "csv/options.hpp"
#include "csv/record_batch.hpp"
#include "csv/scanner.hpp"

namespace bobbin::csv {

// Whether a value must be in quotes to be read as the same value.
class QuoteRule {
 public:
  explicit QuoteRule(const Options& options);

  // `may_be_special`: whether the text may contain a quote, a delimiter or the like.
  [[nodiscard]] bool operator()(std::string_view text, bool begins_record, bool may_be_special) const {
    return (text.empty() ? marks_.has_quote() : is_null_text(text)) ||
           (begins_record && begins_comment(text, options_)) || (may_be_special && contains_mark(text));
  }
  [[nodiscard]] bool concerns_name(std::string_view name, bool begins_record) const {
    return (name.empty() && marks_.has_quote()) || (begins_record && begins_comment(name, options_)) ||
           contains_mark(name);
  }
  // Whether a number may need quotes: it may look like a null, or contain a delimiter.
  [[nodiscard]] bool concerns_numbers() const { return concerns_numbers_; }
  [[nodiscard]] const Marks& marks() const { return marks_; }

 private:
  [[nodiscard]] bool is_null_text(std::string_view text) const;
  [[nodiscard]] bool contains_mark(std::string_view text) const {
    return has_special(text.data(), text.data() + text.size(), marks_);
  }

  Options options_;
  Marks marks_;
  bool concerns_numbers_;
};

// Writes a text in quotes, at most 2 * size + 2 characters; returns the end.
char* put_in_quotes(std::string_view text, const Marks& marks, char* out);

// Texts of some rows of a batch, for a hidden column.
class KeptTexts {
 public:
  void begin(size_t rows);
  // Rows in order.
  void add(size_t row, std::string_view text);
  // Valid until begin() is called again.
  [[nodiscard]] ColumnData data();

 private:
  size_t rows_ = 0;
  std::vector<uint64_t> validity_;
  std::vector<uint32_t> offsets_;
  std::vector<uint8_t> bytes_;
};

// The fields of a column, which a ColumnBuilder has converted.
class ColumnFields {
 public:
  // Counts how fields are written, for choose_form().
  void count(const Rows& rows, size_t column, const ColumnBuilder& builder, const NullTest& is_null,
             const QuoteRule& rule);
  // The form that most fields have. They are kept from now on if any has another.
  void choose_form();

  // Keeps the texts of fields that are not written in the column's form. Returns the first such row, if any.
  [[nodiscard]] std::optional<size_t> keep(const Rows& rows, size_t column, const ColumnBuilder& builder,
                                           const NullTest& is_null, const QuoteRule& rule);
  // What keep() kept of the last rows; valid until it is called again.
  [[nodiscard]] ColumnData kept() { return kept_.data(); }

  [[nodiscard]] const FieldForm& form() const { return form_; }
  [[nodiscard]] bool keeps() const { return keeps_; }
  void set_keeps() { keeps_ = true; }

 private:
  // How a field that is not null is written: as the rule says in both cases, or only in one.
  enum class Class : uint8_t { as_needed_or_quoted, as_needed, quoted, odd };
  [[nodiscard]] static Class class_of(const RawField& field, std::string_view text, bool begins_record,
                                      const QuoteRule& rule, std::string& scratch);
  [[nodiscard]] static Class class_of(const RawField& field, bool begins_record, const QuoteRule& rule,
                                      std::string& value, std::string& scratch);
  // Calls see_null(row, text between delimiters) and see_value(row, field, class). `all_quoted`: it does not
  // matter whether a quoted field needs its quotes.
  template <class SeeNull, class SeeValue>
  static void visit(const Rows& rows, size_t column, const ColumnBuilder& builder, const QuoteRule& rule,
                    bool all_quoted, const SeeNull& see_null, const SeeValue& see_value);
  [[nodiscard]] bool is_fine(Class found) const {
    return found == Class::as_needed_or_quoted || found == (form_.quoted ? Class::quoted : Class::as_needed);
  }
  // Whether all fields of the rows are as needed, and all nulls empty.
  [[nodiscard]] static bool is_plain(const Rows& rows, const ColumnBuilder& builder,
                                     const NullTest& is_null) {
    return !rows.has_marks && builder.is_exact() && is_null.only_empty();
  }
  FieldForm form_;
  bool keeps_ = false;

  uint64_t as_needed_ = 0;
  uint64_t quoted_ = 0;
  bool odd_ = false;
  std::map<std::string, uint64_t, std::less<>> nulls_;  // by their text, as long as there are few

  KeptTexts kept_;
};

}  // namespace bobbin::csv
