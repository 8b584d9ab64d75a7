// SPDX-License-Identifier: Apache-2.0
#include "codecs/bitpack/bitpack.hpp"

namespace bobbin::codec::bitpack {

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint32_t width = width_of(array);
  const uint64_t start = array.offset + begin;
  Array part = array;
  part.offset = start % kVectorLength;
  part.length = length;
  part.buffers[0] = array.buffers[0].sub(start / kVectorLength * width * kRegisterBytes,
                                         packed_bytes(part.offset + length, width, size_bits(array.type)));
  return part;
}

}  // namespace bobbin::codec::bitpack
