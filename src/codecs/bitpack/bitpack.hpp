// SPDX-License-Identifier: Apache-2.0
// Integers in the lowest bits of their words, 1024 at a time in FastLanes' interleaved lanes: see spec.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codecs/codec.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::bitpack {

// Bytes of `packed` for this many values at one width.
[[nodiscard]] constexpr uint64_t packed_bytes(uint64_t num_values, uint32_t width, uint32_t type_bits) {
  const auto tail = static_cast<uint32_t>(num_values % kVectorLength);
  return kRegisterBytes *
         (num_values / kVectorLength * width + num_registers(num_rows(tail, type_bits), width, type_bits));
}

// The same for a single vector of at most 1024 values.
[[nodiscard]] constexpr uint32_t vector_bytes(uint32_t num_values, uint32_t width, uint32_t type_bits) {
  return static_cast<uint32_t>(packed_bytes(num_values, width, type_bits));
}

[[nodiscard]] inline uint32_t width_of(const Array& array) {
  return array.metadata[0];
}

// Functions for one vector on the CPU, also used by other codecs. T is unsigned.
// Writes rows * kLanes<T> values: the packed values plus `reference`, modulo 2^T.
template <class T>
void unpack_vector(const std::byte* packed, uint32_t width, uint32_t rows, T reference, T* out);
// Packs values[i] - reference, each below 2^width; `values` has rows * kLanes<T> items. Writes
// num_registers(rows, width, T) registers.
template <class T>
void pack_vector(const T* values, T reference, uint32_t width, uint32_t rows, std::byte* packed);

// Returns value i of a packed vector.
template <class T>
[[nodiscard]] T unpack_one(const std::byte* packed, uint32_t width, uint32_t i) {
  if (width == 0) {
    return 0;
  }
  const auto cut = RowCut<T, T>::of(i / kLanes<T>, width);
  const auto word = [&](uint32_t k) {
    T bits = 0;
    std::memcpy(&bits, packed + size_t{k} * kRegisterBytes + i % kLanes<T> * sizeof(T), sizeof(T));
    return bits;
  };
  return cut.extract(word(cut.low_register), word(cut.high_register));
}

}  // namespace bobbin::codec::bitpack
