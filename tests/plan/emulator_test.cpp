// SPDX-License-Identifier: Apache-2.0
// Queries in the emulator, each under a schedule of its own.
#include <gtest/gtest.h>

#include "simt/emulator.hpp"
#include "tests/plan/checks.hpp"

namespace bobbin::testing {
namespace {

TEST(EmulatedQueries, EveryPathAgreesWithDecodedValues) {
  for (uint64_t seed = 0; seed < (BOBBIN_RACES_ARE_CHECKED ? 10 : 300); ++seed) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    ASSERT_EQ(check_query(Backend::emulator, random), "") << "seed " << seed;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, LongColumnsAgreeToo) {
  for (uint64_t seed = 0; seed < (BOBBIN_RACES_ARE_CHECKED ? 1 : 20); ++seed) {
    simt::default_emulator_options().seed = seed;
    simt::default_emulator_options().resident_blocks = 1;  // vectors come in groups then
    Random random(seed);
    ASSERT_EQ(check_long_query(Backend::emulator, random), "") << "seed " << seed;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, SlicesBeginAnywhere) {
  for (uint64_t offset = 0; offset < 1024; offset += BOBBIN_RACES_ARE_CHECKED ? 201 : 5) {
    simt::default_emulator_options().seed = offset;
    Random random(offset);
    ASSERT_EQ(check_query_at(Backend::emulator, offset, random), "") << "offset " << offset;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, ATestAndASumInOneStep) {
  for (uint32_t width = 0; width <= 64; width += BOBBIN_RACES_ARE_CHECKED ? 8 : 1) {
    simt::default_emulator_options().seed = width;
    Random random(width);
    ASSERT_EQ(check_joined(Backend::emulator, width, 6000, random), "") << "width " << width;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, AWarpHasManyVectors) {
  for (uint64_t seed = 0; seed < (BOBBIN_RACES_ARE_CHECKED ? 1 : 10); ++seed) {
    simt::default_emulator_options().seed = seed;
    simt::default_emulator_options().resident_blocks = 1;
    Random random(seed);
    ASSERT_EQ(check_joined(Backend::emulator, 8 + static_cast<uint32_t>(seed), 400'000, random), "") << seed;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, RowsAreTakenAndFiltered) {
  for (uint64_t seed = 0; seed < (BOBBIN_RACES_ARE_CHECKED ? 10 : 300); ++seed) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    ASSERT_EQ(check_gather(Backend::emulator, random), "") << "seed " << seed;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, CodesAreCounted) {
  for (uint64_t seed = 0; seed < (BOBBIN_RACES_ARE_CHECKED ? 10 : 100); ++seed) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    ASSERT_EQ(check_counts(Backend::emulator, random), "") << "seed " << seed;
  }
  simt::default_emulator_options() = {};
}

}  // namespace
}  // namespace bobbin::testing
