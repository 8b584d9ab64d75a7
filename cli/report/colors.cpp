// SPDX-License-Identifier: Apache-2.0
#include "cli/report/colors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace bobbin::cli::page {
namespace {

struct Named {
  std::string_view codec;
  Color color;
};

// Found by a search for 14 colours that are as distinct as possible, in light and dark themes, for people
// with full colour vision and with each of the three kinds of colour blindness (Machado, Oliveira and
// Fernandes, 2009). Codecs that often appear together differ in lightness.
constexpr Named kColors[] = {
    {"bitpack", {1, .14, 250}}, {"ffor", {3, .05, 210}}, {"delta", {1, .11, 100}}, {"fsst", {1, .14, 150}},
    {"patched", {1, .08, 10}},  {"alp", {1, .14, 320}},  {"alprd", {3, .14, 320}}, {"masked", {2, .05, 300}},
    {"constant", {2, .05, 70}}, {"dict", {4, .08, 70}},  {"rle", {1, .05, 210}},   {"sparse", {4, .05, 300}},
    {"zigzag", {4, .08, 150}},
};

// FNV-1a, because similar names should get different hues.
uint32_t hash(std::string_view text) {
  uint32_t sum = 2'166'136'261U;
  for (const char c : text) {
    sum = (sum ^ static_cast<uint8_t>(c)) * 16'777'619U;
  }
  return sum;
}

}  // namespace

// No colour in the table has this level and this chroma, so that a new codec differs from all others.
Color color_of(std::string_view codec) {
  const auto* found = std::ranges::find(kColors, codec, &Named::codec);
  return found != std::end(kColors)
             ? found->color
             : Color{.level = 2, .chroma = .11, .hue = static_cast<int>(hash(codec) % 360)};
}

std::string css(const Color& color) {
  return fmt::format("oklch(calc(var(--light) + {} * var(--step)) calc({} * var(--vivid)) {})", color.level,
                     color.chroma, color.hue);
}

}  // namespace bobbin::cli::page
