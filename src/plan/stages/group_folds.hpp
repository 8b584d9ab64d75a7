// SPDX-License-Identifier: Apache-2.0
// What is kept for each cell of groups: counts and sums, minimums and maximums (groups.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "plan/stages/folds.hpp"
#include "plan/stages/group_cells.hpp"
#include "plan/stages/slots.hpp"
#include "plan/values.hpp"

namespace bobbin::plan {

// What a row adds to a sum.
struct Term {
  uint64_t wide;  // with the sign extended
  bool is_small;  // a word has room for 2^kRowBits of them
};

// The sum of a slot's integers, or of the entries that they are codes of.
template <uint32_t kTheFold, uint32_t kTheSlot, bool kTheSigned, class TheMap = AsIs>
struct GroupSum {
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
  template <int64_t kMost, class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static bool is_direct(Q& q) {
    if constexpr (kDirect<Slot>) {
      const Use& use = get<kSlot>(q.states).use;
      const auto first = static_cast<typename Slot::Element>(use.low);
      return use.way != Use::Way::slow && is_small<kMost>(first) && use.width < 62 &&
             static_cast<int64_t>(wide(first) + low_mask<uint64_t>(use.width)) < kMost;
    } else {
      return !is_slow_slot<kSlot>(q);
    }
  }
  // Value n, without the base.
  template <int64_t kMost, class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static Term term(Q& q, typename Map::Shared& memory, uint32_t n) {
    if constexpr (kDirect<Slot>) {
      return {q.template value<kSlot>(n), true};
    } else if constexpr (Slot::kPacked) {
      const auto code = q.template value<kSlot>(n) + get<kSlot>(q.states).use.low;
      return term_of<kMost, Slot>(q, memory, static_cast<typename Slot::Element>(code));
    } else {
      return term_of<kMost, Slot>(q, memory, q.template value<kSlot>(n));
    }
  }
  // Value 32 r + lane.
  template <int64_t kMost, class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static Term slow_term(Q& q, typename Map::Shared& memory, uint32_t r) {
    return term_of<kMost, Slot>(q, memory, slow_value<kSlot>(q, r));
  }

 private:
  template <class Slot>
  static constexpr bool kDirect = Slot::kPacked && std::is_same_v<Map, AsIs>;

  template <class T>
  [[nodiscard]] BOBBIN_HD static uint64_t wide(T bits) {
    return kSigned ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<std::make_signed_t<T>>(bits)))
                   : uint64_t{bits};
  }
  template <int64_t kMost, class T>
  [[nodiscard]] BOBBIN_HD static bool is_small(T bits) {
    if constexpr (kSigned) {
      const auto value = static_cast<int64_t>(wide(bits));
      return value > -kMost && value < kMost;
    } else {
      return wide(bits) < static_cast<uint64_t>(kMost);
    }
  }
  template <int64_t kMost, class Slot, class Q, class Value>
  [[nodiscard]] BOBBIN_HD static Term term_of(Q& q, typename Map::Shared& memory, Value value) {
    using Element = typename Mapped<Map, Slot>::Element;
    if constexpr (std::is_same_v<Map, AsIs>) {
      const auto bits = static_cast<Element>(value);
      return {wide(bits), is_small<kMost>(bits)};
    } else {
      const auto bits = static_cast<Element>(Map::at(q.cta, memory, q.kernel.columns[Slot::kColumn], value));
      return {wide(bits), is_small<kMost>(bits)};
    }
  }
};

// How the values of a word's sums, or of one slot, are spread over the threads.
template <class Kernel, class... Sums>
struct LayoutOf {
  using Type = StridedLayout;
  static constexpr bool kNulls = false;
};
template <class Kernel, class First, class... Rest>
struct LayoutOf<Kernel, First, Rest...> {
  using Slot = typename Kernel::template SlotAt<First::kSlot>;
  using Type = typename Slot::Layout;
  static constexpr bool kNulls = Slot::kNulls;
};

// Adds to a word of the total of a fold and a cell.
template <class Q>
BOBBIN_HD void add_to_total(Q& q, uint32_t cell, uint32_t fold, uint32_t word, uint64_t value) {
  const uint64_t to = (uint64_t{cell} * q.kernel.num_folds + fold) * TotalWords::kWords;
  q.cta.template atomic_add<simt::Order::relaxed>(q.kernel.totals, to + word, value);
}

// A word with a count of rows and up to two sums. kCounts has a bit for each fold whose count this is, those
// of the sums included. Without sums, null rows of kNullColumn are not counted.
template <uint32_t kCounts, uint32_t kNullColumn, class... Sums>
struct Tally {
  static_assert(sizeof...(Sums) <= 2);
  static constexpr uint32_t kWords = 1;
  static constexpr uint32_t kFields = 1 + sizeof...(Sums);
  static constexpr uint32_t kSlots = (0U | ... | (1U << Sums::kSlot));
  using Maps = Each<typename Sums::Map::Shared...>;

  [[nodiscard]] BOBBIN_HD static constexpr uint64_t empty(uint32_t /*word*/) { return 0; }
  template <class Cta, class Kernel>
  BOBBIN_HD static void begin(Cta& cta, Maps& maps, const Kernel& kernel) {
    begin_maps<0>(cta, maps, kernel);
  }

