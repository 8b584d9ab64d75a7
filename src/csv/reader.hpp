// SPDX-License-Identifier: Apache-2.0
// Reads a table's text as typed columns, one batch of rows at a time.
//
// Without a schema, the types are inferred from the whole text (guess.hpp). To read it only once in most
// cases, they are first inferred from its beginning; if a value does not fit, the whole text is examined and
// reading starts again from the first row.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "csv/convert.hpp"
#include "csv/fields.hpp"
#include "csv/guess.hpp"
#include "csv/options.hpp"
#include "csv/record_batch.hpp"
#include "csv/scanner.hpp"

namespace bobbin::csv {

class FormGuess;

class Reader {
 public:
  // Columns that the schema does not name have the type inferred from their values; this requires a source
  // that can be read twice.
  static Result<Reader> open(Source source, const Options& options, const std::optional<Schema>& schema);
  // Several texts that make one table: each has the same header as the first.
  static Result<Reader> open(std::vector<Source> sources, const Options& options,
                             const std::optional<Schema>& schema);

  // The table's columns; all are nullable.
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  // Those of a file that holds the table: first these, then hidden ones for texts that are kept.
  [[nodiscard]] std::vector<Column> file_columns() const;
  // How the columns' values are written in the text.
  [[nodiscard]] const std::vector<Spelling>& spellings() const { return spellings_; }
  [[nodiscard]] std::vector<FieldForm> forms() const;
  // The encoding that all of the text has.
  [[nodiscard]] Encoding encoding() const { return scanner_.encoding(); }
  // Whether the whole text comes back as it was.
  [[nodiscard]] bool is_exact() const { return losses().empty() && scanner_.is_first_source(); }
  // Complete when next() has reached the end.
  [[nodiscard]] Surroundings surroundings() const;
  // Notes for the user, one per line: an encoding that was found, names that were changed, columns that are
  // text because of a few values, and values that will not be written back as they were. Complete when next()
  // has reached the end.
  [[nodiscard]] std::vector<std::string> notes() const;

  enum class Step : uint8_t {
    rows,    // batch() has the next ones
    end,     // there are no more
    restart  // file_columns() have changed: discard all rows, the next ones are the first again
  };
  [[nodiscard]] Result<Step> next();
  // Has all file_columns().
  [[nodiscard]] const RecordBatch& batch() const { return batch_; }

  // Bytes of the input as stored: compressed, not decompressed.
  [[nodiscard]] uint64_t bytes_read() const { return scanner_.raw_bytes_read(); }

 private:
  Reader(std::vector<Source> sources, const Options& options);

  [[nodiscard]] Status take_names(const std::optional<Schema>& schema);
  [[nodiscard]] Status take_names_again();
  [[nodiscard]] Status take_types(const Schema& schema);
  [[nodiscard]] Status take_types_by_name(const Schema& schema);
  [[nodiscard]] Result<std::vector<std::optional<std::string>>> read_header();
  [[nodiscard]] Status check_header();
  [[nodiscard]] Result<size_t> count_columns();
  [[nodiscard]] Status begin();
  [[nodiscard]] Result<bool> settles_encoding(size_t records);
  [[nodiscard]] Status guess(uint64_t bytes);
  [[nodiscard]] Status look_for_forms(std::vector<Guess>& guesses);
  void add_again(Guess& guess, size_t column, size_t records);
  [[nodiscard]] bool find_given_form(size_t row, size_t column);
  [[nodiscard]] Status read_forms(FormGuess& forms, size_t column);
  void set_null_test(size_t column, const std::vector<std::string>& words);
  // Whether a column's field is null.
  [[nodiscard]] const NullTest& null_test(size_t column) const {
    return null_tests_[column]                ? *null_tests_[column]
           : is_string(columns_[column].type) ? is_null_
                                              : is_null_or_quoted_;
  }
  [[nodiscard]] Result<Step> guess_again();
  [[nodiscard]] Rows convert(size_t records, std::optional<size_t>& wrong);
  [[nodiscard]] bool may_have_odd_fields() const;
  [[nodiscard]] Status examine(uint64_t bytes);
  [[nodiscard]] Result<Step> examine_again(std::optional<size_t> column);
  [[nodiscard]] std::optional<size_t> keep_fields(const Rows& rows);
  [[nodiscard]] bool has_odd_lines(size_t records, bool at_first_row) const;
  [[nodiscard]] bool keep_lines(size_t records);
  [[nodiscard]] bool guesses() const;
  struct FoundMisfit {
    size_t record = 0;
    size_t column = 0;
    size_t index = 0;  // among the column's misfits
  };
  [[nodiscard]] std::vector<std::string> losses() const;
  void add_to_guess(Guess& guess, size_t column, size_t records, bool is_utf8,
                    std::vector<FoundMisfit>& found);
  void add_to_guesses(std::vector<Guess>& guesses, size_t records);
  [[nodiscard]] Result<Step> start_again();
  void set_types(const std::vector<Guess>& guesses);
  void use_given_types();
  [[nodiscard]] Result<size_t> regular_records();
  [[nodiscard]] Status ragged() const;
  [[nodiscard]] Status misfit(size_t row, size_t column) const;

  Scanner scanner_;
  Options options_;
  std::optional<Schema> schema_;
  NullTest is_null_;
  NullTest is_null_or_quoted_;                         // for types other than text
  std::vector<std::unique_ptr<NullTest>> null_tests_;  // of columns in which words mean null, too
  std::vector<Column> columns_;
  std::vector<ColumnBuilder> builders_;
  std::vector<Spelling> spellings_;
  std::vector<std::optional<ColumnType>> given_;  // by the schema
  // For columns of a given type with a value that is not written as usual: how that is.
  std::vector<std::optional<Spelling>> given_spellings_;
  std::vector<std::string> hints_;  // for columns of a given type that have several such forms
  std::vector<std::optional<std::string>> header_;
  bool has_names_ = false;  // the header, not empty, was read
  uint64_t header_line_ = 0;
  std::vector<std::string> name_notes_;
  std::vector<std::string> type_notes_;
  std::vector<std::string> change_notes_;  // for each column that cannot keep texts; empty: as it was
  QuoteRule quote_rule_;
  std::vector<ColumnFields> fields_;
  KeptTexts lines_;  // between the rows of the batch
  bool keeps_lines_ = false;
  bool lost_lines_ = false;  // some text between rows is not known, or cannot be kept
  std::string header_text_;
  std::optional<std::string> before_;        // the header row, or the first row
  std::optional<std::string> after_header_;  // up to the first row
  std::optional<std::string> end_;
  bool can_restart_ = true;
  bool saw_marks_ = true;    // in the text from which types were inferred
  bool knows_all_ = false;   // the types were inferred from the whole text
  uint64_t known_rows_ = 0;  // rows from which the types were inferred
  uint64_t read_rows_ = 0;   // rows that next() has returned
  // For each column, what was read of its first values when its type was inferred: Guess::number().
  std::vector<std::vector<double>> doubles_;
  RecordBatch batch_;
};

}  // namespace bobbin::csv
