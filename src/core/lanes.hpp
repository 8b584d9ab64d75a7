// SPDX-License-Identifier: Apache-2.0
// The vector of 1024 values in the FastLanes layout, and the arithmetic on its lanes.
//
// A vector of T-bit values is T *rows* of 1024 bits. Row r holds values r*L .. r*L+L-1, with L = 1024/T lanes
// (the interleaved order), so a row is 128 consecutive bytes of the decoded column. Packed at width W, each
// lane is a separate bit stream, W bits per row, lowest bit first, stored in words of T bits; word k of all
// lanes together is packed *register* k, again 128 bytes. Unpacking row r therefore needs register r*W/T and,
// if the value straddles a word, the next one; all lanes shift by the same amount. This makes one formula
// work for every type: a machine word holds several lanes, is shifted as a whole, and a mask removes the bits
// that crossed into a neighbouring lane.
#pragma once

#include <cstdint>

#include "core/bits.hpp"
#include "core/portable.hpp"

namespace bobbin {

inline constexpr uint32_t kVectorLength = 1024;
inline constexpr uint32_t kRegisterBytes = 128;

template <class T>
inline constexpr uint32_t kLanes = kVectorLength / kBits<T>;
template <class T>
inline constexpr uint32_t kRows = kBits<T>;

BOBBIN_HD constexpr uint64_t num_vectors(uint64_t num_values) {
  return ceil_div<uint64_t>(num_values, kVectorLength);
}

// The number of rows that the first `num_values` (at most 1024) values of a vector occupy.
BOBBIN_HD constexpr uint32_t num_rows(uint32_t num_values, uint32_t type_bits) {
  return ceil_div(num_values, kVectorLength / type_bits);
}

// The number of registers needed to pack `rows` rows at `width` bits.
BOBBIN_HD constexpr uint32_t num_registers(uint32_t rows, uint32_t width, uint32_t type_bits) {
  return ceil_div(rows * width, type_bits);
}

// `value` in every T-bit lane of a word.
template <class T, class Word>
BOBBIN_HD constexpr Word replicate(T value) {
  static_assert(sizeof(T) <= sizeof(Word));
  Word word = value;
  for (uint32_t bits = kBits<T>; bits < kBits<Word>; bits *= 2) {
    word |= static_cast<Word>(word << bits);
  }
  return word;
}

// Lane-wise a + b, modulo 2^T: adds without the lanes' top bits, then combines those by exclusive or.
template <class T, class Word>
BOBBIN_HD constexpr Word lane_add(Word a, Word b) {
  if constexpr (sizeof(T) == sizeof(Word)) {
    return a + b;
  } else {
    constexpr Word kTop = replicate<T, Word>(static_cast<T>(T{1} << (kBits<T> - 1)));
    return ((a & ~kTop) + (b & ~kTop)) ^ ((a ^ b) & kTop);
  }
}

// The position of row r in a vector packed at some width, and the masks that extract it.
template <class T, class Word>
struct RowCut {
  uint32_t low_register = 0;
  uint32_t high_register = 0;  // equal to low_register if the row does not straddle
  uint32_t shift = 0;
  Word low_mask = 0;
  Word high_mask = 0;  // zero if the row does not straddle

  BOBBIN_HD static constexpr RowCut of(uint32_t row, uint32_t width) {
    const uint32_t bit = row * width;
    RowCut cut;
    cut.low_register = bit / kBits<T>;
    cut.shift = bit % kBits<T>;
    const bool straddles = cut.shift + width > kBits<T>;
    cut.high_register = cut.low_register + (straddles ? 1 : 0);
    const T all = bobbin::low_mask<T>(width);
    const T low = static_cast<T>(all & static_cast<T>(static_cast<T>(~T{0}) >> cut.shift));
    cut.low_mask = replicate<T, Word>(low);
    cut.high_mask = replicate<T, Word>(static_cast<T>(all ^ low));
    return cut;
  }

  // The high word is shifted by T-shift in two steps, so that shift = 0 stays defined.
  BOBBIN_HD constexpr Word extract(Word low, Word high) const {
    return static_cast<Word>(((low >> shift) & low_mask) |
                             (((high << 1) << (kBits<T> - 1 - shift)) & high_mask));
  }
};

// The part of a row's values (each below 2^width) that goes to packed register k; zero if they do not
// overlap.
template <class T, class Word>
BOBBIN_HD constexpr Word place_row(Word values, uint32_t row, uint32_t width, uint32_t k) {
  const uint32_t bit = row * width;
  const uint32_t start = k * kBits<T>;
  if (bit >= start) {
    const uint32_t up = bit - start;
    return (values << up) & replicate<T, Word>(static_cast<T>(static_cast<T>(~T{0}) << up));
  }
  const uint32_t down = start - bit;
  return (values >> down) & replicate<T, Word>(static_cast<T>(static_cast<T>(~T{0}) >> down));
}

}  // namespace bobbin
