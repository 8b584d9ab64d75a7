// SPDX-License-Identifier: Apache-2.0
// A table's text as typed columns, a batch of rows at a time.
//
// Without a schema the types are those that the whole text tells (guess.hpp). To read it once in most cases,
// they are guessed from its beginning; when a value does not fit, the whole text is looked at and reading
// starts again from the first row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "csv/batch.hpp"
#include "csv/convert.hpp"
#include "csv/guess.hpp"
#include "csv/options.hpp"
#include "csv/scanner.hpp"

namespace bobbin::csv {

class Reader {
 public:
  // Columns that the schema does not name have the type that their values tell; then the source must be one
  // that can be read again.
  static Result<Reader> open(Source source, const Options& options, const std::optional<Schema>& schema);
  // Several texts that make one table: each has the header of the first one.
  static Result<Reader> open(std::vector<Source> sources, const Options& options,
                             const std::optional<Schema>& schema);

  // What a file that holds the table has; all may be null.
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  // How the columns' values are written in the text.
  [[nodiscard]] const std::vector<Spelling>& spellings() const { return spellings_; }
  // What a user should know, a line each: names that were changed, columns that one value made text, and
  // values that are not written back as they were. Complete when next() has come to the end.
  [[nodiscard]] std::vector<std::string> notes() const;

  enum class Step : uint8_t {
    rows,    // batch() has the next ones
    end,     // there are no more
    restart  // columns() have changed: forget all rows, the next ones are the first again
  };
  [[nodiscard]] Result<Step> next();
  [[nodiscard]] const Batch& batch() const { return batch_; }

  // Of what the text was made from: packed bytes, not unpacked ones.
  [[nodiscard]] uint64_t bytes_read() const { return scanner_.raw_bytes_read(); }

 private:
  Reader(std::vector<Source> sources, const Options& options);

  [[nodiscard]] Status take_names(const std::optional<Schema>& schema);
  [[nodiscard]] Status take_types(const Schema& schema);
  [[nodiscard]] Status take_types_by_name(const Schema& schema);
  [[nodiscard]] Result<std::vector<std::optional<std::string>>> read_header();
  [[nodiscard]] Status check_header();
  [[nodiscard]] Result<size_t> count_columns();
  [[nodiscard]] Status begin();
  [[nodiscard]] Status guess(uint64_t bytes);
  [[nodiscard]] Result<Step> guess_again();
  [[nodiscard]] bool guesses() const;
  void add_to_guesses(std::vector<Guess>& guesses, size_t records) const;
  void set_types(const std::vector<Guess>& guesses);
  [[nodiscard]] Result<size_t> regular_records();
  [[nodiscard]] Status ragged() const;
  [[nodiscard]] Status misfit(size_t row, size_t column) const;

  Scanner scanner_;
  Options options_;
  NullTest is_null_;
  std::vector<Column> columns_;
  std::vector<ColumnBuilder> builders_;
  std::vector<Spelling> spellings_;
  std::vector<std::optional<ColumnType>> given_;  // by the schema
  std::vector<std::optional<std::string>> header_;
  bool has_names_ = false;  // the header, not empty, was read
  uint64_t header_line_ = 0;
  std::vector<std::string> name_notes_;
  std::vector<std::string> type_notes_;
  bool knows_all_ = false;  // the types are those of the whole text
  Batch batch_;
};

}  // namespace bobbin::csv
