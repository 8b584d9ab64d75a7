// SPDX-License-Identifier: Apache-2.0
// The kernels for strings in the emulator, under many schedules.
#include <gtest/gtest.h>

#include "simt/emulator.hpp"
#include "tests/codecs/fsst/strings.hpp"

namespace bobbin::testing {
namespace {

// Under ThreadSanitizer a check takes seconds: fewer of them there, enough for every kernel to meet its
// races.
TEST(StringsInEmulator, Edges) {
  Random random(1);
  for (const StringsInput& input : string_edges()) {
    if (BOBBIN_RACES_ARE_CHECKED && input.name != "nulls") {
      continue;
    }
    EXPECT_EQ(check_strings_on(input.strings, Backend::emulator, random), "") << input.name;
  }
}

TEST(StringsInEmulator, ManySchedules) {
  for (uint64_t seed = 0; seed < (BOBBIN_RACES_ARE_CHECKED ? 3 : 50); ++seed) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    EXPECT_EQ(check_strings_on(draw_strings(random), Backend::emulator, random), "") << seed;
  }
}

// Several tiles, of input and of codes, for each of several blocks.
TEST(StringsInEmulator, ManyTiles) {
  Random random(2);
  const Strings strings = make_sentences(BOBBIN_RACES_ARE_CHECKED ? 1000 : 6000, random);
  for (uint64_t seed = 0; seed < (BOBBIN_RACES_ARE_CHECKED ? 1 : 5); ++seed) {
    simt::default_emulator_options().seed = seed;
    EXPECT_EQ(check_strings_on(strings, Backend::emulator, random), "") << seed;
  }
}

// Strings of a dictionary: as many different ones as edges have, and rows that repeat them.
TEST(StringsInEmulator, DictionaryEdges) {
  Random random(3);
  for (const StringsInput& input : string_edges()) {
    if (BOBBIN_RACES_ARE_CHECKED && input.name != "nulls") {
      continue;
    }
    EXPECT_EQ(check_strings_on(input.strings, Backend::emulator, random, CodecId::dict), "") << input.name;
  }
}

TEST(StringsInEmulator, DictionariesUnderManySchedules) {
  for (uint64_t seed = 0; seed < (BOBBIN_RACES_ARE_CHECKED ? 3 : 50); ++seed) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    const Strings strings = draw_from(draw_strings(random), random.below(3000), random);
    EXPECT_EQ(check_strings_on(strings, Backend::emulator, random, CodecId::dict), "") << seed;
  }
}

}  // namespace
}  // namespace bobbin::testing
