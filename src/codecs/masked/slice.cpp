// SPDX-License-Identifier: Apache-2.0
#include "codecs/masked/masked.hpp"
#include "codecs/registry.hpp"
#include "codecs/shape.hpp"
#include "codecs/stored.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::masked {

// Words are cut at whole vectors, like the vectors of the values.
Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const Array& validity = validity_of(array);
  const uint64_t start = array.offset + begin;
  const uint64_t first_word = start / kVectorLength * (kVectorLength / kRowsPerWord);
  Array part = slice_rows(array, begin, length);
  part.children[1] = find_codec(validity.codec)->slice(validity, first_word, num_words(part.offset + length));
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  BOBBIN_TRY(loader.add_child(begin, length));
  BOBBIN_TRY(loader.add_child(loader.first_vector() * (kVectorLength / kRowsPerWord),
                              num_words(loader.part.offset + length)));
  return std::move(loader.part);
}

}  // namespace bobbin::codec::masked
