// SPDX-License-Identifier: Apache-2.0
#include "codecs/constant/constant.hpp"
#include "codecs/stored.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::constant {

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  Array part = array;
  part.offset = (array.offset + begin) % kVectorLength;
  part.length = length;
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  return std::move(SliceLoader(node, begin, length, segments).part);
}

}  // namespace bobbin::codec::constant
