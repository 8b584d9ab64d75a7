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
  Spelling spelling{};
  FieldForm form{};
  std::optional<size_t> kept{};  // the batch's column with the texts of fields that are written as they were
  bool ended_records = false;    // in the text where these texts stood
};

class Writer {
 public:
  // Options must have passed check(). Writes to `output`, which the caller commits.
  Writer(file::Output& output, std::vector<WrittenColumn> columns, const Options& options);

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
  void put_line_end();
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
  Options options_;
  QuoteRule rule_;
  Marks marks_;
  bool at_start_ = true;  // fewer bytes were written than a reader looks at first
  bool in_first_line_ = true;
  bool at_record_ = true;             // nothing of the record was written yet
  std::string unwritable_;            // why the text cannot be written
  std::vector<bool> may_be_special_;  // columns of the batch that contain a quote or similar
  std::vector<char> buffer_;
  size_t used_ = 0;
};

}  // namespace bobbin::csv
