// SPDX-License-Identifier: Apache-2.0
// Clears the bits of nulls in a bitmap: one thread per word of 32 rows, word w of the bitmap and word w of
// the decoded validity.
//
// Cost: 8 bytes read and 4 written per 32 rows, besides decoding the validity. There is no fused kernel yet
// that decodes words in registers and tests values in the same launch.
#pragma once

#include <cstdint>

#include "simt/cta.hpp"

namespace bobbin::codec::masked {

using simt::Global;

inline constexpr uint32_t kTileThreads = 256;

// The bitmap has as many words as the validity.
template <class Cta>
BOBBIN_HD void clear_words(Cta& cta, Global<const uint32_t> validity, Global<uint32_t> bitmap) {
  const uint64_t w = uint64_t{cta.block()} * kTileThreads + cta.thread();
  if (w < validity.size) {
    cta.store(bitmap, w, cta.load(bitmap, w) & cta.load(validity, w));
  }
}

}  // namespace bobbin::codec::masked
