// SPDX-License-Identifier: Apache-2.0
#include "codecs/ffor/ffor.hpp"

namespace bobbin::codec::ffor {

// The packed bytes stay whole: entries say where each vector is.
Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint64_t start = array.offset + begin;
  const uint64_t first = start / kVectorLength;
  Array part = array;
  part.offset = start % kVectorLength;
  part.length = length;
  const uint64_t vectors = num_vectors(part.offset + length);
  part.buffers[0] = array.buffers[0].sub(first * size_bytes(array.type), vectors * size_bytes(array.type));
  part.buffers[1] = array.buffers[1].sub(first * sizeof(uint32_t), vectors * sizeof(uint32_t));
  return part;
}

}  // namespace bobbin::codec::ffor
