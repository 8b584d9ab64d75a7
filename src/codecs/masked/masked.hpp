// SPDX-License-Identifier: Apache-2.0
// Numbers with nulls: an array of values, and an array of words with one bit a row: see spec.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "core/bits.hpp"

namespace bobbin::codec::masked {

template <Backend kBackend>
const DeviceOps& ops_on();  // registry_device.cu

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

// encode() gives an array without nulls, estimate() its size.
uint64_t estimate(const Values& values);
Result<Array> encode(const Values& values);
std::string describe(const Array& array);
Status validate(const Array& array);
// Nulls decode to whatever `values` hold in their place.
void decode(const Array& array, void* out);
void reference(const Array& array, void* out);
Array slice(const Array& array, uint64_t begin, uint64_t length);
Scalar value_at(const Array& array, uint64_t index);
// A null's bit is 0, whether the range is negated or not.
void compare(const Array& array, const ValueRange& range, uint32_t* bitmap);
void clear_nulls(const Array& array, uint32_t* bitmap);

}  // namespace bobbin::codec::masked
