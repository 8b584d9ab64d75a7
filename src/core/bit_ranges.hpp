// SPDX-License-Identifier: Apache-2.0
// Ranges of bits in bitmaps of 32-bit words or of bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/bits.hpp"

namespace bobbin {

// One bit per row, lowest bit first.
using BitmapWords = std::vector<uint32_t>;

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

// Eight bits starting at bit `at`. The bitmap must have all of them.
[[nodiscard]] inline uint32_t byte_at(const uint8_t* bits, uint64_t at) {
  const uint32_t low = bits[at / 8];
  return at % 8 == 0 ? low : (low >> (at % 8) | uint32_t{bits[at / 8 + 1]} << (8 - at % 8)) & 0xff;
}

// Copies `count` bits, from bit `from_at` of one bitmap to bit `at` of another, where the target bits must be
// zero.
inline void copy_bits(uint8_t* to, uint64_t at, const uint8_t* from, uint64_t from_at, uint64_t count) {
  const auto copy_singly = [&](uint64_t bits) {
    for (const uint64_t end = at + bits; at < end; ++at, ++from_at) {
      to[at / 8] |= static_cast<uint8_t>((from[from_at / 8] >> (from_at % 8) & 1U) << (at % 8));
    }
  };
  const uint64_t before = std::min(count, (8 - at % 8) % 8);
  copy_singly(before);
  const uint64_t bytes = (count - before) / 8;
  if (from_at % 8 == 0 && bytes > 0) {
    std::memcpy(to + at / 8, from + from_at / 8, bytes);
  } else {
    for (uint64_t i = 0; i < bytes; ++i) {
      to[at / 8 + i] = static_cast<uint8_t>(byte_at(from, from_at + 8 * i));
    }
  }
  at += 8 * bytes;
  from_at += 8 * bytes;
  copy_singly((count - before) % 8);
}

// Sets bits begin .. end-1 of a byte bitmap.
inline void set_bits(uint8_t* bitmap, uint64_t begin, uint64_t end) {
  for (; begin < end && begin % 8 != 0; ++begin) {
    bitmap[begin / 8] |= static_cast<uint8_t>(1U << (begin % 8));
  }
  if (begin < end) {
    std::fill(bitmap + begin / 8, bitmap + end / 8, uint8_t{0xff});
    if (end % 8 != 0) {
      bitmap[end / 8] |= static_cast<uint8_t>((1U << (end % 8)) - 1);
    }
  }
}

// The number of set bits among begin .. end-1.
[[nodiscard]] inline uint64_t count_bits(const uint8_t* bits, uint64_t begin, uint64_t end) {
  uint64_t ones = 0;
  for (; begin + 8 <= end; begin += 8) {
    ones += static_cast<uint64_t>(std::popcount(byte_at(bits, begin)));
  }
  for (; begin < end; ++begin) {
    ones += bits[begin / 8] >> (begin % 8) & 1U;
  }
  return ones;
}

// The same for a bitmap of words.
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
