// SPDX-License-Identifier: Apache-2.0
#include "cli/report/colors.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "codecs/registry.hpp"

namespace bobbin::cli::page {
namespace {

TEST(Colors, EveryCodecHasItsOwn) {
  std::set<std::string> colors;
  for (const Codec* codec : all_codecs()) {
    EXPECT_TRUE(colors.insert(css(color_of(codec->name))).second) << codec->name;
  }
}

// Reports of different versions can be compared only if a colour, once given, stays.
TEST(Colors, StayAsTheyAre) {
  EXPECT_EQ(color_of("bitpack"), (Color{1, .14, 250}));
  EXPECT_EQ(color_of("fsst"), (Color{1, .14, 150}));
  EXPECT_EQ(color_of("dict"), (Color{4, .08, 70}));
}

TEST(Colors, UnknownNamesHaveStableOnes) {
  EXPECT_EQ(color_of("lzma"), color_of("lzma"));
  EXPECT_NE(color_of("lzma"), color_of("lzmb"));
  EXPECT_EQ(color_of("a codec of tomorrow").level, 3);
  EXPECT_EQ(color_of("a codec of tomorrow").hue, 42);
}

}  // namespace
}  // namespace bobbin::cli::page
