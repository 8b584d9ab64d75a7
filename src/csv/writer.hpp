// SPDX-License-Identifier: Apache-2.0
// Writes typed columns as a table's text. Fields are quoted only if they would otherwise be read as another
// value.
#pragma once

#include <string>
#include <vector>

#include "bobbin/io.hpp"
#include "csv/options.hpp"
#include "csv/record_batch.hpp"

namespace bobbin::csv {

class Writer {
 public:
  // Options must have passed check(). Writes to `output`, which the caller commits. Columns without a
  // spelling use the canonical one.
  Writer(file::Output& output, const std::vector<Column>& columns, const Options& options,
         std::vector<Spelling> spellings = {});

  // Writes the header; then any number of batches of these columns; then buffered output.
  [[nodiscard]] Status begin();
  [[nodiscard]] Status append(const RecordBatch& batch);
  [[nodiscard]] Status finish();

 private:
  void put_row(const RecordBatch& batch, uint64_t row);
  void put_number(const ColumnData& column, const Spelling& spelling, uint64_t row);
  void put_string(std::string_view text, bool may_be_special);
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
  [[nodiscard]] bool is_null_text(std::string_view text) const;
  // Whether the text would begin with what a reader takes for something else, if this is written next: in
  // quotes, it mostly does not.
  [[nodiscard]] bool misleads(std::string_view text) const;
  [[nodiscard]] Status flush();

  file::Output& output_;
  std::vector<std::string> names_;
  std::vector<Spelling> spellings_;
  Options options_;
  Marks marks_;
  bool numbers_need_care_;  // one may look like a null, or contain a delimiter
  bool at_start_ = true;    // fewer bytes were written than a reader looks at first
  bool in_first_line_ = true;
  bool at_record_ = true;             // nothing of the record was written yet
  std::string unwritable_;            // why the text cannot be written
  std::vector<bool> may_be_special_;  // columns of the batch that contain a quote or similar
  std::vector<char> buffer_;
  size_t used_ = 0;
};

}  // namespace bobbin::csv
