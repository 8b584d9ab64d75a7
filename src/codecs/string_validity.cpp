// SPDX-License-Identifier: Apache-2.0
#include "codecs/string_validity.hpp"

#include <string>

#include "core/bit_ranges.hpp"

namespace bobbin::codec {

Result<std::vector<uint8_t>> tidy_validity(const StringsView& strings) {
  std::vector<uint8_t> bits;
  for (uint64_t i = 0; i < strings.length && strings.validity != nullptr; ++i) {
    if (!strings.is_null(i)) {
      continue;
    }
    BOBBIN_RETURN_IF(strings.size(i) != 0, StatusCode::invalid_argument,
                     "string " + std::to_string(i) + " is null but has bytes");
    if (bits.empty()) {
      bits.assign(ceil_div<uint64_t>(strings.length, 8), 0xff);
    }
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] & ~(1U << (i % 8)));
  }
  if (!bits.empty() && strings.length % 8 != 0) {
    bits.back() = static_cast<uint8_t>(bits.back() & ((1U << (strings.length % 8)) - 1));
  }
  return bits;
}

std::vector<uint8_t> validity_in(const Array& array, size_t buffer) {
  const auto stored = array.buffers[buffer].bytes;
  std::vector<uint8_t> bits(stored.empty() ? 0 : ceil_div<uint64_t>(array.length, 8));
  if (!bits.empty()) {
    copy_bits(bits.data(), 0, reinterpret_cast<const uint8_t*>(stored.data()), array.offset, array.length);
  }
  return bits;
}

}  // namespace bobbin::codec
