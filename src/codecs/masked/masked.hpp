// SPDX-License-Identifier: Apache-2.0
// Numbers with nulls: an array of values, and an array of words with one bit per row: see spec.md. encode()
// returns an array without nulls, estimate() its size. Nulls decode to whatever the values hold in their
// place; in a comparison a null's bit is always 0, also for negated ranges.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/codec.hpp"
#include "core/bit_ranges.hpp"
#include "core/bits.hpp"

namespace bobbin::codec::masked {

inline constexpr uint32_t kRowsPerWord = 32;

// Number of validity words for the rows, including skipped ones.
[[nodiscard]] constexpr uint64_t num_words(uint64_t rows) {
  return ceil_div<uint64_t>(rows, kRowsPerWord);
}

[[nodiscard]] inline const Array& values_of(const Array& array) {
  return array.children[0];
}
[[nodiscard]] inline const Array& validity_of(const Array& array) {
  return array.children[1];
}

// Adds validity to `values`, in host memory with offset 0. Bit i % 8 of byte i / 8 is 1 if row i has a value;
// bits past the last row are ignored. Null pointer: no nulls.
Result<Array> wrap(Array values, const uint8_t* validity_bits);
// The same in two steps, if the caller encodes the words: one bit per row, zero past the last row.
[[nodiscard]] BitmapWords validity_words(uint64_t rows, const uint8_t* validity_bits);
Result<Array> join(Array values, Array validity);

}  // namespace bobbin::codec::masked
