// SPDX-License-Identifier: Apache-2.0
// Sixteen bytes as values of one type.
#pragma once

#include <cstdint>

#include "core/portable.hpp"
#include "simt/cta.hpp"

namespace bobbin::simt {

template <class T>
inline constexpr uint32_t kPerQuad = sizeof(Quad) / sizeof(T);

// The quad of value_of(0), value_of(1) .., which are called in this order.
template <class T, class ValueOf>
[[nodiscard]] BOBBIN_HD constexpr Quad quad_of(ValueOf&& value_of) {
  Quad quad{};
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kPerQuad<T>; ++i) {
    const T value = value_of(i);
    if constexpr (sizeof(T) == 8) {
      quad.word[2 * i] = static_cast<uint32_t>(value);
      quad.word[2 * i + 1] = static_cast<uint32_t>(value >> 32);
    } else {
      constexpr uint32_t kPerWord = sizeof(uint32_t) / sizeof(T);
      quad.word[i / kPerWord] |= static_cast<uint32_t>(value) << (i % kPerWord * 8 * sizeof(T));
    }
  }
  return quad;
}

// Value i of a quad.
template <class T>
[[nodiscard]] BOBBIN_HD constexpr T value_of_quad(const Quad& quad, uint32_t i) {
  if constexpr (sizeof(T) == 8) {
    return quad.word[2 * i] | static_cast<T>(quad.word[2 * i + 1]) << 32;
  } else {
    constexpr uint32_t kPerWord = sizeof(uint32_t) / sizeof(T);
    return static_cast<T>(quad.word[i / kPerWord] >> (i % kPerWord * 8 * sizeof(T)));
  }
}

// An array in device memory, aligned to 16 bytes, as quads; a partial quad at the end is not included.
template <class T>
[[nodiscard]] inline Global<Quad> whole_quads(Global<T> values) {
  return {reinterpret_cast<Quad*>(values.data), values.size / kPerQuad<T>};
}

}  // namespace bobbin::simt
