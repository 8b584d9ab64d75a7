// SPDX-License-Identifier: Apache-2.0
// Writes one value, or one comparison result, for all rows.
//
// Values: a block writes a tile of 1024 quads of 16 bytes, each thread every 256th of them; the bytes after
// the last whole quad are written one by one. Results: a thread writes a word for 32 rows. Shared memory:
// none. Preconditions: only the sizes. Cost: nothing is read; a value, or a bit, is written per row.
#pragma once

#include <cstdint>

#include "core/bits.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::constant {

using simt::Global;
using simt::Quad;

inline constexpr uint32_t kTileThreads = 256;
inline constexpr uint32_t kQuadsPerThread = 4;
inline constexpr uint32_t kTileQuads = kTileThreads * kQuadsPerThread;

// `rest` is less than a quad.
template <class Cta>
BOBBIN_HD void fill_tile(Cta& cta, Global<Quad> quads, Global<uint8_t> rest, const Quad& pattern) {
  const uint64_t first = uint64_t{cta.block()} * kTileQuads + cta.thread();
  BOBBIN_UNROLL
  for (uint32_t k = 0; k < kQuadsPerThread; ++k) {
    if (const uint64_t q = first + k * kTileThreads; q < quads.size) {
      cta.store_once(quads, q, pattern);
    }
  }
  if (cta.block() == 0 && cta.thread() < rest.size) {
    const uint32_t i = cta.thread();
    cta.store(rest, i, static_cast<uint8_t>(pattern.word[i / 4] >> (i % 4 * 8)));
  }
}

// Bits from `end` on are zero.
template <class Cta>
BOBBIN_HD void fill_bits(Cta& cta, Global<uint32_t> bitmap, uint64_t end, bool hit) {
  const uint64_t w = uint64_t{cta.block()} * kTileThreads + cta.thread();
  if (w < bitmap.size) {
    const uint64_t rows = w * 32 < end ? end - w * 32 : 0;
    const auto mask = low_mask<uint32_t>(static_cast<uint32_t>(rows < 32 ? rows : 32));
    cta.store(bitmap, w, hit ? mask : 0);
  }
}

}  // namespace bobbin::codec::constant
