// SPDX-License-Identifier: Apache-2.0
// A sink that marks the values of matching rows, which are codes of a dictionary: one bit for each entry.
//
// Shape: for up to 2^16 entries each block has its marks in shared memory (8 KiB) and adds them to those in
// global memory at the end; more entries are marked in global memory. A mark is read before it is set,
// because nearly all are after the first vectors: atomic operations are rare. Preconditions: at least one
// entry. Cost: one word read per matching row.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/bit_scan.hpp"
#include "plan/stages/folds.hpp"

namespace bobbin::plan {

inline constexpr uint32_t kMarksInShared = 1U << 16;

// kInShared: there are at most kMarksInShared entries.
template <uint32_t kTheSlot, bool kInShared>
struct Mark {
  static constexpr uint32_t kSlot = kTheSlot;
  static constexpr uint32_t kSlots = 1U << kSlot;
  static constexpr bool kOfValues = true;
  static constexpr bool kOfRows = true;
  template <class Slot>
  static constexpr bool kOfWords = false;
  template <class Slot>
  static constexpr bool kOfDifferences = false;
  template <class Slot>
  static constexpr bool kOfEntries = false;
  struct Map {
    static constexpr uint32_t kWords = kMarksInShared / 32;
    struct Marks {
      simt::Shared<uint32_t, kWords> words;
    };
    using Shared = std::conditional_t<kInShared, Marks, NothingShared>;

    template <class Cta>
    BOBBIN_HD static void begin(Cta& cta, Shared& shared, const ColumnPlan& /*column*/, uint32_t threads) {
      if constexpr (kInShared) {
        for (uint32_t i = cta.thread(); i < kWords; i += threads) {
          cta.store(shared.words, i, 0U);
        }
        cta.sync();
      }
    }
  };
  using Marks = typename Map::Shared;
  template <class Slot>
  struct TotalOf {};
  struct Part {};

  template <class Slot, class Q, class Call>
  BOBBIN_HD static void with_part(Q& q, Marks& marks, Call&& call) {
    Part part;
    call(part, [&](uint32_t /*n*/, auto value, bool hit) {
      if (hit) {
        if constexpr (Slot::kPacked) {
          value = static_cast<decltype(value)>(value + get<kSlot>(q.states).use.low);
        }
        mark(q, marks, static_cast<typename Slot::Element>(value));
      }
    });
  }
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void finish(Q& /*q*/, const Part& /*part*/, uint32_t /*count*/, Total& /*total*/) {}
  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static bool is_slow(Q& q) {
    return is_slow_slot<kSlot>(q);
  }
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void add_slow(Q& q, Marks& marks, uint32_t rows, Total& total) {
    uint32_t left = Slot::Layout::exchange(q.cta, rows);
    BOBBIN_ROLL
    for (; left != 0; left &= left - 1) {
      add_row<Slot>(q, marks, strided_row(q.cta, trailing_zeros(left)), total);
    }
  }
  // Row i of the vector.
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void add_row(Q& q, Marks& marks, uint32_t i, Total& /*total*/) {
    mark(q, marks, slow_value<kSlot>(q, i));
  }
  // After the last vector.
  template <class Cta, class Kernel>
  BOBBIN_HD static void end(Cta& cta, Marks& marks, const Kernel& kernel) {
    if constexpr (kInShared) {
      cta.sync();
      for (uint32_t i = cta.thread(); i < kernel.marks.words.size; i += Kernel::kThreads) {
        set(cta, kernel.marks.words, i, cta.load(marks.words, i));
      }
    }
  }

 private:
  template <class Q>
  BOBBIN_HD static void mark(Q& q, Marks& marks, uint32_t value) {
    const uint32_t code = value < q.kernel.marks.last ? value : q.kernel.marks.last;
    if constexpr (kInShared) {
      set(q.cta, marks.words, code / 32, 1U << (code % 32));
    } else {
      set(q.cta, q.kernel.marks.words, code / 32, 1U << (code % 32));
    }
  }
  template <class Cta, class Words>
  BOBBIN_HD static void set(Cta& cta, Words& words, uint32_t at, uint32_t bits) {
    constexpr auto kRelaxed = simt::Order::relaxed;
    if ((bits & ~cta.template atomic_load<kRelaxed>(words, at)) != 0) {
      cta.template atomic_or<kRelaxed>(words, at, bits);
    }
  }
};

}  // namespace bobbin::plan
