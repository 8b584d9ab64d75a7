// SPDX-License-Identifier: Apache-2.0
// The oracle, written from spec.md alone: converts each code by arithmetic instead of bit operations.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codecs/reference.hpp"
#include "codecs/zigzag/zigzag.hpp"

namespace bobbin::codec::zigzag {
namespace {

// Assumes little-endian numbers: narrower ones are copied to and from the lowest bytes of wider ones.
static_assert(std::endian::native == std::endian::little);

// -(c + 1) / 2 of an odd code, as -(c - 1) / 2 - 1, because c + 1 may be 2^64.
int64_t value_of(uint64_t code) {
  const auto half = static_cast<int64_t>(code / 2);
  return code % 2 == 0 ? half : -half - 1;
}

}  // namespace

void reference(const Array& array, void* out) {
  const size_t size = size_bytes(array.type);
  const std::vector<std::byte> codes = reference_values<std::byte>(array.children[0]);

  auto* target = static_cast<std::byte*>(out);
  for (uint64_t i = 0; i < array.length; ++i) {
    uint64_t code = 0;
    std::memcpy(&code, codes.data() + i * size, size);
    const int64_t value = value_of(code);
    std::memcpy(target + i * size, &value, size);
  }
}

}  // namespace bobbin::codec::zigzag
