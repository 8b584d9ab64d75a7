// SPDX-License-Identifier: Apache-2.0
// The oracle: follows "Decoding value i" in spec.md step by step.
#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/ffor/ffor.hpp"

namespace bobbin::codec::ffor {
namespace {

// The little-endian integer of `size` bytes at byte `start`.
uint64_t read_integer(std::span<const std::byte> bytes, uint64_t start, uint64_t size) {
  uint64_t value = 0;
  for (uint64_t b = 0; b < size; ++b) {
    value |= std::to_integer<uint64_t>(bytes[start + b]) << (8 * b);
  }
  return value;
}

// Value `i` (0 to 1023) of the bit-packed vector whose registers start at byte `start`.
uint64_t read_difference(std::span<const std::byte> packed, uint64_t start, uint64_t type_bits,
                         uint64_t width, uint64_t i) {
  if (width == 0) {
    return 0;  // the vector has no registers to read
  }
  const uint64_t lanes = 1024 / type_bits;
  const uint64_t bit = i / lanes * width;
  const uint64_t shift = bit % type_bits;
  const uint64_t word_start = start + 128 * (bit / type_bits) + i % lanes * type_bits / 8;
  uint64_t value = read_integer(packed, word_start, type_bits / 8) >> shift;
  if (shift + width > type_bits) {
    value |= read_integer(packed, word_start + 128, type_bits / 8) << (type_bits - shift);
  }
  return value & (~uint64_t{0} >> (64 - width));
}

uint64_t read_value(const Array& array, uint64_t i) {
  const uint64_t size = size_bytes(array.type);
  const uint64_t v = i / 1024;
  const uint64_t base = read_integer(array.buffers[0].bytes, v * size, size);
  const uint64_t entry = read_integer(array.buffers[1].bytes, v * 4, 4);
  const uint64_t start = 128 * (entry >> 7);
  return base + read_difference(array.buffers[2].bytes, start, 8 * size, entry & 127, i % 1024);
}

}  // namespace

void reference(const Array& array, void* out) {
  const size_t size = size_bytes(array.type);
  auto* target = static_cast<uint8_t*>(out);
  for (uint64_t j = 0; j < array.length; ++j) {
    const uint64_t value = read_value(array, array.offset + j);
    // Only the lowest bytes are kept: the addition is modulo 2^T.
    for (size_t b = 0; b < size; ++b) {
      target[j * size + b] = static_cast<uint8_t>(value >> (8 * b));
    }
  }
}

}  // namespace bobbin::codec::ffor
