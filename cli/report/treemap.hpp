// SPDX-License-Identifier: Apache-2.0
// Rectangles with areas proportional to sizes, and close to squares: "Squarified Treemaps" (Bruls, Huizing,
// van Wijk, 2000).
#pragma once

#include <span>
#include <vector>

namespace bobbin::cli::page {

struct Rect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

// One per size, in the order of the sizes; together they fill `whole`. A size of zero gets no area.
[[nodiscard]] std::vector<Rect> squarify(std::span<const double> sizes, const Rect& whole);

}  // namespace bobbin::cli::page
