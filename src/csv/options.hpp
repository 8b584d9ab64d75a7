// SPDX-License-Identifier: Apache-2.0
// What a .bob file records about the text it was made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bobbin/csv.hpp"
#include "bobbin/file.hpp"
#include "csv/blocks.hpp"
#include "csv/spelling.hpp"

namespace bobbin::csv {

[[nodiscard]] inline ColumnType type_of(const Column& column) {
  return {column.type, column.logical};
}

[[nodiscard]] Marks marks_of(const Options& options);
// The delimiter that a text states in a first line such as `sep=;`: Excel reads and writes such lines.
[[nodiscard]] std::optional<char> stated_delimiter(std::string_view text);
// Whether a line that begins with this text is a comment.
[[nodiscard]] bool begins_comment(std::string_view text, const Options& options);

// Stores how the text was written in the metadata of the file.
[[nodiscard]] Status note_options(bobbin::Writer& writer, const Options& options);
[[nodiscard]] Status note_source_bytes(bobbin::Writer& writer, uint64_t bytes);

// The same for the columns' spellings, as far as the metadata has room for them.
[[nodiscard]] Status note_spellings(bobbin::Writer& writer, const std::vector<Column>& columns,
                                    const std::vector<Spelling>& spellings);
[[nodiscard]] std::vector<Spelling> noted_spellings(const Metadata& metadata,
                                                    const std::vector<Column>& columns);

}  // namespace bobbin::csv
