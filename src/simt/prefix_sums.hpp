// SPDX-License-Identifier: Apache-2.0
// Prefix sums of any number of values, by one block.
#pragma once

#include <cstdint>

#include "core/portable.hpp"
#include "simt/cta.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::simt {

// In shared memory. The block has as many warps as a warp has lanes, so that each warp can sum the warps'
// totals by itself.
struct PrefixSums {
  static constexpr uint32_t kThreads = kWarpSize * kWarpSize;

  Shared<uint64_t, kWarpSize> totals;

  // Calls put(i, before + load(0) + ... + load(i)) for each i below `count`, in rounds of one value per
  // thread. Returns the sum of all, and of `before`.
  template <class Cta, class Load, class Put>
  BOBBIN_HD uint64_t run(Cta& cta, uint64_t count, uint64_t before, Load&& load, Put&& put) {
    for (uint64_t first = 0; first < count; first += kThreads) {
      const uint64_t i = first + cta.thread();
      const uint64_t through = sum_through(cta, i < count ? load(i) : uint64_t{0});
      if (cta.lane() == kWarpSize - 1) {
        cta.store(totals, cta.warp(), through);
      }
      cta.sync();
      const uint64_t sums = sum_through(cta, cta.load(totals, cta.lane()));
      const uint64_t earlier = cta.shfl(sums, cta.warp() == 0 ? 0 : cta.warp() - 1);
      if (i < count) {
        put(i, before + through + (cta.warp() == 0 ? 0 : earlier));
      }
      before += cta.shfl(sums, kWarpSize - 1);
      cta.sync();  // the next round overwrites the totals
    }
    return before;
  }
};

}  // namespace bobbin::simt
