// SPDX-License-Identifier: Apache-2.0
// Queries on the CPU.
#include <gtest/gtest.h>

#include "tests/plan/checks.hpp"

namespace bobbin::testing {
namespace {

TEST(HostQueries, AgreeWithDecodedValues) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    ASSERT_EQ(check_query(Backend::cpu, random), "") << "seed " << seed;
  }
}

TEST(HostQueries, LongColumnsAgreeToo) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    ASSERT_EQ(check_long_query(Backend::cpu, random), "") << "seed " << seed;
  }
}

TEST(HostQueries, SlicesBeginAnywhere) {
  for (uint64_t offset = 0; offset < 1024; ++offset) {
    Random random(offset);
    ASSERT_EQ(check_query_at(Backend::cpu, offset, random), "") << "offset " << offset;
  }
}

TEST(HostQueries, RowsAreTakenAndFiltered) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    ASSERT_EQ(check_gather(Backend::cpu, random), "") << "seed " << seed;
  }
}

TEST(HostQueries, CodesAreCounted) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    ASSERT_EQ(check_counts(Backend::cpu, random), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace bobbin::testing
