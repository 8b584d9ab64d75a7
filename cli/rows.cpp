// SPDX-License-Identifier: Apache-2.0
#include "cli/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/format.hpp"

namespace bobbin::cli {
namespace {

// A row counted from the first, or from the end if it has a minus sign.
struct Edge {
  uint64_t rows = 0;
  bool from_end = false;

  [[nodiscard]] uint64_t in(uint64_t num_rows) const {
    return from_end ? num_rows - std::min(num_rows, rows) : rows;
  }
};

struct Bounds {
  Edge begin;
  std::optional<Edge> end;
};

std::optional<Edge> parse_edge(std::string_view text) {
  Edge edge{.rows = 0, .from_end = text.starts_with('-')};
  text.remove_prefix(edge.from_end ? 1 : 0);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), edge.rows);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(edge) : std::nullopt;
}

bool in_order(const Edge& begin, const Edge& end) {
  if (begin.from_end != end.from_end) {
    return true;  // depends on the number of rows
  }
  return begin.from_end ? begin.rows >= end.rows : begin.rows <= end.rows;
}

// "A:B": rows A to B-1; without A from the first, without B to the last.
std::optional<Bounds> parse_rows(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<Edge> begin = colon == 0 ? Edge{} : parse_edge(text.substr(0, colon));
  std::optional<Edge> end;
  if (colon + 1 < text.size()) {
    end = parse_edge(text.substr(colon + 1));
    if (!end || (begin && !in_order(*begin, *end))) {
      return std::nullopt;
    }
  }
  return begin ? std::optional(Bounds{*begin, end}) : std::nullopt;
}

}  // namespace

Option add_rows_option(const Verb& verb, std::string& rows) {
  const auto check = [](const std::string& text) -> std::string {
    return parse_rows(text) ? "" : "'" + text + "' is not a row range A:B";
  };
  return verb
      .add_option(
          "--rows", rows,
          "Rows A to B-1, counted from 0; either may be omitted, and negative numbers count from the end")
      .check("rows", check)
      .type_name("A:B");
}

std::optional<uint64_t> last_row(const std::string& rows) {
  const Bounds bounds = parse_rows(rows).value_or(Bounds{});
  const bool known = bounds.end && !bounds.end->from_end && !bounds.begin.from_end;
  return known ? std::optional(bounds.end->rows) : std::nullopt;
}

Result<RowRange> find_rows(const OpenReader& file, const std::string& rows) {
  const Bounds bounds = parse_rows(rows).value_or(Bounds{});
  const uint64_t num_rows = file.reader.num_rows();
  const RowRange range{bounds.begin.in(num_rows), bounds.end ? bounds.end->in(num_rows) : num_rows};
  BOBBIN_RETURN_IF(
      range.begin > range.end || range.end > num_rows, StatusCode::invalid_argument,
      fmt::format("{}: rows {} are outside the file's {}", file.name, rows, count(num_rows, "row")));
  return range;
}

}  // namespace bobbin::cli