  // Adds the rows of a vector.
  template <uint32_t kWord, class Q, class Memory>
  BOBBIN_HD static void add(Q& q, Memory& memory, Maps& maps) {
    add<kWord>(q, memory, maps, std::make_index_sequence<sizeof...(Sums)>());
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
        take_apart(cta.load(memory.words, at), fields);
        cta.store(memory.words, at, uint64_t{0});
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
      uint32_t s = 0;
      (add_sum<Sums>(q, cell, fields[++s]), ...);
    }
  }

 private:
  static constexpr uint32_t kSumBits = sizeof...(Sums) == 2 ? 24 : 48;
  static constexpr uint64_t kOne = uint64_t{1} << 48;  // of the count
  static constexpr int64_t kMost = int64_t{1} << (kSumBits - 1 - kRowBits);

  template <class Kernel, class Sum>
  using SlotOf = typename Kernel::template SlotAt<Sum::kSlot>;

  template <uint32_t M, class Cta, class Kernel>
  BOBBIN_HD static void begin_maps(Cta& cta, Maps& maps, const Kernel& kernel) {
    if constexpr (M < sizeof...(Sums)) {
      using Sum = ItemAt<M, List<Sums...>>;
      Sum::Map::begin(cta, get<M>(maps), kernel.columns[SlotOf<Kernel, Sum>::kColumn], kGroupThreads);
      begin_maps<M + 1>(cta, maps, kernel);
    }
  }

  template <uint32_t kWord, class Q, class Memory, size_t... M>
  BOBBIN_HD static void add(Q& q, Memory& memory, Maps& maps, std::index_sequence<M...>) {
    using Kernel = std::remove_cvref_t<decltype(q.kernel)>;
    using Layout = typename LayoutOf<Kernel, Sums...>::Type;
    const uint32_t valid = valid_rows(q);
    const uint32_t first = Memory::template first_row<Layout>(q.cta);
    if (!(true && ... && Sums::template is_direct<kMost, SlotOf<Kernel, Sums>>(q))) {
      const uint32_t strided = Layout::exchange(q.cta, valid);
      BOBBIN_ROLL
      for (uint32_t r = 0; r < 32; ++r) {
        const uint32_t at = q.cta.warp() * kVectorLength + r * simt::kWarpSize + q.cta.lane();
        const uint32_t cell = q.cta.load(memory.bytes(), at);
        if (cell != q.kernel.groups.cells && (strided >> r & 1) != 0) {
          add_row<kWord>(q, memory, cell, kOne,
                         Sums::template slow_term<kMost, SlotOf<Kernel, Sums>>(q, get<M>(maps), r)...);
        }
      }
      return;
    }
    const uint64_t each = joined(kOne, Sums::template base<SlotOf<Kernel, Sums>>(q)...);
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      const uint32_t cell = q.cta.load(memory.bytes(), first + Layout::index(0, n));
      add_row<kWord>(q, memory, (valid >> Layout::bit(n) & 1) != 0 ? cell : q.kernel.groups.cells, each,
                     Sums::template term<kMost, SlotOf<Kernel, Sums>>(q, get<M>(maps), n)...);
    }
  }
  // Rows that are not null, in the layout of the sums.
  template <class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t valid_rows(Q& q) {
    using Values = LayoutOf<std::remove_cvref_t<decltype(q.kernel)>, Sums...>;
    if constexpr (Values::kNulls) {
      return get<ItemAt<0, List<Sums...>>::kSlot>(q.states).valid;
    } else if constexpr (sizeof...(Sums) == 0 && kNullColumn != kNoColumn) {
      return valid_bits(q.cta, q.kernel.columns[kNullColumn], q.v);
    } else {
      return ~uint32_t{0};
    }
  }
  // A word of these terms.
  template <class... Terms>
  [[nodiscard]] BOBBIN_HD static uint64_t joined(uint64_t word, Terms... terms) {
    uint32_t shift = 0;
    ((word += terms << shift, shift += 24), ...);
    return word;
  }
  BOBBIN_HD static void take_apart(uint64_t word, uint64_t (&fields)[kFields]) {
    BOBBIN_UNROLL
    for (uint32_t s = 1; s < kFields; ++s) {
      constexpr uint32_t kAbove = 64 - kSumBits;
      const auto sum = static_cast<uint64_t>(static_cast<int64_t>(word << kAbove) >> kAbove);
      fields[s] += sum;
      word = (word - sum) >> kSumBits;
    }
    fields[0] += kFields == 1 ? word >> 48 : word;
  }
  template <uint32_t kWord, class Q, class Memory, class... Terms>
  BOBBIN_HD static void add_row(Q& q, Memory& memory, uint32_t cell, uint64_t each, Terms... terms) {
    if (!(true && ... && terms.is_small)) {
      add_large(q, cell, terms...);
      return;
    }
    const uint32_t at = Memory::place(kWord, cell, q.cta.thread());
    q.cta.store(memory.words, at, q.cta.load(memory.words, at) + joined(each, terms.wide...));
  }
  // To memory at once.
  template <class Q, class... Terms>
  BOBBIN_HD static void add_large(Q& q, uint32_t cell, Terms... terms) {
    if (cell != q.kernel.groups.cells) {
      add_counts(q, cell, 1);
      (add_sum<Sums>(q, cell, terms.wide), ...);
    }
  }
  template <class Q>
  BOBBIN_HD static void add_counts(Q& q, uint32_t cell, uint64_t count) {
    BOBBIN_UNROLL
    for (uint32_t fold = 0; fold < kMaxFolds; ++fold) {
      if ((kCounts >> fold & 1) != 0) {
        add_to_total(q, cell, fold, TotalWords::count, count);
      }
    }
  }
  template <class Sum, class Q>
  BOBBIN_HD static void add_sum(Q& q, uint32_t cell, uint64_t wide) {
    WideSum sum;
    add_to<uint64_t>(sum, wide, Sum::kSigned);
    add_to_total(q, cell, Sum::kFold, TotalWords::low, sum.low);
    add_to_total(q, cell, Sum::kFold, TotalWords::high, sum.high);
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
    using Slot = typename std::remove_cvref_t<decltype(q.kernel)>::template SlotAt<kSlot>;
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
