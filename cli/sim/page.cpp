// SPDX-License-Identifier: Apache-2.0
#include "cli/sim/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bobbin/version.hpp"
#include "cli/report/html.hpp"
#include "cli/report/page.hpp"
#include "cli/sim/chart.hpp"
#include "cli/sim/timeline.hpp"
#include "sim/energy.hpp"
#include "sim/report.hpp"

namespace bobbin::cli::page {
namespace {

constexpr std::string_view kPageStyle = R"css(
header, main { overflow-wrap: anywhere; }
main > section { margin-top: 2rem; }
td.wrap, th.wrap { white-space: normal; min-width: 12rem; }
.near { font-weight: 700; }
.far::after { content: " *"; }
)css";

constexpr std::string_view kHint = "<p class=\"hint\" aria-hidden=\"true\">scroll sideways for more</p>\n";

std::string section(std::string_view id, std::string_view title, std::string_view note,
                    std::string_view body) {
  return fmt::format("<section>\n<h2 id=\"{}\">{}</h2>\n{}{}</section>\n", id, title,
                     note.empty() ? "" : fmt::format("<p>{}</p>\n", note), body);
}

std::string table(std::string_view id, std::string_view head, std::string_view body) {
  return fmt::format(
      "{}<div class=\"box\" role=\"region\" tabindex=\"0\" "
      "aria-labelledby=\"{}\"><table><thead><tr>{}</tr></thead>"
      "<tbody>\n{}</tbody></table></div>\n",
      kHint, id, head, body);
}

std::string deviation_text(const sim::Claim& claim) {
  return claim.is_measured() ? fmt::format("{:+.1f} %", 100 * (claim.ours - claim.paper) / claim.paper) : "-";
}

std::string band_text(const sim::Claim& claim) {
  return claim.is_measured() ? value_text(claim.low) + " to " + value_text(claim.high) : "-";
}

// Words are asked for only where the deviation is large.
std::string why_text(const sim::Claim& claim) {
  if (!claim.is_measured()) {
    return "not measured";
  }
  if (!claim.remark.empty()) {
    return escaped(claim.remark);
  }
  return claim.is_near() ? "within the expected band" : "not explained yet";
}

std::string claim_row(const sim::Claim& claim) {
  return fmt::format(
      "<tr><th scope=\"row\" class=\"wrap\">{}</th><td class=\"n\">{}</td><td class=\"n {}\">{}</td>"
      "<td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"wrap\">{}</td></tr>\n",
      escaped(claim.text), value_text(claim.paper), claim.is_near() ? "near" : "far", value_text(claim.ours),
      deviation_text(claim), value_text(claim.other), band_text(claim), why_text(claim));
}

constexpr std::string_view kClaimHead =
    "<th class=\"wrap\">What</th><th class=\"n\">Paper</th><th class=\"n\">Ours</th><th "
    "class=\"n\">Deviation</th>"
    "<th class=\"n\">Other mean</th><th>Band</th><th class=\"wrap\">Why</th>";

std::string claims_html(std::string_view id, const std::vector<sim::Claim>& claims) {
  std::string rows;
  for (const sim::Claim& claim : claims) {
    rows += claim_row(claim);
  }
  return table(id, kClaimHead, rows);
}

std::string summary_html(const std::vector<sim::Claim>& claims) {
  return section(
      "summary", "The paper's numbers and ours",
      "Workloads are proxies: programs with the access pattern and kind of data of the paper's "
      "applications, not the applications. Ratios have the geometric mean over the memory-bound "
      "proxies (the other mean is the arithmetic one), percentages the arithmetic mean. The band is the "
      "lowest and highest proxy; for energy, the mean with each constant halved and raised by half. "
      "Bold: within the expected band. *: outside.",
      claims_html("summary", claims));
}

std::string orderings_html(const std::vector<sim::Ordering>& orderings) {
  std::string rows;
  for (const sim::Ordering& ordering : orderings) {
    rows += fmt::format(
        "<tr><th scope=\"row\" class=\"wrap\">{}</th><td>{}</td><td class=\"wrap\">{}</td></tr>\n",
        escaped(ordering.text),
        !ordering.holds   ? "not measured"
        : *ordering.holds ? "holds"
                          : "does not hold",
        escaped(ordering.numbers));
  }
  return section(
      "orderings", "What the paper says about single applications", "",
      table("orderings", "<th class=\"wrap\">Statement</th><th>Ours</th><th class=\"wrap\">Numbers</th>",
            rows));
}

std::string chart_section(const sim::Chart& chart, const std::vector<sim::Claim>& claims) {
  std::vector<sim::Claim> own;
  std::ranges::copy_if(claims, std::back_inserter(own),
                       [&](const sim::Claim& claim) { return claim.chart == chart.id; });
  return section(chart.id, escaped(chart.title), escaped(chart.note),
                 chart_html(chart) + (own.empty() ? "" : claims_html(chart.id, own)));
}

std::string constants_html() {
  std::string rows;
  const sim::EnergyTable values;
  for (const sim::EnergyConstant& constant : sim::energy_constants()) {
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"n\">{} {}</td><td class=\"wrap\">{}</td></tr>\n",
        constant.name, values.*constant.field, constant.unit, escaped(constant.source));
  }
  return section(
      "constants", "Constants of energy",
      "Per event, or static power. Most are estimates of the right order of magnitude: only ratios to "
      "Base mean something.",
      table("constants", "<th>Constant</th><th class=\"n\">Value</th><th class=\"wrap\">Source</th>", rows));
}

