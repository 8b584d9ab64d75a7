// SPDX-License-Identifier: Apache-2.0
// The kernels for strings in the emulator, under many schedules.
#include <gtest/gtest.h>

#include "simt/emulator.hpp"
#include "tests/codecs/fsst/strings.hpp"

namespace bobbin::testing {
namespace {

TEST(StringsInEmulator, Edges) {
  Random random(1);
  for (const StringsInput& input : string_edges()) {
    EXPECT_EQ(check_strings_on(input.strings, Backend::emulator, random), "") << input.name;
  }
}

TEST(StringsInEmulator, ManySchedules) {
  for (uint64_t seed = 0; seed < (BOBBIN_RACES_ARE_CHECKED ? 12 : 50); ++seed) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    EXPECT_EQ(check_strings_on(draw_strings(random), Backend::emulator, random), "") << seed;
  }
}

// Several tiles, of input and of codes, for each of several blocks.
TEST(StringsInEmulator, ManyTiles) {
  Random random(2);
  const Strings strings = make_sentences(BOBBIN_RACES_ARE_CHECKED ? 2500 : 6000, random);
  for (uint64_t seed = 0; seed < (BOBBIN_RACES_ARE_CHECKED ? 2 : 5); ++seed) {
    simt::default_emulator_options().seed = seed;
    EXPECT_EQ(check_strings_on(strings, Backend::emulator, random), "") << seed;
  }
}

}  // namespace
}  // namespace bobbin::testing
