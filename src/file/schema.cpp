// SPDX-License-Identifier: Apache-2.0
#include "bobbin/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bobbin/text.hpp"

namespace bobbin {
namespace {

// A name from a schema, if any: up to the colon, or in quotes.
struct Taken {
  std::optional<std::string> name;
  size_t end = 0;
};

struct Quoted {
  std::string name;
  size_t end = 0;
};

// Up to the closing quote.
Result<Quoted> take_quotes(std::string_view text) {
  std::string name;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '"') {
      name += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '"') {
      name += text[i++];
    } else {
      return Quoted{name, i + 1};
    }
  }
  return Status(StatusCode::invalid_argument, "a name's quote is not closed");
}

Result<Taken> take_quoted_name(std::string_view text) {
  BOBBIN_ASSIGN(Quoted taken, take_quotes(text));
  BOBBIN_RETURN_IF(taken.end >= text.size() || text[taken.end] != ':', StatusCode::invalid_argument,
                   fmt::format("a colon and a type must follow the name {}", quoted_text(taken.name)));
  return Taken{std::move(taken.name), taken.end + 1};
}

Result<Taken> take_name(std::string_view text) {
  if (text.starts_with('"')) {
    return take_quoted_name(text);
  }
  const size_t end = text.find_first_of(":,");
  if (end == std::string_view::npos || text[end] == ',') {
    return Taken{std::nullopt, 0};
  }
  return Taken{std::string(text.substr(0, end)), end + 1};
}

bool needs_quotes(std::string_view name) {
  return name.empty() || name.front() == ' ' || name.find_first_of(":,\"") != std::string_view::npos;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    out.append(c == '"' ? 2 : 1, c);
  }
  return out + '"';
}

}  // namespace

Result<Schema> parse_schema(std::string_view text) {
  Schema schema;
  for (bool more = true; more;) {
    const std::string where = fmt::format("schema, column {}", schema.size() + 1);
    skip_blanks(text);
    Result<Taken> taken = take_name(text);
    if (!taken.has_value()) {
      return taken.error().in(where);
    }
    text.remove_prefix(taken->end);
    skip_blanks(text);
    const size_t comma = text.find(',');
    const std::string_view type = text.substr(0, comma);
    const std::optional<ColumnType> known = parse_column_type(type);
    BOBBIN_RETURN_IF(
        !known, StatusCode::invalid_argument,
        fmt::format(
            "{}: unknown type '{}'; expected u8 to u64, i8 to i64, f32, f64, utf8, binary, bool, date, "
            "time[s|ms|us|ns], timestamp[s|ms|us|ns] or decimal(SCALE)",
            where, type));
    schema.push_back({std::move(taken->name), *known});
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
  }
  return schema;
}

Result<std::vector<std::string>> parse_names(std::string_view text) {
  std::vector<std::string> names;
  for (bool more = true; more;) {
    skip_blanks(text);
    size_t end = std::min(text.find(','), text.size());
    std::string name(text.substr(0, end));
    if (text.starts_with('"')) {
      BOBBIN_ASSIGN(Quoted taken, take_quotes(text));
      name = std::move(taken.name);
      end = taken.end;
    }
    names.push_back(std::move(name));
    more = end < text.size();
    BOBBIN_RETURN_IF(more && text[end] != ',', StatusCode::invalid_argument,
                     fmt::format("a comma must follow the name {}", quoted_text(names.back())));
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

std::optional<size_t> find_column(const std::vector<Column>& columns, std::string_view name) {
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? std::nullopt : std::optional(static_cast<size_t>(found - columns.begin()));
}

}  // namespace bobbin
