// SPDX-License-Identifier: Apache-2.0
// For the reference decoders: decodes a child with its own codec's reference decoder.
#pragma once

#include <bit>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/registry.hpp"

namespace bobbin {

// References assume little-endian numbers.
static_assert(std::endian::native == std::endian::little);

// T is any type of the values' size, or std::byte for all of their bytes.
template <class T>
[[nodiscard]] std::vector<T> reference_values(const Array& child) {
  std::vector<T> values(child.length * size_bytes(child.type) / sizeof(T));
  find_codec(child.codec)->reference(child, values.data());
  return values;
}

}  // namespace bobbin
