// SPDX-License-Identifier: Apache-2.0
// Sums of a block's threads, added to device memory.
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

}  // namespace bobbin::assist
