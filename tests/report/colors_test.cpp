// SPDX-License-Identifier: Apache-2.0
#include "cli/report/colors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "codecs/registry.hpp"

namespace bobbin::cli::page {
namespace {

// The distance of two colours in OKLab. Lightness and chroma are those of the page's style: `light`, `step`
// and `vivid` of one theme.
double distance(const Color& a, const Color& b, double light, double step, double vivid) {
  const auto angle = [](const Color& color) { return color.hue * std::numbers::pi / 180; };
  const auto across = [&](const Color& color) { return vivid * color.chroma * std::cos(angle(color)); };
  const auto along = [&](const Color& color) { return vivid * color.chroma * std::sin(angle(color)); };
  const auto lightness = [&](const Color& color) { return light + color.level * step; };
  return std::hypot(lightness(a) - lightness(b), across(a) - across(b), along(a) - along(b));
}

// In light and in dark.
double distance(const Color& a, const Color& b) {
  return std::min(distance(a, b, .64, .06, 1), distance(a, b, .53, -.05, .9));
}

TEST(Colors, CodecsDiffer) {
  constexpr double kLeast = .045;  // easily visible where areas touch
  for (const Codec* a : all_codecs()) {
    for (const Codec* b : all_codecs()) {
      if (a->id < b->id) {
        EXPECT_GE(distance(color_of(a->name), color_of(b->name)), kLeast)
            << a->name << " and " << b->name << ": give one of them a colour in cli/report/colors.cpp";
      }
    }
  }
}

// Reports of different versions can be compared only if colours never change.
TEST(Colors, StayAsTheyAre) {
  EXPECT_EQ(color_of("bitpack"), (Color{1, .14, 250}));
  EXPECT_EQ(color_of("fsst"), (Color{1, .14, 150}));
  EXPECT_EQ(color_of("dict"), (Color{4, .08, 70}));
}

TEST(Colors, UnknownNamesHaveStableOnes) {
  EXPECT_EQ(color_of("lzma"), color_of("lzma"));
  EXPECT_NE(color_of("lzma"), color_of("lzmb"));
  EXPECT_EQ(color_of("a codec of tomorrow").level, 2);
  EXPECT_EQ(color_of("a codec of tomorrow").hue, 42);
}

}  // namespace
}  // namespace bobbin::cli::page
