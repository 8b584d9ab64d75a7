// SPDX-License-Identifier: Apache-2.0
// Packed words that are copied to shared memory while a warp still works on the vector before: in registers
// there would not be room for both.
#pragma once

#include <cstdint>

#include "plan/packed.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// Room for the words of one vector of a width for each warp. They are in registers before the next vector's
// are copied.
template <uint32_t kWarps, uint32_t kWidth>
struct WordsAhead {
  static constexpr uint32_t kQuads = kWidth * (kRegisterBytes / sizeof(simt::Quad));

  simt::Shared<simt::Quad, kWarps * kQuads> words;

  // Starts to copy the words of the vector at a register, which is whole.
  template <class Cta>
  BOBBIN_HD void start(Cta& cta, Global<const simt::Quad> packed, uint64_t first_register) {
    cta.sync_warp();  // the previous vector's are in registers
    const uint32_t to = cta.warp() * kQuads;
    const uint64_t from = first_register * (kRegisterBytes / sizeof(simt::Quad));
    BOBBIN_UNROLL
    for (uint32_t first = 0; first < kQuads; first += simt::kWarpSize) {
      if (kQuads - first >= simt::kWarpSize || cta.lane() < kQuads - first) {
        cta.load_async(words, to + cta.lane() + first, packed, from + cta.lane() + first);
      }
    }
  }
  // Those of the vector that was started last, in registers.
  template <class Cta, class T>
  BOBBIN_HD void take(Cta& cta, Lane<T, kWidth>& lane) {
    cta.load_wait();
    cta.sync_warp();
    lane.load_copied(cta, words, cta.warp() * kQuads);
  }
};

}  // namespace bobbin::plan
