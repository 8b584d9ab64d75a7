// SPDX-License-Identifier: Apache-2.0
// The oracle: reads the lanes' bit streams one bit at a time, as spec.md describes them.
#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/bitpack/bitpack.hpp"

namespace bobbin::codec::bitpack {
namespace {

// Bit `bit` of the little-endian integer that starts at byte `start`.
uint64_t bit_of_word(std::span<const std::byte> bytes, uint64_t start, uint64_t bit) {
  const auto byte = std::to_integer<uint64_t>(bytes[start + bit / 8]);
  return (byte >> (bit % 8)) & 1;
}

// Width 0 reads no byte: the buffer may be empty.
uint64_t read_value(std::span<const std::byte> packed, uint64_t type_bits, uint64_t width, uint64_t i) {
  const uint64_t lanes = 1024 / type_bits;
  const uint64_t vector_start = 128 * width * (i / 1024);
  const uint64_t row = (i % 1024) / lanes;
  const uint64_t lane = i % lanes;
  uint64_t value = 0;
  for (uint64_t b = 0; b < width; ++b) {
    const uint64_t stream_bit = row * width + b;
    const uint64_t word = stream_bit / type_bits;
    const uint64_t word_start = vector_start + 128 * word + lane * type_bits / 8;
    value |= bit_of_word(packed, word_start, stream_bit % type_bits) << b;
  }
  return value;
}

}  // namespace

void reference(const Array& array, void* out) {
  const size_t size = size_bytes(array.type);
  auto* target = static_cast<uint8_t*>(out);
  for (uint64_t j = 0; j < array.length; ++j) {
    const uint64_t value =
        read_value(array.buffers[0].bytes, size_bits(array.type), array.metadata[0], array.offset + j);
    for (size_t b = 0; b < size; ++b) {
      target[j * size + b] = static_cast<uint8_t>(value >> (8 * b));
    }
  }
}

}  // namespace bobbin::codec::bitpack
