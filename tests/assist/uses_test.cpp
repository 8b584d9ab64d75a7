// SPDX-License-Identifier: Apache-2.0
// Other uses of assist warps than compression, in the emulator: memoization, prefetching, redundant execution
// and counters.
#include <gtest/gtest.h>

#include <vector>

#include "assist/memo.hpp"
#include "assist/prefetch.hpp"
#include "assist/redundant.hpp"
#include "tests/assist/arrays.hpp"

namespace bobbin::testing {
namespace {

using simt::Global;

// A function that takes long for its 32 bits.
BOBBIN_HD uint32_t slow_function(uint32_t x) {
  for (uint32_t i = 0; i < 20; ++i) {
    x = x * 1664525 + 1013904223;
    x ^= x >> 13;
  }
  return x;
}

struct MemoKernel {
  using Table = assist::Memo<6>;
  static constexpr uint32_t kThreads = 64;
  static constexpr uint32_t kCalls = 200;  // per thread
  using Shared = Table::Shared;

  Global<const uint32_t> inputs;
  Global<uint32_t> out;
  Global<uint32_t> totals;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& table = cta.template shared<Shared>();
    Table::set_up(cta, table, kThreads);
    Table::Use use;
    for (uint32_t n = 0; n < kCalls; ++n) {
      const uint64_t i = (uint64_t{cta.block()} * kCalls + n) * kThreads + cta.thread();
      cta.store(out, i, Table::call(cta, table, use, cta.load(inputs, i), slow_function));
    }
    Table::report(cta, use, totals);
  }
  [[nodiscard]] uint64_t blocks() const { return inputs.size / (kCalls * kThreads); }
};

std::vector<uint32_t> run_memo(const std::vector<uint32_t>& inputs) {
  std::vector<uint32_t> out(inputs.size());
  std::vector<uint32_t> totals(4);
  run_in_emulator(MemoKernel{{inputs.data(), inputs.size()}, {out.data(), out.size()}, {totals.data(), 4}});
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(out[i], slow_function(inputs[i])) << i;
  }
  return totals;
}

TEST(AssistMemo, FewInputsAreFound) {
  std::vector<uint32_t> inputs(size_t{2} * MemoKernel::kCalls * MemoKernel::kThreads);
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i] = static_cast<uint32_t>(i / MemoKernel::kThreads % 5);
  }
  const std::vector<uint32_t> totals = run_memo(inputs);
  EXPECT_EQ(totals[0], inputs.size());            // all were looked up
  EXPECT_GT(totals[1], inputs.size() * 9 / 10);   // most were found
  EXPECT_GT(totals[2], MemoKernel::kCalls * 3U);  // of 4 warps' calls
  EXPECT_EQ(totals[3], 0U);
}

TEST(AssistMemo, ManyInputsSwitchItOff) {
  Random random(3);
  std::vector<uint32_t> inputs(size_t{2} * MemoKernel::kCalls * MemoKernel::kThreads);
  for (uint32_t& input : inputs) {
    input = static_cast<uint32_t>(random.next());
  }
  const std::vector<uint32_t> totals = run_memo(inputs);
  EXPECT_EQ(totals[3], 4U);  // all warps, after their trial
  EXPECT_EQ(totals[0], 4U * MemoKernel::Table::kTrialCalls * simt::kWarpSize);
}

struct GatherAheadKernel {
  using Gather = assist::PrefetchedGather<2>;
  static constexpr uint32_t kThreads = Gather::kThreads;
  static constexpr uint64_t kItems = 2000;  // per block
  using Shared = Gather::Shared;

  Global<const uint32_t> indices;
  Global<const uint32_t> values;
  Global<uint32_t> out;
  Global<uint32_t> totals;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t first = cta.block() * kItems;
    const uint64_t end = first + kItems < indices.size ? first + kItems : indices.size;
    Gather::run(cta, cta.template shared<Shared>(), indices, values, first, end, totals,
                [&](uint64_t i, uint32_t value) { cta.store(out, i, value); });
  }
  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(indices.size, kItems); }
};

