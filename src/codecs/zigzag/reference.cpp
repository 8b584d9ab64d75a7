// SPDX-License-Identifier: Apache-2.0
// The oracle: spec.md's "Decoding value i", by arithmetic.
#include <cstring>
#include <vector>

#include "codecs/registry.hpp"
#include "codecs/zigzag/zigzag.hpp"

namespace bobbin::codec::zigzag {

void reference(const Array& array, void* out) {
  const size_t size = size_bytes(array.type);
  const Array& child = array.children[0];
  std::vector<uint8_t> codes(array.length * size);
  find_codec(child.codec)->reference(child, codes.data());
  for (uint64_t i = 0; i < array.length; ++i) {
    uint64_t code = 0;
    std::memcpy(&code, codes.data() + i * size, size);
    const auto half = static_cast<int64_t>(code / 2);
    const int64_t value = code % 2 == 0 ? half : -half - 1;
    std::memcpy(static_cast<uint8_t*>(out) + i * size, &value, size);
  }
}

}  // namespace bobbin::codec::zigzag
