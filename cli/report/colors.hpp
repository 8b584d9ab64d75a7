// SPDX-License-Identifier: Apache-2.0
// The colour of each codec: the same in every report.
#pragma once

#include <string>
#include <string_view>

namespace bobbin::cli::page {

// A position in OKLCH. The level sets the lightness: 0 is closest to the text colour, 4 closest to the
// page's, in light and dark themes, so that text on any of them is readable.
struct Color {
  int level = 0;
  double chroma = 0;
  int hue = 0;

  friend bool operator==(const Color&, const Color&) = default;
};

// A codec that is not in the table gets a colour derived from its name.
[[nodiscard]] Color color_of(std::string_view codec);
// As CSS; it refers to the properties --light, --step and --vivid of the page's style.
[[nodiscard]] std::string css(const Color& color);

}  // namespace bobbin::cli::page
