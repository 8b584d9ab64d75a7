// SPDX-License-Identifier: Apache-2.0
#include "codecs/shape.hpp"
#include "codecs/stored.hpp"
#include "codecs/toy/toy.hpp"

namespace bobbin::codec::toy {

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  return slice_rows(array, begin, length);
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  BOBBIN_TRY(loader.add_children());
  return std::move(loader.part);
}

}  // namespace bobbin::codec::toy
