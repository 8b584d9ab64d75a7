// SPDX-License-Identifier: Apache-2.0
// Other uses of assist warps than compression, checked on any back end:
// memoization, prefetching, redundant execution and counters.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "assist/memo.hpp"
#include "assist/prefetch.hpp"
#include "assist/redundant.hpp"
#include "core/bits.hpp"
#include "tests/assist/device.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

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

// Returns what the warps counted.
inline std::vector<uint32_t> run_memo(const auto& device, const std::vector<uint32_t>& inputs) {
  const DeviceValues<uint32_t> in(device, inputs);
  const DeviceValues<uint32_t> out(device, inputs.size());
  const DeviceValues<uint32_t> totals(device, 4);
  device.run(MemoKernel{in.constant(), out.global(), totals.global()});
  const std::vector<uint32_t> found = out.values();
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(found[i], slow_function(inputs[i])) << i;
  }
  return totals.values();
}

inline void check_memo_of_few_inputs(const auto& device) {
  std::vector<uint32_t> inputs(size_t{2} * MemoKernel::kCalls * MemoKernel::kThreads);
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i] = static_cast<uint32_t>(i / MemoKernel::kThreads % 5);
  }
  const std::vector<uint32_t> totals = run_memo(device, inputs);
  EXPECT_EQ(totals[0], inputs.size());            // all were looked up
  EXPECT_GT(totals[1], inputs.size() * 9 / 10);   // most were found
  EXPECT_GT(totals[2], MemoKernel::kCalls * 3U);  // of 4 warps' calls
  EXPECT_EQ(totals[3], 0U);
}

inline void check_memo_of_many_inputs(const auto& device) {
  Random random(3);
  std::vector<uint32_t> inputs(size_t{2} * MemoKernel::kCalls * MemoKernel::kThreads);
  for (uint32_t& input : inputs) {
    input = static_cast<uint32_t>(random.next());
  }
  const std::vector<uint32_t> totals = run_memo(device, inputs);
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

// Returns how many values were prefetched, and how many blocks stopped.
inline std::vector<uint32_t> run_gather(const auto& device, const std::vector<uint32_t>& indices) {
  std::vector<uint32_t> values(10000);
  for (uint32_t i = 0; i < values.size(); ++i) {
    values[i] = slow_function(i);
  }
  const DeviceValues<uint32_t> its_indices(device, indices);
  const DeviceValues<uint32_t> its_values(device, values);
  const DeviceValues<uint32_t> out(device, indices.size());
  const DeviceValues<uint32_t> totals(device, 2);
  device.run(GatherAheadKernel{its_indices.constant(), its_values.constant(), out.global(), totals.global()});
  const std::vector<uint32_t> found = out.values();
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i], values[indices[i]]) << i;
  }
  return totals.values();
}

inline void check_prefetching(const auto& device) {
  std::vector<uint32_t> indices(5001);
  for (uint32_t i = 0; i < indices.size(); ++i) {
    indices[i] = i * 7919 % 10000;
  }
  const std::vector<uint32_t> far = run_gather(device, indices);
  EXPECT_LE(far[0], indices.size());
  EXPECT_EQ(far[1], 0U);
  for (uint32_t i = 0; i < indices.size(); ++i) {
    indices[i] = i;
  }
  // Each of the 3 blocks stops after its trial.
  EXPECT_LE(run_gather(device, indices)[0], 3U * GatherAheadKernel::Gather::kTrialChunks * 32);
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

inline void check_redundancy(const auto& device) {
  constexpr uint64_t kItems = 150;
  for (const uint64_t faulty : {uint64_t{0}, uint64_t{77}, kItems}) {
    const DeviceValues<uint32_t> out(device, kItems);
    const DeviceValues<unsigned long long> faults(device, {0, ~0ULL});
    const DeviceValues<unsigned long long> totals(device, 2);
    device.run(RedundantKernel{kItems, faulty, out.global(), faults.global(), totals.global()});
    EXPECT_EQ(faults.values()[0], faulty < kItems ? 1U : 0U);
    EXPECT_EQ(faults.values()[1], faulty < kItems ? faulty : ~0ULL);
    unsigned long long odd = 0;
    const std::vector<uint32_t> found = out.values();
    for (uint64_t i = 0; i < kItems; ++i) {
      EXPECT_EQ(found[i], slow_function(static_cast<uint32_t>(i)));
      odd += found[i] % 2;
    }
    EXPECT_EQ(totals.values()[1], odd);
    EXPECT_EQ(totals.values()[0], kItems - odd);
  }
}

}  // namespace bobbin::testing
