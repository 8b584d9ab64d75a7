// SPDX-License-Identifier: Apache-2.0
#include "cli/report/page.hpp"

#include <fmt/format.h>

#include "bobbin/version.hpp"
#include "cli/report/html.hpp"

namespace bobbin::cli::page {
namespace {

// The policy makes sure of it: whatever stands in the page, a browser loads nothing and runs no script.
constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{} - bobbin report</title>
<style>{}</style>
</head>
<body>
)";

constexpr const char* kMethod =
    "Ratios are raw bytes to stored bytes. Raw is the plain array of a column; of strings, their bytes and a "
    "4-byte offset each. zstd (level 3) and lz4 compress the same raw columns, row group by row group.";

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string fact(std::string_view what, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", what, value);
}

std::string facts_html(const Model& model) {
  return "<dl>\n" + fact("Rows", number_html(model.num_rows)) +
         fact("Columns", number_html(model.num_columns)) +
         fact("Row groups", number_html(model.num_row_groups)) + fact("Raw", bytes_html(model.raw)) +
         fact("On disk", bytes_html(model.file_bytes)) +
         fact("Ratio", ratio_text(model.raw, model.file_bytes)) + "</dl>\n";
}

std::string others_html(const Model& model) {
  if (model.num_others() == 0) {
    return "";
  }
  return fmt::format(
      "<p>This page shows the {} columns with most bytes. The other {} take {} together; "
      "<code>bobbin stats</code> lists them all.</p>\n",
      model.columns.size(), number_html(model.num_others()), bytes_html(model.bytes_of_others));
}

}  // namespace

std::string make_page(const Model& model) {
  const Palette palette(model);
  const std::string name = escaped(file_name(model.name));
  return fmt::format(kHead, name, kStyle) +
         fmt::format("<header>\n<h1><bdi>{}</bdi></h1>\n{}</header>\n<main>\n", name, facts_html(model)) +
         others_html(model) + map_html(model, palette) + table_html(model) + cells_html(model, palette) +
         bands_html(model) +
         fmt::format("</main>\n<footer><p>{} Made by bobbin {}.</p></footer>\n</body>\n</html>\n", kMethod,
                     BOBBIN_VERSION);
}

}  // namespace bobbin::cli::page
