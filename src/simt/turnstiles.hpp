// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory that the warps of a block pass in turn: for rings of slots that some fill and
// others empty.
#pragma once

#include <cstdint>

#include "simt/cta.hpp"

namespace bobbin::simt {

// A barrier with one phase per use: use n of N barriers is phase n / N of barrier n % N.
template <uint32_t N>
struct Turnstiles {
  CopyBarrier barriers[N];

  // A phase ends when this many threads have arrived,
  template <class Cta>
  BOBBIN_HD void set_up(Cta& cta, uint32_t arrivals) {
    for (auto& barrier : barriers) {
      cta.barrier_init(barrier, arrivals);
    }
  }
  // or all lanes of this many warps. One lane could arrive for its warp after a sync_warp(), but racecheck
  // does not follow that order.
  template <class Cta>
  BOBBIN_HD void set_up_warps(Cta& cta, uint32_t warps) {
    set_up(cta, warps * kWarpSize);
  }
  template <class Cta>
  BOBBIN_HD void arrive(Cta& cta, uint64_t n) {
    cta.barrier_arrive_expect(barriers[n % N], 0);
  }
  // Called by the whole warp. Lanes that went different ways would stay apart without the sync_warp(): a ring
  // of assist warps took twice the time.
  template <class Cta>
  BOBBIN_HD void arrive_warp(Cta& cta, uint64_t n) {
    cta.sync_warp();
    arrive(cta, n);
  }
  template <class Cta>
  BOBBIN_HD void wait(Cta& cta, uint64_t n) {
    cta.barrier_wait(barriers[n % N], static_cast<uint32_t>(n / N % 2));
  }
};

}  // namespace bobbin::simt
