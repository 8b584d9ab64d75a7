// SPDX-License-Identifier: Apache-2.0
// Charts by row group: encodings, and the ranges of zone maps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/report/html.hpp"
#include "cli/report/page.hpp"

namespace bobbin::cli::page {
namespace {

constexpr size_t kMaxNodes = 12;   // of a tree in a tooltip
constexpr size_t kMaxLegend = 24;  // cascades
constexpr double kHeight = 100;    // of a band chart
constexpr double kLeastBand = 3;   // so that a single value is still visible

std::string span_text(const Span& span) {
  const uint64_t end = span.first_row + span.num_rows;
  return span.num_groups == 1 ? fmt::format("row group {}, rows {}:{}", span.first_group, span.first_row, end)
                              : fmt::format("row groups {} to {}, rows {}:{}", span.first_group,
                                            span.first_group + span.num_groups - 1, span.first_row, end);
}

std::string spans_note(const Model& model) {
  if (model.spans.size() == model.num_row_groups) {
    return "";
  }
  return fmt::format(" Up to {} row groups are shown as one.", model.spans.front().num_groups);
}

// One line per node, children indented.
void add_tree(const NodeInfo& node, size_t depth, size_t& left, std::string& text) {
  if (left == 0) {
    return;
  }
  text += --left == 0 ? "\n..."
                      : fmt::format("\n{:{}}{}{}{}: {}", "", 2 * depth, node.codec,
                                    node.detail.empty() ? "" : ", ", node.detail, count(node.bytes, "byte"));
  for (const NodeInfo& child : node.children) {
    add_tree(child, depth + 1, left, text);
  }
}

std::string cell_text(const Span& span, const ColumnSummary& cell) {
  return fmt::format("{}\n{}, ratio {}\n{}", span_text(span), count(cell.bytes, "byte"),
                     ratio_text(cell.raw, cell.bytes), encoding_text(cell));
}

std::string strip_html(const Model& model, const ColumnFacts& facts, const Palette& palette) {
  std::string html;
  for (size_t i = 0; i < facts.cells.size(); ++i) {
    html += fmt::format(R"(<i class="fill {}" title="{}"></i>)",
                        palette.cascade_style(cascades(facts.cells[i]).front().cascade),
                        escaped_lines(cell_text(model.spans[i], facts.cells[i])));
  }
  return html;
}

std::string cascade_legend_html(const Palette& palette) {
  std::string html = "<ul aria-label=\"Encodings\">";
  const size_t shown = std::min(palette.cascades().size(), kMaxLegend);
  for (size_t i = 0; i < shown; ++i) {
    const Palette::Entry& entry = palette.cascades()[i];
    html += fmt::format("<li><span class=\"fill {}\"></span><code>{}</code></li>", entry.style,
                        escaped(entry.name));
  }
  if (shown < palette.cascades().size()) {
    html += fmt::format("<li>and {} more</li>", palette.cascades().size() - shown);
  }
  return html + "</ul>\n";
}

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

// The finite ones among the bounds of all spans.
Bounds finite_bounds(const ColumnFacts& facts) {
  Bounds bounds;
  for (const ColumnSummary& cell : facts.cells) {
    for (const Scalar end : {cell.zone.min, cell.zone.max}) {
      const double value = to_double(facts.column.type, end);
      if (cell.zone.has_bounds() && std::isfinite(value)) {
        bounds = {std::min(bounds.low, value), std::max(bounds.high, value)};
      }
    }
  }
  return bounds;
}

// The distance of a value from the chart's upper edge; a single value is in the middle. Computed with halves,
// because the whole range may not be a finite number.
double depth_of(double value, const Bounds& bounds) {
  const double range = bounds.high / 2 - bounds.low / 2;
  if (std::isinf(value)) {
    return value > 0 ? 0 : kHeight;
  }
  return range > 0 ? kHeight * (bounds.high / 2 - value / 2) / range : kHeight / 2;
}

std::string band_path(const ColumnFacts& facts) {
  const Bounds bounds = finite_bounds(facts);
  std::string path;
  for (size_t i = 0; i < facts.cells.size(); ++i) {
    const Zone& zone = facts.cells[i].zone;
    if (!zone.has_bounds()) {
      continue;
    }
    const double top = depth_of(to_double(facts.column.type, zone.max), bounds);
    const double bottom = depth_of(to_double(facts.column.type, zone.min), bounds);
    const double height = std::max(kLeastBand, bottom - top);
    path += fmt::format("M{} {:.1f}h1v{:.1f}h-1z", i, std::clamp(top, 0.0, kHeight - height), height);
  }
  return path;
}

std::string band_html(const ColumnFacts& facts) {
  const std::string low = escaped(min_text(facts.column, facts.total.zone));
  const std::string high = escaped(max_text(facts.column, facts.total.zone));
  const std::string name = escaped(facts.column.name);
  return fmt::format(
      "<figure><figcaption title=\"{}\">{}</figcaption><small>{}</small>"
      "<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\"><title>{}: from {} to {}, by row "
      "group</title><path d=\"{}\"/></svg><small>{}</small></figure>\n",
      name, name_html(facts.column.name), high, facts.cells.size(), kHeight, name, low, high,
      band_path(facts), low);
}

// A constant column has no range to draw.
bool has_range(const ColumnFacts& facts) {
  const Zone& zone = facts.total.zone;
  return !is_string(facts.column.type) && zone.has_bounds() && zone.min.bits != zone.max.bits;
}

}  // namespace

std::string encoding_text(const ColumnSummary& summary) {
  std::string text;
  if (summary.encodings.size() == 1) {
    size_t left = kMaxNodes;
    add_tree(summary.encodings.front().sum, 0, left, text);
    return text.substr(1);  // after the first line break
  }
  for (const CascadeTotal& total : cascades(summary)) {
    text += fmt::format("{}{}: {}, {}", text.empty() ? "" : "\n", total.cascade, count(total.chunks, "chunk"),
                        count(total.bytes, "byte"));
  }
  return text;
}

std::string cells_html(const Model& model, const Palette& palette) {
  if (model.spans.size() < 2) {
    return "";  // the table shows everything
  }
  std::string html = fmt::format(
      "<section>\n<h2 id=\"encodings\">Encodings by row group</h2>\n"
      "<p>One cell per row group; stripes are its codecs, the outermost on top. Point at a cell for its "
      "sizes.{}</p>\n"
      "<p class=\"hint\" aria-hidden=\"true\">Scroll for more &#8594;</p>\n{}",
      spans_note(model), cascade_legend_html(palette));
  html +=
      "<div class=\"box\" role=\"region\" aria-labelledby=\"encodings\" tabindex=\"0\">"
      "<table class=\"cells\">\n<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Row groups</th></tr>"
      "</thead>\n<tbody>\n";
  for (const ColumnFacts& facts : model.columns) {
    html += fmt::format(
        "<tr><th scope=\"row\" title=\"{}\">{}</th><td><div class=\"strip\">{}</div></td></tr>\n",
        escaped(facts.column.name), name_html(facts.column.name), strip_html(model, facts, palette));
  }
  return html + "</tbody></table></div>\n</section>\n";
}

std::string bands_html(const Model& model) {
  std::string bands;
  for (const ColumnFacts& facts : model.columns) {
    bands += has_range(facts) ? band_html(facts) : "";
  }
  if (model.spans.size() < 2 || bands.empty()) {
    return "";
  }
  return fmt::format(
      "<section>\n<h2 id=\"ranges\">Ranges by row group</h2>\n"
      "<p>The smallest to the largest value of each row group, from left to right. A query skips row groups "
      "whose "
      "range has no match.{}</p>\n<div class=\"bands\">\n{}</div>\n</section>\n",
      spans_note(model), bands);
}

}  // namespace bobbin::cli::page
