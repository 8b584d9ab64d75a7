// SPDX-License-Identifier: Apache-2.0
// The string kernels in the emulator, with many schedules.
#include <gtest/gtest.h>

#include "simt/emulator.hpp"
#include "tests/codecs/fsst/strings.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

TEST(StringsInEmulator, Edges) {
  Random random(1);
  const std::vector<StringsInput> edges = string_edges();
  for (const uint64_t i : drawn(edges.size())) {
    EXPECT_EQ(check_strings_on(edges[i].strings, Backend::emulator, random), "") << edges[i].name;
  }
}

TEST(StringsInEmulator, ManySchedules) {
  for (const uint64_t seed : drawn(50)) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    EXPECT_EQ(check_strings_on(draw_strings(random), Backend::emulator, random), "") << seed;
  }
}

// Several tiles, of input and of codes, for each of several blocks.
TEST(StringsInEmulator, ManyTiles) {
  Random random(2);
  const Strings strings = make_sentences(kDrawnShare == 1 ? 6000 : 1000, random);
  for (const uint64_t seed : drawn(5)) {
    simt::default_emulator_options().seed = seed;
    EXPECT_EQ(check_strings_on(strings, Backend::emulator, random), "") << seed;
  }
}

// Dictionary strings: as many distinct ones as the edge cases have, and rows that repeat them.
TEST(StringsInEmulator, DictionaryEdges) {
  Random random(3);
  const std::vector<StringsInput> edges = string_edges();
  for (const uint64_t i : drawn(edges.size())) {
    EXPECT_EQ(check_strings_on(edges[i].strings, Backend::emulator, random, CodecId::dict), "")
        << edges[i].name;
  }
}

TEST(StringsInEmulator, DictionariesUnderManySchedules) {
  for (const uint64_t seed : drawn(50)) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    const Strings strings = draw_from(draw_strings(random), random.below(3000), random);
    EXPECT_EQ(check_strings_on(strings, Backend::emulator, random, CodecId::dict), "") << seed;
  }
}

// Every test of strings decodes all frames: a part of the cases is enough for a minute.
TEST(StringsInEmulator, CompressedEdges) {
  Random random(4);
  const std::vector<StringsInput> edges = string_edges();
  for (const uint64_t i : drawn(edges.size(), 3 * kDrawnShare)) {
    EXPECT_EQ(check_strings_on(edges[i].strings, Backend::emulator, random, CodecId::zstd), "")
        << edges[i].name;
  }
}

TEST(StringsInEmulator, CompressedUnderManySchedules) {
  for (const uint64_t seed : drawn(5)) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    EXPECT_EQ(check_strings_on(draw_strings(random), Backend::emulator, random, CodecId::zstd), "") << seed;
  }
}

// Several frames: slices begin and end inside of one.
TEST(StringsInEmulator, ManyFrames) {
  Random random(5);
  const Strings strings = make_sentences(kDrawnShare == 1 ? 12000 : 2000, random);
  EXPECT_EQ(check_strings_on(strings, Backend::emulator, random, CodecId::zstd), "");
}

}  // namespace
}  // namespace bobbin::testing
