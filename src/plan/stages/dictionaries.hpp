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
// is an entry, without the least one, plus a one above it, to count rows: the sum of a thread's rows is one
// addition for each. Words have 32 bits if entries are close together, which is known when the kernel runs,
// and 64 otherwise: then there are half as many copies, because such words are read by half a warp at a time.
template <uint32_t kNode, class T, uint32_t kEntries, uint32_t kCopies, bool kSigned>
struct MatchingEntries {
  static_assert(sizeof(T) <= 4 && kEntries != 0);
  static constexpr uint32_t kCountBit = 40;
  static constexpr uint32_t kNarrowCountBit = 28;
  static constexpr uint32_t kNarrowRows = 8;  // whose words can be added up
  static constexpr T kSign = kSigned ? static_cast<T>(T{1} << (kBits<T> - 1)) : T{0};
  static constexpr uint32_t kLast = kEntries - 1;
  static constexpr uint32_t kStride = kCopies * sizeof(uint64_t);  // bytes from a code's word to the next
  using Element = T;
  using Value = ValueOf<T>;
  struct Shared {
    simt::Shared<uint64_t, kEntries * kCopies> words;
    simt::Shared<uint32_t, 2> ends;  // the least and the greatest entry that matches, without signs

    [[nodiscard]] BOBBIN_HD auto& narrow() {
      return simt::seen_as<simt::Shared<uint32_t, kEntries * kCopies * 2>>(words);
    }
  };
  // What all entries of a block have in common.
  struct Common {
    uint32_t least;
    bool is_narrow;
  };

  template <class Cta, class Holds>
  BOBBIN_HD static void begin(Cta& cta, Shared& shared, const ColumnPlan& column, uint32_t threads,
                              Holds&& holds) {
    const auto entry = [&](uint32_t code) {
      return static_cast<uint32_t>(static_cast<T>(column.nodes[kNode].template entry<T>(cta, code) ^ kSign));
    };
    uint32_t least = ~uint32_t{0};
    uint32_t greatest = 0;
    for (uint32_t code = cta.thread(); code < kEntries; code += threads) {
      const uint32_t bits = entry(code);
      if (holds(code)) {
        least = bits < least ? bits : least;
        greatest = bits > greatest ? bits : greatest;
      }
    }
    if (cta.thread() == 0) {
      cta.store(shared.ends, 0, ~uint32_t{0});
      cta.store(shared.ends, 1, 0U);
    }
    cta.sync();
    least = cta.reduce_min(least);
    greatest = cta.reduce_max(greatest);
    if (cta.lane() == 0) {
      cta.template atomic_min<simt::Order::relaxed>(shared.ends, 0, least);
      cta.template atomic_max<simt::Order::relaxed>(shared.ends, 1, greatest);
    }
    cta.sync();
    const Common all = common(cta, shared);
    const uint32_t copies = all.is_narrow ? 2 * kCopies : kCopies;
    for (uint32_t i = cta.thread(); i < kEntries * copies; i += threads) {
      const uint32_t code = i / copies;
      const uint32_t above = entry(code) - all.least;
      if (all.is_narrow) {
        cta.store(shared.narrow(), i, holds(code) ? (1U << kNarrowCountBit) + above : 0U);
      } else {
        cta.store(shared.words, i, holds(code) ? (uint64_t{1} << kCountBit) + above : uint64_t{0});
      }
    }
    cta.sync();
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Common common(Cta& cta, Shared& shared) {
    const uint32_t least = cta.load(shared.ends, 0);
    const uint32_t greatest = cta.load(shared.ends, 1);
    return {least, least <= greatest && (greatest - least) * uint64_t{kNarrowRows} < 1U << kNarrowCountBit};
  }
  // Where a lane reads the word of a code that is at most kLast.
  template <class Words, class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t place(Cta& cta, const Words& words, uint32_t code) {
    return cta.place(words, 0) + code * kStride + cta.lane() * sizeof(words.data[0]) % kStride;
  }
  // An entry that matches.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Value at(Cta& cta, Shared& shared, const ColumnPlan& /*column*/,
                                          uint32_t code) {
    const Common all = common(cta, shared);
    const uint32_t last = code < kLast ? code : kLast;
    const auto found = [&](const auto& words) {
      return static_cast<uint32_t>(cta.load_at(words, place(cta, words, last)));
    };
    const uint32_t above =
        all.is_narrow ? found(shared.narrow()) - (1U << kNarrowCountBit) : found(shared.words);
    return static_cast<T>((above + all.least) ^ kSign);
  }
};

// The first entries of a range of codes that match, as many as fit, for a predicate that is this range.
// Others are read through the caches.
template <uint32_t kNode, class T, uint32_t kRoom>
struct HeldEntries {
  using Element = T;
  using Value = ValueOf<T>;
  struct Shared {
    simt::Shared<T, kRoom + 1> entries;  // a zero follows those that are held
    simt::Shared<uint32_t, 1> held;      // their number
  };

  template <class Cta>
  BOBBIN_HD static void begin(Cta& cta, Shared& shared, const ColumnPlan& column, uint32_t threads,
                              const KeyRange& codes) {
    const uint32_t held = codes.span < kRoom ? static_cast<uint32_t>(codes.span) + 1 : kRoom;
    for (uint32_t i = cta.thread(); i < held; i += threads) {
      cta.store(shared.entries, i, column.nodes[kNode].template entry<T>(cta, codes.low + i));
    }
    if (cta.thread() == 0) {
      cta.store(shared.entries, held, T{0});
      cta.store(shared.held, 0, held);
    }
    cta.sync();
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Value at(Cta& cta, Shared& /*shared*/, const ColumnPlan& column,
                                          uint32_t code) {
    return column.nodes[kNode].template entry<T>(cta, code);
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
