// SPDX-License-Identifier: Apache-2.0
#include "cli/sim/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bobbin/version.hpp"
#include "cli/report/html.hpp"
#include "cli/report/page.hpp"

namespace bobbin::cli::page {
namespace {

constexpr uint64_t kCellWidth = 4;  // pixels of a cycle
constexpr uint64_t kRowHeight = 9;
constexpr uint64_t kLeft = 36;          // for the numbers of warps
constexpr uint64_t kCyclesHeight = 16;  // for the cycles
constexpr uint64_t kTick = 50;          // cycles
constexpr uint64_t kLabelledRows = 4;

enum Kind : uint8_t { parent_compute, parent_memory, assist_high, assist_low, num_kinds };

struct KindText {
  std::string_view style;
  std::string_view text;
};
constexpr std::array<KindText, num_kinds> kKinds = {{
    {"k-compute", "parent: arithmetic, branches"},
    {"k-memory", "parent: memory"},
    {"k-high", "assist warp of high priority: decompression"},
    {"k-low", "assist warp of low priority: compression"},
}};

bool is_memory(sim::Op op) {
  using sim::Op;
  return op == Op::load || op == Op::store || op == Op::atomic || op == Op::prefetch ||
         op == Op::shared_load || op == Op::shared_store;
}

Kind kind_of(const sim::IssueEvent& event) {
  if (event.assist) {
    return event.low_priority ? assist_low : assist_high;
  }
  return is_memory(event.op) ? parent_memory : parent_compute;
}

struct TimelineFrame {
  uint64_t first = 0;
  uint64_t end = 0;
  uint64_t rows = 1;

  [[nodiscard]] uint64_t x(uint64_t cycle) const { return kLeft + (cycle - first) * kCellWidth; }
  [[nodiscard]] static uint64_t y(uint64_t row) { return kCyclesHeight + row * kRowHeight; }
  [[nodiscard]] uint64_t width() const { return x(end); }
  [[nodiscard]] uint64_t height() const { return y(rows) + 2; }
};

// Ends after the last event, if the run ended before the log.
TimelineFrame frame_of(const sim::EventLog& log) {
  TimelineFrame frame{log.first_cycle, log.first_cycle + 1, 1};
  for (const sim::IssueEvent& event : log.issues) {
    frame.end = std::max(frame.end, event.cycle + 1);
    frame.rows = std::max<uint64_t>(frame.rows, event.warp + 1);
  }
  return frame;
}

std::string axis_html(const TimelineFrame& frame) {
  std::string html;
  for (uint64_t cycle = (frame.first + kTick - 1) / kTick * kTick; cycle < frame.end; cycle += kTick) {
    html += fmt::format(R"(<path class="grid" d="M{} {}V{}"/><text x="{}" y="11">{}</text>)", frame.x(cycle),
                        kCyclesHeight, frame.height(), frame.x(cycle), cycle);
  }
  for (uint64_t row = 0; row < frame.rows; row += kLabelledRows) {
    html += fmt::format(R"(<text x="2" y="{}">w{}</text>)", TimelineFrame::y(row) + kRowHeight - 1, row);
  }
  return html;
}

std::string paths_html(const sim::EventLog& log, const TimelineFrame& frame) {
  std::array<std::string, num_kinds> paths;
  for (const sim::IssueEvent& event : log.issues) {
    paths[kind_of(event)] +=
        fmt::format("M{} {}h{}v{}h-{}z", frame.x(event.cycle), TimelineFrame::y(event.warp) + 1, kCellWidth,
                    kRowHeight - 2, kCellWidth);
  }
  std::string html;
  for (size_t kind = 0; kind < num_kinds; ++kind) {
    html += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", kKinds[kind].style, paths[kind]);
  }
  return html;
}

std::string legend_html(const sim::EventLog& log) {
  std::array<uint64_t, num_kinds> counts{};
  for (const sim::IssueEvent& event : log.issues) {
    ++counts[kind_of(event)];
  }
  std::string html = "<ul aria-label=\"Kinds of instructions\">";
  for (size_t kind = 0; kind < num_kinds; ++kind) {
    html += fmt::format(R"(<li><span class="fill {}"></span>{}: {}</li>)", kKinds[kind].style,
                        kKinds[kind].text, number_html(counts[kind]));
  }
  return html + "</ul>\n";
}

}  // namespace

const std::string_view kTimelineStyle = R"css(
.timeline svg { display: block; margin: .3rem; }
.timeline text, .chart text { font: 10px system-ui, sans-serif; fill: var(--soft); }
.grid { stroke: var(--line); fill: none; }
.k-compute { fill: #4a78c2; background: #4a78c2; }
.k-memory { fill: #7fb3e6; background: #7fb3e6; }
.k-high { fill: #d9542b; background: #d9542b; }
.k-low { fill: #e3a51a; background: #e3a51a; }
)css";

std::string timeline_html(const sim::EventLog& log) {
  const TimelineFrame frame = frame_of(log);
  return legend_html(log) + "<p class=\"hint\" aria-hidden=\"true\">scroll sideways for more</p>\n" +
         fmt::format(
             "<div class=\"box timeline\" role=\"region\" tabindex=\"0\" aria-labelledby=\"timeline\">"
             "<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
             "aria-label=\"issued instructions by warp and cycle\">\n",
             frame.width(), frame.height()) +
         axis_html(frame) + paths_html(log, frame) + "</svg></div>\n";
}

std::string timeline_page(const sim::RunResult& run, const sim::EventLog& log) {
  const std::string name = escaped(run.workload) + ", " + escaped(run.design);
  const std::string body = fmt::format(
      "<header><h1>{}: one SM, cycle by cycle</h1></header>\n<main><section>\n"
      "<h2 id=\"timeline\">Instructions issued on SM {}</h2>\n"
      "<p>A row per warp, {} pixels per core cycle. An assist warp is in the row of its parent.</p>\n{}"
      "</section></main>\n<footer><p>Made by bobbin {}.</p></footer>\n",
      name, log.sm, kCellWidth, timeline_html(log), BOBBIN_VERSION);
  return document_html(name + " - bobbin sim", std::string(kStyle) + std::string(kTimelineStyle), body);
}

}  // namespace bobbin::cli::page
