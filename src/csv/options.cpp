// SPDX-License-Identifier: Apache-2.0
#include "csv/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "file/text.hpp"

namespace bobbin::csv {
namespace {

constexpr std::string_view kDelimiterKey = "bobbin.csv.delimiter";
constexpr std::string_view kHeaderKey = "bobbin.csv.header";
constexpr std::string_view kNullKey = "bobbin.csv.null";
constexpr uint64_t kMostRecordBytes = uint64_t{1} << 29;

bool is_delimiter(char c) {
  return c > 0 && c != '"' && c != '\r' && c != '\n';
}

std::optional<std::string> find(const Metadata& metadata, std::string_view key) {
  const auto found = std::ranges::find(metadata, key, &Metadata::value_type::first);
  return found == metadata.end() ? std::nullopt : std::optional(found->second);
}

// A name from a schema: up to the colon, or in quotes.
struct Taken {
  std::string name;
  size_t end = 0;  // 0: there is none
};

// Up to the closing quote.
Result<Taken> take_quotes(std::string_view text) {
  std::string name;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '"') {
      name += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '"') {
      name += text[i++];
    } else {
      return Taken{name, i + 1};
    }
  }
  return Status(StatusCode::invalid_argument, "a name's quote is not closed");
}

Result<Taken> take_quoted_name(std::string_view text) {
  BOBBIN_ASSIGN(const Taken taken, take_quotes(text));
  BOBBIN_RETURN_IF(taken.end >= text.size() || text[taken.end] != ':', StatusCode::invalid_argument,
                   fmt::format("a colon and a type must follow the name {}", file::quoted(taken.name)));
  return Taken{taken.name, taken.end + 1};
}

Result<Taken> take_name(std::string_view text) {
  if (text.starts_with('"')) {
    return take_quoted_name(text);
  }
  const size_t end = text.find_first_of(":,");
  if (end == std::string_view::npos || text[end] == ',') {
    return Taken{};
  }
  return Taken{std::string(text.substr(0, end)), end + 1};
}

bool needs_quotes(std::string_view name) {
  return name.empty() || name.find_first_of(":,\"") != std::string_view::npos;
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    out.append(c == '"' ? 2 : 1, c);
  }
  return out + '"';
}

}  // namespace

Status check(const Options& options) {
  BOBBIN_RETURN_IF(!is_delimiter(options.delimiter), StatusCode::invalid_argument,
                   "a delimiter is one ASCII character, but no NUL, quote or line end");
  for (const std::string& text : options.nulls) {
    BOBBIN_RETURN_IF(text.find_first_of(std::string("\"\r\n") + options.delimiter) != std::string::npos,
                     StatusCode::invalid_argument,
                     fmt::format("{} cannot stand for null: it has a delimiter, quote or line end in it",
                                 file::quoted(text)));
  }
  BOBBIN_RETURN_IF(options.nulls.empty(), StatusCode::invalid_argument, "no text stands for null");
  BOBBIN_RETURN_IF(options.max_record_bytes == 0 || options.max_record_bytes > kMostRecordBytes,
                   StatusCode::invalid_argument,
                   fmt::format("a record's limit of {} bytes: 1 to {} are possible", options.max_record_bytes,
                               kMostRecordBytes));
  BOBBIN_RETURN_IF(
      options.buffer_bytes == 0 || options.buffer_bytes > kMostRecordBytes || options.batch_rows == 0,
      StatusCode::invalid_argument, "a buffer or a batch of no size");
  return {};
}

std::optional<char> parse_delimiter(std::string_view text) {
  if (text == "tab" || text == "\\t") {
    return '\t';
  }
  return text.size() == 1 && is_delimiter(text[0]) ? std::optional(text[0]) : std::nullopt;
}

Result<Schema> parse_schema(std::string_view text) {
  Schema schema;
  for (bool more = true; more;) {
    const std::string where = fmt::format("schema, column {}", schema.size() + 1);
    Result<Taken> taken = take_name(text);
    if (!taken.has_value()) {
      return taken.error().in(where);
    }
    text.remove_prefix(taken->end);
    const size_t comma = text.find(',');
    const std::string_view type = text.substr(0, comma);
    const std::optional<ColumnType> known = parse_column_type(type);
    BOBBIN_RETURN_IF(
        !known, StatusCode::invalid_argument,
        fmt::format("{}: '{}' is no type: u8 to u64, i8 to i64, f32, f64, utf8, binary, bool, date, "
                    "timestamp[s|ms|us|ns], decimal(SCALE)",
                    where, type));
    schema.push_back({taken->end > 0 ? std::optional(taken->name) : std::nullopt, *known});
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
  }
  return schema;
}

Result<std::vector<std::string>> parse_names(std::string_view text) {
  std::vector<std::string> names;
  for (bool more = true; more;) {
    size_t end = std::min(text.find(','), text.size());
    std::string name(text.substr(0, end));
    if (text.starts_with('"')) {
      BOBBIN_ASSIGN(const Taken taken, take_quotes(text));
      name = taken.name;
      end = taken.end;
    }
    names.push_back(std::move(name));
    more = end < text.size();
    BOBBIN_RETURN_IF(more && text[end] != ',', StatusCode::invalid_argument,
                     fmt::format("a comma must follow the name {}", file::quoted(names.back())));
    text.remove_prefix(more ? end + 1 : end);
  }
  return names;
}

std::string schema_text(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) {
    text += (text.empty() ? "" : ",") + (needs_quotes(column.name) ? quoted_name(column.name) : column.name) +
            ":" + to_string(ColumnType{column.type, column.logical});
  }
  return text;
}

Status note_options(Writer& writer, const Options& options) {
  BOBBIN_TRY(writer.set_metadata(std::string(kDelimiterKey), std::string(1, options.delimiter)));
  BOBBIN_TRY(writer.set_metadata(std::string(kHeaderKey), options.header ? "true" : "false"));
  return writer.set_metadata(std::string(kNullKey), options.nulls.front());
}

std::optional<Options> noted_options(const Metadata& metadata) {
  const std::optional<std::string> delimiter = find(metadata, kDelimiterKey);
  if (!delimiter || delimiter->size() != 1) {
    return std::nullopt;
  }
  Options options{.delimiter = delimiter->front(),
                  .header = find(metadata, kHeaderKey) != "false",
                  .nulls = {find(metadata, kNullKey).value_or("")}};
  // Whoever wrote the file may have written anything.
  return check(options).ok() ? std::optional(std::move(options)) : std::nullopt;
}

}  // namespace bobbin::csv
