// SPDX-License-Identifier: Apache-2.0
// Which warp of one SM issued in which cycle, as an SVG chart: parents and assist warps in different colours.
#pragma once

#include <string>
#include <string_view>

#include "sim/simulate.hpp"

namespace bobbin::cli::page {

// Colours of the chart, to be part of a page's style.
extern const std::string_view kTimelineStyle;

// A figure with a legend; the cycles are those of the log.
[[nodiscard]] std::string timeline_html(const sim::EventLog& log);
// A whole page, without a script and without network.
[[nodiscard]] std::string timeline_page(const sim::RunResult& run, const sim::EventLog& log);

}  // namespace bobbin::cli::page
