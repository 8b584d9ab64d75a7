// SPDX-License-Identifier: Apache-2.0
// First stages of columns with ascending row numbers: rle and sparse, whose numbers and values are decoded in
// memory (plan/expand.hpp).
//
// A warp marks the numbers of its vector by bits in shared memory. The rank of a row, the count of numbers up
// to it, is then a popcount: all threads do the same work, however long the runs are. Bytes read: those of
// the vector's numbers and values.
#pragma once

#include <bit>
#include <cstdint>

#include "plan/stages/unpack.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::plan {

// kNode's rows, seen by a warp.
template <uint32_t kNode, class T>
struct Ranked {
  using Element = T;
  using Value = ValueOf<T>;
  using Layout = StridedLayout;
  static constexpr uint32_t kFrames = 0;
  template <uint32_t kWarps>
  struct Shared {
    simt::Shared<uint32_t, kWarps * simt::kWarpSize> marks;
  };

  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& /*cta*/, Memory& /*shared*/, const ColumnPlan& /*column*/) {}

 protected:
  // Calls f(n, marked, rank) for each of a thread's rows: whether its number is there, and how many values
  // come before the first of those that have a greater number.
  template <class Cta, class Memory, class F>
  BOBBIN_HD static void for_each(Cta& cta, Memory& shared, const ColumnPlan& column, uint64_t v, F&& f) {
    const Node& node = column.nodes[kNode];
    const auto starts = view_as<uint32_t>(node.patches.starts);
    const auto rows = view_as<uint32_t>(node.patches.indices);
    const uint32_t first = cta.load(starts, v);
    const uint32_t last = cta.load(starts, v + 1);
    const auto row = static_cast<uint32_t>(node.last + v * kVectorLength);
    const uint32_t words = cta.warp() * simt::kWarpSize;
    cta.sync_warp();  // the previous vector is no longer in use
    cta.store(shared.marks, words + cta.lane(), 0U);
    cta.sync_warp();
    for (uint32_t k = first + cta.lane(); k < last; k += simt::kWarpSize) {
      // A run that ends with the vector ends at the next one's first row.
      if (const uint32_t i = cta.load(rows, k) - row; i < kVectorLength) {
        cta.template atomic_or<simt::Order::relaxed>(shared.marks, words + i / 32, 1U << (i % 32));
      }
    }
    cta.sync_warp();
    const uint32_t own = cta.load(shared.marks, words + cta.lane());
    const auto count = static_cast<uint32_t>(std::popcount(own));
    const uint32_t before = first + simt::sum_through(cta, count) - count;
    const uint32_t through = low_mask<uint32_t>(cta.lane() + 1);
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      const uint32_t marks = cta.shfl(own, n);
      const uint32_t rank = cta.shfl(before, n) + static_cast<uint32_t>(std::popcount(marks & through));
      f(n, (marks >> cta.lane() & 1) != 0, rank);
    }
  }
};

// Values of runs, each as often as its run is long.
template <uint32_t kNode, class T>
struct Expand : Ranked<kNode, T> {
  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& shared, const Uses& /*query*/, const ColumnPlan& column,
                             const Use* /*frames*/, uint64_t v, uint32_t /*count*/,
                             ValueOf<T> (&values)[32]) {
    const auto all = view_as<T>(column.nodes[kNode].patches.values);
    Ranked<kNode, T>::for_each(cta, shared, column, v, [&](uint32_t n, bool /*marked*/, uint32_t rank) {
      values[n] = cta.load(all, rank < all.size ? rank : all.size - 1);  // after the last row: any
    });
  }
};

// Values of some rows, among rows that all have another.
template <uint32_t kNode, class T>
struct Place : Ranked<kNode, T> {
  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& shared, const Uses& /*query*/, const ColumnPlan& column,
                             const Use* /*frames*/, uint64_t v, uint32_t /*count*/,
                             ValueOf<T> (&values)[32]) {
    const auto all = view_as<T>(column.nodes[kNode].patches.values);
    const auto fill = static_cast<T>(column.nodes[kNode].frames.base);
    Ranked<kNode, T>::for_each(cta, shared, column, v, [&](uint32_t n, bool marked, uint32_t rank) {
      values[n] = marked ? cta.load(all, rank - 1) : fill;
    });
  }
};

}  // namespace bobbin::plan
