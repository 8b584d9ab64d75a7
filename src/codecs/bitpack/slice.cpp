// SPDX-License-Identifier: Apache-2.0
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/stored.hpp"

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

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  const uint32_t width = width_of(loader.part);
  BOBBIN_TRY(loader.add_buffer(loader.first_vector() * width * kRegisterBytes,
                               packed_bytes(loader.part.offset + length, width, size_bits(node.type))));
  return std::move(loader.part);
}

}  // namespace bobbin::codec::bitpack
