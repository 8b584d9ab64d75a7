// SPDX-License-Identifier: Apache-2.0
#include "cli/report/treemap.hpp"

#include <algorithm>
#include <numeric>

namespace bobbin::cli::page {
namespace {

// The largest aspect ratio among a strip's rectangles, which have `area` together and are placed along a side
// of this length. Only the largest and the smallest rectangle can have it.
double worst_shape(double side, double area, double largest, double smallest) {
  const double side2 = side * side;
  const double area2 = area * area;
  return std::max(side2 * largest / area2, area2 / (side2 * smallest));
}

// Places a strip along the shorter side of `free` and removes it from `free`.
void place_strip(std::span<const size_t> strip, std::span<const double> areas, Rect& free,
                 std::vector<Rect>& rects) {
  double area = 0;
  for (const size_t i : strip) {
    area += areas[i];
  }
  const bool upright = free.width >= free.height;
  const double side = upright ? free.height : free.width;
  const double depth = area / side;
  double at = 0;
  for (const size_t i : strip) {
    const double length = areas[i] / depth;
    rects[i] = upright ? Rect{free.x, free.y + at, depth, length} : Rect{free.x + at, free.y, length, depth};
    at += length;
  }
  (upright ? free.x : free.y) += depth;
  double& left = upright ? free.width : free.height;
  left = std::max(0.0, left - depth);
}

// How many rectangles, from the first, make the strip with the best shapes.
size_t strip_length(std::span<const size_t> order, std::span<const double> areas, const Rect& free) {
  const double side = std::min(free.width, free.height);
  double area = areas[order[0]];
  double shape = worst_shape(side, area, area, area);
  size_t length = 1;
  for (; length < order.size(); ++length) {
    const double more = area + areas[order[length]];
    const double next = worst_shape(side, more, areas[order[0]], areas[order[length]]);
    if (next > shape) {
      break;
    }
    area = more;
    shape = next;
  }
  return length;
}

}  // namespace

std::vector<Rect> squarify(std::span<const double> sizes, const Rect& whole) {
  std::vector<Rect> rects(sizes.size(), Rect{whole.x, whole.y, 0, 0});
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return sizes[i] <= 0; });
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t i) { return sizes[i]; });
  const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  std::vector<double> areas(sizes.begin(), sizes.end());
  for (double& area : areas) {
    area *= whole.width * whole.height / total;
  }
  Rect free = whole;
  // Rounding may use up the room before the last, smallest ones: their area is negligible.
  for (std::span<const size_t> rest = order; !rest.empty() && std::min(free.width, free.height) > 0;) {
    const size_t length = strip_length(rest, areas, free);
    place_strip(rest.first(length), areas, free, rects);
    rest = rest.subspan(length);
  }
  return rects;
}

}  // namespace bobbin::cli::page
