// SPDX-License-Identifier: Apache-2.0
#include "codecs/registry.hpp"
#include "codecs/stored.hpp"
#include "codecs/zigzag/zigzag.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::zigzag {

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const Array& codes = array.children[0];
  Array part = array;
  part.offset = (array.offset + begin) % kVectorLength;
  part.length = length;
  part.children[0] = find_codec(codes.codec)->slice(codes, begin, length);
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  BOBBIN_TRY(loader.add_child(begin, length));
  return std::move(loader.part);
}

}  // namespace bobbin::codec::zigzag
