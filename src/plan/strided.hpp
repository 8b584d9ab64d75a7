// SPDX-License-Identifier: Apache-2.0
// How a warp divides a vector of 1024 rows: each lane has 32 of them, and one word with a bit for each.
//
// In a *strided* word, bit r of lane l is row 32 r + l: loads of adjacent values are coalesced, and packed
// vectors of 32-bit values are in this order already. In bitmaps in memory, row i is bit i % 32 of word i /
// 32: transpose() converts between the two.
#pragma once

#include <cstdint>

#include "codecs/bitpack/tile.hpp"
#include "core/lanes.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// Converts word l of a bitmap in lane l to a strided word, and back.
template <class Cta>
[[nodiscard]] BOBBIN_HD uint32_t transpose(Cta& cta, uint32_t word) {
  BOBBIN_UNROLL
  for (uint32_t bit = 0; bit < 5; ++bit) {
    word = codec::bitpack::swap_index_bits(cta, word, bit, bit);
  }
  return word;
}

// The rows of vector v that are in begin .. end-1, as a strided word.
[[nodiscard]] BOBBIN_HD uint32_t rows_inside(uint64_t v, uint32_t lane, uint64_t begin, uint64_t end) {
  const uint64_t first = v * kVectorLength + lane;
  if (first >= begin && first + kVectorLength - 32 < end) {
    return ~uint32_t{0};
  }
  const auto rows_before = [&](uint64_t bound) {
    const uint64_t rows = bound > first ? (bound - first + 31) / 32 : 0;
    return low_mask<uint32_t>(rows < 32 ? static_cast<uint32_t>(rows) : 32);
  };
  return rows_before(end) & ~rows_before(begin);
}

}  // namespace bobbin::plan
