// SPDX-License-Identifier: Apache-2.0
// The table of columns.
#include <fmt/format.h>

#include <algorithm>

#include "cli/report/html.hpp"
#include "cli/report/page.hpp"

namespace bobbin::cli::page {
namespace {

// Rounded as they are shown: those that read the same are all best.
double best_ratio(const ColumnFacts& facts) {
  return std::max({ratio(facts.raw, facts.total.bytes), ratio(facts.raw, facts.peers.zstd.value_or(0)),
                   ratio(facts.raw, facts.peers.lz4.value_or(0))});
}

std::string ratio_html(const ColumnFacts& facts, std::optional<uint64_t> bytes) {
  if (!bytes) {
    return "<td class=\"n none\">not measured</td>";
  }
  const bool best = ratio(facts.raw, *bytes) == best_ratio(facts);
  return fmt::format(R"(<td class="n{}" title="{}">{}</td>)", best ? " best" : "", count(*bytes, "byte"),
                     ratio_text(facts.raw, *bytes));
}

// The one with most bytes; the others on demand.
std::string encoding_html(const ColumnSummary& summary) {
  const std::vector<CascadeTotal> totals = cascades(summary);
  if (totals.empty()) {
    return "-";
  }
  std::string all;
  for (const CascadeTotal& total : totals) {
    all +=
        fmt::format("{}: {}, {}\n", total.cascade, count(total.chunks, "chunk"), count(total.bytes, "byte"));
  }
  return fmt::format("<code title=\"{}\">{}</code>{}", escaped_lines(all), escaped(totals.front().cascade),
                     totals.size() == 1 ? "" : fmt::format(" <small>+{}</small>", totals.size() - 1));
}

std::string bound_html(const std::string& text) {
  return fmt::format(R"(<td class="v" title="{}"><bdi>{}</bdi></td>)", escaped(text), escaped(text));
}

std::string row_html(const ColumnFacts& facts) {
  const ColumnSummary& total = facts.total;
  return fmt::format(
      "<tr><th scope=\"row\" title=\"{}\">{}</th><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
      "{}{}{}<td class=\"e\">{}</td>{}{}<td class=\"n\">{}</td></tr>\n",
      escaped(facts.column.name), name_html(facts.column.name), type_text(facts.column),
      bytes_html(facts.raw), bytes_html(total.bytes), ratio_html(facts, total.bytes),
      ratio_html(facts, facts.peers.zstd), ratio_html(facts, facts.peers.lz4), encoding_html(total),
      bound_html(min_text(facts.column, total.zone)), bound_html(max_text(facts.column, total.zone)),
      number_html(total.zone.nulls));
}

constexpr const char* kHeads = R"(<section>
<h2 id="columns">Columns</h2>
<p>The best ratio of a line is bold. Bounds come from zone maps; those of strings may be cut.</p>
<div class="box" role="region" aria-labelledby="columns" tabindex="0"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col" class="n">Raw</th>
<th scope="col" class="n">Bytes</th><th scope="col" class="n">Ratio</th><th scope="col" class="n">zstd -3</th>
<th scope="col" class="n">lz4</th><th scope="col">Main encoding</th><th scope="col">Min</th>
<th scope="col">Max</th><th scope="col" class="n">Nulls</th></tr></thead>
<tbody>
)";

}  // namespace

std::string table_html(const Model& model) {
  std::string html = kHeads;
  for (const ColumnFacts& facts : model.columns) {
    html += row_html(facts);
  }
  return html + "</tbody></table></div>\n</section>\n";
}

}  // namespace bobbin::cli::page
