// SPDX-License-Identifier: Apache-2.0
// Runs of bits in a bitmap of words of 32.
#pragma once

#include <algorithm>
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

}  // namespace bobbin
