// SPDX-License-Identifier: Apache-2.0
// A chart of the simulator's results as SVG: horizontal bars, as wide as the page, whatever its width.
#pragma once

#include <string>
#include <string_view>

#include "sim/report.hpp"

namespace bobbin::cli::page {

extern const std::string_view kChartStyle;

// "1.234"; "-" for what was not measured.
[[nodiscard]] std::string value_text(double value);

// A figure with its legend, and a table of all numbers that can be opened.
[[nodiscard]] std::string chart_html(const sim::Chart& chart);

}  // namespace bobbin::cli::page
