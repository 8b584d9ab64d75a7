// SPDX-License-Identifier: Apache-2.0
// Groups as a sink of a composed kernel: rows are counted, summed and compared by the cell that the values of
// one or two key columns name.
//
// Shape: a warp writes the cell of each row of its vector to shared memory, one byte each, because the values
// of other columns may be spread over the threads in another way. Rows that do not match get one more cell,
// which is ignored. Every thread has 64-bit words of its own for each cell, so that nothing is atomic and no
// two lanes use one bank: a word has a count and up to two sums. Words are added up before a field can
// overflow. Preconditions: at most 255 cells. Cost per row: a byte and one word read, and one word written,
// for two sums of narrow values or for one of others.
#pragma once

#include <cstdint>

#include "plan/stages/group_cells.hpp"
#include "plan/stages/group_folds.hpp"
#include "plan/stages/slots.hpp"

namespace bobbin::plan {

// Whether a sink has groups.
template <class Sink>
inline constexpr bool kGroups = requires { typename Sink::Groups; };

// The sink. kCells: room for cells, including one for rows that do not match. Items are tallies, and minimums
// and maximums.
template <uint32_t kCells, class TheKeys, class... Items>
struct GroupBy;
template <uint32_t kCells, class... Keys, class... Items>
struct GroupBy<kCells, List<Keys...>, Items...> {
  using Groups = List<Keys...>;
  static constexpr bool kOfValues = false;
  static constexpr bool kOfRows = false;
  static constexpr uint32_t kSlots = (0U | ... | Keys::kSlots) | (0U | ... | Items::kSlots);
  static constexpr uint32_t kWords = (0 + ... + Items::kWords);
  using Memory = GroupMemory<kCells, kWords, (0 + ... + Items::kFields)>;
  struct Map {
    struct Shared {
      Memory memory;
      Each<typename Items::Maps...> maps;
    };
  };
  using Shared = typename Map::Shared;
  struct Total {
    uint32_t vectors = 0;  // whose rows are in the words
  };

  // Before the first vector.
  template <class Cta, class Kernel>
  BOBBIN_HD static void begin(Cta& cta, Shared& shared, const Kernel& kernel) {
    for (uint32_t i = cta.thread(); i < sizeof(shared.memory.sums) / sizeof(uint64_t); i += kGroupThreads) {
      cta.store(shared.memory.sums, i, uint64_t{0});
    }
    begin_items<0, 0>(cta, shared, kernel);
    cta.sync();
  }
  // The rows of a vector, in the layout of the query.
  template <class Q>
  BOBBIN_HD static void add(Q& q, Shared& shared, uint32_t rows, Total& total) {
    q.cta.sync_warp();  // the previous vector's cells are no longer in use
    write<0>(q, shared, rows);
    q.cta.sync_warp();
    add_items<0, 0>(q, shared);
    if (++total.vectors == kVectorsPerWord) {
      total.vectors = 0;
      flush(q.cta, shared, q.kernel.groups.cells);
    }
  }
  // After the last.
  template <class Cta, class Kernel>
  BOBBIN_HD static void end(Cta& cta, Shared& shared, const Kernel& kernel) {
    flush(cta, shared, kernel.groups.cells);
    cta.sync();
    const End<Kernel, Cta> q{kernel, cta};
    for (uint32_t cell = cta.thread(); cell < kernel.groups.cells; cell += kGroupThreads) {
      end_items<0, 0, 0>(q, shared, cell);
    }
  }

 private:
  template <class Kernel, class Cta>
  struct End {
    const Kernel& kernel;
    Cta& cta;
  };
  template <uint32_t K>
  using ItemOf = ItemAt<K, List<Items...>>;

  template <uint32_t K, uint32_t kWord, class Cta, class Kernel>
  BOBBIN_HD static void begin_items(Cta& cta, Shared& shared, const Kernel& kernel) {
    if constexpr (K < sizeof...(Items)) {
      using Item = ItemOf<K>;
      for (uint32_t i = 0; i < Item::kWords * kCells; ++i) {
        cta.store(shared.memory.words, Memory::place(kWord, i, cta.thread()), Item::empty(i / kCells));
      }
      Item::begin(cta, get<K>(shared.maps), kernel);
      begin_items<K + 1, kWord + Item::kWords>(cta, shared, kernel);
    }
  }
  template <uint32_t K, class Q>
  BOBBIN_HD static void write(Q& q, Shared& shared, uint32_t rows) {
    if constexpr (K < sizeof...(Keys)) {
      if constexpr (K != 0) {
        q.cta.sync_warp();
      }
      ItemAt<K, List<Keys...>>::template write<K + 1 == sizeof...(Keys)>(q, shared.memory, rows);
      write<K + 1>(q, shared, rows);
    }
  }
  template <uint32_t K, uint32_t kWord, class Q>
  BOBBIN_HD static void add_items(Q& q, Shared& shared) {
    if constexpr (K < sizeof...(Items)) {
      ItemOf<K>::template add<kWord>(q, shared.memory, get<K>(shared.maps));
      add_items<K + 1, kWord + ItemOf<K>::kWords>(q, shared);
    }
  }
  template <class Cta>
  BOBBIN_HD static void flush(Cta& cta, Shared& shared, uint32_t cells) {
    cta.sync_warp();
    flush_items<0, 0, 0>(cta, shared, cells);
    cta.sync_warp();
  }
  template <uint32_t K, uint32_t kWord, uint32_t kField, class Cta>
  BOBBIN_HD static void flush_items(Cta& cta, Shared& shared, uint32_t cells) {
    if constexpr (K < sizeof...(Items)) {
      using Item = ItemOf<K>;
      Item::template flush<kWord, kField>(cta, shared.memory, cells);
      flush_items<K + 1, kWord + Item::kWords, kField + Item::kFields>(cta, shared, cells);
    }
  }
  template <uint32_t K, uint32_t kWord, uint32_t kField, class Q>
  BOBBIN_HD static void end_items(Q& q, Shared& shared, uint32_t cell) {
    if constexpr (K < sizeof...(Items)) {
      using Item = ItemOf<K>;
      Item::template end<kWord, kField>(q, shared.memory, cell);
      end_items<K + 1, kWord + Item::kWords, kField + Item::kFields>(q, shared, cell);
    }
  }
};

}  // namespace bobbin::plan
