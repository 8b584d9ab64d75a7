// SPDX-License-Identifier: Apache-2.0
// Memoization: a table in shared memory with the results of a function of 32 bits, for kernels that wait for
// their arithmetic. Its inputs are hashed to an entry; an entry has an input and its result in one word, so
// that nobody sees half of it.
//
// A warp saves time only if all its lanes find their results, since otherwise it waits for those that
// compute. Each warp counts how often that happens, and stops using the table after a trial in which it
// happened too rarely.
#pragma once

#include <cstdint>

#include "core/bit_scan.hpp"
#include "core/portable.hpp"
#include "simt/cta.hpp"

namespace bobbin::assist {

// 2^kLog entries of 8 bytes.
template <uint32_t kLog>
struct Memo {
  static_assert(kLog >= 1 && kLog <= 14);
  static constexpr uint32_t kEntries = uint32_t{1} << kLog;
  // A call of a warp. A lookup takes about eight instructions: functions for which this is worth anything
  // take many times that, so that skipping one call of four pays.
  static constexpr uint32_t kTrialCalls = 64;
  static constexpr uint32_t kLeastSkipped = kTrialCalls / 4;

  using Shared = simt::Shared<uint64_t, kEntries>;

  // In registers, the same in all lanes of a warp.
  struct Use {
    uint32_t calls = 0;
    uint32_t skipped = 0;  // calls for which all lanes found their result
    uint32_t hits = 0;     // lanes that found theirs
    bool off = false;
  };

  // By the whole block, before the first call. No entry matches an input at first.
  template <class Cta>
  BOBBIN_HD static void set_up(Cta& cta, Shared& table, uint32_t threads) {
    for (uint32_t i = cta.thread(); i < kEntries; i += threads) {
      cta.store(table, i, entry(i == 0 ? 1 : 0, 0));
    }
    cta.sync();
  }

  // f(input), or its result from the table. The warp works together; f does not.
  template <class Cta, class F>
  BOBBIN_HD static uint32_t call(Cta& cta, Shared& table, Use& use, uint32_t input, F&& f) {
    bool hit = false;
    uint32_t result = 0;
    if (!use.off) {
      const uint64_t found = cta.template atomic_load<simt::Order::relaxed>(table, place(input));
      hit = static_cast<uint32_t>(found >> 32) == input;
      result = static_cast<uint32_t>(found);
    }
    if (!hit) {
      result = f(input);
    }
    if (use.off) {
      return result;
    }
    if (!hit) {
      cta.template atomic_store<simt::Order::relaxed>(table, place(input), entry(input, result));
    }
    const uint32_t lanes = cta.ballot(hit);
    ++use.calls;
    use.hits += count_ones(lanes);
    use.skipped += lanes == ~uint32_t{0} ? 1 : 0;
    use.off = use.calls == kTrialCalls && use.skipped < kLeastSkipped;
    return result;
  }

  // Adds what the warps counted: lookups, hits, skipped calls, warps that stopped.
  template <class Cta>
  BOBBIN_HD static void report(Cta& cta, const Use& use, simt::Global<uint32_t> totals) {
    if (cta.lane() == 0) {
      cta.template atomic_add<simt::Order::relaxed>(totals, 0, use.calls * simt::kWarpSize);
      cta.template atomic_add<simt::Order::relaxed>(totals, 1, use.hits);
      cta.template atomic_add<simt::Order::relaxed>(totals, 2, use.skipped);
      cta.template atomic_add<simt::Order::relaxed>(totals, 3, use.off ? 1U : 0U);
    }
  }

 private:
  // The place of 0 is 0 and that of 1 is not: these are the inputs that empty entries have.
  BOBBIN_HD static uint32_t place(uint32_t input) { return input * 0x9E37'79B1U >> (32 - kLog); }
  BOBBIN_HD static uint64_t entry(uint32_t input, uint32_t result) { return uint64_t{input} << 32 | result; }
};

}  // namespace bobbin::assist
