// SPDX-License-Identifier: Apache-2.0
// Sums and counters of a block's threads, added to device memory once per block.
#pragma once

#include <cstdint>

#include "simt/cta.hpp"

namespace bobbin::assist {

template <uint32_t kWarps>
struct BlockSum {
  simt::Shared<unsigned long long, kWarps> sums;

  // One addition to memory per block: those to one address take turns. The block works together; before
  // another add() it must pass a sync().
  template <class Cta>
  BOBBIN_HD void add(Cta& cta, unsigned long long sum, simt::Global<unsigned long long> to, uint64_t i) {
    for (uint32_t distance = simt::kWarpSize / 2; distance != 0; distance /= 2) {
      sum += cta.shfl_xor(sum, distance);
    }
    if (cta.lane() == 0) {
      cta.store(sums, cta.warp(), sum);
    }
    cta.sync();
    if (cta.thread() == 0) {
      for (uint32_t w = 1; w < kWarps; ++w) {
        sum += cta.load(sums, w);
      }
      cta.template atomic_add<simt::Order::relaxed>(to, i, sum);
    }
  }
};

// Counters of kBins kinds, several copies of each where threads would wait for each other.
template <uint32_t kBins, uint32_t kCopies = 1>
struct BlockCounts {
  simt::Shared<uint32_t, kBins * kCopies> counts;

  // By the whole block, before the first count.
  template <class Cta>
  BOBBIN_HD void set_up(Cta& cta, uint32_t threads) {
    for (uint32_t i = cta.thread(); i < kBins * kCopies; i += threads) {
      cta.store(counts, i, 0U);
    }
    cta.sync();
  }
  // By any thread.
  template <class Cta>
  BOBBIN_HD void count(Cta& cta, uint32_t bin, uint32_t copy = 0) {
    cta.template atomic_add<simt::Order::relaxed>(counts, bin * kCopies + copy, 1U);
  }
  // By the whole block, after the last one.
  template <class Cta>
  BOBBIN_HD void report(Cta& cta, uint32_t threads, simt::Global<uint32_t> totals) {
    cta.sync();
    for (uint32_t bin = cta.thread(); bin < kBins && bin < totals.size; bin += threads) {
      uint32_t sum = 0;
      for (uint32_t i = 0; i < kCopies; ++i) {
        sum += cta.load(counts, bin * kCopies + i);
      }
      if (sum != 0) {
        cta.template atomic_add<simt::Order::relaxed>(totals, bin, sum);
      }
    }
  }
};

}  // namespace bobbin::assist
