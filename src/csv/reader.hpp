// SPDX-License-Identifier: Apache-2.0
// A table's text as typed columns, a batch of rows at a time.
//
// Without a schema the types are those that the whole text tells (guess.hpp). To read it once in most cases,
// they are guessed from its beginning; when a value does not fit, the whole text is looked at and reading
// starts again from the first row.
#pragma once

#include <optional>
#include <vector>

#include "csv/batch.hpp"
#include "csv/convert.hpp"
#include "csv/guess.hpp"
#include "csv/options.hpp"
#include "csv/scanner.hpp"

namespace bobbin::csv {

class Reader {
 public:
  // Without a schema the source must be one that can be read again.
  static Result<Reader> open(Source source, const Options& options, const std::optional<Schema>& schema);

  // What a file that holds the table has; all may be null.
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

  enum class Step : uint8_t {
    rows,    // batch() has the next ones
    end,     // there are no more
    restart  // columns() have changed: forget all rows, the next ones are the first again
  };
  [[nodiscard]] Result<Step> next();
  [[nodiscard]] const Batch& batch() const { return batch_; }

  [[nodiscard]] uint64_t bytes_read() const { return scanner_.bytes_read(); }

 private:
  Reader(Source source, const Options& options);

  [[nodiscard]] Status take_names(const std::optional<Schema>& schema);
  [[nodiscard]] Result<std::vector<std::optional<std::string>>> read_header();
  [[nodiscard]] Result<size_t> count_columns();
  [[nodiscard]] Status begin();
  [[nodiscard]] Status guess(uint64_t bytes);
  [[nodiscard]] Result<Step> guess_again();
  void set_type(size_t column, const ColumnType& type, ColumnBuilder::Accept accept);
  [[nodiscard]] Result<size_t> regular_records();
  [[nodiscard]] Status ragged() const;
  [[nodiscard]] Status misfit(size_t row, size_t column) const;

  Scanner scanner_;
  Options options_;
  NullTest is_null_;
  std::vector<Column> columns_;
  std::vector<ColumnBuilder> builders_;
  bool guessed_ = false;    // there is no schema
  bool knows_all_ = false;  // the types are those of the whole text
  Batch batch_;
};

}  // namespace bobbin::csv
