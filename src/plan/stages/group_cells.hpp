// SPDX-License-Identifier: Apache-2.0
// The cells of groups in shared memory, and which cell each row of a vector belongs to (groups.hpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include "plan/stages/layout.hpp"
#include "plan/stages/question.hpp"
#include "plan/stages/slots.hpp"
#include "plan/uses.hpp"

namespace bobbin::plan {

inline constexpr uint32_t kGroupThreads = 256;  // of a block: Composition::kThreads
inline constexpr uint32_t kGroupWarps = kGroupThreads / simt::kWarpSize;
// A thread adds up to 2^11 rows to a word.
inline constexpr uint32_t kRowBits = 11;
inline constexpr uint32_t kVectorsPerWord = (1U << kRowBits) / (kVectorLength / simt::kWarpSize);

// The words of all threads, and what warps have added up of them.
template <uint32_t kCells, uint32_t kWords, uint32_t kFields>
struct GroupMemory {
  simt::Shared<uint32_t, kGroupWarps * kVectorLength / 4> cells;  // four rows in each
  simt::Shared<uint64_t, kWords * kCells * kGroupThreads> words;
  simt::Shared<uint64_t, (kFields == 0 ? 1 : kFields) * kCells * kGroupWarps> sums;

  [[nodiscard]] BOBBIN_HD auto& bytes() {
    return simt::seen_as<simt::Shared<uint8_t, kGroupWarps * kVectorLength>>(cells);
  }
  // Where the cells of a thread's rows begin.
  template <class Layout, class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t first_row(Cta& cta) {
    return opaque(cta.warp() * kVectorLength + Layout::index(cta.lane(), 0));
  }
  // The words of one number, so that place(0, cell, thread) is the index in any of them: what words of a cell
  // are apart is a constant in the address.
  template <uint32_t kWord>
  [[nodiscard]] BOBBIN_HD auto& of_word() {
    constexpr uint32_t kEach = kCells * kGroupThreads;
    return *reinterpret_cast<simt::Shared<uint64_t, kEach>*>(words.data + kWord * kEach);
  }
  [[nodiscard]] BOBBIN_HD static constexpr uint32_t place(uint32_t word, uint32_t cell, uint32_t thread) {
    return (word * kCells + cell) * kGroupThreads + thread;
  }
  [[nodiscard]] BOBBIN_HD static constexpr uint32_t place_of_sum(uint32_t field, uint32_t cell,
                                                                 uint32_t warp) {
    return (field * kGroupWarps + warp) * kCells + cell;
  }
};

// Key kNumber of the groups: the values of a slot. Nulls have the cell after that of the last value.
template <uint32_t kTheSlot, uint32_t kNumber>
struct Key {
  static constexpr uint32_t kSlot = kTheSlot;
  static constexpr uint32_t kSlots = 1U << kSlot;

  // Writes the cells of a vector's rows, or adds to them what another key has written. kLast: rows that do
  // not match, which are not in `rows`, get the cell after the last.
  template <bool kLast, class Q, class Memory>
  BOBBIN_HD static void write(Q& q, Memory& memory, uint32_t rows) {
    using Kernel = std::remove_cvref_t<decltype(q.kernel)>;
    using Slot = typename Kernel::template SlotAt<kSlot>;
    const uint32_t valid = valid_rows<Slot>(q);
    if (is_slow_slot<kSlot>(q)) {
      const uint32_t strided = Kernel::RowLayout::exchange(q.cta, rows);
      const uint32_t strided_valid = Slot::kNulls ? Slot::Layout::exchange(q.cta, valid) : valid;
      BOBBIN_ROLL
      for (uint32_t r = 0; r < 32; ++r) {
        const bool inside = (strided >> r & 1) != 0;
        const bool has_value = (strided_valid >> r & 1) != 0;
        put<kLast>(
            q, memory, r * simt::kWarpSize + q.cta.lane(), inside,
            inside && has_value ? cell_of(q, slow_value<kSlot>(q, strided_row(q.cta, r))) : cell_of_null(q));
      }
      return;
    }
    const uint32_t mine = convert<typename Kernel::RowLayout, typename Slot::Layout>(q.cta, rows);
    if constexpr (kFourAtOnce<Slot>) {
      if (write_words<kLast, Slot>(q, memory, mine)) {
        return;
      }
    }
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      put<kLast>(q, memory, Slot::Layout::index(q.cta.lane(), n), (mine >> Slot::Layout::bit(n) & 1) != 0,
                 (valid >> Slot::Layout::bit(n) & 1) != 0 ? cell_of(q, value<Slot>(q, n)) : cell_of_null(q));
    }
  }

