// SPDX-License-Identifier: Apache-2.0
// The coder's arithmetic, shared by the CPU and the kernels.
//
// A state x decodes slot = x mod 2^bits to the byte s whose range of slots contains it, and becomes
// f[s] * floor(x / 2^bits) + slot - begin[s]. Encoding is the inverse. States have 64 bits; one that is below
// 2^32 after two values takes a word of 32 bits. Two values take at most 22 bits, so one word is enough.
//
// Thread mapping: a warp decodes a segment, a lane has one state and four consecutive values of every 128: it
// stores four bytes at once, a warp 128. Words are taken in the order of lanes, so a lane finds its word by
// counting the lanes before it that take one too. The last 128 values are what the states become.
//
// Preconditions (checked by validate): frequencies sum to 2^bits. Everything else is defined for any bytes.
#pragma once

#include <bit>
#include <cstdint>

#include "codecs/ans/ans.hpp"
#include "core/portable.hpp"
#include "core/wide_product.hpp"

namespace bobbin::codec::ans {

inline constexpr uint32_t kRun = 4;  // consecutive values of one lane
inline constexpr uint32_t kGroup = kLanes * kRun;
inline constexpr uint32_t kWordBits = 32;

// The groups of a segment that are coded: all but the last.
BOBBIN_HD constexpr uint32_t coded_groups(uint32_t values) {
  return ceil_div(values, kGroup) - 1;
}

// What a slot decodes to, in one word: the byte, the slot's place in the byte's range, the byte's frequency.
struct Slot {
  static constexpr uint32_t kFieldBits = 12;

  BOBBIN_HD static constexpr uint32_t pack(uint32_t symbol, uint32_t place, uint32_t frequency) {
    return symbol << (2 * kFieldBits) | place << kFieldBits | frequency;
  }
  BOBBIN_HD static constexpr uint32_t symbol(uint32_t slot) { return slot >> (2 * kFieldBits); }
  struct Halves {
    uint32_t low;
    uint32_t high;
  };
  // The state after decoding, before it takes a word.
  BOBBIN_HD static uint64_t next(uint32_t slot, uint64_t state, uint32_t bits) {
    constexpr uint32_t kField = (1U << kFieldBits) - 1;
    return next(slot & kField, slot >> kFieldBits & kField, state, bits);
  }
  BOBBIN_HD static uint64_t next(uint32_t frequency, uint32_t place, uint64_t state, uint32_t bits) {
    const uint64_t rest = state >> bits;
    // In two products, because a GPU multiplies 32 bits; the upper one does not overflow.
    const Halves added{place, frequency * static_cast<uint32_t>(rest >> 32)};
    return multiply_add(frequency, static_cast<uint32_t>(rest), std::bit_cast<uint64_t>(added));
  }
};
static_assert((1U << kMaxBits) < (1U << Slot::kFieldBits) && 2 * Slot::kFieldBits + 8 == 32);

// What encoding a byte needs.
struct Symbol {
  uint64_t reciprocal;  // floor((2^64 - 1) / frequency)
  uint32_t frequency;
  uint32_t begin;  // its first slot

  BOBBIN_HD static constexpr Symbol of(uint32_t frequency, uint32_t begin) {
    return {frequency == 0 ? 0 : ~uint64_t{0} / frequency, frequency, begin};
  }
  // The state after encoding. The quotient by multiplication is exact or one too small.
  [[nodiscard]] BOBBIN_HD uint64_t next(uint64_t state, uint32_t bits) const {
    const uint64_t quotient = multiply_high(state, reciprocal);
    const uint32_t rest = static_cast<uint32_t>(state) - static_cast<uint32_t>(quotient) * frequency;
    const bool more = rest >= frequency;
    return ((quotient + (more ? 1 : 0)) << bits) + (rest - (more ? frequency : 0) + begin);
  }
};

// Whether a state has to give a word before two values of these frequencies are encoded.
BOBBIN_HD constexpr bool overflows(uint64_t state, uint32_t a, uint32_t b, uint32_t bits) {
  return static_cast<uint32_t>(state >> (64 - 2 * bits)) >= a * b;
}

// The words that a segment of this many values has at most: a value takes at most `bits`, and a state has
// fewer than 32 bits to spare.
BOBBIN_HD constexpr uint32_t most_words(uint32_t values, uint32_t bits) {
  return ceil_div(values * bits, kWordBits) + kLanes;
}
// Units of a segment with this many words.
BOBBIN_HD constexpr uint32_t units_of(uint32_t words) {
  return kStateUnits + ceil_div<uint32_t>(words * (kWordBits / 8), kUnitBytes);
}

}  // namespace bobbin::codec::ans
