// SPDX-License-Identifier: Apache-2.0
// What is kept for each cell of groups: counts and sums, minimums and maximums (groups.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "plan/stages/folds.hpp"
#include "plan/stages/group_cells.hpp"
#include "plan/stages/question.hpp"
#include "plan/stages/slots.hpp"
#include "plan/values.hpp"

namespace bobbin::plan {

// What a row adds to a sum.
struct Term {
  uint64_t wide;  // with the sign extended
  bool is_small;  // a field has room for 2^kRowBits of them
};

// The sum of a slot's integers, or of the entries that they are codes of. It is a field of kBits bits of a
// word: terms from -kMost to kMost - 1 can be added to it.
template <uint32_t kTheFold, uint32_t kTheSlot, uint32_t kTheBits, bool kTheSigned, class TheMap = AsIs>
struct GroupSum {
  static_assert(kTheBits > kRowBits && kTheBits <= 64);
  static constexpr uint32_t kBits = kTheBits;
  static constexpr int64_t kMost = int64_t{1} << (kBits - 1 - kRowBits);
  static constexpr uint32_t kFold = kTheFold;
  static constexpr uint32_t kSlot = kTheSlot;
  static constexpr bool kSigned = kTheSigned;
  using Map = TheMap;

  // Packed integers are added without their reference, which is the same for all rows of a vector.
  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static uint64_t base(Q& q) {
    if constexpr (kDirect<Slot>) {
      return wide(static_cast<typename Slot::Element>(get<kSlot>(q.states).use.low));
    } else {
      return 0;
    }
  }
  // Whether the terms of a vector can be used; otherwise only the slow ones can.
  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static bool is_direct(Q& q) {
    if constexpr (kDirect<Slot>) {
      const Use& use = get<kSlot>(q.states).use;
      const auto first = static_cast<typename Slot::Element>(use.low);
      return use.way != Use::Way::slow && is_small(first) && use.width < 62 &&
             static_cast<int64_t>(wide(first) + low_mask<uint64_t>(use.width)) < kMost;
    } else {
      return !is_slow_slot<kSlot>(q);
    }
  }
  // Value n, without the base.
  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static Term term(Q& q, typename Map::Shared& memory, uint32_t n) {
    if constexpr (kDirect<Slot>) {
      return {q.template value<kSlot>(n), true};
    } else if constexpr (Slot::kPacked) {
      const auto code = q.template value<kSlot>(n) + get<kSlot>(q.states).use.low;
      return term_of<Slot>(q, memory, static_cast<typename Slot::Element>(code));
    } else {
      return term_of<Slot>(q, memory, q.template value<kSlot>(n));
    }
  }
  // Value 32 r + lane.
  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static Term slow_term(Q& q, typename Map::Shared& memory, uint32_t r) {
    return term_of<Slot>(q, memory, slow_value<kSlot>(q, strided_row(q.cta, r)));
  }

 private:
  template <class Slot>
  static constexpr bool kDirect = Slot::kPacked && std::is_same_v<Map, AsIs>;
  // Whether all values are known to be terms.
  template <class Slot>
  static constexpr bool kAllSmall = [] {
    if constexpr (kComputed<Slot>) {
      return Slot::kBits + kRowBits <= kBits;
    } else {
      return false;
    }
  }();

  template <class T>
  [[nodiscard]] BOBBIN_HD static uint64_t wide(T bits) {
    return kSigned ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<std::make_signed_t<T>>(bits)))
                   : uint64_t{bits};
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD static bool is_small(T bits) {
    if constexpr (kSigned) {
      const auto value = static_cast<int64_t>(wide(bits));
      return value >= -kMost && value < kMost;
    } else {
      return wide(bits) < static_cast<uint64_t>(kMost);
    }
  }
  template <class Slot, class Q, class Value>
  [[nodiscard]] BOBBIN_HD static Term term_of(Q& q, typename Map::Shared& memory, Value value) {
    using Element = typename Mapped<Map, Slot>::Element;
    if constexpr (kAllSmall<Slot>) {
      return {wide(static_cast<Element>(value)), true};
    } else if constexpr (std::is_same_v<Map, AsIs>) {
      const auto bits = static_cast<Element>(value);
      return {wide(bits), is_small(bits)};
    } else {
      const auto bits = static_cast<Element>(Map::at(q.cta, memory, q.kernel.columns[Slot::kColumn], value));
      return {wide(bits), is_small(bits)};
    }
  }
};

