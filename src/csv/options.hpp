// SPDX-License-Identifier: Apache-2.0
// How a table's text is written, and what its columns are: options, and schemas as people type them.
// docs/csv.md says what is read and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/file.hpp"
#include "csv/blocks.hpp"
#include "csv/spelling.hpp"

namespace bobbin::csv {

enum class LineEnd : uint8_t {
  lf,    // also read: CRLF
  crlf,  // as lf, but written as CRLF
  cr     // CR alone
};

enum class Ragged : uint8_t {
  error,
  pad  // fields that a record lacks at its end are empty
};

struct Options {
  char delimiter = ',';  // ASCII, but not NUL, a quote, CR or LF
  char quote = '"';      // NUL: none
  char escape = '\0';    // before a character that is to be taken as it is; NUL: a quote is doubled
  char comment = '\0';   // lines that begin with it are passed over; NUL: none
  LineEnd line_end = LineEnd::lf;
  Ragged ragged = Ragged::error;
  uint64_t skip_lines = 0;  // before the header
  bool header = true;       // the first line holds the columns' names
  // Unquoted fields that stand for a null; the first one is written.
  std::vector<std::string> nulls = {""};
  uint64_t max_record_bytes = uint64_t{64} << 20;  // of one record; at most 2^29
  size_t buffer_bytes = size_t{1} << 20;           // read at a time
  size_t batch_rows = size_t{1} << 16;             // at most so many in a batch
  uint64_t sample_bytes = uint64_t{1} << 20;       // types are guessed from so much first
};

[[nodiscard]] Status check(const Options& options);
[[nodiscard]] Marks marks_of(const Options& options);

// "|", "tab", "\t".
[[nodiscard]] std::optional<char> parse_delimiter(std::string_view text);
// One character that is not a letter or digit; "none" is NUL.
[[nodiscard]] std::optional<char> parse_mark(std::string_view text);

// A column as a schema names it. Without a name the header's is taken, or c0, c1, ...
struct Field {
  std::optional<std::string> name;
  ColumnType type;

  friend bool operator==(const Field&, const Field&) = default;
};
using Schema = std::vector<Field>;

// "id:i64,price:decimal(2)", or types only: "i64,utf8". Blanks before names and types do not count. A name
// with a comma, a colon, a quote or a blank in front is written in double quotes, in which "" is one.
[[nodiscard]] Result<Schema> parse_schema(std::string_view text);
// The same text of a file's columns.
[[nodiscard]] std::string schema_text(const std::vector<Column>& columns);

// Names as in a schema, without types: a,"b,c".
[[nodiscard]] Result<std::vector<std::string>> parse_names(std::string_view text);

// What a .bob file keeps of the text it was made from.
[[nodiscard]] Status note_options(Writer& writer, const Options& options);
// Nothing when the file was not made from CSV.
[[nodiscard]] std::optional<Options> noted_options(const Metadata& metadata);

// The same of the columns' spellings, as far as metadata has room for them.
[[nodiscard]] Status note_spellings(Writer& writer, const std::vector<Column>& columns,
                                    const std::vector<Spelling>& spellings);
[[nodiscard]] std::vector<Spelling> noted_spellings(const Metadata& metadata,
                                                    const std::vector<Column>& columns);

}  // namespace bobbin::csv
