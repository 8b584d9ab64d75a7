// SPDX-License-Identifier: Apache-2.0
// Queries on the CPU.
#include <gtest/gtest.h>

#include "tests/drawn.hpp"
#include "tests/plan/checks.hpp"

namespace bobbin::testing {
namespace {

TEST(HostQueries, AgreeWithDecodedValues) {
  for (const uint64_t seed : drawn(1000)) {
    Random random(seed);
    ASSERT_EQ(check_query(Backend::cpu, random), "") << "seed " << seed;
  }
}

TEST(HostQueries, LongColumnsAgreeToo) {
  for (const uint64_t seed : drawn(100)) {
    Random random(seed);
    ASSERT_EQ(check_long_query(Backend::cpu, random), "") << "seed " << seed;
  }
}

TEST(HostQueries, OneColumnIsTestedAndSummed) {
  for (const uint64_t seed : drawn(600)) {
    Random random(seed);
    ASSERT_EQ(check_test_and_sum(Backend::cpu, random), "") << "seed " << seed;
  }
}

TEST(HostQueries, SlicesBeginAnywhere) {
  for (const uint64_t offset : drawn(1024)) {
    Random random(offset);
    ASSERT_EQ(check_query_at(Backend::cpu, offset, random), "") << "offset " << offset;
  }
}

TEST(HostQueries, RowsAreTakenAndFiltered) {
  for (const uint64_t seed : drawn(1000)) {
    Random random(seed);
    ASSERT_EQ(check_gather(Backend::cpu, random), "") << "seed " << seed;
  }
}

TEST(HostQueries, GroupsAgreeWithDecodedValues) {
  for (const uint64_t seed : drawn(600)) {
    Random random(seed);
    ASSERT_EQ(check_groups(Backend::cpu, random), "") << "seed " << seed;
  }
  EXPECT_EQ(check_long_groups(Backend::cpu), "");
  EXPECT_EQ(check_wide_groups(Backend::cpu), "");
}

TEST(HostQueries, CodesAreCounted) {
  for (const uint64_t seed : drawn(300)) {
    Random random(seed);
    ASSERT_EQ(check_counts(Backend::cpu, random), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace bobbin::testing
