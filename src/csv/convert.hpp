// SPDX-License-Identifier: Apache-2.0
// Converts the fields of one column to values, with one loop per type.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/digits.hpp"
#include "csv/record_batch.hpp"
#include "csv/scanner.hpp"
#include "csv/spelling.hpp"

namespace bobbin::csv {

// Whether a field is null.
class NullTest {
 public:
  explicit NullTest(const std::vector<std::string>& texts);
  // For columns of types other than text: empty fields are null, and so are these words, also in quotes.
  NullTest(const std::vector<std::string>& texts, const std::vector<std::string>& words);

  [[nodiscard]] bool operator()(const RawField& field) const {
    if (field.size == 0) {
      return takes_quoted_ || (empty_ && !field.quoted);
    }
    // Few fields are as short as a null and begin like one.
    return field.size <= longest_ && begins_[static_cast<uint8_t>(*field.data)] &&
           ((!field.quoted && is_listed(field)) || (takes_quoted_ && is_word(field)));
  }

  // Whether all nulls are empty fields.
  [[nodiscard]] bool only_empty() const { return longest_ == 0; }
  // Whether one of the texts begins with a digit, perhaps after a sign, a point or both.
  [[nodiscard]] bool may_be_number() const {
    return std::ranges::any_of(texts_, [](const std::string& text) {
      size_t first = text.starts_with('-') ? 1 : 0;
      first += std::string_view(text).substr(first).starts_with('.') ? 1 : 0;
      return text.size() > first && is_digit(text[first]);
    });
  }

 private:
  [[nodiscard]] bool is_listed(const RawField& field) const;
  [[nodiscard]] bool is_word(const RawField& field) const;
  void see(const std::string& text);
  bool empty_ = false;
  bool takes_quoted_ = false;
  size_t longest_ = 0;
  std::array<bool, 256> begins_{};  // by the first character
  std::vector<std::string> texts_;
  std::vector<std::string> words_;
};

// Records that all have `fields` fields.
struct Rows {
  const Scanner& scanner;
  size_t fields = 0;
  size_t count = 0;
  bool is_utf8 = false;   // whether the text as a whole is; then every field is
  bool has_marks = true;  // whether there is a quote or an escape, or a field that contains a line end
  bool is_known = false;  // whether a Guess has seen these rows
  // What the Guess has read of the column's first values, if they are doubles; NaN: must be read.
  std::span<const double> doubles{};
};

class ColumnBuilder {
 public:
  // given: any text of the type. guessed: only texts for which a Guess would keep the type and the spelling.
  // nulls: the type was inferred from too little, and any value may change it.
  enum class Accept : uint8_t { given, guessed, nulls };
  ColumnBuilder(ColumnType type, Accept accept, const Spelling& spelling = {})
      : type_(type), accept_(accept), spelling_(spelling) {}

  // Converts a column of the rows. Returns how many it could convert: all, or those before the first one that
  // does not fit.
  [[nodiscard]] size_t convert(const Rows& rows, size_t column, const NullTest& is_null);
  // The result of convert(), valid until it is called again.
  [[nodiscard]] ColumnData data() const;
  // Whether every value is written again as the text it was read from, apart from quotes.
  [[nodiscard]] bool is_exact() const {
    return is_string(type_.type) || (accept_ != Accept::given && !spelling_.mixed);
  }
  [[nodiscard]] const Spelling& spelling() const { return spelling_; }

 private:
  // The most common fields of a column can be parsed in a few instructions, without a check for nulls; false
  // sends a field to the slow path.
  struct NoShortcut {
    bool operator()(const Scanner::FieldColumn& /*fields*/, size_t /*row*/, auto& /*value*/) const {
      return false;
    }
  };
  template <class T, class Read, class Shortcut = NoShortcut>
  [[nodiscard]] size_t convert_numbers(const Rows& rows, size_t column, const NullTest& is_null,
                                       const Read& read, const Shortcut& shortcut = {});
  template <class T, class Read, class Shortcut>
  [[nodiscard]] size_t convert_fields(const Rows& rows, size_t column, const NullTest& is_null,
                                      const Read& read, const Shortcut& shortcut);
  template <class T>
  [[nodiscard]] size_t convert_by_pattern(const Rows& rows, size_t column, const NullTest& is_null);
  [[nodiscard]] size_t convert_decimals(const Rows& rows, size_t column, const NullTest& is_null);
  [[nodiscard]] size_t convert_doubles(const Rows& rows, size_t column, const NullTest& is_null);
  [[nodiscard]] size_t convert_times(const Rows& rows, size_t column, const NullTest& is_null);
  [[nodiscard]] size_t convert_strings(const Rows& rows, size_t column, const NullTest& is_null);
  [[nodiscard]] size_t convert_strictly(const Rows& rows, size_t column, const NullTest& is_null);
  [[nodiscard]] size_t convert_plain(const Rows& rows, size_t column, const NullTest& is_null);

  ColumnType type_;
  Accept accept_;
  Spelling spelling_;
  uint64_t rows_ = 0;
  bool has_nulls_ = false;
  std::vector<uint64_t> values_;    // memory for values of any type
  std::vector<uint64_t> validity_;  // bits
  std::vector<uint32_t> offsets_;
  std::vector<uint8_t> bytes_;
};

}  // namespace bobbin::csv
