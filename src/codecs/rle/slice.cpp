// SPDX-License-Identifier: Apache-2.0
#include "codecs/ascending.hpp"
#include "codecs/rle/rle.hpp"

namespace bobbin::codec::rle {

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  return ascending::slice(array, begin, length);
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  return ascending::load_slice(node, begin, length, segments);
}

}  // namespace bobbin::codec::rle
