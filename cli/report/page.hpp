// SPDX-License-Identifier: Apache-2.0
// A report as one page of HTML that needs nothing else: no script, no font, no network. The same file gives
// the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "cli/report/model.hpp"
#include "cli/report/palette.hpp"

namespace bobbin::cli::page {

[[nodiscard]] std::string make_page(const Model& model);

// The sections of a page. A section that would say nothing is empty.
extern const std::string_view kStyle;
[[nodiscard]] std::string map_html(const Model& model, const Palette& palette);
[[nodiscard]] std::string table_html(const Model& model);
[[nodiscard]] std::string cells_html(const Model& model, const Palette& palette);
[[nodiscard]] std::string bands_html(const Model& model);

// A summary's encoding tree with details and bytes; where there are several trees, a line for each cascade.
[[nodiscard]] std::string encoding_text(const ColumnSummary& summary);

}  // namespace bobbin::cli::page
