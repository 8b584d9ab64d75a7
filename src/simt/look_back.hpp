// SPDX-License-Identifier: Apache-2.0
// Decoupled look-back: finds the sum over all earlier tiles while those are still being processed.
#pragma once

#include <cstdint>

#include "core/portable.hpp"
#include "simt/cta.hpp"

namespace bobbin::simt {

// One word per tile, initially zero: two flag bits and the sum, written and read at once, so that no order
// between words is needed.
struct TileState {
  static constexpr uint64_t kOwn = uint64_t{1} << 62;      // the tile's own sum
  static constexpr uint64_t kThrough = uint64_t{2} << 62;  // the inclusive sum of all tiles up to this one
  static constexpr uint64_t kSum = kOwn - 1;
};

// Called by one whole warp of the block that works on `tile`. Publishes the tile's own sum, adds up those of
// its predecessors, publishes the total, and returns the sum over tiles 0 .. tile-1. Tiles must be taken in
// the order in which blocks start (by a ticket), otherwise a block may wait for one that never starts.
template <class Cta>
BOBBIN_HD uint64_t look_back(Cta& cta, Global<uint64_t> states, uint64_t tile, uint64_t own) {
  if (cta.lane() == 0) {
    cta.template atomic_store<Order::relaxed>(states, tile,
                                              (tile == 0 ? TileState::kThrough : TileState::kOwn) | own);
  }
  uint64_t before = 0;
  for (uint64_t next = tile; next != 0;) {
    // Lane i looks at tile next-1-i; before the first tile there is nothing to add.
    const bool exists = cta.lane() < next;
    uint64_t state = TileState::kThrough;
    do {
      if (exists) {
        state = cta.template atomic_load<Order::relaxed>(states, next - 1 - cta.lane());
      }
    } while (!cta.all((state & ~TileState::kSum) != 0));
    // Adds up the tiles' own sums back to the nearest tile that has its inclusive sum.
    const uint32_t through = cta.ballot((state & TileState::kThrough) != 0);
    const bool counts = (through & ((uint32_t{1} << cta.lane()) - 1)) == 0;
    uint64_t sum = counts && exists ? state & TileState::kSum : 0;
    for (uint32_t distance = kWarpSize / 2; distance != 0; distance /= 2) {
      sum += cta.shfl_xor(sum, distance);
    }
    before += sum;
    next = through != 0 ? 0 : next - kWarpSize;
  }
  if (cta.lane() == 0 && tile != 0) {
    cta.template atomic_store<Order::relaxed>(states, tile, TileState::kThrough | (before + own));
  }
  return before;
}

}  // namespace bobbin::simt
