// SPDX-License-Identifier: Apache-2.0
// Converts codes to values, in place.
//
// value = (code >> 1) ^ -(code & 1). A block takes a tile of 1024 quads of 16 bytes, each thread every 256th
// of them, all loaded before the first is converted; values after the last whole quad are converted one by
// one. Shared memory: none. Preconditions: only the sizes. Cost: each value is read and written once.
#pragma once

#include <cstdint>

#include "codecs/zigzag/zigzag.hpp"
#include "simt/cta.hpp"
#include "simt/quad_values.hpp"

namespace bobbin::codec::zigzag {

using simt::Global;
using simt::Quad;

inline constexpr uint32_t kTileThreads = 256;
inline constexpr uint32_t kQuadsPerThread = 4;
inline constexpr uint32_t kTileQuads = kTileThreads * kQuadsPerThread;

// `quads` are those of the values.
template <class T, class Cta>
BOBBIN_HD void convert_tile(Cta& cta, Global<T> values, Global<Quad> quads) {
  const uint64_t first = uint64_t{cta.block()} * kTileQuads + cta.thread();
  Quad loaded[kQuadsPerThread];
  BOBBIN_UNROLL
  for (uint32_t k = 0; k < kQuadsPerThread; ++k) {
    const uint64_t q = first + k * kTileThreads;
    loaded[k] = q < quads.size ? cta.load(quads, q) : Quad{};
  }
  BOBBIN_UNROLL
  for (uint32_t k = 0; k < kQuadsPerThread; ++k) {
    if (const uint64_t q = first + k * kTileThreads; q < quads.size) {
      cta.store(quads, q, simt::quad_of<T>([&](uint32_t i) {
                  return value_of_code(simt::value_of_quad<T>(loaded[k], i));
                }));
    }
  }
  const uint64_t rest = quads.size * simt::kPerQuad<T> + cta.thread();
  if (cta.block() == 0 && rest < values.size) {
    cta.store(values, rest, value_of_code(cta.load(values, rest)));
  }
}

}  // namespace bobbin::codec::zigzag
