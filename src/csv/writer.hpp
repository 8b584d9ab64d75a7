// SPDX-License-Identifier: Apache-2.0
// Writes typed columns as a table's text. Fields are quoted only if they would otherwise be read as another
// value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bobbin/io.hpp"
#include "csv/fields.hpp"
#include "csv/options.hpp"
#include "csv/record_batch.hpp"

namespace bobbin::csv {

// A column of the text.
struct WrittenColumn {
  std::string name{};
  std::optional<std::string> raw_name{};  // as it is between delimiters
  Spelling spelling{};
  FieldForm form{};
  std::optional<size_t> kept{};   // the batch's column with the texts of fields that are written as they were
  bool may_end_in_return = true;  // a CR at the end of such a text is not taken for part of a line end
};

// What is written around the columns; by default, what a text needs.
struct WrittenLines {
  Surroundings text{};             // its header row is that of all columns
  std::string row_end{};           // empty: a line end
  std::optional<size_t> kept{};    // the batch's column with other texts between a row and the one before it
  uint64_t num_rows = UINT64_MAX;  // after which the text's end is written
};

class Writer {
 public:
  // Options must have passed check(). Writes to `output`, which the caller commits.
  Writer(file::Output& output, std::vector<WrittenColumn> columns, const Options& options,
         WrittenLines lines = {});

  // Writes the header; then any number of batches of these columns, after which there may be others that they
  // name; then buffered output.
  [[nodiscard]] Status begin();
  [[nodiscard]] Status append(const RecordBatch& batch);
  [[nodiscard]] Status finish();

 private:
  void put_row(const RecordBatch& batch, uint64_t row);
  void put_value(const WrittenColumn& column, const ColumnData& data, uint64_t row, bool may_be_special);
  void put_number(const WrittenColumn& column, const ColumnData& data, uint64_t row);
  void put_string(const WrittenColumn& column, std::string_view text, bool may_be_special);
  [[nodiscard]] bool put_kept(const WrittenColumn& column, const ColumnData& kept, uint64_t row);
  void put_field(std::string_view text, bool needs_quotes);
  void begin_row(const RecordBatch& batch, uint64_t row);
  void end_line(std::string_view text);
  void check_first_line();
  void end_field();
  void put_quoted(std::string_view text);
  void put_text(std::string_view text);
  void put_character(char c) {
    reserve(1);
    buffer_[used_++] = c;
  }
  void reserve(size_t bytes) {
    if (buffer_.size() < used_ + bytes) {
      buffer_.resize(2 * (used_ + bytes));
    }
  }
  // Whether the text would begin with what a reader takes for something else, if this is written next: in
  // quotes, it mostly does not.
  [[nodiscard]] bool misleads(std::string_view text) const;
  [[nodiscard]] Status flush();

  file::Output& output_;
  std::vector<WrittenColumn> columns_;
  WrittenLines lines_;
  Options options_;
  QuoteRule rule_;
  Marks marks_;
  std::string line_end_;
  uint64_t num_rows_ = 0;  // that were written
  bool has_line_ = false;  // a line was written, but not its end
  bool at_start_ = true;   // fewer bytes were written than a reader looks at first
  bool in_first_line_ = true;
  bool at_record_ = true;             // nothing of the record was written yet
  std::string unwritable_;            // why the text cannot be written
  std::vector<bool> may_be_special_;  // columns of the batch that contain a quote or similar
  std::vector<char> buffer_;
  size_t used_ = 0;
};

}  // namespace bobbin::csv
