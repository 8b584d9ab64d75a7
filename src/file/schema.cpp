// SPDX-License-Identifier: Apache-2.0
#include "bobbin/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/text.hpp"

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

constexpr size_t kMostColumnsListed = 20;
constexpr size_t kLongestNameShown = 64;

std::string names_of(std::span<const Column> columns) {
  std::string names;
  for (const Column& column : columns.first(std::min(columns.size(), kMostColumnsListed))) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", printable(column.name));
  }
  return names + (columns.size() > kMostColumnsListed ? ", ..." : "");
}

bool is_function_call(std::string_view text) {
  const size_t open = text.find('(');
  return open != std::string_view::npos && open > 0 && text.ends_with(')') &&
         text.substr(0, open).find_first_of(" +-*/%,") == std::string_view::npos;
}

// What a text that is not a column's name was meant to be; empty if it may be a misspelt name.
std::string meaning_of(std::string_view text) {
  if (is_function_call(text)) {
    return fmt::format("function '{}' is not supported here", printable(text.substr(0, text.find('('))));
  }
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (lower.starts_with("distinct ")) {
    return "'distinct' is not supported here; group by the columns to get their distinct values";
  }
  if (lower.find(" as ") != std::string::npos) {
    return "columns cannot be renamed";
  }
  if (lower.starts_with("case ") || lower.find_first_of("+*/%()|") != std::string::npos ||
      lower.find(" - ") != std::string::npos) {
    return "expressions are not supported here";
  }
  return "";
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

Status no_such_column(std::span<const Column> columns, std::string_view name) {
  const bool cut = name.size() > kLongestNameShown;
  const std::string shown =
      printable(cut ? name.substr(0, character_start(name, kLongestNameShown)) : name) + (cut ? "..." : "");
  std::vector<std::string> names;
  std::ranges::transform(columns, std::back_inserter(names), &Column::name);
  const std::string meant = nearest(name, names);
  const std::string meaning = meaning_of(name);
  // Names may have parentheses and signs too: then one of them is meant.
  if (!meaning.empty() && meaning_of(meant).empty()) {
    return {StatusCode::invalid_argument,
            fmt::format("'{}' is not a column: {}; there are {}", shown, meaning, names_of(columns))};
  }
  return {
      StatusCode::invalid_argument,
      fmt::format("column '{}' does not exist; {} {}", shown,
                  meant.empty() ? "there are" : fmt::format("did you mean '{}'? There are", printable(meant)),
                  names_of(columns))};
}

}  // namespace bobbin
