// SPDX-License-Identifier: Apache-2.0
// Prefetching: an assist warp walks an array of indices ahead of the workers of its block and brings the
// values that they name into the L2 cache. Workers gather as usual.
//
// The assist warp takes several chunks at a time, since its own loads of indices take as long as those of the
// workers; the indices after them are prefetched too. It is at most kAhead chunks ahead of the workers, so
// that it does not fill the cache too early, and skips chunks that they have reached. It stops by itself if
// neighbours in the first chunks mostly name the same line of memory: such loads are coalesced, and need no
// help.
#pragma once

#include <cstdint>

#include "core/bit_scan.hpp"
#include "core/bits.hpp"
#include "simt/cta.hpp"

namespace bobbin::assist {

// Starts to bring a value into the L2 cache. In the emulator, which has none, the index is checked.
template <class Cta, class T>
BOBBIN_HD void prefetch(Cta& cta, simt::Global<const T> values, uint64_t i) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(values.data + i));
  static_cast<void>(cta);
#else
  static_cast<void>(cta.load(values, i));
#endif
}

template <uint32_t kNumWorkers, uint32_t kAhead = 8 * kNumWorkers>
struct PrefetchedGather {
  static constexpr uint32_t kWorkers = kNumWorkers;
  static constexpr uint32_t kThreads = (kWorkers + 1) * simt::kWarpSize;
  static constexpr uint32_t kChunk = simt::kWarpSize;  // indices that a warp takes at a time
  static constexpr uint32_t kTrialChunks = 8;
  static constexpr uint32_t kAtOnce = kTrialChunks;
  static_assert(kAhead >= 2 * kAtOnce, "the workers must have something to do meanwhile");

  struct Shared {
    simt::Shared<uint32_t, 1> done;  // chunks that workers have finished
  };

  // Calls f(i, values[indices[i]]) for i = first .. end-1, by workers; the whole block calls this. Adds the
  // prefetched values, and 1 if the assist warp stopped, to totals[0] and [1].
  template <class Cta, class T, class F>
  BOBBIN_HD static void run(Cta& cta, Shared& shared, simt::Global<const uint32_t> indices,
                            simt::Global<const T> values, uint64_t first, uint64_t end,
                            simt::Global<uint32_t> totals, F&& f) {
    if (cta.thread() == 0) {
      cta.store(shared.done, 0, uint32_t{0});
    }
    cta.sync();
    if (cta.warp() < kWorkers) {
      for (uint64_t at = first + cta.warp() * kChunk; at < end; at += kWorkers * kChunk) {
        const uint64_t i = at + cta.lane();
        if (i < end) {
          f(i, cta.load(values, cta.load(indices, i)));
        }
        if (cta.lane() == 0) {
          cta.template atomic_add<simt::Order::relaxed>(shared.done, 0, uint32_t{1});
        }
      }
    } else {
      walk(cta, shared, indices, values, first, end, totals);
    }
    cta.sync();
  }

 private:
  template <class Cta, class T>
  BOBBIN_HD static void walk(Cta& cta, Shared& shared, simt::Global<const uint32_t> indices,
                             simt::Global<const T> values, uint64_t first, uint64_t end,
                             simt::Global<uint32_t> totals) {
    const uint64_t chunks = end > first ? ceil_div<uint64_t>(end - first, kChunk) : 0;
    uint32_t fetched = 0;
    bool off = false;
    for (uint64_t chunk = 0; chunk < chunks && !off; chunk += kAtOnce) {
      const uint32_t done = wait_for_turn(cta, shared, chunk + kAtOnce - 1);
      if (chunk + kAtOnce <= done) {
        continue;
      }
      const uint64_t at = first + chunk * kChunk + cta.lane();
      const uint64_t later = at + 2 * kAtOnce * kChunk + cta.lane() * (kChunk - 1);
      if (cta.lane() < kAtOnce && later < end) {
        prefetch(cta, indices, later);  // the first index of a chunk
      }
      uint32_t index[kAtOnce];
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        index[i] = at + i * kChunk < end ? cta.load(indices, at + i * kChunk) : 0;
      }
      uint32_t near = 0;
      uint32_t here = 0;
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kAtOnce; ++i) {
        const bool exists = at + i * kChunk < end;
        if (exists) {
          prefetch(cta, values, index[i]);
        }
        const uint64_t line = index[i] * sizeof(T) / 128;
        const uint64_t neighbour = cta.shfl_xor(line, 1);  // by all lanes
        near += count_ones(cta.ballot(exists && line == neighbour));
        here += count_ones(cta.ballot(exists));
      }
      fetched += here;
      off = fetched == here && 2 * near > here;
    }
    if (cta.lane() == 0) {
      cta.template atomic_add<simt::Order::relaxed>(totals, 0, fetched);
      cta.template atomic_add<simt::Order::relaxed>(totals, 1, off ? 1U : 0U);
    }
  }

  // Returns how many chunks are done, once `chunk` is not too far ahead of them: the same in all lanes.
  template <class Cta>
  BOBBIN_HD static uint32_t wait_for_turn(Cta& cta, Shared& shared, uint64_t chunk) {
    while (true) {
      const uint32_t seen = cta.template atomic_load<simt::Order::relaxed>(shared.done, 0);
      const uint32_t done = cta.shfl(seen, 0);
      if (chunk < uint64_t{done} + kAhead) {
        return done;
      }
      cta.pause();
    }
  }
};

}  // namespace bobbin::assist
