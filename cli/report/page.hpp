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

// Its parts.
extern const std::string_view kStyle;
[[nodiscard]] std::string map_html(const Model& model, const Palette& palette);
[[nodiscard]] std::string table_html(const Model& model);
[[nodiscard]] std::string cells_html(const Model& model, const Palette& palette);
[[nodiscard]] std::string bands_html(const Model& model);

}  // namespace bobbin::cli::page
