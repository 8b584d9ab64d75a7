// SPDX-License-Identifier: Apache-2.0
#include "cli/sim/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/html.hpp"

namespace bobbin::cli::page {
namespace {

constexpr double kBarsLeft = 25;   // percent of the width, after the labels
constexpr double kBarsRight = 97;  // percent
constexpr int kBarHeight = 8;
constexpr int kRowGap = 7;
constexpr int kLabelHeight = 13;  // of labels in a line of their own
constexpr int kAxisHeight = 16;   // for the numbers of the axis
constexpr size_t kLongLabel = 14;
constexpr size_t kNumColors = 6;

// Where things are. Lengths across are percent of the width, down are pixels.
struct Frame {
  double left = kBarsLeft;
  double most = 1;  // value at the right end
  int row_height = 0;
  int bars_top = 0;  // inside a row
  int height = 0;

  [[nodiscard]] double x(double value) const { return left + (kBarsRight - left) * value / most; }
  [[nodiscard]] int y(size_t row) const { return kAxisHeight + static_cast<int>(row) * row_height; }
};

double row_total(const sim::Chart& chart, size_t row) {
  double sum = 0;
  for (const sim::Series& series : chart.series) {
    const double value = series.values[row];
    sum = chart.stacked ? sum + (std::isfinite(value) ? value : 0)
                        : std::max(sum, std::isfinite(value) ? value : 0);
  }
  return sum;
}

Frame frame_of(const sim::Chart& chart) {
  Frame frame;
  frame.most = std::max(chart.reference, 1e-6);
  bool long_labels = false;
  for (size_t row = 0; row < chart.rows.size(); ++row) {
    frame.most = std::max(frame.most, row_total(chart, row));
    long_labels = long_labels || chart.rows[row].size() > kLongLabel;
  }
  frame.left = long_labels ? 1 : kBarsLeft;
  frame.bars_top = long_labels ? kLabelHeight : 0;
  const auto bars = static_cast<int>(chart.stacked ? 1 : chart.series.size());
  frame.row_height = frame.bars_top + bars * kBarHeight + kRowGap;
  frame.height = frame.y(chart.rows.size());
  return frame;
}

// 1, 2 or 5 times a power of ten, for about four steps.
double step_of(double most) {
  const double power = std::pow(10, std::floor(std::log10(most / 4)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (most / (factor * power) <= 5) {
      return factor * power;
    }
  }
  return 10 * power;
}

std::string axis_html(const sim::Chart& chart, const Frame& frame) {
  std::string html;
  const double step = step_of(frame.most);
  for (int i = 0; i * step <= frame.most; ++i) {
    const double x = frame.x(i * step);
    html += fmt::format(
        "<line class=\"grid\" x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y1=\"{1}\" y2=\"{2}\"/>"
        "<text x=\"{0:.2f}%\" y=\"11\" text-anchor=\"middle\">{3:.3g}</text>",
        x, kAxisHeight - 2, frame.height, i * step);
  }
  if (chart.reference > 0) {
    html += fmt::format(R"(<line class="one" x1="{0:.2f}%" x2="{0:.2f}%" y1="{1}" y2="{2}"/>)",
                        frame.x(chart.reference), kAxisHeight - 2, frame.height);
  }
  return html + "\n";
}

std::string bar_html(const sim::Chart& chart, const Frame& frame, size_t row, size_t number, double from) {
  const sim::Series& series = chart.series[number];
  const double value = series.values[row];
  if (!std::isfinite(value)) {
    return "";
  }
  const int y = frame.y(row) + frame.bars_top + (chart.stacked ? 0 : static_cast<int>(number) * kBarHeight);
  return fmt::format(
      R"(<rect class="s{}" x="{:.2f}%" y="{}" width="{:.2f}%" height="{}"><title>{}, {}: {}</title></rect>)",
      number % kNumColors, frame.x(from), y, frame.x(value) - frame.left, kBarHeight - 1,
      escaped(chart.rows[row]), escaped(series.name), value_text(value));
}

std::string row_html(const sim::Chart& chart, const Frame& frame, size_t row) {
  const bool above = frame.bars_top > 0;
  std::string html =
      fmt::format(R"(<text x="{}%" y="{}"{}>{}</text>)", above ? frame.left : kBarsLeft - 1.5,
                  frame.y(row) + (above ? kLabelHeight - 4 : (frame.row_height - kRowGap) / 2 + 4),
                  above ? "" : R"( text-anchor="end")", escaped(chart.rows[row]));
  double from = 0;
  for (size_t number = 0; number < chart.series.size(); ++number) {
    html += bar_html(chart, frame, row, number, from);
    const double value = chart.series[number].values[row];
    from += chart.stacked && std::isfinite(value) ? value : 0;
  }
  return html + "\n";
}

std::string legend_html(const sim::Chart& chart) {
  if (chart.series.size() < 2) {
    return "";
  }
  std::string html = "<ul>";
  for (size_t i = 0; i < chart.series.size(); ++i) {
    html += fmt::format(R"(<li><span class="fill s{}"></span>{}</li>)", i % kNumColors,
                        escaped(chart.series[i].name));
  }
  return html + "</ul>\n";
}

std::string numbers_html(const sim::Chart& chart) {
  std::string html = fmt::format(
      "<details><summary>Numbers</summary><div class=\"box\" role=\"region\" tabindex=\"0\" "
      "aria-labelledby=\"{}\"><table><thead><tr><th></th>",
      chart.id);
  for (const sim::Series& series : chart.series) {
    html += fmt::format(R"(<th class="n" scope="col">{}</th>)", escaped(series.name));
  }
  html += "</tr></thead><tbody>\n";
  for (size_t row = 0; row < chart.rows.size(); ++row) {
    html += fmt::format(R"(<tr><th scope="row">{}</th>)", escaped(chart.rows[row]));
    for (const sim::Series& series : chart.series) {
      html += fmt::format(R"(<td class="n">{}</td>)", value_text(series.values[row]));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div></details>\n";
}

}  // namespace

const std::string_view kChartStyle = R"css(
.chart svg { display: block; width: 100%; background: var(--card); border-block: 1px solid var(--line); }
.one { stroke: var(--ink); stroke-dasharray: 3 2; }
.s0 { fill: #9aa0a8; background: #9aa0a8; }
.s1 { fill: #4a78c2; background: #4a78c2; }
.s2 { fill: #3a9d8f; background: #3a9d8f; }
.s3 { fill: #d9542b; background: #d9542b; }
.s4 { fill: #e3a51a; background: #e3a51a; }
.s5 { fill: #8a5fb0; background: #8a5fb0; }
details { margin: .4rem 0 1rem; font-size: .9rem; }
summary { cursor: pointer; padding: .3rem 0; }
)css";

std::string value_text(double value) {
  if (!std::isfinite(value)) {
    return "-";
  }
  return std::abs(value) >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.3f}", value);
}

std::string chart_html(const sim::Chart& chart) {
  const Frame frame = frame_of(chart);
  std::string html =
      legend_html(chart) +
      fmt::format("<figure class=\"chart\"><svg height=\"{}\" role=\"img\" aria-label=\"{}\">\n",
                  frame.height, escaped(chart.title)) +
      axis_html(chart, frame);
  for (size_t row = 0; row < chart.rows.size(); ++row) {
    html += row_html(chart, frame, row);
  }
  return html + "</svg></figure>\n" + numbers_html(chart);
}

}  // namespace bobbin::cli::page
