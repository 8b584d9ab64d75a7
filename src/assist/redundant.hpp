// SPDX-License-Identifier: Apache-2.0
// Redundant execution: an assist warp computes what its worker computes, and both are compared. A difference
// is a fault of the hardware; it is counted, and the first item with one is kept.
//
// Also counters of events, which a block collects in shared memory and adds to device memory once.
#pragma once

#include <cstdint>

#include "simt/cta.hpp"

namespace bobbin::assist {

// What was found, in device memory: [0] the number of differences, [1] the first item, ~0 if there is none.
using Faults = simt::Global<unsigned long long>;

// Warp w of kPairs computes, warp w + kPairs repeats it.
template <uint32_t kPairs>
struct RedundantPairs {
  static constexpr uint32_t kThreads = 2 * kPairs * simt::kWarpSize;

  struct Shared {
    simt::Shared<uint64_t, kPairs * simt::kWarpSize> results;
  };

  // Calls f(item) twice for each of the block's items first .. end-1, and use(item, result) once. The whole
  // block calls this.
  template <class Cta, class F, class Use>
  BOBBIN_HD static void run(Cta& cta, Shared& shared, uint64_t first, uint64_t end, const Faults& faults,
                            F&& f, Use&& use) {
    constexpr uint32_t kStep = kPairs * simt::kWarpSize;
    const bool repeats = cta.warp() >= kPairs;
    const uint32_t place = cta.thread() % kStep;
    for (uint64_t at = first; at < end; at += kStep) {
      const uint64_t item = at + place;
      const uint64_t result = item < end ? f(item) : 0;
      if (!repeats) {
        cta.store(shared.results, place, result);
      }
      cta.sync();
      if (repeats && cta.load(shared.results, place) != result) {
        cta.template atomic_add<simt::Order::relaxed>(faults, 0, 1ULL);
        cta.template atomic_min<simt::Order::relaxed>(faults, 1, static_cast<unsigned long long>(item));
      }
      if (!repeats && item < end) {
        use(item, result);
      }
      cta.sync();
    }
  }
};

// Counters of kEvents kinds of events.
template <uint32_t kEvents>
struct EventCounters {
  using Shared = simt::Shared<uint32_t, kEvents>;

  // By the whole block, before the first event.
  template <class Cta>
  BOBBIN_HD static void set_up(Cta& cta, Shared& counts) {
    if (cta.thread() < kEvents) {
      cta.store(counts, cta.thread(), uint32_t{0});
    }
    cta.sync();
  }
  // By any thread.
  template <class Cta>
  BOBBIN_HD static void happened(Cta& cta, Shared& counts, uint32_t event) {
    cta.template atomic_add<simt::Order::relaxed>(counts, event, uint32_t{1});
  }
  // By the whole block, after the last one.
  template <class Cta>
  BOBBIN_HD static void report(Cta& cta, Shared& counts, simt::Global<unsigned long long> totals) {
    cta.sync();
    if (cta.thread() < kEvents) {
      cta.template atomic_add<simt::Order::relaxed>(
          totals, cta.thread(), static_cast<unsigned long long>(cta.load(counts, cta.thread())));
    }
  }
};

}  // namespace bobbin::assist
