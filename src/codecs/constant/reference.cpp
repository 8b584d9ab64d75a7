// SPDX-License-Identifier: Apache-2.0
// The oracle: spec.md's "Decoding value i", byte by byte.
#include "codecs/constant/constant.hpp"

namespace bobbin::codec::constant {

void reference(const Array& array, void* out) {
  const size_t size = size_bytes(array.type);
  for (uint64_t i = 0; i < array.length * size; ++i) {
    static_cast<uint8_t*>(out)[i] = array.metadata[i % size];
  }
}

}  // namespace bobbin::codec::constant
