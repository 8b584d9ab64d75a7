// SPDX-License-Identifier: Apache-2.0
// Where the row numbers of each vector start: a warp searches for one vector's, 32 probes at a time.
#pragma once

#include <cstdint>

#include "codecs/ranks.hpp"
#include "core/lanes.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

struct StartsKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  using Shared = simt::NoShared;

  simt::Global<const uint32_t> rows;  // ascending
  simt::Global<uint32_t> starts;      // of each vector: how many numbers come before its bound
  uint64_t bound;                     // of the first vector

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t v = uint64_t{cta.block()} * kWarps + cta.warp();
    if (v < starts.size) {
      const uint64_t below = ascending::count_below(cta, rows, bound + v * kVectorLength);
      if (cta.lane() == 0) {
        cta.store(starts, v, static_cast<uint32_t>(below));
      }
    }
  }
};

}  // namespace bobbin::plan
