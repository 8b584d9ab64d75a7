// SPDX-License-Identifier: Apache-2.0
#include "codecs/diff/diff.hpp"
#include "codecs/registry.hpp"
#include "codecs/stored.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::diff {

// Differences are kept from the start of the slice's first vector on, where sums begin.
Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint64_t start = array.offset + begin;
  const uint64_t vector = start / kVectorLength;
  Array part = array;
  part.offset = start % kVectorLength;
  part.length = length;
  const uint64_t rows = part.offset + length;
  const auto cut = [&](size_t child, uint64_t first, uint64_t count) {
    part.children[child] =
        find_codec(array.children[child].codec)->slice(array.children[child], first, count);
  };
  cut(0, vector * kVectorLength, rows);
  cut(1, vector, num_vectors(rows));
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  BOBBIN_TRY(loader.add_child(loader.first_vector() * kVectorLength, loader.part.offset + length));
  BOBBIN_TRY(loader.add_child(loader.first_vector(), loader.vectors()));
  return std::move(loader.part);
}

}  // namespace bobbin::codec::diff
