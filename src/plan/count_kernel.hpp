// SPDX-License-Identifier: Apache-2.0
// Counts the codes of the rows that a bitmap selects.
//
// Shape: for_each_row(). Counts of few entries are kept in shared memory (8 KiB) and added up at the end;
// otherwise they are added directly in global memory. Preconditions: at least one entry. Cost: a code and a
// bit read, and one addition per selected row.
#pragma once

#include <cstdint>

#include "codecs/dict/tile.hpp"
#include "plan/row_bitmap.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

using simt::Global;

template <class Code>
struct CountCodesKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kFew = 2048;
  struct Shared {
    simt::Shared<uint32_t, kFew> counts;
  };

  codec::dict::CodeSource<Code> source;
  Global<const uint32_t> rows;  // bit first + i belongs to row i
  uint64_t first;
  Global<uint64_t> counts;  // one per entry

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    constexpr auto kRelaxed = simt::Order::relaxed;
    auto& shared = cta.template shared<Shared>();
    const bool few = counts.size <= kFew;
    const auto here = static_cast<uint32_t>(few ? counts.size : 0);
    for (uint32_t i = cta.thread(); i < here; i += kThreads) {
      cta.store(shared.counts, i, 0U);
    }
    cta.sync();
    for_each_row<kWarps>(cta, rows, first, source.codes.size, [&](uint64_t row) {
      const uint32_t entry = source.entry(cta, row);
      if (few) {
        cta.template atomic_add<kRelaxed>(shared.counts, entry, 1U);
      } else {
        cta.template atomic_add<kRelaxed>(counts, entry, uint64_t{1});
      }
    });
    cta.sync();
    for (uint32_t i = cta.thread(); i < here; i += kThreads) {
      if (const uint32_t count = cta.load(shared.counts, i); count != 0) {
        cta.template atomic_add<kRelaxed>(counts, i, uint64_t{count});
      }
    }
  }
};

}  // namespace bobbin::plan
