// SPDX-License-Identifier: Apache-2.0
// Numbers with nulls: an array of values, and an array of words with one bit a row: see spec.md.
// encode() gives an array without nulls, estimate() its size. Nulls decode to whatever the values hold in
// their place; in a comparison, a null's bit is 0, whether the range is negated or not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "core/bits.hpp"

namespace bobbin::codec::masked {

inline constexpr uint32_t kRowsPerWord = 32;

// How many words of validity the rows have, those skipped included.
[[nodiscard]] constexpr uint64_t num_words(uint64_t rows) {
  return ceil_div<uint64_t>(rows, kRowsPerWord);
}

[[nodiscard]] inline const Array& values_of(const Array& array) {
  return array.children[0];
}
[[nodiscard]] inline const Array& validity_of(const Array& array) {
  return array.children[1];
}

// An array with nulls over `values`, in host memory, whose offset is 0. Bit i % 8 of byte i / 8 is 1 when row
// i has a value; bits past the last row are not looked at. No pointer: no row is null.
Result<Array> wrap(Array values, const uint8_t* validity_bits);
// The same in two steps, for whoever encodes the words: one bit a row, those past the last row zero.
[[nodiscard]] std::vector<uint32_t> validity_words(uint64_t rows, const uint8_t* validity_bits);
Result<Array> join(Array values, Array validity);

}  // namespace bobbin::codec::masked
