// SPDX-License-Identifier: Apache-2.0
#include "codecs/registry.hpp"
#include "codecs/stored.hpp"
#include "codecs/toy/toy.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::toy {

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  Array part = array;
  part.offset = (array.offset + begin) % kVectorLength;
  part.length = length;
  part.children[0] = find_codec(part.children[0].codec)->slice(part.children[0], begin, length);
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  BOBBIN_TRY(loader.add_child(begin, length));
  return std::move(loader.part);
}

}  // namespace bobbin::codec::toy
