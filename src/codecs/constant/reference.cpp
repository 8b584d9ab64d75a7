// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone: the metadata's bytes, once for each value.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "codecs/constant/constant.hpp"

namespace bobbin::codec::constant {

// A value's bytes are taken as they stand in the metadata, the lowest first.
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
