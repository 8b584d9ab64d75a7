// SPDX-License-Identifier: Apache-2.0
// The rows that a bitmap selects, for kernels.
#pragma once

#include <cstdint>

#include "core/portable.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// Calls f(i) for each of `num_rows` rows that is selected: bit first + i of `bitmap` belongs to row i. By the
// whole grid: a warp takes 32 rows, one word, and then the next word not taken by another warp. As lanes
// whose rows are not selected skip f, it may not contain operations of the whole warp.
template <uint32_t kWarps, class Cta, class F>
BOBBIN_HD void for_each_row(Cta& cta, const simt::Global<const uint32_t>& bitmap, uint64_t first,
                            uint64_t num_rows, F&& f) {
  const uint64_t end = first + num_rows;
  const uint64_t stride = uint64_t{cta.num_blocks()} * kWarps;
  for (uint64_t w = uint64_t{cta.block()} * kWarps + cta.warp(); w * 32 < end; w += stride) {
    const uint64_t bit = w * 32 + cta.lane();
    const uint32_t word = cta.load(bitmap, w);
    if (bit >= first && bit < end && (word >> cta.lane() & 1) != 0) {
      f(bit - first);
    }
  }
}

}  // namespace bobbin::plan
