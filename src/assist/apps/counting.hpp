// SPDX-License-Identifier: Apache-2.0
// Applications that read one array and count: histogram, page views, string match.
#pragma once

#include <cstdint>

#include "assist/apps/data.hpp"
#include "assist/apps/reading.hpp"
#include "assist/block_sum.hpp"
#include "simt/quad_values.hpp"

namespace bobbin::assist::apps {

// Counts an array's values: Bins::Counts are a block's counters, and Bins::count() counts one value.
template <class View, class Bins, Policy kPolicy>
struct CountApp {
  using Reads = Stream<View, kPolicy>;
  using T = typename View::Value;
  static constexpr uint32_t kThreads = Reads::kThreads;
  static constexpr uint64_t kGroups = 256;

  struct Shared {
    typename Reads::Shared reads;
    typename Bins::Counts counts;
  };

  View view;
  Global<uint32_t> result;  // one per bin

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    shared.counts.set_up(cta, kThreads);
    const Span groups = Span::of(cta, view.num_groups(), kGroups);
    Reads::run(cta, shared.reads, view, groups.first, groups.end,
               [&](uint64_t /*index*/, const Quad& quad, uint32_t valid) {
                 BOBBIN_UNROLL
                 for (uint32_t i = 0; i < kPerQuad<T>; ++i) {
                   if (i < valid) {
                     Bins::count(cta, shared.counts, result, simt::value_of_quad<T>(quad, i));
                   }
                 }
               });
    shared.counts.report(cta, kThreads, result);
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(view.num_groups(), kGroups); }
};

// How often each of 256 ranges of 16 values occurs. Neighbours are often equal: eight copies of the counters
// keep lanes of a warp apart.
struct RangeBins {
  static constexpr uint32_t kBins = 256;
  static constexpr uint32_t kCopies = 8;
  using Counts = BlockCounts<kBins, kCopies>;

  template <class Cta>
  BOBBIN_HD static void count(Cta& cta, Counts& counts, const Global<uint32_t>& /*result*/, uint32_t value) {
    counts.count(cta, value / 16 % kBins, cta.lane() % kCopies);
  }
};
template <class View, Policy kPolicy = kNoRoles>
using HistogramApp = CountApp<View, RangeBins, kPolicy>;

// How often each page was viewed. Counters of popular pages are in shared memory.
struct PageBins {
  static constexpr uint32_t kPopular = 4096;
  using Counts = BlockCounts<kPopular>;

  template <class Cta>
  BOBBIN_HD static void count(Cta& cta, Counts& counts, const Global<uint32_t>& result, uint64_t value) {
    const uint64_t page = value - PageData::kFirst;
    if (page < kPopular) {
      counts.count(cta, static_cast<uint32_t>(page));
    } else {
      cta.template atomic_add<simt::Order::relaxed>(result, page, 1U);
    }
  }
};
template <class View, Policy kPolicy = kNoRoles>
using PageViewApp = CountApp<View, PageBins, kPolicy>;

// How often four bytes occur in a text, at any place.
template <class View, Policy kPolicy = kNoRoles>
struct MatchApp {
  using Reads = Stream<View, kPolicy>;
  static constexpr uint32_t kThreads = Reads::kThreads;
  static constexpr uint64_t kGroups = 64;

  struct Shared {
    typename Reads::Shared reads;
    BlockSum<kThreads / simt::kWarpSize> sum;
  };

  View view;
  uint32_t pattern;
  Global<unsigned long long> result;  // one

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const Span groups = Span::of(cta, view.num_groups(), kGroups);
    uint32_t found = 0;
    Reads::run(cta, shared.reads, view, groups.first, groups.end,
               [&](uint64_t index, const Quad& quad, uint32_t valid) {
                 BOBBIN_UNROLL
                 for (uint32_t at = 0; at < 13; ++at) {
                   const uint32_t high = at % 4 == 0 ? 0 : quad.word[(at + 3) / 4] << (32 - at % 4 * 8);
                   const uint32_t bytes = quad.word[at / 4] >> at % 4 * 8 | high;
                   found += bytes == pattern && at + 4 <= valid ? 1 : 0;
                 }
                 BOBBIN_ROLL
                 for (uint32_t here = 8; valid == 16 && here < 32; here += 8) {
                   // The pattern's first bits may be this quad's last ones.
                   if (quad.word[3] >> (32 - here) == (pattern & low_mask<uint32_t>(here))) {
                     found += continues(cta, index + 16, here) ? 1 : 0;
                   }
                 }
               });
    shared.sum.add(cta, found, result, 0);
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(view.num_groups(), kGroups); }

 private:
  // Whether the rest of the pattern is in the next quad, from which single values are read: this is rare.
  template <class Cta>
  BOBBIN_HD bool continues(Cta& cta, uint64_t index, uint32_t from) const {
    BOBBIN_ROLL
    for (; from < 32; from += 8, ++index) {
      if (index >= view.length() || view.get(cta, index) != (pattern >> from & 0xff)) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace bobbin::assist::apps
