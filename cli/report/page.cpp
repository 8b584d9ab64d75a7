// SPDX-License-Identifier: Apache-2.0
#include "cli/report/page.hpp"

#include <fmt/format.h>

#include "bobbin/version.hpp"
#include "cli/report/html.hpp"

namespace bobbin::cli::page {
namespace {

constexpr const char* kMethod =
    "Raw is the plain array of a column; for strings, their bytes without offsets. A ratio is raw bytes to "
    "stored bytes.";
constexpr const char* kPeers =
    " zstd (level 3) and lz4 compress the same raw bytes, row group by row group, and keep neither nulls nor "
    "the "
    "lengths of strings.";

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string fact(std::string_view what, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", what, value);
}

std::string facts_html(const Model& model) {
  std::string html = "<dl>\n" + fact("Rows", number_html(model.num_rows)) +
                     fact("Columns", number_html(model.num_columns)) +
                     fact("Row groups", number_html(model.num_row_groups));
  if (model.source_bytes) {
    html += fact("Source", bytes_html(*model.source_bytes));
  }
  return html + fact("Raw", bytes_html(model.raw)) + fact("File", bytes_html(model.file_bytes)) +
         fact("Ratio", ratio_text(model.raw, model.file_bytes)) + "</dl>\n";
}

std::string others_html(const Model& model) {
  if (model.num_others() == 0) {
    return "";
  }
  return fmt::format(
      "<p>This page shows the {} columns with the most bytes. The other {} take {} in total; "
      "<code>bobbin stats</code> lists them all.</p>\n",
      model.columns.size(), number_html(model.num_others()), bytes_html(model.bytes_of_others));
}

}  // namespace

std::string make_page(const Model& model) {
  const Palette palette(model);
  const std::string name = escaped(file_name(model.name));
  const std::string body =
      fmt::format("<header>\n<h1><bdi>{}</bdi></h1>\n{}</header>\n<main>\n", name, facts_html(model)) +
      others_html(model) + map_html(model, palette) + table_html(model) + cells_html(model, palette) +
      bands_html(model) +
      fmt::format("</main>\n<footer><p>{}{} Made by bobbin {}.</p></footer>\n", kMethod,
                  model.has_peers() ? kPeers : "", BOBBIN_VERSION);
  return document_html(name + " - bobbin report", std::string(kStyle) + palette.css(), body);
}

}  // namespace bobbin::cli::page
