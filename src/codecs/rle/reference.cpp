// SPDX-License-Identifier: Apache-2.0
// The oracle: spec.md's "Decoding value i", over all runs.
#include <algorithm>
#include <cstring>
#include <vector>

#include "codecs/registry.hpp"
#include "codecs/rle/rle.hpp"

namespace bobbin::codec::rle {

void reference(const Array& array, void* out) {
  const size_t size = size_bytes(array.type);
  const Array& ends_child = array.children[0];
  const Array& values_child = array.children[1];
  std::vector<uint32_t> ends(ends_child.length);
  find_codec(ends_child.codec)->reference(ends_child, ends.data());
  std::vector<uint8_t> values(values_child.length * size);
  find_codec(values_child.codec)->reference(values_child, values.data());
  uint64_t row = array.offset;
  for (size_t b = 0; b < 8; ++b) {
    row += uint64_t{array.metadata[b]} << (8 * b);
  }
  size_t r = 0;
  for (uint64_t i = 0; i < array.length; ++i, ++row) {
    while (ends[r] <= row) {
      ++r;
    }
    std::memcpy(static_cast<uint8_t*>(out) + i * size, values.data() + r * size, size);
  }
}

}  // namespace bobbin::codec::rle
