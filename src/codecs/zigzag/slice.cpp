// SPDX-License-Identifier: Apache-2.0
#include "codecs/stored.hpp"

namespace bobbin::codec::zigzag {

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  BOBBIN_TRY(loader.expect(0, 0, 1));
  BOBBIN_TRY(loader.add_child(begin, length));
  return std::move(loader.part);
}

}  // namespace bobbin::codec::zigzag