// How the values of sums are spread over the threads: the same for all sums of a tally.
template <class Kernel, class... Words>
struct LayoutOf {
  using Type = StridedLayout;
  static constexpr bool kNulls = false;
};
template <class Kernel, class First, class... Rest>
struct LayoutOf<Kernel, First, Rest...> {
  using Slot = typename Kernel::template SlotAt<First::kFirstSlot>;
  using Type = typename Slot::Layout;
  static constexpr bool kNulls = Slot::kNulls;
};

// Adds to a word of the total of a fold and a cell.
template <class Q>
BOBBIN_HD void add_to_total(Q& q, uint32_t cell, uint32_t fold, uint32_t word, uint64_t value) {
  const uint64_t to = (uint64_t{cell} * q.kernel.num_folds + fold) * TotalWords::kWords;
  q.cta.template atomic_add<simt::Order::relaxed>(q.kernel.totals, to + word, value);
}

// Sums that share a word of 64 bits, the first in its lowest bits.
template <class First, class... Rest>
struct Word {
  using Sums = List<First, Rest...>;
  using Maps = Each<typename First::Map::Shared, typename Rest::Map::Shared...>;
  static constexpr uint32_t kSums = 1 + sizeof...(Rest);
  static constexpr uint32_t kFirstSlot = First::kSlot;
  static constexpr uint32_t kSlots = ((1U << First::kSlot) | ... | (1U << Rest::kSlot));
  static constexpr uint32_t kBits = (First::kBits + ... + Rest::kBits);
  static_assert(kBits <= 64);

  template <uint32_t M = 0, class Cta, class Kernel>
  BOBBIN_HD static void begin(Cta& cta, Maps& maps, const Kernel& kernel) {
    if constexpr (M < kSums) {
      using Slot = typename Kernel::template SlotAt<SumAt<M>::kSlot>;
      SumAt<M>::Map::begin(cta, get<M>(maps), kernel.columns[Slot::kColumn], kGroupThreads);
      begin<M + 1>(cta, maps, kernel);
    }
  }
  // Whether terms() can be used for a vector; otherwise only slow_terms() can.
  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool is_direct(Q& q) {
    return (First::template is_direct<SlotOf<Q, First::kSlot>>(q) && ... &&
            Rest::template is_direct<SlotOf<Q, Rest::kSlot>>(q));
  }
  // What each row adds besides its terms.
  template <uint32_t M = 0, class Q>
  [[nodiscard]] BOBBIN_HD static uint64_t base(Q& q) {
    if constexpr (M == kSums) {
      return 0;
    } else {
      return SumAt<M>::template base<SlotOf<Q, SumAt<M>::kSlot>>(q) + upper<M>(base<M + 1>(q));
    }
  }
  // What a row of a cell adds; terms that a field has no room for are added to memory.
  template <uint32_t M = 0, class Q>
  [[nodiscard]] BOBBIN_HD static uint64_t terms(Q& q, Maps& maps, uint32_t cell, uint32_t n) {
    if constexpr (M == kSums) {
      return 0;
    } else {
      using Slot = SlotOf<Q, SumAt<M>::kSlot>;
      return settle<M>(q, cell, SumAt<M>::template term<Slot>(q, get<M>(maps), n)) +
             upper<M>(terms<M + 1>(q, maps, cell, n));
    }
  }
  template <uint32_t M = 0, class Q>
  [[nodiscard]] BOBBIN_HD static uint64_t slow_terms(Q& q, Maps& maps, uint32_t cell, uint32_t r) {
    if constexpr (M == kSums) {
      return 0;
    } else {
      using Slot = SlotOf<Q, SumAt<M>::kSlot>;
      return settle<M>(q, cell, SumAt<M>::template slow_term<Slot>(q, get<M>(maps), r)) +
             upper<M>(slow_terms<M + 1>(q, maps, cell, r));
    }
  }
  // Adds the sums of a word to fields, and returns what is above them.
  template <uint32_t M = 0>
  [[nodiscard]] BOBBIN_HD static uint64_t take_apart(uint64_t word, uint64_t* fields) {
    if constexpr (M == kSums) {
      return word;
    } else {
      constexpr uint32_t kAbove = 64 - SumAt<M>::kBits;
      const auto sum = static_cast<uint64_t>(static_cast<int64_t>(word << kAbove) >> kAbove);
      fields[M] += sum;
      return take_apart<M + 1>(kAbove == 0 ? 0 : (word - sum) >> (SumAt<M>::kBits % 64), fields);
    }
  }
  // Adds fields to memory.
  template <uint32_t M = 0, class Q>
  BOBBIN_HD static void add_sums(Q& q, uint32_t cell, const uint64_t* fields) {
    if constexpr (M < kSums) {
      add_sum<SumAt<M>>(q, cell, fields[M]);
      add_sums<M + 1>(q, cell, fields);
    }
  }