 private:
  static constexpr uint32_t kOnes = 0x01010101;

  // Rows that are not null, in the slot's layout.
  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t valid_rows(Q& q) {
    if constexpr (Slot::kNulls) {
      return get<kSlot>(q.states).valid;
    } else {
      return ~uint32_t{0};
    }
  }

  // Whether a thread's values are four neighbours each, in one word.
  template <class Slot>
  static constexpr bool kFourAtOnce = [] {
    if constexpr (Slot::kPacked && !Slot::kNulls) {
      return sizeof(typename Slot::Element) == 1 && Slot::Known::kOne;
    } else {
      return false;
    }
  }();

  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static auto value(Q& q, uint32_t n) {
    using T = typename Slot::Element;
    if constexpr (Slot::kPacked) {
      return static_cast<T>(q.template value<kSlot>(n) + get<kSlot>(q.states).use.low);
    } else {
      return static_cast<T>(q.template value<kSlot>(n));
    }
  }
  // What a value adds to the number of a row's cell.
  template <class Q, class T>
  [[nodiscard]] BOBBIN_HD static uint32_t cell_of(Q& q, T bits) {
    const GroupKey& key = q.kernel.groups.keys[kNumber];
    const T above = static_cast<T>(bits - static_cast<T>(key.low));
    return (above < key.last ? static_cast<uint32_t>(above) : key.last) * key.stride;
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t cell_of_null(Q& q) {
    if constexpr (SlotOf<Q, kSlot>::kNulls) {
      const GroupKey& key = q.kernel.groups.keys[kNumber];
      return (key.last + 1) * key.stride;
    } else {
      return 0;
    }
  }
  template <bool kLast, class Q, class Memory>
  BOBBIN_HD static void put(Q& q, Memory& memory, uint32_t row, bool inside, uint32_t cell) {
    const uint32_t at = q.cta.warp() * kVectorLength + row;
    if constexpr (kNumber != 0) {
      cell += q.cta.load(memory.bytes(), at);
    }
    if constexpr (kLast) {
      cell = inside ? cell : q.kernel.groups.cells;
    }
    q.cta.store(memory.bytes(), at, static_cast<uint8_t>(cell));
  }
  // Four rows at a time; false if a value may be greater than the last.
  template <bool kLast, class Slot, class Q, class Memory>
  [[nodiscard]] BOBBIN_HD static bool write_words(Q& q, Memory& memory, uint32_t mine) {
    const auto& state = get<kSlot>(q.states);
    const GroupKey& key = q.kernel.groups.keys[kNumber];
    const uint32_t least = static_cast<uint8_t>(state.use.low - key.low);
    if (least + low_mask<uint32_t>(state.use.width) > key.last) {
      return false;
    }
    const bool all = q.cta.all(mine == ~uint32_t{0});
    const uint32_t first = q.cta.warp() * kVectorLength / 4;
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < 8; ++k) {
      const uint32_t at = first + Slot::Layout::index(q.cta.lane(), 4 * k) / 4;
      // No byte exceeds 255, so that none changes the next.
      uint32_t word = (state.lane.four(k) + least * kOnes) * key.stride;
      if constexpr (kNumber != 0) {
        word += q.cta.load(memory.cells, at);
      }
      if (kLast && !all) {
        const uint32_t ones = (mine >> (4 * k) & 15) * 0x00204081 & kOnes;
        word = (word & ones * 255) | ((kOnes - ones) * q.kernel.groups.cells);
      }
      q.cta.store(memory.cells, at, word);
    }
    return true;
  }
};

}  // namespace bobbin::plan
