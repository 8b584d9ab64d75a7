// SPDX-License-Identifier: Apache-2.0
#include "file/write_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/text.hpp"
#include "file/footer.hpp"
#include "select/cascade.hpp"

namespace bobbin::file {
namespace {

Result<std::optional<select::ResolvedCascade>> cascade_for(const Column& column, const std::string& text) {
  if (text.empty()) {
    return std::optional<select::ResolvedCascade>();
  }
  BOBBIN_ASSIGN(const select::ResolvedCascade cascade, select::parse_cascade(text));
  BOBBIN_TRY(
      select::check_cascade(cascade, column.type).in(fmt::format("column {}", quoted_text(column.name))));
  return std::optional(cascade);
}

Result<std::vector<Recipe>> recipes_for(std::span<const Column> columns, const WriteOptions& options) {
  for (const auto& [name, codec] : options.column_codecs) {
    BOBBIN_RETURN_IF(std::ranges::find(columns, name, &Column::name) == columns.end(),
                     StatusCode::invalid_argument,
                     fmt::format("codec given for unknown column {}", quoted_text(name)));
  }
  std::vector<Recipe> recipes;
  for (const Column& column : columns) {
    const auto own =
        std::ranges::find(options.column_codecs, column.name, &std::pair<std::string, std::string>::first);
    BOBBIN_ASSIGN(const auto cascade,
                  cascade_for(column, own == options.column_codecs.end() ? options.codec : own->second));
    recipes.push_back({cascade, options.goal, options.backend});
  }
  return recipes;
}

}  // namespace

Result<std::vector<Recipe>> check_request(std::span<const Column> columns, const WriteOptions& options) {
  if (const Status status = check_columns(columns); !status.ok()) {
    return Status(StatusCode::invalid_argument, status.message());
  }
  for (const Column& column : columns) {
    BOBBIN_RETURN_IF(
        !is_string(column.type) && std::ranges::find(kAllTypes, column.type) == std::end(kAllTypes),
        StatusCode::invalid_argument, fmt::format("column {}: unknown type", quoted_text(column.name)));
  }
  BOBBIN_RETURN_IF(
      options.rows_per_group == 0 || options.rows_per_group > kMaxGroupRows, StatusCode::invalid_argument,
      fmt::format("{} rows per row group: must be from 1 to {}", options.rows_per_group, kMaxGroupRows));
  BOBBIN_RETURN_IF(options.bytes_per_group == 0, StatusCode::invalid_argument,
                   "0 bytes per row group: must be at least 1");
  BOBBIN_RETURN_IF(!(options.goal.slack >= 0), StatusCode::invalid_argument,
                   "the goal's slack must not be negative");
  return recipes_for(columns, options);
}

Status check_views(std::span<const ColumnView> views, const std::vector<Column>& columns) {
  BOBBIN_RETURN_IF(views.size() != columns.size(), StatusCode::invalid_argument,
                   fmt::format("append: expected {} columns, found {}", columns.size(), views.size()));
  for (size_t c = 0; c < views.size(); ++c) {
    const std::string place = fmt::format("append: column {}", quoted_text(columns[c].name));
    const bool same_type =
        views[c].type() == columns[c].type || (is_string(views[c].type()) && is_string(columns[c].type));
    BOBBIN_RETURN_IF(!same_type, StatusCode::invalid_argument,
                     fmt::format("{}: expected values of type {}, found {}", place,
                                 to_string(columns[c].type), to_string(views[c].type())));
    BOBBIN_RETURN_IF(
        views[c].length() != views.front().length(), StatusCode::invalid_argument,
        fmt::format("{}: expected {} rows, found {}", place, views.front().length(), views[c].length()));
    BOBBIN_RETURN_IF(views[c].validity() != nullptr && !columns[c].nullable, StatusCode::invalid_argument,
                     fmt::format("{}: the column is not nullable", place));
  }
  return {};
}

}  // namespace bobbin::file