 private:
  template <uint32_t M>
  using SumAt = ItemAt<M, Sums>;

  // What follows sum M, at its place.
  template <uint32_t M>
  [[nodiscard]] BOBBIN_HD static uint64_t upper(uint64_t rest) {
    return M + 1 == kSums ? 0 : rest << (SumAt<M>::kBits % 64);
  }
  template <uint32_t M, class Q>
  [[nodiscard]] BOBBIN_HD static uint64_t settle(Q& q, uint32_t cell, const Term& term) {
    if (term.is_small) {
      return term.wide;
    }
    if (cell != q.kernel.groups.cells) {
      add_sum<SumAt<M>>(q, cell, term.wide);
    }
    return 0;
  }
  template <class Sum, class Q>
  BOBBIN_HD static void add_sum(Q& q, uint32_t cell, uint64_t wide) {
    WideSum sum;
    add_to<uint64_t>(sum, wide, Sum::kSigned);
    add_to_total(q, cell, Sum::kFold, TotalWords::low, sum.low);
    add_to_total(q, cell, Sum::kFold, TotalWords::high, sum.high);
  }
};

// Counts rows, and has words of sums, all of slots with one layout: those of a word are added in one pass.
// The count is above the sums of the first word, or is a word of its own. kCounts has a bit for each fold
// whose count this is, those of the sums included. Null rows of the columns of the mask kNullColumns are not
// counted; those of sums are not anyway.
template <uint32_t kCounts, uint32_t kNullColumns, class... Words>
struct Tally {
  static constexpr uint32_t kWords = sizeof...(Words) == 0 ? 1 : sizeof...(Words);
  static constexpr uint32_t kFields = (1 + ... + Words::kSums);
  static constexpr uint32_t kSlots = (0U | ... | Words::kSlots);
  using Maps = Each<typename Words::Maps...>;

  [[nodiscard]] BOBBIN_HD static constexpr uint64_t empty(uint32_t /*word*/) { return 0; }
  template <uint32_t W = 0, class Cta, class Kernel>
  BOBBIN_HD static void begin(Cta& cta, Maps& maps, const Kernel& kernel) {
    if constexpr (W < sizeof...(Words)) {
      WordAt<W>::begin(cta, get<W>(maps), kernel);
      begin<W + 1>(cta, maps, kernel);
    }
  }

