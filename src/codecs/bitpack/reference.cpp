// SPDX-License-Identifier: Apache-2.0
// The oracle: reads the lanes' bit streams word by word, as spec.md describes them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/bitpack/bitpack.hpp"

namespace bobbin::codec::bitpack {
namespace {

// The little-endian integer of `size` bytes at byte `start`.
uint64_t read_integer(std::span<const std::byte> bytes, uint64_t start, uint64_t size) {
  uint64_t value = 0;
  for (uint64_t b = 0; b < size; ++b) {
    value |= std::to_integer<uint64_t>(bytes[start + b]) << (8 * b);
  }
  return value;
}

// Width 0 reads no byte: the buffer may be empty.
uint64_t read_value(std::span<const std::byte> packed, uint64_t type_bits, uint64_t width, uint64_t i) {
  const uint64_t lanes = 1024 / type_bits;
  const uint64_t vector_start = 128 * width * (i / 1024);
  const uint64_t row = (i % 1024) / lanes;
  const uint64_t lane = i % lanes;
  uint64_t value = 0;
  for (uint64_t done = 0; done < width;) {
    const uint64_t stream_bit = row * width + done;
    const uint64_t word_start = vector_start + 128 * (stream_bit / type_bits) + lane * type_bits / 8;
    const uint64_t word_bit = stream_bit % type_bits;
    const uint64_t count = std::min(width - done, type_bits - word_bit);
    const uint64_t bits = read_integer(packed, word_start, type_bits / 8) >> word_bit;
    value |= (bits & ~uint64_t{0} >> (64 - count)) << done;
    done += count;
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
