// SPDX-License-Identifier: Apache-2.0
// The oracle: spec.md's "Decoding value i", over all positions.
#include <cstring>
#include <vector>

#include "codecs/registry.hpp"
#include "codecs/sparse/sparse.hpp"

namespace bobbin::codec::sparse {

void reference(const Array& array, void* out) {
  const size_t size = size_bytes(array.type);
  const Array& positions_child = array.children[0];
  const Array& values_child = array.children[1];
  std::vector<uint32_t> positions(positions_child.length);
  find_codec(positions_child.codec)->reference(positions_child, positions.data());
  std::vector<uint8_t> values(values_child.length * size);
  find_codec(values_child.codec)->reference(values_child, values.data());
  uint64_t row = array.offset;
  for (size_t b = 0; b < 8; ++b) {
    row += uint64_t{array.metadata[8 + b]} << (8 * b);
  }
  size_t p = 0;
  for (uint64_t i = 0; i < array.length; ++i, ++row) {
    while (p < positions.size() && positions[p] < row) {
      ++p;
    }
    const bool apart = p < positions.size() && positions[p] == row;
    std::memcpy(static_cast<uint8_t*>(out) + i * size,
                apart ? values.data() + p * size : array.metadata.data(), size);
  }
}

}  // namespace bobbin::codec::sparse
