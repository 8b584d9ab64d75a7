// SPDX-License-Identifier: Apache-2.0
// Sums over the lanes of a warp.
#pragma once

#include <cstdint>

#include "core/portable.hpp"
#include "simt/cta.hpp"

namespace bobbin::simt {

// The inclusive sum of `v` over the lanes. All lanes of the warp take part.
template <class Cta, class T>
[[nodiscard]] BOBBIN_HD T sum_through(Cta& cta, T v) {
  BOBBIN_UNROLL
  for (uint32_t distance = 1; distance < kWarpSize; distance *= 2) {
    const T other = cta.shfl_up(v, distance);
    v += cta.lane() >= distance ? other : T{0};
  }
  return v;
}

}  // namespace bobbin::simt
