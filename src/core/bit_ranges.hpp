// SPDX-License-Identifier: Apache-2.0
// Runs of bits in a bitmap of words of 32.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/bits.hpp"

namespace bobbin {

// Sets bits begin .. end-1.
inline void set_bits(uint32_t* bitmap, uint64_t begin, uint64_t end) {
  if (begin >= end) {
    return;
  }
  const uint32_t from_begin = ~uint32_t{0} << (begin % 32);
  const uint32_t to_end = low_mask<uint32_t>(static_cast<uint32_t>((end - 1) % 32) + 1);
  uint32_t* const first = bitmap + begin / 32;
  uint32_t* const last = bitmap + (end - 1) / 32;
  if (first == last) {
    *first |= from_begin & to_end;
    return;
  }
  *first |= from_begin;
  std::fill(first + 1, last, ~uint32_t{0});
  *last |= to_end;
}

// How many of bits begin .. end-1 are set.
[[nodiscard]] inline uint64_t count_bits(const uint32_t* bitmap, uint64_t begin, uint64_t end) {
  if (begin >= end) {
    return 0;
  }
  const uint32_t from_begin = ~uint32_t{0} << (begin % 32);
  const uint32_t to_end = low_mask<uint32_t>(static_cast<uint32_t>((end - 1) % 32) + 1);
  const uint64_t first = begin / 32;
  const uint64_t last = (end - 1) / 32;
  if (first == last) {
    return static_cast<uint64_t>(std::popcount(bitmap[first] & from_begin & to_end));
  }
  auto count = static_cast<uint64_t>(std::popcount(bitmap[first] & from_begin));
  for (uint64_t w = first + 1; w < last; ++w) {
    count += static_cast<uint64_t>(std::popcount(bitmap[w]));
  }
  return count + static_cast<uint64_t>(std::popcount(bitmap[last] & to_end));
}

}  // namespace bobbin
