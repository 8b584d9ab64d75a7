// SPDX-License-Identifier: Apache-2.0
// The table of columns.
#include <fmt/format.h>

#include <algorithm>

#include "cli/report/html.hpp"
#include "cli/report/page.hpp"

namespace bobbin::cli::page {
namespace {

// Rounded as displayed: all that look equal count as best.
double best_ratio(const ColumnFacts& facts) {
  return std::max({ratio(facts.total.raw, facts.total.bytes),
                   ratio(facts.total.raw, facts.peers.zstd.value_or(0)),
                   ratio(facts.total.raw, facts.peers.lz4.value_or(0))});
}

std::string ratio_html(const ColumnFacts& facts, std::optional<uint64_t> bytes) {
  if (!bytes) {
    return "<td class=\"n none\">not measured</td>";
  }
  const bool compared = facts.peers.zstd || facts.peers.lz4;
  const bool best = compared && ratio(facts.total.raw, *bytes) == best_ratio(facts);
  return fmt::format(R"(<td class="n{}" title="{}">{}</td>)", best ? " best" : "", count(*bytes, "byte"),
                     ratio_text(facts.total.raw, *bytes));
}

// The encoding with the most bytes; all of them as a tooltip.
std::string encoding_html(const ColumnSummary& summary) {
  const std::vector<CascadeTotal> totals = cascades(summary);
  if (totals.empty()) {
    return "-";
  }
  return fmt::format("<code title=\"{}\">{}</code>{}", escaped_lines(encoding_text(summary)),
                     escaped(totals.front().cascade),
                     totals.size() == 1 ? "" : fmt::format(" <small>+{}</small>", totals.size() - 1));
}

std::string bound_html(const std::string& text) {
  return fmt::format(R"(<td class="v" title="{}"><bdi>{}</bdi></td>)", escaped(text), escaped(text));
}

std::string nulls_html(const Zone& zone) {
  return fmt::format(R"(<td class="n" title="{} of rows">{}</td>)", share_html(zone.nulls, zone.rows),
                     number_html(zone.nulls));
}

std::string row_html(const ColumnFacts& facts, bool has_peers) {
  const ColumnSummary& total = facts.total;
  const std::string peers =
      has_peers ? ratio_html(facts, facts.peers.zstd) + ratio_html(facts, facts.peers.lz4) : "";
  return fmt::format(
      "<tr><th scope=\"row\" title=\"{}\">{}</th><td>{}</td>{}<td class=\"n\">{}</td><td class=\"n\">{}</td>"
      "{}{}<td class=\"e\">{}</td>{}{}</tr>\n",
      escaped(facts.column.name), name_html(facts.column.name), type_text(facts.column),
      nulls_html(total.zone), bytes_html(total.raw), bytes_html(total.bytes), ratio_html(facts, total.bytes),
      peers, encoding_html(total), bound_html(min_text(facts.column, total.zone)),
      bound_html(max_text(facts.column, total.zone)));
}

constexpr const char* kHeads = R"(<section>
<h2 id="columns">Columns</h2>
<p>{}Bounds come from zone maps; those of strings may be cut.</p>
<p class="hint" aria-hidden="true">Scroll for more &#8594;</p>
<div class="box" role="region" aria-labelledby="columns" tabindex="0"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col" class="n">Nulls</th>
<th scope="col" class="n">Raw</th><th scope="col" class="n">Bytes</th><th scope="col" class="n">Ratio</th>{}
<th scope="col">Main encoding</th><th scope="col">Min</th><th scope="col">Max</th></tr></thead>
<tbody>
)";
constexpr const char* kPeerHeads =
    "\n<th scope=\"col\" class=\"n\">zstd -3</th><th scope=\"col\" class=\"n\">lz4</th>";

}  // namespace

std::string table_html(const Model& model) {
  if (model.columns.empty()) {
    return "";
  }
  const bool has_peers = model.has_peers();
  std::string html =
      fmt::format(kHeads, has_peers ? "The best ratio of a row is bold. " : "", has_peers ? kPeerHeads : "");
  for (const ColumnFacts& facts : model.columns) {
    html += row_html(facts, has_peers);
  }
  return html + "</tbody></table></div>\n</section>\n";
}

}  // namespace bobbin::cli::page
