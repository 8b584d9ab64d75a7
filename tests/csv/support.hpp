// SPDX-License-Identifier: Apache-2.0
// Tables for the tests of CSV: as cells of text, however they are stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bobbin/file.hpp"
#include "csv/options.hpp"
#include "csv/record_batch.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::csv_tests {

using testing::Random;

// Empty for a null; for strings the bytes, for others value_text(), which is unique for every value.
using Cell = std::optional<std::string>;

struct CellTable {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<csv::Spelling> spellings{};  // of the text it was read from; not part of the table

  friend bool operator==(const CellTable& a, const CellTable& b) {
    return a.columns == b.columns && a.rows == b.rows;
  }
};

// The table that a text represents, read through batches; restarts are followed.
[[nodiscard]] Result<CellTable> read_text(const std::string& text, const csv::Options& options,
                                          const std::optional<Schema>& schema = {});
// "t.csv:2:1: ..."; "read" if there is no error.
[[nodiscard]] std::string error_of(const std::string& text, const csv::Options& options,
                                   const std::optional<Schema>& schema = {});

// Must be possible.
[[nodiscard]] std::string write_text(const CellTable& table, const csv::Options& options);
[[nodiscard]] Result<std::string> try_write_text(const CellTable& table, const csv::Options& options);

[[nodiscard]] Schema schema_of(const CellTable& table);

// "name:type,...", then the rows by "\n", cells by "|", nulls as "~".
[[nodiscard]] std::string show(const CellTable& table);

// The table in the form of show(), or the error. It must not depend on how little is read at a time, or on
// how few bytes are examined first: otherwise both results and what they differ in.
[[nodiscard]] std::string read_as(const std::string& text, csv::Options options = {},
                                  const std::optional<Schema>& schema = {});

// Columns of any types with values of every kind, including texts that look like something else. Unless
// `all`, none whose text changes if its type is inferred: no floats, and no strings such as 1.50.
[[nodiscard]] CellTable draw_table(Random& random, bool all);

}  // namespace bobbin::csv_tests
