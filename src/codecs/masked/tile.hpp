// SPDX-License-Identifier: Apache-2.0
// Takes nulls out of a bitmap: one thread a word of 32 rows, word w of the bitmap and word w of the validity,
// which is decoded.
//
// Cost: 8 bytes read and 4 written for 32 rows, beside decoding the validity. A kernel that decodes words in
// registers and tests values at once is still to be written.
#pragma once

#include <cstdint>

#include "simt/cta.hpp"

namespace bobbin::codec::masked {

using simt::Global;

struct ClearKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Global<const uint32_t> validity;
  Global<uint32_t> bitmap;  // as many words

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t w = uint64_t{cta.block()} * kThreads + cta.thread();
    if (w < validity.size) {
      cta.store(bitmap, w, cta.load(bitmap, w) & cta.load(validity, w));
    }
  }
};

}  // namespace bobbin::codec::masked
