// SPDX-License-Identifier: Apache-2.0
// The oracle: follows "Decoding vector v" in spec.md step by step.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codecs/delta/delta.hpp"
#include "codecs/reference.hpp"

namespace bobbin::codec::delta {
namespace {

// read_integer and the final copy assume little-endian numbers.
static_assert(std::endian::native == std::endian::little);

// Integer `index` of those of `size` bytes at `bytes`, zero-extended.
uint64_t read_integer(const std::byte* bytes, uint64_t index, uint64_t size) {
  uint64_t value = 0;
  std::memcpy(&value, bytes + index * size, size);
  return value;
}

// All residuals of the array's vectors, including those of skipped values.
std::vector<std::byte> read_residuals(const Array& array) {
  Array child = array.children[0];
  child.offset = 0;
  child.length = array.offset + array.length;
  return reference_values<std::byte>(child);
}

}  // namespace

void reference(const Array& array, void* out) {
  const uint64_t size = size_bytes(array.type);
  const uint64_t k = array.metadata[0];
  const uint64_t s = array.metadata[1];
  const uint64_t end = array.offset + array.length;
  const std::vector<std::byte> residuals = read_residuals(array);
  auto* target = static_cast<std::byte*>(out);

  for (uint64_t v = 0; v * 1024 < end; ++v) {
    // Word j of scan l is state[l * k + j]. Words have 64 bits and change only by additions, so their lowest
    // T bits are right modulo 2^T, and only those are written.
    std::vector<uint64_t> state(s * k);
    for (uint64_t l = 0; l < s; ++l) {
      for (uint64_t j = 0; j < k; ++j) {
        state[l * k + j] = read_integer(array.buffers[0].bytes.data(), (v * s + l) * k + j, size);
      }
    }
    const uint64_t m = std::min<uint64_t>(1024, end - v * 1024);
    for (uint64_t i = 0; i < m; ++i) {
      const uint64_t at = v * 1024 + i;
      uint64_t* words = &state[i % s * k];
      words[0] += read_integer(residuals.data(), at, size);
      for (uint64_t j = 1; j < k; ++j) {
        words[j] += words[j - 1];
      }
      if (at >= array.offset) {
        std::memcpy(target + (at - array.offset) * size, &words[k - 1], size);
      }
    }
  }
}

}  // namespace bobbin::codec::delta