double quotient(uint64_t a, uint64_t b) {
  return static_cast<double>(a) / static_cast<double>(std::max<uint64_t>(1, b));
}

// What a workload is like, from its run on Base: a cell per heading of workloads_html().
std::string measured_cells(const sim::RunResult& base) {
  const sim::Counters& c = base.counters;
  std::string cells;
  for (const double value :
       {base.ipc(), quotient(c.thread_instructions, c.instructions),
        quotient(c.instructions, c.l1_loads + c.l1_stores + c.atomics),
        1000 * quotient(c.l1_fills, c.instructions), 100 * base.l1_hit_rate(), 100 * base.l2_hit_rate()}) {
    cells += fmt::format("<td class=\"n\">{}</td>", value_text(value));
  }
  return cells;
}

std::string workloads_html(const sim::ResultSet& set) {
  constexpr std::string_view kMeasured[] = {
      "IPC", "Lanes", "Instructions per line", "L1 misses per 1000", "L1 hits, %", "L2 hits, %"};
  std::string headings = "<th>Name</th><th>Class</th><th class=\"n\">BDI ratio</th>";
  std::string missing;
  for (const std::string_view heading : kMeasured) {
    headings += fmt::format("<th class=\"n\">{}</th>", heading);
    missing += "<td class=\"n\">-</td>";
  }
  std::string rows;
  for (const sim::Workload& workload : sim::workloads()) {
    const std::string name(workload.name);
    const sim::RunResult* base = set.find(name, sim::Design::base);
    const sim::RunResult* ideal = set.find(name, sim::Design::ideal_bdi);
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td>{}<td class=\"wrap\">{}</td></tr>\n",
        escaped(name), to_string(workload.kind),
        ideal == nullptr ? "-" : value_text(ideal->compression_ratio()),
        base == nullptr ? missing : measured_cells(*base), escaped(workload.description));
  }
  return section(
      "workloads", "Workloads",
      "Proxies and controls. The compression ratio is that of Ideal-BDI, all other numbers are of Base: "
      "active lanes per instruction, instructions per line that is accessed, misses per 1000 instructions.",
      table("workloads", headings + "<th class=\"wrap\">Description</th>", rows));
}

std::string failures_html(const sim::ResultSet& set) {
  if (set.failures.empty()) {
    return "";
  }
  std::string rows;
  for (const auto& [one, error] : set.failures) {
    rows += fmt::format("<tr><th scope=\"row\" class=\"wrap\">{}</th><td class=\"wrap\">{}</td></tr>\n",
                        escaped(to_string(one)), escaped(error));
  }
  return section("failures", "Runs that failed", "",
                 table("failures", "<th class=\"wrap\">Run</th><th class=\"wrap\">Error</th>", rows));
}

std::string timeline_section(const sim::ResultSet& set) {
  if (!set.timeline) {
    return "";
  }
  sim::EventLog log;
  log.first_cycle = set.timeline->first_cycle;
  log.end_cycle = set.timeline->end_cycle;
  log.sm = set.timeline->sm;
  log.issues = set.timeline->issues;
  return section(
      "timeline", "One SM, cycle by cycle",
      fmt::format("{}, SM {}: which warp issued in which core cycle. An assist warp is in the row of its "
                  "parent.",
                  escaped(to_string(set.timeline->of)), log.sm),
      timeline_html(log));
}

// What differs from the paper's machine.
std::string machine_text(const sim::ResultSet& set) {
  const sim::Config paper;
  std::string text;
  for (const sim::Parameter& parameter : sim::parameters()) {
    if (set.machine.*parameter.field != paper.*parameter.field) {
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", parameter.name, set.machine.*parameter.field);
    }
  }
  return text.empty() ? "the paper's Table 1" : text;
}

std::string facts_html(const sim::ResultSet& set) {
  const auto fact = [](std::string_view what, std::string_view value) {
    return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", what, value);
  };
  return "<dl>\n" + fact("Runs", number_html(set.runs.size())) +
         fact("Sizes", set.quick ? "quick (small problems)" : "full") +
         fact("Machine", escaped(machine_text(set))) + fact("Simulator", escaped(set.build)) + "</dl>\n";
}

}  // namespace

std::string sim_page(const sim::ResultSet& set) {
  const std::vector<sim::Claim> claims = sim::make_claims(set);
  std::string body = "<header>\n<h1>Assist warps, simulated</h1>\n" + facts_html(set) +
                     "</header>\n<main>\n" + summary_html(claims) + orderings_html(sim::make_orderings(set));
  for (const sim::Chart& chart : sim::make_charts(set)) {
    body += chart_section(chart, claims);
  }
  body += timeline_section(set) + workloads_html(set) + constants_html() + failures_html(set);
  body += fmt::format("</main>\n<footer><p>Made by bobbin {}. The paper: arXiv 1602.01348.</p></footer>\n",
                      BOBBIN_VERSION);
  std::string style(kStyle);
  for (const std::string_view more : {kTimelineStyle, kChartStyle, kPageStyle}) {
    style += more;
  }
  return document_html("Assist warps, simulated - bobbin sim report", style, body);
}

}  // namespace bobbin::cli::page
