// SPDX-License-Identifier: Apache-2.0
#include "codecs/stored.hpp"

namespace bobbin::codec::alprd {

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  BOBBIN_TRY(loader.expect(node.metadata.size(), 0, 2));
  BOBBIN_TRY(loader.add_child(begin, length));
  BOBBIN_TRY(loader.add_child(begin, length));
  return std::move(loader.part);
}

}  // namespace bobbin::codec::alprd
