// SPDX-License-Identifier: Apache-2.0
// Queries on the GPU.
#include <gtest/gtest.h>

#include "tests/gpu/seeds.hpp"
#include "tests/plan/checks.hpp"
#include "tests/plan/table_checks.hpp"
#include "tests/query/top_rows.hpp"

namespace bobbin::testing {
namespace {

TEST(GpuQueries, EveryPathAgreesWithDecodedValues) {
  for (uint64_t seed = 0; seed < num_seeds(1500); ++seed) {
    Random random(seed);
    ASSERT_EQ(check_query(Backend::cuda, random), "") << "seed " << seed;
  }
}

TEST(GpuQueries, LongColumnsAgreeToo) {
  for (uint64_t seed = 0; seed < num_seeds(100); ++seed) {
    Random random(seed);
    ASSERT_EQ(check_long_query(Backend::cuda, random), "") << "seed " << seed;
  }
}

TEST(GpuQueries, SlicesBeginAnywhere) {
  for (uint64_t offset = 0; offset < 1024; ++offset) {
    Random random(offset);
    ASSERT_EQ(check_query_at(Backend::cuda, offset, random), "") << "offset " << offset;
  }
}

TEST(GpuQueries, ATestAndASumInOneStep) {
  for (uint64_t seed = 0; seed < num_seeds(650); ++seed) {
    Random random(seed);
    ASSERT_EQ(check_joined(Backend::cuda, static_cast<uint32_t>(seed % 65), 6000, random), "")
        << "seed " << seed;
  }
}

TEST(GpuQueries, AWarpHasManyVectors) {
  for (uint64_t seed = 0; seed < num_seeds(2); ++seed) {
    Random random(seed);
    ASSERT_EQ(check_joined(Backend::cuda, 8 + static_cast<uint32_t>(seed), uint64_t{1} << 25, random), "")
        << seed;
  }
}

TEST(GpuQueries, RowsAreTakenAndFiltered) {
  for (uint64_t seed = 0; seed < num_seeds(1000); ++seed) {
    Random random(seed);
    ASSERT_EQ(check_gather(Backend::cuda, random), "") << "seed " << seed;
  }
}

TEST(GpuQueries, GroupsInCompiledKernels) {
  for (uint64_t seed = 0; seed < num_seeds(20); ++seed) {
    Random random(seed);
    ASSERT_EQ(check_groups(Backend::cuda, random), "") << "seed " << seed;
  }
  EXPECT_EQ(check_long_groups(Backend::cuda), "");
  EXPECT_EQ(check_grouped_file(Backend::cuda), "");
  EXPECT_EQ(check_grouped_nulls(Backend::cuda), "");
}

TEST(GpuQueries, LargeDictionariesAndColumnsOfOneWidthInCompiledKernels) {
  for (uint64_t seed = 0; seed < num_seeds(32); ++seed) {
    Random random(seed);
    ASSERT_EQ(check_held(Backend::cuda, static_cast<uint32_t>(seed % kHeldKinds), random), "")
        << "seed " << seed;
    ASSERT_EQ(check_alike(Backend::cuda, static_cast<uint32_t>(seed), random), "") << "seed " << seed;
  }
}

TEST(GpuQueries, CommonEncodingsInCompiledKernels) {
  for (uint32_t kind = 0; kind < 2 * kKinds; ++kind) {
    Random random(kind);
    ASSERT_EQ(check_compiled_kind(Backend::cuda, kind, random), "") << "kind " << kind;
  }
}

TEST(GpuQueries, FewRowsInCompiledKernels) {
  for (uint64_t seed = 0; seed < num_seeds(20); ++seed) {
    Random random(seed);
    ASSERT_EQ(check_few_rows(Backend::cuda, random), "") << "seed " << seed;
  }
}

TEST(GpuQueries, MarksInCompiledKernels) {
  for (uint64_t seed = 0; seed < num_seeds(20); ++seed) {
    Random random(seed);
    ASSERT_EQ(check_marks(Backend::cuda, random), "") << "seed " << seed;
  }
  EXPECT_EQ(check_distinct(Backend::cuda), "");
}

TEST(GpuQueries, TheFirstRowsOfAnOrder) {
  constexpr uint64_t kLimits[] = {1, 20, 3000};
  EXPECT_EQ(query_tests::check_top_rows(Backend::cuda, kLimits), "");
}

TEST(GpuQueries, CodesAreCounted) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    ASSERT_EQ(check_counts(Backend::cuda, random), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace bobbin::testing
