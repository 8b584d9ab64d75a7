// SPDX-License-Identifier: Apache-2.0
// What a .bob file records about the text it was made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/csv.hpp"
#include "bobbin/file.hpp"
#include "csv/blocks.hpp"
#include "csv/guess.hpp"
#include "csv/spelling.hpp"

namespace bobbin::csv {

[[nodiscard]] inline ColumnType type_of(const Column& column) {
  return {column.type, column.logical};
}

// The options must have passed check().
[[nodiscard]] FormRules rules_of(const Options& options);
[[nodiscard]] Marks marks_of(const Options& options);
// The delimiter that a text states in a first line such as `sep=;`: Excel reads and writes such lines.
[[nodiscard]] std::optional<char> stated_delimiter(std::string_view text);
// Whether a line that begins with this text is a comment.
[[nodiscard]] bool begins_comment(std::string_view text, const Options& options);

// How a column's fields are written. The text of every other field is kept.
struct FieldForm {
  bool quoted = false;  // values are in quotes, whether they need them or not
  // A null, as it is between delimiters; nothing: the column has none, or the options say it.
  std::optional<std::string> null;

  friend bool operator==(const FieldForm&, const FieldForm&) = default;
};

// The text around the rows, where it is not what a writer writes by itself.
struct Surroundings {
  std::optional<std::string> before;        // the header row, or the first row if there is none
  std::optional<std::string> header;        // the header row, without its line end
  std::optional<std::string> after_header;  // up to the first row
  std::optional<std::string> end;           // after the last field
};

// The hidden column with the text between a row and the one before it, where it is not a usual line end.
inline constexpr std::string_view kLineEndsName = "bobbin.csv.kept.lines";
// The name of the hidden column with the texts that are kept of a column; the column of such a name.
[[nodiscard]] std::string kept_name(size_t column);
[[nodiscard]] std::optional<size_t> column_of_kept(std::string_view name);
// Whether it is the name of a hidden column.
[[nodiscard]] bool is_kept_name(std::string_view name);

// What is between two rows of a text; after the header row, `after_row` is false.
[[nodiscard]] std::string line_end_text(const Options& options, bool after_row);

// Whether fields of one text may stand in the other as they are.
[[nodiscard]] bool is_same_dialect(const Options& a, const Options& b);

// Stores how the text was written in the metadata of the file.
[[nodiscard]] Status note_options(bobbin::Writer& writer, const Options& options);
// False: some of it is too long to be noted.
[[nodiscard]] Result<bool> note_surroundings(bobbin::Writer& writer, const Surroundings& text);
[[nodiscard]] Surroundings noted_surroundings(const Metadata& metadata);
[[nodiscard]] Status note_tabs_in_csv(bobbin::Writer& writer);
[[nodiscard]] Status note_source_bytes(bobbin::Writer& writer, uint64_t bytes);

// The same for the columns' spellings and forms. False: the metadata has no room for them.
[[nodiscard]] Result<bool> note_spellings(bobbin::Writer& writer, const std::vector<Column>& columns,
                                          const std::vector<Spelling>& spellings);
[[nodiscard]] Result<bool> note_forms(bobbin::Writer& writer, const Options& options,
                                      const std::vector<FieldForm>& forms);
[[nodiscard]] std::vector<Spelling> noted_spellings(const Metadata& metadata,
                                                    const std::vector<Column>& columns);
[[nodiscard]] std::vector<FieldForm> noted_forms(const Metadata& metadata, size_t columns);

}  // namespace bobbin::csv