std::vector<uint32_t> run_gather(const std::vector<uint32_t>& indices, uint64_t seed) {
  std::vector<uint32_t> values(10000);
  for (uint32_t i = 0; i < values.size(); ++i) {
    values[i] = slow_function(i);
  }
  std::vector<uint32_t> out(indices.size());
  std::vector<uint32_t> totals(2);
  run_in_emulator(GatherAheadKernel{{indices.data(), indices.size()},
                                    {values.data(), values.size()},
                                    {out.data(), out.size()},
                                    {totals.data(), 2}},
                  seed);
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i], values[indices[i]]) << i;
  }
  return totals;
}

TEST(AssistPrefetch, WalksIndicesAheadAndStopsWhereTheyAreInOrder) {
  std::vector<uint32_t> indices(5001);
  for (uint32_t i = 0; i < indices.size(); ++i) {
    indices[i] = i * 7919 % 10000;
  }
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<uint32_t> totals = run_gather(indices, seed);
    EXPECT_LE(totals[0], indices.size());
    EXPECT_EQ(totals[1], 0U);
  }
  for (uint32_t i = 0; i < indices.size(); ++i) {
    indices[i] = i;
  }
  // Of 3 blocks: none goes on after its trial.
  const std::vector<uint32_t> totals = run_gather(indices, 1);
  EXPECT_LE(totals[0], 3U * GatherAheadKernel::Gather::kTrialChunks * 32);
}

struct RedundantKernel {
  using Pairs = assist::RedundantPairs<1>;
  using Events = assist::EventCounters<2>;
  static constexpr uint32_t kThreads = Pairs::kThreads;
  struct Shared {
    Pairs::Shared pairs;
    Events::Shared events;
  };

  uint64_t items;
  uint64_t faulty;  // the item that the second warp computes wrong
  Global<uint32_t> out;
  assist::Faults faults;
  Global<unsigned long long> totals;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    Events::set_up(cta, shared.events);
    const auto compute = [&](uint64_t item) -> uint64_t {
      const bool flips = item == faulty && cta.warp() != 0;
      return slow_function(static_cast<uint32_t>(item)) ^ (flips ? 4U : 0U);
    };
    Pairs::run(cta, shared.pairs, 0, items, faults, compute, [&](uint64_t item, uint64_t result) {
      Events::happened(cta, shared.events, result % 2 == 0 ? 0 : 1);
      cta.store(out, item, static_cast<uint32_t>(result));
    });
    Events::report(cta, shared.events, totals);
  }
  [[nodiscard]] static uint64_t blocks() { return 1; }
};

TEST(AssistRedundant, AnInjectedFaultIsFoundAndEventsAreCounted) {
  constexpr uint64_t kItems = 150;
  for (const uint64_t faulty : {uint64_t{0}, uint64_t{77}, kItems}) {
    std::vector<uint32_t> out(kItems);
    unsigned long long faults[2] = {0, ~0ULL};
    unsigned long long totals[2] = {0, 0};
    run_in_emulator(RedundantKernel{kItems, faulty, {out.data(), kItems}, {faults, 2}, {totals, 2}});
    EXPECT_EQ(faults[0], faulty < kItems ? 1U : 0U);
    EXPECT_EQ(faults[1], faulty < kItems ? faulty : ~0ULL);
    unsigned long long odd = 0;
    for (uint64_t i = 0; i < kItems; ++i) {
      EXPECT_EQ(out[i], slow_function(static_cast<uint32_t>(i)));
      odd += out[i] % 2;
    }
    EXPECT_EQ(totals[1], odd);
    EXPECT_EQ(totals[0], kItems - odd);
  }
}

}  // namespace
}  // namespace bobbin::testing
