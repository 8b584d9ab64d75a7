// SPDX-License-Identifier: Apache-2.0
// The tree map: one cell per column, divided by position in its encoding trees; and the footer.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/report/html.hpp"
#include "cli/report/page.hpp"
#include "cli/report/treemap.hpp"

namespace bobbin::cli::page {
namespace {

constexpr Rect kWhole{0, 0, 160, 100};  // only its shape matters
constexpr size_t kMaxParts = 12;        // of a column

// A codec at a position in the trees of a column, "delta > ffor", excluding what is below it.
struct Part {
  std::string place;
  std::string codec;
  uint64_t bytes = 0;
};

void add_parts(const NodeInfo& node, const std::string& above, std::map<std::string, Part>& parts) {
  const std::string place = above.empty() ? node.codec : above + " > " + node.codec;
  Part& part = parts[place];
  part.place = place;
  part.codec = node.codec;
  part.bytes += node.bytes;
  for (const NodeInfo& child : node.children) {
    add_parts(child, place, parts);
  }
}

// The largest first. If there are many, the last one is the sum of the rest.
std::vector<Part> parts_of(const ColumnSummary& summary) {
  std::map<std::string, Part> places;
  for (const ColumnSummary::Encoding& encoding : summary.encodings) {
    add_parts(encoding.sum, "", places);
  }
  std::vector<Part> parts;
  parts.reserve(places.size());
  for (auto& [place, part] : places) {
    parts.push_back(std::move(part));
  }
  std::ranges::stable_sort(parts, std::ranges::greater{}, &Part::bytes);
  if (parts.size() > kMaxParts) {
    for (size_t i = kMaxParts; i < parts.size(); ++i) {
      parts[kMaxParts - 1].bytes += parts[i].bytes;
    }
    parts.resize(kMaxParts);
    parts.back().place += " and smaller parts";
  }
  return parts;
}

std::string place_html(const Rect& rect, const Rect& whole) {
  return fmt::format("left:{:.3f}%;top:{:.3f}%;width:{:.3f}%;height:{:.3f}%",
                     100 * (rect.x - whole.x) / whole.width, 100 * (rect.y - whole.y) / whole.height,
                     100 * rect.width / whole.width, 100 * rect.height / whole.height);
}

std::vector<Rect> lay_out(const std::vector<uint64_t>& bytes, const Rect& whole) {
  return squarify(std::vector<double>(bytes.begin(), bytes.end()), whole);
}

std::string parts_html(const ColumnSummary& summary, const Rect& rect, const Palette& palette) {
  const std::vector<Part> parts = parts_of(summary);
  std::vector<uint64_t> sizes(parts.size());
  std::ranges::transform(parts, sizes.begin(), &Part::bytes);
  const std::vector<Rect> rects = lay_out(sizes, rect);
  std::string html;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].bytes > 0) {
      html += fmt::format(R"(<div class="fill {}" style="{}" title="{}: {}"><span>{}</span></div>)",
                          palette.codec_style(parts[i].codec), place_html(rects[i], rect),
                          escaped(parts[i].place), count(parts[i].bytes, "byte"), escaped(parts[i].codec));
    }
  }
  return html;
}

std::string column_html(const ColumnFacts& facts, const Rect& rect, uint64_t total, const Palette& palette) {
  const std::string share = share_html(facts.total.bytes, total);
  return fmt::format(
      "<div class=\"col\" style=\"{}\" title=\"{}: {}, {}, ratio {}\"><span>{} <small>{}</small></span>"
      "<div class=\"in\">{}</div></div>\n",
      place_html(rect, kWhole), escaped(facts.column.name), count(facts.total.bytes, "byte"), share,
      ratio_text(facts.total.raw, facts.total.bytes), name_html(facts.column.name), share,
      rect.width > 0 && rect.height > 0 ? parts_html(facts.total, rect, palette) : "");
}

// A cell for bytes that do not belong to a shown column.
std::string rest_html(std::string_view style, const std::string& label, std::string_view title,
                      uint64_t bytes, const Rect& rect, uint64_t total) {
  const std::string share = share_html(bytes, total);
  return fmt::format(
      "<div class=\"col {}\" style=\"{}\" title=\"{}: {}, {}\"><span>{} <small>{}</small></span></div>\n",
      style, place_html(rect, kWhole), title, count(bytes, "byte"), share, label, share);
}

std::string legend_html(const Palette& palette, const Model& model) {
  std::string html = "<ul aria-label=\"Codecs\">";
  const auto add = [&](const std::string& style, const std::string& name, uint64_t bytes) {
    html += fmt::format("<li><span class=\"fill {}\"></span>{} <small>{}</small></li>", style, escaped(name),
                        share_html(bytes, model.file_bytes));
  };
  for (const Palette::Entry& entry : palette.codecs()) {
    if (entry.bytes > 0) {  // others are not in the map
      add(entry.style, entry.name, entry.bytes);
    }
  }
  if (model.num_others() > 0) {
    add("others", "other columns", model.bytes_of_others);
  }
  add("rest", "footer", model.footer_bytes);
  return html + "</ul>\n";
}

}  // namespace

std::string map_html(const Model& model, const Palette& palette) {
  std::vector<uint64_t> sizes;
  for (const ColumnFacts& facts : model.columns) {
    sizes.push_back(facts.total.bytes);
  }
  if (std::ranges::all_of(sizes, [](uint64_t size) { return size == 0; })) {
    return "";
  }
  sizes.push_back(model.bytes_of_others);
  sizes.push_back(model.footer_bytes);
  const std::vector<Rect> rects = lay_out(sizes, kWhole);
  std::string html =
      "<section>\n<h2 id=\"map\">Where the bytes are</h2>\n"
      "<p>Areas are bytes of the file: by column, and within a column by codec.</p>\n" +
      legend_html(palette, model) + "<div class=\"map\" role=\"group\" aria-labelledby=\"map\">\n";
  const size_t num_columns = model.columns.size();
  for (size_t i = 0; i < num_columns; ++i) {
    html += column_html(model.columns[i], rects[i], model.file_bytes, palette);
  }
  if (model.num_others() > 0) {
    const std::string label = number_html(model.num_others()) + " other columns";
    html += rest_html("others", label, label, model.bytes_of_others, rects[num_columns], model.file_bytes);
  }
  html += rest_html("rest", "footer", "footer, header and trailer", model.footer_bytes,
                    rects[num_columns + 1], model.file_bytes);
  return html + "</div>\n</section>\n";
}

}  // namespace bobbin::cli::page
