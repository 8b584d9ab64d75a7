// SPDX-License-Identifier: Apache-2.0
// The colour of each codec: the same in every report.
#pragma once

#include <string>
#include <string_view>

namespace bobbin::cli::page {

// A place in OKLCH. The level sets the lightness: 0 is nearest to the text's colour, 4 nearest to the page's,
// in light and in dark, so that text on any of them is readable.
struct Color {
  int level = 0;
  double chroma = 0;
  int hue = 0;

  friend bool operator==(const Color&, const Color&) = default;
};

// A codec that the table does not have gets a colour made from its name.
[[nodiscard]] Color color_of(std::string_view codec);
// As CSS; it refers to the properties --light, --step and --vivid of the page's style.
[[nodiscard]] std::string css(const Color& color);

}  // namespace bobbin::cli::page
