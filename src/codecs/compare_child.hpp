// SPDX-License-Identifier: Apache-2.0
// Comparison of a child array of any codec.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codecs/codec.hpp"
#include "codecs/registry.hpp"
#include "core/vectors.hpp"

namespace bobbin {

// As Codec::compare: on encoded data if the child's codec can, otherwise vector by vector. T is the unsigned
// integer of the type's size.
template <class T>
void compare_child(const Array& child, const ValueRange& range, uint32_t* bitmap) {
  const Codec& codec = *find_codec(child.codec);
  if (codec.compare != nullptr) {
    codec.compare(child, range, bitmap);
    return;
  }
  const auto low = static_cast<T>(range.low);
  compare_vectors<T>(
      child.offset + child.length, static_cast<T>(range.span), range.negated, bitmap,
      [&](uint64_t v, uint32_t /*rows*/, T* to) {
        const uint64_t first = std::max(v * kVectorLength, child.offset);
        const uint64_t end = std::min((v + 1) * kVectorLength, child.offset + child.length);
        std::fill_n(to, kVectorLength, T{0});
        codec.decode(codec.slice(child, first - child.offset, end - first), to + first % kVectorLength);
      },
      [&](uint64_t) { return static_cast<T>(T{0} - low); });
}

}  // namespace bobbin
