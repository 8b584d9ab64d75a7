// SPDX-License-Identifier: Apache-2.0
// Bitmaps that the lanes of a warp read and write together.
#pragma once

#include <cstdint>

#include "core/portable.hpp"
#include "simt/cta.hpp"

namespace bobbin::simt {

// Bit i of a bitmap of bytes.
template <class Cta>
[[nodiscard]] BOBBIN_HD bool bit_at(Cta& cta, Global<const uint8_t> bits, uint64_t i) {
  return (cta.load(bits, i / 8) >> (i % 8) & 1) != 0;
}

// Stores a bit per lane. `i` is the lane's bit: lane 0's is a multiple of 32, the others follow. Words past
// the bitmap are not stored. All lanes of the warp take part.
template <class Cta>
BOBBIN_HD void store_bits(Cta& cta, Global<uint32_t> bitmap, uint64_t i, bool bit) {
  const uint32_t word = cta.ballot(bit);
  if (cta.lane() == 0 && i / 32 < bitmap.size) {
    cta.store(bitmap, i / 32, word);
  }
}

}  // namespace bobbin::simt
