// SPDX-License-Identifier: Apache-2.0
// A sink that hands each matching value to a functor.
#pragma once

#include <cstdint>

#include "plan/stages/folds.hpp"

namespace bobbin::plan {

// Calls F::add(cta, input, row, value) for each row that matches and is not null: `value` has the bits of the
// slot's value, `row` counts from the column's first. What F adds up is in memory that `input.totals` names.
template <uint32_t kTheSlot, class F>
struct ForEach {
  static constexpr uint32_t kSlot = kTheSlot;
  static constexpr uint32_t kSlots = 1U << kSlot;
  static constexpr bool kOfValues = true;
  template <class Slot>
  static constexpr bool kOfWords = false;
  template <class Slot>
  static constexpr bool kOfDifferences = false;
  template <class Slot>
  static constexpr bool kOfEntries = false;
  using Map = AsIs;
  template <class Slot>
  struct TotalOf {};
  struct Part {};

  template <class Slot, class Q, class Call>
  BOBBIN_HD static void with_part(Q& q, Map::Shared& /*memory*/, Call&& call) {
    static_assert(!Slot::kPacked, "packed integers lack their reference");
    const uint64_t first = q.v * kVectorLength - q.kernel.begin;
    Part part;
    call(part, [&](uint32_t n, auto value, bool hit) {
      if (hit) {
        const uint64_t row = first + Slot::Layout::index(q.cta.lane(), n);
        F::add(q.cta, static_cast<const Uses&>(q.kernel), row, static_cast<typename Slot::Element>(value));
      }
    });
  }
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void finish(Q& /*q*/, const Part& /*part*/, uint32_t /*count*/, Total& /*total*/) {}
  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static bool is_slow(Q& /*q*/) {
    return false;
  }
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void add_slow(Q& /*q*/, Map::Shared& /*memory*/, uint32_t /*rows*/, Total& /*total*/) {}
  template <class Cta, class Total>
  BOBBIN_HD static void end(Cta& /*cta*/, const Uses& /*query*/, const Total& /*total*/) {}
};

}  // namespace bobbin::plan
