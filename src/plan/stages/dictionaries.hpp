// SPDX-License-Identifier: Apache-2.0
// From codes to the entries of a dictionary: maps for folds, and a stage.
#pragma once

#include <cstdint>
#include <type_traits>

#include "plan/stages/unpack.hpp"
#include "plan/stages/values.hpp"

namespace bobbin::plan {

// Entries of a dictionary. kEntries: room in shared memory, at least as many as there are entries, or 0 if
// they are read through the caches. Several copies keep the lanes apart: with 32 of them each lane has a bank
// of its own.
template <uint32_t kNode, class T, uint32_t kEntries, uint32_t kCopies>
struct Entries {
  static constexpr bool kInMemory = kEntries == 0;
  using Element = T;
  using Value = ValueOf<T>;
  struct SharedEntries {
    simt::Shared<T, kEntries == 0 ? 1 : kEntries * kCopies> entries;
  };
  using Shared = std::conditional_t<kEntries == 0, NothingShared, SharedEntries>;

  template <class Cta>
  BOBBIN_HD static void begin(Cta& cta, Shared& shared, const ColumnPlan& column, uint32_t threads) {
    if constexpr (kEntries != 0) {
      for (uint32_t i = cta.thread(); i < kEntries * kCopies; i += threads) {
        cta.store(shared.entries, i, column.nodes[kNode].template entry<T>(cta, i / kCopies));
      }
      cta.sync();
    }
  }
  // Codes are at most kMost.
  template <uint32_t kMost = ~uint32_t{0}, class Cta>
  [[nodiscard]] BOBBIN_HD static Value at(Cta& cta, Shared& shared, const ColumnPlan& column, uint32_t code) {
    if constexpr (kEntries == 0) {
      return column.nodes[kNode].template entry<T>(cta, code);
    } else {
      const uint32_t last = kEntries - 1;
      const uint32_t entry = kMost <= last || code < last ? code : last;
      return cta.load(shared.entries, entry * kCopies + cta.lane() % kCopies);
    }
  }
};

// The same of entries of up to 32 bits that match a predicate of their codes alone; others are zero. A word
// is 2^kCountBit, to count rows, plus the entry without its sign: the sum of a thread's rows is one addition
// for each. Half as many copies keep the lanes apart, because words of 64 bits are read by half a warp at a
// time.
template <uint32_t kNode, class T, uint32_t kEntries, uint32_t kCopies, bool kSigned>
struct MatchingEntries {
  static_assert(sizeof(T) <= 4 && kEntries != 0);
  static constexpr uint32_t kCountBit = 40;
  static constexpr uint64_t kSign = kSigned ? uint64_t{1} << (kBits<T> - 1) : 0;
  static constexpr uint32_t kLast = kEntries - 1;
  using Element = T;
  using Value = ValueOf<T>;
  struct Shared {
    simt::Shared<uint64_t, kEntries * kCopies> words;
  };

  template <class Cta, class Holds>
  BOBBIN_HD static void begin(Cta& cta, Shared& shared, const ColumnPlan& column, uint32_t threads,
                              Holds&& holds) {
    for (uint32_t i = cta.thread(); i < kEntries * kCopies; i += threads) {
      const uint32_t code = i / kCopies;
      const auto entry = static_cast<T>(column.nodes[kNode].template entry<T>(cta, code) ^ kSign);
      cta.store(shared.words, i, holds(code) ? uint64_t{1} << kCountBit | entry : 0);
    }
    cta.sync();
  }
  // The word of a code that is at most kLast.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint64_t word(Cta& cta, Shared& shared, uint32_t code) {
    return cta.load(shared.words, code * kCopies + cta.lane() % kCopies);
  }
  // An entry that matches.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Value at(Cta& cta, Shared& shared, const ColumnPlan& /*column*/,
                                          uint32_t code) {
    return static_cast<T>(word(cta, shared, code < kLast ? code : kLast) ^ kSign);
  }
};

// Codes to entries, as a stage, where tests are of entries.
template <class Map, class Inner>
struct LookUp : Stage<Inner> {
  using Element = typename Map::Element;
  using Value = typename Map::Value;

  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& shared, const Uses& query, const ColumnPlan& column,
                             const Use* frames, uint64_t v, uint32_t count, Value (&values)[32]) {
    uint32_t codes[32];
    Inner::make(cta, shared, query, column, frames, v, count, codes);
    typename Map::Shared nothing;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      values[n] = Map::at(cta, nothing, column, codes[n]);
    }
  }
};

}  // namespace bobbin::plan
