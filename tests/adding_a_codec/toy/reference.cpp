// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone.
#include "codecs/reference.hpp"

#include <cstring>

#include "codecs/toy/toy.hpp"

namespace bobbin::codec::toy {

void reference(const Array& array, void* out) {
  const std::vector<std::byte> flipped = reference_values<std::byte>(array.children[0]);
  const size_t size = size_bytes(array.type);
  const uint64_t greatest = size == 8 ? UINT64_MAX : (uint64_t{1} << (8 * size)) - 1;
  for (uint64_t i = 0; i < array.length; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, flipped.data() + i * size, size);
    bits = greatest - bits;
    std::memcpy(static_cast<std::byte*>(out) + i * size, &bits, size);
  }
}

}  // namespace bobbin::codec::toy
