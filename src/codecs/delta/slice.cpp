// SPDX-License-Identifier: Apache-2.0
#include "codecs/delta/delta.hpp"
#include "codecs/shape.hpp"
#include "codecs/stored.hpp"

namespace bobbin::codec::delta {

// Restart points make slices possible: nothing before the slice's first vector is needed.
Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint64_t start = array.offset + begin;
  Array part = slice_rows(array, begin, length);
  const uint64_t bytes = parameters_of(array).words() * size_bytes(array.type);
  part.buffers[0] =
      array.buffers[0].sub(start / kVectorLength * bytes, num_vectors(part.offset + length) * bytes);
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  const uint64_t bytes = parameters_of(loader.part).words() * size_bytes(node.type);
  BOBBIN_TRY(loader.add_buffer(loader.first_vector() * bytes, loader.vectors() * bytes));
  BOBBIN_TRY(loader.add_child(begin, length));
  return std::move(loader.part);
}

}  // namespace bobbin::codec::delta
