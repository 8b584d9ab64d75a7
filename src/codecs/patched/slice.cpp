// SPDX-License-Identifier: Apache-2.0
#include "codecs/patched/patched.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::patched {

// Patches stay where they are: starts say which are the slice's.
Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint64_t start = array.offset + begin;
  Array part = array;
  part.offset = start % kVectorLength;
  part.length = length;
  part.buffers[0] = array.buffers[0].sub(start / kVectorLength * sizeof(uint32_t),
                                         (num_vectors(part.offset + length) + 1) * sizeof(uint32_t));
  part.children[0] = find_codec(array.children[0].codec)->slice(array.children[0], begin, length);
  return part;
}

}  // namespace bobbin::codec::patched
