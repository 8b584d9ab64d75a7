// SPDX-License-Identifier: Apache-2.0
// Drawn queries in kernels that were composed for them, in the emulator, with different schedules.
#include <gtest/gtest.h>

#include <cstdlib>

#include "jit/compiler.hpp"
#include "jit/nvrtc.hpp"
#include "plan/compiled.hpp"
#include "simt/emulator.hpp"
#include "tests/drawn.hpp"
#include "tests/plan/checks.hpp"
#include "tests/plan/drawn_kernels.hpp"
#include "tests/plan/table_checks.hpp"

namespace bobbin::testing {
namespace {

uint64_t runs = 0;

Result<bool> run_one(std::span<const DrawnKernel> kernels, const plan::Composed& composed,
                     const plan::QueryInput& query, StreamView stream) {
  for (const DrawnKernel& kernel : kernels) {
    if (kernel.declarations == composed.declarations) {
      BOBBIN_TRY(kernel.run(query, stream));
      ++runs;
      return true;
    }
  }
  return false;
}

Result<plan::Ran> run(const plan::Composed& composed, const plan::QueryInput& query,
                      const plan::Asker& /*asker*/, StreamView stream) {
  for (const auto kernels :
       {drawn_kernels<0>(), drawn_kernels<1>(), drawn_kernels<2>(), drawn_kernels<3>()}) {
    BOBBIN_ASSIGN(const bool done, run_one(kernels, composed, query, stream));
    if (done) {
      return plan::Ran{.done = true};
    }
  }
  return Status{StatusCode::device, "this kernel was not drawn:\n" + composed.declarations};
}

// Runs drawn ones of the cases 0 to all - 1, each with a schedule of its own, and returns how many they were.
// `check(seed, random)` returns what is wrong.
template <class Check>
size_t run_drawn(uint64_t all, Check&& check) {
  plan::composed_runner(Backend::emulator) = &run;
  runs = 0;
  const auto seeds = drawn(all);
  for (const uint64_t seed : seeds) {
    simt::default_emulator_options().seed = seed;
    simt::default_emulator_options().resident_blocks = 1 + static_cast<uint32_t>(seed % 4);
    Random random(seed);
    EXPECT_EQ(check(seed, random), "") << "seed " << seed;
    if (::testing::Test::HasFailure()) {
      break;
    }
  }
  simt::default_emulator_options() = {};
  plan::composed_runner(Backend::emulator) = nullptr;
  return seeds.size();
}

void check_queries(uint64_t first, uint64_t end) {
  run_drawn(end - first, [&](uint64_t i, Random& /*random*/) {
    Random random(first + i);
    return check_compiled(Backend::emulator, random);
  });
}

TEST(CompiledQueries, AgreeWithDecodedValues) {
  check_queries(0, kDrawnQueries / 2);
  if (kAllCasesRun) {
    EXPECT_GT(runs, kDrawnQueries / 4);
  }
}

TEST(CompiledQueries, AgreeWithDecodedValuesToo) {
  check_queries(kDrawnQueries / 2, kDrawnQueries);
}

TEST(CompiledQueries, OfCommonEncodings) {
  const size_t cases = run_drawn(kDrawnOfKind * 2 * kKinds, [](uint64_t kind, Random& random) {
    return check_compiled_kind(Backend::emulator, static_cast<uint32_t>(kind), random);
  });
  if (kAllCasesRun) {  // with and without a bitmap; few need more shared memory than a block has
    EXPECT_GE(10 * runs, 9 * 2 * cases);
  }
}

TEST(CompiledQueries, OfLargeDictionaries) {
  const size_t cases = run_drawn(kDrawnHeld, [](uint64_t seed, Random& random) {
    return check_held(Backend::emulator, static_cast<uint32_t>(seed % kHeldKinds), random);
  });
  EXPECT_EQ(runs, 2 * cases);  // with and without a bitmap
}

TEST(CompiledQueries, OfColumnsOfOneWidth) {
  const size_t cases = run_drawn(kDrawnAlike, [](uint64_t seed, Random& random) {
    return check_alike(Backend::emulator, static_cast<uint32_t>(seed), random);
  });
  EXPECT_EQ(runs, 2 * cases);
}

TEST(CompiledQueries, OfGroups) {
  const size_t cases = run_drawn(kDrawnGroups, [](uint64_t /*seed*/, Random& random) {
    return check_groups(Backend::emulator, random);
  });
  if (kAllCasesRun) {
    EXPECT_GE(runs * 4, 3 * cases);
  }
}

TEST(CompiledQueries, OfFewRows) {
  const size_t cases = run_drawn(
      kDrawnFew, [](uint64_t /*seed*/, Random& random) { return check_few_rows(Backend::emulator, random); });
  if (kAllCasesRun) {  // with and without a bitmap; some slices are empty
    EXPECT_GE(runs + 8, 2 * cases);
  }
}

TEST(CompiledQueries, OfRuns) {
  const size_t cases = run_drawn(
      kDrawnRuns, [](uint64_t /*seed*/, Random& random) { return check_runs(Backend::emulator, random); });
  if (kAllCasesRun) {
    EXPECT_GE(runs, cases);
  }
}

TEST(CompiledQueries, OfMarks) {
  const size_t cases = run_drawn(
      kDrawnMarks, [](uint64_t /*seed*/, Random& random) { return check_marks(Backend::emulator, random); });
  EXPECT_EQ(runs, cases);
}

TEST(CompiledQueries, OfDistinctValuesInFiles) {
  plan::composed_runner(Backend::emulator) = &run;
  runs = 0;
  EXPECT_EQ(check_distinct(Backend::emulator), "");
  if (kAllCasesRun) {  // three row groups for each of 20 queries, except those that zone maps rule out
    EXPECT_GT(runs, 40);
  }
  plan::composed_runner(Backend::emulator) = nullptr;
}

TEST(CompiledQueries, OfGroupsOfNullsInFiles) {
  plan::composed_runner(Backend::emulator) = &run;
  runs = 0;
  EXPECT_EQ(check_grouped_nulls(Backend::emulator), "");
  if (kAllCasesRun) {  // three row groups for each of 24 queries, where there is shared memory for the cells
    EXPECT_GT(runs, 45);
  }
  plan::composed_runner(Backend::emulator) = nullptr;
}

// Columns that only compiled kernels expand are decoded for others, if it turns out that there is none.
TEST(CompiledQueries, OfRunsThatAreNotCompiledYet) {
  plan::composed_runner(Backend::emulator) = [](const plan::Composed&, const plan::QueryInput&,
                                                const plan::Asker&,
                                                StreamView) -> Result<plan::Ran> { return plan::Ran{}; };
  ::setenv("BOBBIN_QUERY_KERNELS", "compiled", 1);
  for (const uint64_t seed : drawn(12)) {
    Random random(seed);
    EXPECT_EQ(check_runs_without_compiler(Backend::emulator, random), "") << "seed " << seed;
  }
  ::unsetenv("BOBBIN_QUERY_KERNELS");
  plan::composed_runner(Backend::emulator) = nullptr;
}

TEST(CompiledQueries, OfLongGroups) {
  if (kDrawnShare != 1) {
    GTEST_SKIP() << "too long under sanitizers";
  }
  plan::composed_runner(Backend::emulator) = &run;
  simt::default_emulator_options().resident_blocks = 1;
  EXPECT_EQ(check_long_groups(Backend::emulator), "");
  simt::default_emulator_options() = {};
  plan::composed_runner(Backend::emulator) = nullptr;
}

TEST(CompiledQueries, OfGroupsInFiles) {
  plan::composed_runner(Backend::emulator) = &run;
  runs = 0;
  EXPECT_EQ(check_grouped_file(Backend::emulator), "");
  if (kAllCasesRun) {  // three row groups for each of 30 queries
    EXPECT_GT(runs, 80);
  }
  plan::composed_runner(Backend::emulator) = nullptr;
}

// A kernel for each architecture: all of them would take minutes. BOBBIN_SEED varies them.
TEST(CompiledQueries, CompileForGpus) {
  if (const auto found = jit::nvrtc(); !found.has_value()) {
    GTEST_SKIP() << found.error().message();
  }
  if (kDrawnShare != 1) {
    GTEST_SKIP() << "the compiler does not depend on the build";
  }
  const auto kernels = drawn_kernels<0>();
  uint64_t next = draw_number();
  for (const int sm : {80, 90, 100}) {
    const plan::Composed composed{.declarations = kernels[next++ % kernels.size()].declarations};
    const auto code = jit::compile(composed.source(), sm);
    EXPECT_TRUE(code.has_value()) << composed.source() << code.error().message();
  }
}

}  // namespace
}  // namespace bobbin::testing
