// SPDX-License-Identifier: Apache-2.0
// A report as one self-contained HTML page: no script, no font, no network. The same file always gives the
// same page.
#pragma once

#include <string>
#include <string_view>

#include "cli/report/model.hpp"
#include "cli/report/palette.hpp"

namespace bobbin::cli::page {

[[nodiscard]] std::string make_page(const Model& model);

// The sections of a page. A section without content is empty.
extern const std::string_view kStyle;
[[nodiscard]] std::string map_html(const Model& model, const Palette& palette);
[[nodiscard]] std::string table_html(const Model& model);
[[nodiscard]] std::string cells_html(const Model& model, const Palette& palette);
[[nodiscard]] std::string bands_html(const Model& model);

// A summary's encoding tree with details and bytes; if there are several trees, one line per cascade.
[[nodiscard]] std::string encoding_text(const ColumnSummary& summary);

}  // namespace bobbin::cli::page