  // Adds the rows of a vector.
  template <uint32_t kWord, class Q, class Memory>
  BOBBIN_HD static void add(Q& q, Memory& memory, Maps& maps) {
    using Layout = typename LayoutOf<std::remove_cvref_t<decltype(q.kernel)>, Words...>::Type;
    const uint32_t valid = valid_rows(q);
    if (!(true && ... && Words::is_direct(q))) {
      const uint32_t strided = Layout::exchange(q.cta, valid);
      BOBBIN_ROLL
      for (uint32_t r = 0; r < 32; ++r) {
        const uint32_t at = q.cta.warp() * kVectorLength + r * simt::kWarpSize + q.cta.lane();
        const uint32_t cell = q.cta.load(memory.bytes(), at);
        if (cell != q.kernel.groups.cells && (strided >> r & 1) != 0) {
          add_slow_row<kWord>(q, memory, maps, cell, r);
        }
      }
      return;
    }
    const Bases bases = bases_of(q, std::make_index_sequence<sizeof...(Words)>());
    const uint32_t first = Memory::template first_row<Layout>(q.cta);
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      const uint32_t cell = q.cta.load(memory.bytes(), first + Layout::index(0, n));
      add_row<kWord>(q, memory, maps, (valid >> Layout::bit(n) & 1) != 0 ? cell : q.kernel.groups.cells, n,
                     bases);
    }
  }

  // Adds up the words of a warp, which are empty afterwards.
  template <uint32_t kWord, uint32_t kField, class Cta, class Memory>
  BOBBIN_HD static void flush(Cta& cta, Memory& memory, uint32_t cells) {
    const uint32_t first = cta.warp() * simt::kWarpSize;
    for (uint32_t cell = cta.lane(); cell < cells; cell += simt::kWarpSize) {
      uint64_t fields[kFields] = {};
      for (uint32_t k = 0; k < simt::kWarpSize; ++k) {
        // Each lane in another bank.
        const uint32_t at = Memory::place(kWord, cell, first + (cta.lane() + k) % simt::kWarpSize);
        take_apart<Memory>(cta, memory, at, fields);
      }
      BOBBIN_UNROLL
      for (uint32_t s = 0; s < kFields; ++s) {
        const uint32_t to = Memory::place_of_sum(kField + s, cell, cta.warp());
        cta.store(memory.sums, to, cta.load(memory.sums, to) + fields[s]);
      }
    }
  }
  // Adds what all warps have of a cell to memory.
  template <uint32_t kWord, uint32_t kField, class Q, class Memory>
  BOBBIN_HD static void end(Q& q, Memory& memory, uint32_t cell) {
    uint64_t fields[kFields] = {};
    BOBBIN_UNROLL
    for (uint32_t s = 0; s < kFields; ++s) {
      for (uint32_t warp = 0; warp < kGroupWarps; ++warp) {
        fields[s] += q.cta.load(memory.sums, Memory::place_of_sum(kField + s, cell, warp));
      }
    }
    if (fields[0] != 0) {
      add_counts(q, cell, fields[0]);
      add_sums<0, 1>(q, cell, fields);
    }
  }

 private:
  template <uint32_t W>
  using WordAt = ItemAt<W, List<Words...>>;
  static constexpr uint32_t kCountBit = [] {
    if constexpr (sizeof...(Words) == 0) {
      return uint32_t{0};
    } else {
      return WordAt<0>::kBits;
    }
  }();
  static_assert(kCountBit + kRowBits < 64);
  static constexpr uint64_t kOne = uint64_t{1} << kCountBit;
  // What each row adds to each word besides its terms.
  struct Bases {
    uint64_t words[kWords];
  };

  template <class Q, size_t... W>
  [[nodiscard]] BOBBIN_HD static Bases bases_of(Q& q, std::index_sequence<W...>) {
    return {{(WordAt<W>::base(q) + (W == 0 ? kOne : 0))...}};
  }
  // Rows that are not null, in the layout of the sums.
  template <class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t valid_rows(Q& q) {
    using Values = LayoutOf<std::remove_cvref_t<decltype(q.kernel)>, Words...>;
    if constexpr (Values::kNulls) {
      return get<WordAt<0>::kFirstSlot>(q.states).valid;
    } else if constexpr (sizeof...(Words) == 0 && kNullColumns != 0) {
      return valid_in_all<kNullColumns>(q);
    } else {
      return ~uint32_t{0};
    }
  }
  template <uint32_t kWord, uint32_t W = 0, class Q, class Memory>
  BOBBIN_HD static void add_row(Q& q, Memory& memory, Maps& maps, uint32_t cell, uint32_t n,
                                const Bases& bases) {
    uint64_t word = bases.words[W];
    if constexpr (sizeof...(Words) == 0) {
      word = kOne;
    } else {
      word += WordAt<W>::terms(q, get<W>(maps), cell, n);
    }
    add_to_word<kWord + W>(q, memory, cell, word);
    if constexpr (W + 1 < kWords) {
      add_row<kWord, W + 1>(q, memory, maps, cell, n, bases);
    }
  }
  template <uint32_t kWord, uint32_t W = 0, class Q, class Memory>
  BOBBIN_HD static void add_slow_row(Q& q, Memory& memory, Maps& maps, uint32_t cell, uint32_t r) {
    if constexpr (W < sizeof...(Words)) {
      add_to_word<kWord + W>(q, memory, cell,
                             (W == 0 ? kOne : 0) + WordAt<W>::slow_terms(q, get<W>(maps), cell, r));
      add_slow_row<kWord, W + 1>(q, memory, maps, cell, r);
    }
  }
  template <uint32_t kWord, class Q, class Memory>
  BOBBIN_HD static void add_to_word(Q& q, Memory& memory, uint32_t cell, uint64_t word) {
    auto& words = memory.template of_word<kWord>();
    const uint32_t at = Memory::place(0, cell, q.cta.thread());
    q.cta.store(words, at, q.cta.load(words, at) + word);
  }
  // Adds the words at a place to fields: the count, then the sums.
  template <class Memory, uint32_t W = 0, uint32_t kField = 1, class Cta>
  BOBBIN_HD static void take_apart(Cta& cta, Memory& memory, uint32_t at, uint64_t* fields) {
    if constexpr (sizeof...(Words) == 0) {
      fields[0] += cta.load(memory.words, at);
      cta.store(memory.words, at, uint64_t{0});
    } else if constexpr (W < sizeof...(Words)) {
      const uint32_t here = at + Memory::place(W, 0, 0);
      const uint64_t above = WordAt<W>::take_apart(cta.load(memory.words, here), fields + kField);
      fields[0] += W == 0 ? above : 0;
      cta.store(memory.words, here, uint64_t{0});
      take_apart<Memory, W + 1, kField + WordAt<W>::kSums>(cta, memory, at, fields);
    }
  }
  template <uint32_t W, uint32_t kField, class Q>
  BOBBIN_HD static void add_sums(Q& q, uint32_t cell, const uint64_t* fields) {
    if constexpr (W < sizeof...(Words)) {
      WordAt<W>::add_sums(q, cell, fields + kField);
      add_sums<W + 1, kField + WordAt<W>::kSums>(q, cell, fields);
    }
  }
  template <class Q>
  BOBBIN_HD static void add_counts(Q& q, uint32_t cell, uint64_t count) {
    BOBBIN_UNROLL
    for (uint32_t fold = 0; fold < kMostFolds; ++fold) {
      if ((kCounts >> fold & 1) != 0) {
        add_to_total(q, cell, fold, TotalWords::count, count);
      }
    }
  }
};

