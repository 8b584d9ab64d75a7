// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the bytes, or the halves, of words, all of a word at a time: for host and device.
#pragma once

#include <cstdint>

#include "core/portable.hpp"

namespace bobbin {

// `sum` plus the products of the four unsigned bytes of `a` and `b`: one instruction on a GPU.
BOBBIN_HD uint32_t dot_bytes(uint32_t a, uint32_t b, uint32_t sum) {
#ifdef __CUDA_ARCH__
  return __dp4a(a, b, sum);
#else
  for (uint32_t shift = 0; shift < 32; shift += 8) {
    sum += (a >> shift & 0xff) * (b >> shift & 0xff);
  }
  return sum;
#endif
}

// `sum` plus both unsigned halves of a word, multiplied by the two lowest bytes of `factors`: one instruction
// on a GPU.
BOBBIN_HD uint32_t dot_halves(uint32_t halves, uint32_t factors, uint32_t sum) {
#ifdef __CUDA_ARCH__
  return __dp2a_lo(halves, factors, sum);
#else
  return sum + (halves & 0xffff) * (factors & 0xff) + (halves >> 16) * (factors >> 8 & 0xff);
#endif
}
BOBBIN_HD uint32_t add_halves(uint32_t halves, uint32_t sum) {
  return dot_halves(halves, 0x0101, sum);
}

// The greater of a + b and c, and the lesser of a and b, in each half of a word, as unsigned numbers of 16
// bits: one instruction on a GPU.
[[nodiscard]] BOBBIN_HD uint32_t max_of_sum_halves(uint32_t a, uint32_t b, uint32_t c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  uint32_t greater;
  asm("{\n .reg .b32 sum;\n add.u16x2 sum, %1, %2;\n max.u16x2 %0, sum, %3;\n}"
      : "=r"(greater)
      : "r"(a), "r"(b), "r"(c));
  return greater;
#else
  const auto of = [](uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t sum = (x + y) & 0xffff;
    return sum > z ? sum : z;
  };
  return of(a & 0xffff, b & 0xffff, c & 0xffff) | of(a >> 16, b >> 16, c >> 16) << 16;
#endif
}
[[nodiscard]] BOBBIN_HD uint32_t min_halves(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  uint32_t lesser;
  asm("min.u16x2 %0, %1, %2;" : "=r"(lesser) : "r"(a), "r"(b));
  return lesser;
#else
  const uint32_t low = (a & 0xffff) < (b & 0xffff) ? a & 0xffff : b & 0xffff;
  const uint32_t high = (a >> 16) < (b >> 16) ? a >> 16 : b >> 16;
  return low | high << 16;
#endif
}

// A one in each byte, or in each half of a word.
template <uint32_t kLaneBits>
inline constexpr uint32_t kLaneOnes = ~uint32_t{0} / ((uint32_t{1} << kLaneBits) - 1);

// The highest bit of each byte (or half) that is in a range, as an unsigned number; `from` and `to` have its
// ends in each byte. Seven instructions on a GPU.
template <uint32_t kLaneBits>
[[nodiscard]] BOBBIN_HD uint32_t lanes_within(uint32_t lanes, uint32_t from, uint32_t to) {
  constexpr uint32_t kTops = kLaneOnes<kLaneBits> << (kLaneBits - 1);
  // First by the lower bits, which cannot borrow from the next lane; then by the highest.
  const uint32_t lower_from = (lanes | kTops) - (from & ~kTops);
  const uint32_t lower_to = (to | kTops) - (lanes & ~kTops);
  const uint32_t at_least = (lanes & ~from) | (~(lanes ^ from) & lower_from);
  const uint32_t at_most = (~lanes & to) | (~(lanes ^ to) & lower_to);
  return at_least & at_most & kTops;
}

}  // namespace bobbin
