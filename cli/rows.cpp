// SPDX-License-Identifier: Apache-2.0
#include "cli/rows.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "cli/format.hpp"

namespace bobbin::cli {
namespace {

struct Bounds {
  uint64_t begin = 0;
  std::optional<uint64_t> end;
};

bool parse_number(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// "A:B": rows A to B-1; without A from the first, without B to the last.
std::optional<Bounds> parse_rows(std::string_view text) {
  Bounds range;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  if (colon > 0 && !parse_number(text.substr(0, colon), range.begin)) {
    return std::nullopt;
  }
  uint64_t end = 0;
  if (colon + 1 < text.size()) {
    if (!parse_number(text.substr(colon + 1), end) || end < range.begin) {
      return std::nullopt;
    }
    range.end = end;
  }
  return range;
}

}  // namespace

CLI::Option* add_rows_option(CLI::App& verb, std::string& rows) {
  const auto check = [](const std::string& text) -> std::string {
    return parse_rows(text) ? "" : "'" + text + "' is no row range A:B";
  };
  return verb.add_option("--rows", rows, "Rows A to B-1, counted from 0; either may be left out")
      ->check(CLI::Validator(check, "", "rows"))
      ->type_name("A:B");
}

Result<RowRange> find_rows(const OpenReader& file, const std::string& rows) {
  const Bounds bounds = parse_rows(rows).value_or(Bounds{});
  const uint64_t end = bounds.end.value_or(file.reader.num_rows());
  BOBBIN_RETURN_IF(bounds.begin > end || end > file.reader.num_rows(), StatusCode::invalid_argument,
                   fmt::format("{}: rows {} are outside the file's {}", file.name, rows,
                               count(file.reader.num_rows(), "row")));
  return RowRange{bounds.begin, end};
}

}  // namespace bobbin::cli