// The minimum and the maximum of a slot's values, in a word each; they are counted by a Tally.
template <uint32_t kFold, uint32_t kSlot, Numbers kNumbers, class Map = AsIs>
struct GroupMinMax {
  static constexpr uint32_t kWords = 2;
  static constexpr uint32_t kFields = 0;
  static constexpr uint32_t kSlots = 1U << kSlot;
  using Maps = typename Map::Shared;

  [[nodiscard]] BOBBIN_HD static constexpr uint64_t empty(uint32_t word) {
    return word == 0 ? Extremes{}.least : Extremes{}.greatest;
  }
  template <class Cta, class Kernel>
  BOBBIN_HD static void begin(Cta& cta, Maps& maps, const Kernel& kernel) {
    Map::begin(cta, maps, kernel.columns[Kernel::template SlotAt<kSlot>::kColumn], kGroupThreads);
  }
  template <uint32_t kWord, class Q, class Memory>
  BOBBIN_HD static void add(Q& q, Memory& memory, Maps& maps) {
    using Slot = SlotOf<Q, kSlot>;
    using Layout = typename Slot::Layout;
    using Element = typename Mapped<Map, Slot>::Element;
    static_assert(!Slot::kPacked);
    const uint32_t first = Memory::template first_row<Layout>(q.cta);
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      uint32_t cell = q.cta.load(memory.bytes(), first + Layout::index(0, n));
      if constexpr (Slot::kNulls) {
        cell = (get<kSlot>(q.states).valid >> Layout::bit(n) & 1) != 0 ? cell : q.kernel.groups.cells;
      }
      const uint32_t at = Memory::place(kWord, cell, q.cta.thread());
      constexpr uint32_t kNext = Memory::place(1, 0, 0);
      Extremes found{q.cta.load(memory.words, at), q.cta.load(memory.words, at + kNext)};
      found.add<Element>(entry<Slot>(q, maps, q.template value<kSlot>(n)), kNumbers == Numbers::reals,
                         kNumbers == Numbers::integers);
      q.cta.store(memory.words, at, found.least);
      q.cta.store(memory.words, at + kNext, found.greatest);
    }
  }
  template <uint32_t kWord, uint32_t kField, class Cta, class Memory>
  BOBBIN_HD static void flush(Cta& /*cta*/, Memory& /*memory*/, uint32_t /*cells*/) {}
  template <uint32_t kWord, uint32_t kField, class Q, class Memory>
  BOBBIN_HD static void end(Q& q, Memory& memory, uint32_t cell) {
    constexpr auto kRelaxed = simt::Order::relaxed;
    Extremes all;
    for (uint32_t k = 0; k < kGroupThreads; ++k) {
      const uint32_t thread = (q.cta.thread() + k) % kGroupThreads;
      const uint64_t least = q.cta.load(memory.words, Memory::place(kWord, cell, thread));
      const uint64_t greatest = q.cta.load(memory.words, Memory::place(kWord + 1, cell, thread));
      all.least = least < all.least ? least : all.least;
      all.greatest = greatest > all.greatest ? greatest : all.greatest;
    }
    const uint64_t to = (uint64_t{cell} * q.kernel.num_folds + kFold) * TotalWords::kWords;
    q.cta.template atomic_min<kRelaxed>(q.kernel.totals, to + TotalWords::least, all.least);
    q.cta.template atomic_max<kRelaxed>(q.kernel.totals, to + TotalWords::greatest, all.greatest);
  }

 private:
  template <class Slot, class Q, class Value>
  [[nodiscard]] BOBBIN_HD static auto entry(Q& q, Maps& maps, Value value) {
    using Element = typename Mapped<Map, Slot>::Element;
    if constexpr (std::is_same_v<Map, AsIs>) {
      return static_cast<Element>(value);
    } else {
      return static_cast<Element>(Map::at(q.cta, maps, q.kernel.columns[Slot::kColumn], value));
    }
  }
};

}  // namespace bobbin::plan
