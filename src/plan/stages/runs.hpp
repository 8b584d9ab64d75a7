// SPDX-License-Identifier: Apache-2.0
// Sinks of kernels whose rows are runs (RunInput): folds.hpp, with each run counted as the rows that it has.
// A run that has none of the rows asked for adds nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "plan/stages/folds.hpp"

namespace bobbin::plan {

// The rows of run i of the vector; 0 if there is no such run. Sinks ask before they know whether the run
// matches, so that a thread's loads do not wait for each other.
template <class Q>
[[nodiscard]] BOBBIN_HD uint32_t rows_of_run(Q& q, uint32_t i) {
  const uint64_t run = q.v * kVectorLength + i - q.kernel.begin;  // may wrap around: not inside
  return run < q.kernel.runs.ends.size ? q.kernel.runs.length(q.cta, run) : 0;
}

template <uint32_t kTheFold>
struct CountOfRuns : Count<kTheFold> {
  template <class RowLayout, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t count(Q& q, uint32_t rows) {
    uint32_t count = 0;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      const uint32_t times = rows_of_run(q, RowLayout::index(q.cta.lane(), n));
      count += (rows >> RowLayout::bit(n) & 1) != 0 ? times : 0;
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
  using Map = TheMap;
  template <class Slot>
  using Element = typename Base::template Element<Slot>;
  template <class Slot>
  static constexpr bool kOfWords = false;

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
    Part<Slot> part;
    f(part, [&](uint32_t n, auto value, bool hit) {
      const uint32_t rows = rows_of_run(q, Slot::Layout::index(q.cta.lane(), n));
      part.add(static_cast<Element<Slot>>(Base::template mapped<Slot>(q, memory, value, hit)),
               hit ? rows : 0);
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
          const uint32_t rows = rows_of_run(q, StridedLayout::index(q.cta.lane(), r));
          total.count += rows;
          total.sum.add({}, Base::template slow_value<Slot>(q, memory, r), rows, Base::kSigned);
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
    Base::template with_part<Slot>(q, memory, [&](Extremes& extremes, auto&& one) {
      Part part{extremes};
      f(part, [&](uint32_t n, auto value, bool hit) {
        const uint32_t rows = rows_of_run(q, Slot::Layout::index(q.cta.lane(), n));
        part.rows += hit ? rows : 0;
        one(n, value, hit && rows != 0);
      });
    });
  }
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void finish(Q& q, const Part& part, uint32_t /*runs*/, Total& total) {
    Base::template finish<Slot>(q, part.extremes, part.rows, total);
  }
};

}  // namespace bobbin::plan
