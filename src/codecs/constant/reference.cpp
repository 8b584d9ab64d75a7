// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone: copies the metadata's bytes for each value.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "codecs/constant/constant.hpp"

namespace bobbin::codec::constant {

// The metadata holds a value's bytes, lowest first.
static_assert(std::endian::native == std::endian::little);

void reference(const Array& array, void* out) {
  const size_t size = size_bytes(array.type);
  auto* target = static_cast<uint8_t*>(out);
  for (uint64_t i = 0; i < array.length; ++i) {
    for (size_t b = 0; b < size; ++b) {
      target[i * size + b] = array.metadata[b];
    }
  }
}

}  // namespace bobbin::codec::constant
