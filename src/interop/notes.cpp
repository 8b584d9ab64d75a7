// SPDX-License-Identifier: Apache-2.0
#include "interop/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "file/access.hpp"
#include "interop/formats.hpp"
#include "interop/schema.hpp"

namespace bobbin {
namespace interop {
namespace {

// Whether the offsets of a column's strings fit 32 bits in every row group.
bool fits_narrow(const Reader& reader, size_t column) {
  const auto& groups = file::ReaderAccess::footer(reader).row_groups;
  return std::ranges::all_of(groups, [&](const file::RowGroup& group) {
    return group.chunks[column].strings.num_bytes <= kMaxNarrowBytes;
  });
}

// Takes the first line off the text.
std::string_view next_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// The note may be forged: what does not fit its column is ignored.
void apply_line(const Reader& reader, std::string_view line, std::vector<arrow::Field>& fields) {
  size_t column = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), column);
  if (error != std::errc() || end == line.data() + line.size() || *end != ' ' || column >= fields.size()) {
    return;
  }
  const std::string format(end + 1, line.data() + line.size());
  const bool is_narrow = format == "u" || format == "z";
  if (arrow::can_export_as(fields[column].column, format) && (!is_narrow || fits_narrow(reader, column))) {
    fields[column].format = format;
  }
}

// Likewise.
void apply_metadata(std::string_view number, std::string_view packed, std::vector<arrow::Field>& fields) {
  size_t column = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), column);
  auto metadata = parse_metadata(packed);
  if (error == std::errc() && end == number.data() + number.size() && column < fields.size() &&
      metadata.has_value()) {
    fields[column].metadata = *std::move(metadata);
  }
}

}  // namespace

std::string formats_note(std::span<const arrow::Field> fields) {
  std::string note;
  for (size_t i = 0; i < fields.size(); ++i) {
    const arrow::Field& field = fields[i];
    if (field.format != arrow::default_format(field.column) &&
        arrow::can_export_as(field.column, field.format) && field.format.find('\n') == std::string::npos) {
      note += fmt::format("{} {}\n", i, field.format);
    }
  }
  return note;
}

}  // namespace interop

namespace arrow {

std::vector<Field> fields_of(const Reader& reader) {
  std::vector<Field> fields;
  for (const Column& column : reader.columns()) {
    fields.push_back({column, default_format(column)});
  }
  for (const auto& [key, value] : reader.metadata()) {
    if (key == interop::kFormatsKey) {
      for (std::string_view left = value; !left.empty();) {
        interop::apply_line(reader, interop::next_line(left), fields);
      }
    } else if (key.starts_with(interop::kFieldKey)) {
      interop::apply_metadata(std::string_view(key).substr(interop::kFieldKey.size()), value, fields);
    }
  }
  return fields;
}

Metadata own_metadata(const Reader& reader) {
  Metadata own;
  std::ranges::copy_if(reader.metadata(), std::back_inserter(own),
                       [](const auto& pair) { return !pair.first.starts_with("bobbin."); });
  return own;
}

}  // namespace arrow
}  // namespace bobbin
