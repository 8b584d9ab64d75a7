// SPDX-License-Identifier: Apache-2.0
#include "codecs/constant/constant.hpp"
#include "codecs/shape.hpp"
#include "codecs/stored.hpp"

namespace bobbin::codec::constant {

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  return slice_rows(array, begin, length);
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  return std::move(SliceLoader(node, begin, length, segments).part);
}

}  // namespace bobbin::codec::constant
