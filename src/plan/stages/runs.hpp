// SPDX-License-Identifier: Apache-2.0
// Sinks of kernels whose rows are runs (RunInput): folds.hpp, with each run counted as the rows that it has.
// A run that has none of the rows asked for adds nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "plan/stages/folds.hpp"

namespace bobbin::plan {

// The rows of a thread's runs, in a layout; 0 where there is no run. They are loaded together, before it is
// known which runs match, so that loads do not wait for each other.
template <class Layout>
struct RowsOfRuns {
  uint32_t rows[32];

  template <class Q>
  BOBBIN_HD explicit RowsOfRuns(Q& q) {
    const RunInput& runs = q.kernel.runs;
    const uint64_t first = q.v * kVectorLength - q.kernel.begin;  // may wrap around: not inside
    if (first - 1 < runs.ends.size && first + kVectorLength <= runs.ends.size &&
        q.cta.load(runs.ends, first - 1) >= runs.begin &&
        q.cta.load(runs.ends, first + kVectorLength - 1) <= runs.end) {
      const uint64_t before = first - 1 + opaque(Layout::index(q.cta.lane(), 0));
      const simt::Global<const uint32_t> ends{runs.ends.data + before, runs.ends.size - before};
      BOBBIN_UNROLL
      for (uint32_t n = 0; n < 32; ++n) {
        rows[n] = q.cta.load(ends, Layout::index(0, n) + 1);
      }
      BOBBIN_UNROLL
      for (uint32_t n = 0; n < 32; ++n) {
        rows[n] -= q.cta.load(ends, Layout::index(0, n));
      }
      return;
    }
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      rows[n] = 0;
    }
    change_slowly(rows, [&](uint32_t n, uint32_t /*nothing*/) {
      const uint64_t run = first + Layout::index(q.cta.lane(), n);
      return run < runs.ends.size ? runs.length(q.cta, run) : 0;
    });
  }
};

template <uint32_t kTheFold>
struct CountOfRuns : Count<kTheFold> {
  static constexpr bool kOfRows = false;
  static constexpr bool kCountsBytes = false;

  template <class RowLayout, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t count(Q& q, uint32_t rows) {
    const RowsOfRuns<RowLayout> runs(q);
    uint32_t count = 0;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      count += (rows >> RowLayout::bit(n) & 1) != 0 ? runs.rows[n] : 0;
    }
    return count;
  }
};

// Sums of integers: each value times its rows. There are fewer than 2^32 rows, so that 64 bits hold the sum
// of such products of 32 bits.
template <uint32_t kTheFold, uint32_t kTheSlot, Numbers kNumbers, class TheMap = AsIs>
struct SumOfRuns : Sum<kTheFold, kTheSlot, kNumbers, TheMap> {
  static_assert(kNumbers != Numbers::reals, "sums of floats have a defined order");
  using Base = Sum<kTheFold, kTheSlot, kNumbers, TheMap>;
  static constexpr bool kOfRows = false;
  template <class Slot>
  static constexpr bool kSumsBytes = false;
  using Map = TheMap;
  template <class Slot>
  using Element = typename Base::template Element<Slot>;
  template <class Slot>
  static constexpr bool kOfWords = false;
  template <class Slot>
  static constexpr bool kOfDifferences = false;
  template <class Slot>
  static constexpr bool kOfEntries = false;

  template <class Slot>
  struct Part {
    uint32_t rows = 0;
    WideSum sum;

    BOBBIN_HD void add(Element<Slot> value, uint32_t times) {
      // Packed integers are added without their reference.
      constexpr bool kSigned = Base::kSigned && !Base::template kDirect<Slot>;
      rows += times;
      if constexpr (sizeof(Element<Slot>) == 8) {
        WideSum one;
        add_to<Element<Slot>>(one, value, kSigned);
        sum.low += one.low * times;
        sum.high += one.high * times;
      } else {
        Adder<Element<Slot>> product;
        product.add({}, value, times, kSigned);
        sum.low += product.total;
      }
    }
  };

  template <class Slot, class Q, class F>
  BOBBIN_HD static void with_part(Q& q, typename Map::Shared& memory, F&& f) {
    const RowsOfRuns<typename Slot::Layout> runs(q);
    Part<Slot> part;
    f(part, [&](uint32_t n, auto value, bool hit) {
      part.add(static_cast<Element<Slot>>(Base::template mapped<Slot>(q, memory, value, hit)),
               hit ? runs.rows[n] : 0);
    });
  }
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void finish(Q& q, const Part<Slot>& part, uint32_t /*runs*/, Total& total) {
    total.count += part.rows;
    total.sum.add(part.sum, 0, 0, Base::kSigned);
    carry(total.sum);
    if constexpr (Base::template kDirect<Slot>) {
      total.sum.add({}, static_cast<Element<Slot>>(get<kTheSlot>(q.states).use.low), part.rows,
                    Base::kSigned);
      carry(total.sum);
    }
  }
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void add_slow(Q& q, typename Map::Shared& memory, uint32_t runs, Total& total) {
    if constexpr (Slot::kPacked) {
      const uint32_t strided = Slot::Layout::exchange(q.cta, runs);
      BOBBIN_ROLL
      for (uint32_t r = 0; r < 32; ++r) {
        if ((strided >> r & 1) != 0) {
          const uint64_t first = q.v * kVectorLength - q.kernel.begin;
          const uint32_t i = strided_row(q.cta, r);
          const uint32_t rows = q.kernel.runs.length(q.cta, first + i);
          total.count += rows;
          total.sum.add({}, Base::template slow_element<Slot>(q, memory, i), rows, Base::kSigned);
          carry(total.sum);
        }
      }
    }
  }

 private:
  // Sums of 32-bit halves of up to 2^32 rows must not be added up without it.
  template <class T>
  BOBBIN_HD static void carry(Adder<T>& sum) {
    if constexpr (sizeof(T) == 8) {
      sum.total.high += sum.total.low >> 32;
      sum.total.low &= 0xffffffff;
    }
  }
};

template <uint32_t kTheFold, uint32_t kTheSlot, Numbers kNumbers, class TheMap = AsIs>
struct MinMaxOfRuns : MinMax<kTheFold, kTheSlot, kNumbers, TheMap> {
  using Base = MinMax<kTheFold, kTheSlot, kNumbers, TheMap>;
  struct Part {
    Extremes& extremes;
    uint32_t rows = 0;
  };

  template <class Slot, class Q, class F>
  BOBBIN_HD static void with_part(Q& q, typename TheMap::Shared& memory, F&& f) {
    const RowsOfRuns<typename Slot::Layout> runs(q);
    Base::template with_part<Slot>(q, memory, [&](Extremes& extremes, auto&& one) {
      Part part{extremes};
      f(part, [&](uint32_t n, auto value, bool hit) {
        part.rows += hit ? runs.rows[n] : 0;
        one(n, value, hit && runs.rows[n] != 0);
      });
    });
  }
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void finish(Q& q, const Part& part, uint32_t /*runs*/, Total& total) {
    Base::template finish<Slot>(q, part.extremes, part.rows, total);
  }
};

}  // namespace bobbin::plan
