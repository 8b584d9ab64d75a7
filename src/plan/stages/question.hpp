// SPDX-License-Identifier: Apache-2.0
// What the tests and folds of a composed kernel know about a vector, and how they get at its values.
#pragma once

#include <cstdint>
#include <type_traits>

#include "plan/stages/slots.hpp"
#include "plan/uses.hpp"

namespace bobbin::plan {

// Whether the values of a slot are computed from those of others (computed.hpp).
template <class Slot>
inline constexpr bool kComputed = requires { typename Slot::Formula; };

template <class Kernel, class Cta>
struct Question {
  const Kernel& kernel;
  Cta& cta;
  typename Kernel::Shared& shared;
  typename Kernel::States& states;
  uint64_t v;
  uint32_t place;     // of the vector in its group
  uint64_t last = 0;  // where the block's vectors end

  // Value n of a slot.
  template <uint32_t K>
  [[nodiscard]] BOBBIN_HD auto value(uint32_t n) {
    using Slot = typename Kernel::template SlotAt<K>;
    if constexpr (kComputed<Slot>) {
      return Slot::value(*this, n);
    } else {
      return Slot::value(cta, get<K>(shared.slots), get<K>(states), n);
    }
  }
};

template <class Q, uint32_t K>
using SlotOf = typename std::remove_cvref_t<decltype(Q::kernel)>::template SlotAt<K>;

// Whether a slot's packed values cannot be used as they are in this vector.
template <uint32_t kSlot, class Q>
[[nodiscard]] BOBBIN_HD bool is_slow_slot(Q& q) {
  using Slot = SlotOf<Q, kSlot>;
  if constexpr (kComputed<Slot>) {
    return Slot::Formula::is_slow(q);
  } else if constexpr (Slot::kPacked) {
    return get<kSlot>(q.states).use.way == Use::Way::slow;
  } else {
    return false;
  }
}
// The number in a vector of a thread's row r, strided.
template <class Cta>
[[nodiscard]] BOBBIN_HD uint32_t strided_row(Cta& cta, uint32_t r) {
  return r * simt::kWarpSize + cta.lane();
}
// Value i of the vector of such a slot, or of a packed one.
template <uint32_t kSlot, class Q>
[[nodiscard]] BOBBIN_HD auto slow_value(Q& q, uint32_t i) {
  using Slot = SlotOf<Q, kSlot>;
  if constexpr (kComputed<Slot>) {
    return Slot::slow_value(q, i);
  } else if constexpr (Slot::kPacked) {
    return Slot::row(q.cta, q.kernel, get<kSlot>(q.states).use, i);
  } else {
    return typename Slot::Element{0};  // no other slot is slow
  }
}

// Rows of a mask of columns that are null in none of them, strided.
template <uint32_t kColumns, class Q>
[[nodiscard]] BOBBIN_HD uint32_t valid_in_all(Q& q) {
  uint32_t valid = ~uint32_t{0};
  BOBBIN_UNROLL
  for (uint32_t c = 0; c < kMaxColumns; ++c) {
    if ((kColumns >> c & 1) != 0) {
      valid &= valid_bits(q.cta, q.kernel.columns[c], q.v);
    }
  }
  return valid;
}

}  // namespace bobbin::plan
