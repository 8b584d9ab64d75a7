// SPDX-License-Identifier: Apache-2.0
#include "codecs/delta/delta.hpp"
#include "codecs/ffor/ffor.hpp"

namespace bobbin::codec::delta {

// Restart points are what makes it possible: nothing before the slice's first vector is needed.
Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint64_t start = array.offset + begin;
  Array part = array;
  part.offset = start % kVectorLength;
  part.length = length;
  const uint64_t bytes = parameters_of(array).words() * size_bytes(array.type);
  part.buffers[0] =
      array.buffers[0].sub(start / kVectorLength * bytes, num_vectors(part.offset + length) * bytes);
  part.children[0] = ffor::slice(array.children[0], begin, length);
  return part;
}

}  // namespace bobbin::codec::delta
