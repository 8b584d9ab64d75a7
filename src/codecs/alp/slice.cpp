// SPDX-License-Identifier: Apache-2.0
#include "codecs/alp/alp.hpp"
#include "codecs/shape.hpp"
#include "codecs/stored.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::alp {

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint64_t start = array.offset + begin;
  Array part = slice_rows(array, begin, length);
  part.buffers[0] = array.buffers[0].sub(start / kVectorLength * 2, num_vectors(part.offset + length) * 2);
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  BOBBIN_TRY(loader.add_buffer(2 * loader.first_vector(), 2 * loader.vectors()));
  BOBBIN_TRY(loader.add_child(begin, length));
  return std::move(loader.part);
}

}  // namespace bobbin::codec::alp
