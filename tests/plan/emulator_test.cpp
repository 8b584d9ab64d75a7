// SPDX-License-Identifier: Apache-2.0
// Queries in the emulator, each with a different schedule.
#include <gtest/gtest.h>

#include "simt/emulator.hpp"
#include "tests/drawn.hpp"
#include "tests/plan/checks.hpp"

namespace bobbin::testing {
namespace {

TEST(EmulatedQueries, EveryPathAgreesWithDecodedValues) {
  for (const uint64_t seed : drawn(300)) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    ASSERT_EQ(check_query(Backend::emulator, random), "") << "seed " << seed;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, LongColumnsAgreeToo) {
  for (const uint64_t seed : drawn(20)) {
    simt::default_emulator_options().seed = seed;
    simt::default_emulator_options().resident_blocks = 1;  // so that vectors are processed in groups
    Random random(seed);
    ASSERT_EQ(check_long_query(Backend::emulator, random), "") << "seed " << seed;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, SlicesBeginAnywhere) {
  for (const uint64_t fifth : drawn(205)) {
    const uint64_t offset = 5 * fifth;
    simt::default_emulator_options().seed = offset;
    Random random(offset);
    ASSERT_EQ(check_query_at(Backend::emulator, offset, random), "") << "offset " << offset;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, ATestAndASumInOneStep) {
  for (const uint64_t seed : drawn(65)) {
    const auto width = static_cast<uint32_t>(seed);
    simt::default_emulator_options().seed = seed;
    Random random(width);
    ASSERT_EQ(check_joined(Backend::emulator, width, 6000, random), "") << "width " << width;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, AWarpHasManyVectors) {
  for (const uint64_t seed : drawn(10)) {
    simt::default_emulator_options().seed = seed;
    simt::default_emulator_options().resident_blocks = 1;
    Random random(seed);
    ASSERT_EQ(check_joined(Backend::emulator, 8 + static_cast<uint32_t>(seed), 400'000, random), "") << seed;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, RowsAreTakenAndFiltered) {
  for (const uint64_t seed : drawn(300)) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    ASSERT_EQ(check_gather(Backend::emulator, random), "") << "seed " << seed;
  }
  simt::default_emulator_options() = {};
}

TEST(EmulatedQueries, CodesAreCounted) {
  for (const uint64_t seed : drawn(100)) {
    simt::default_emulator_options().seed = seed;
    Random random(seed);
    ASSERT_EQ(check_counts(Backend::emulator, random), "") << "seed " << seed;
  }
  simt::default_emulator_options() = {};
}

}  // namespace
}  // namespace bobbin::testing
