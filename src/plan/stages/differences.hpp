// SPDX-License-Identifier: Apache-2.0
// Range tests of columns of differences (delta of order 1) without a prefix sum. The frame of a vector and
// the value before it bound the vector's values, so a range often contains all of them or none. If none, no
// packed word is read. If all, the sum of the values is the sum of the differences, each times the number of
// values that it is part of.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/dot_bytes.hpp"
#include "plan/stages/slots.hpp"
#include "plan/stages/tests.hpp"
#include "plan/stages/values.hpp"
#include "plan/uses.hpp"

namespace bobbin::plan {

// The packed differences of a slot of values that were summed up, if all have one width.
template <class Slot>
struct DifferencesOf {
  static constexpr bool kAny = false;
};
template <uint32_t kColumn, uint32_t kNode, uint32_t kUnpackNode, class T, class List>
struct DifferencesOf<Made<kColumn, SumUp<kNode, 1, Neighbours<Unpack<kUnpackNode, T, List>>>>> {
  static constexpr bool kAny = List::kOne;
  static constexpr uint32_t kWidth = List::kMost;
};

// Bounds of the values of a vector, as integers without overflow.
template <class T>
struct SummedBounds {
  // Larger differences and values are not bounded: all below fits 64 bits.
  static constexpr uint32_t kMostWidth = 40;
  static constexpr int64_t kMostDifference = int64_t{1} << 40;
  static constexpr int64_t kMostValue = int64_t{1} << 62;

  int64_t least = 0;
  int64_t greatest = 0;
  bool known = false;
  bool in_type = false;  // none wraps around

  [[nodiscard]] BOBBIN_HD static SummedBounds of(T before, T reference, uint32_t width, bool is_signed) {
    using Signed = std::make_signed_t<T>;
    const auto base =
        is_signed ? int64_t{static_cast<Signed>(before)} : static_cast<int64_t>(uint64_t{before});
    const int64_t low = static_cast<Signed>(reference);
    if (width > kMostWidth || low > kMostDifference || low < -kMostDifference || base > kMostValue ||
        base < (is_signed ? -kMostValue : 0)) {
      return {};
    }
    constexpr int64_t kSteps = kVectorLength;
    const int64_t high = low + static_cast<int64_t>(low_mask<uint64_t>(width));
    SummedBounds bounds{base + (low < 0 ? kSteps : 1) * low, base + (high > 0 ? kSteps : 1) * high, true,
                        true};
    if constexpr (sizeof(T) == 8) {
      bounds.in_type = is_signed || bounds.least >= 0;
    } else {
      constexpr int64_t kTypes = int64_t{1} << kBits<T>;
      bounds.in_type = bounds.least >= (is_signed ? -kTypes / 2 : 0) &&
                       bounds.greatest < (is_signed ? kTypes / 2 : kTypes);
    }
    return bounds;
  }

  // Whether a range has none or all of the values; otherwise `direct`. `joined`: all, and their sum is that
  // of the differences.
  [[nodiscard]] BOBBIN_HD Use::Way way(const KeyRange& range) const {
    const auto size = static_cast<uint64_t>(greatest - least);
    const T from = static_cast<T>(static_cast<T>(least) - static_cast<T>(range.low));
    if (!known || size > static_cast<T>(~from)) {
      return Use::Way::direct;
    }
    if (from > static_cast<T>(range.span)) {
      return Use::Way::none;
    }
    if (from + size > static_cast<T>(range.span)) {
      return Use::Way::direct;
    }
    return in_type ? Use::Way::joined : Use::Way::all;
  }
};

// Values in the range of a step, of a column whose first node unpacks differences and whose second sums them
// up. What the bounds say is prepared for each vector as leaf kLeaf, with the value before the first.
template <uint32_t kStep, uint32_t kSlot, uint32_t kLeaf, bool kNegated = false>
struct InSummedRange : InRange<kStep, kSlot, false, kNegated> {
  using Values = InRange<kStep, kSlot, false, kNegated>;
  static constexpr uint32_t kLeaves = 1U << kLeaf;
  static constexpr bool kBounded = true;

  template <uint32_t L, class Slots, class Cta>
  [[nodiscard]] BOBBIN_HD static Use use(Cta& cta, const Uses& query, uint64_t v) {
    using T = typename ItemAt<kSlot, Slots>::Element;
    const ColumnPlan& column = query.columns[ItemAt<kSlot, Slots>::kColumn];
    const auto frame = column.nodes[0].frames.template frame<T>(cta, v);
    const T before = cta.load(view_as<T>(column.nodes[1].extra), v);
    const auto bounds = SummedBounds<T>::of(before, frame.reference, frame.width, column.is_signed);
    Use use{.way = bounds.way(query.steps[kStep].range)};
    use.low = before;
    if (kNegated) {
      use.way = use.way == Use::Way::none     ? (bounds.in_type ? Use::Way::joined : Use::Way::all)
                : use.way == Use::Way::direct ? Use::Way::direct
                                              : Use::Way::none;
    }
    return use;
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool is_none(Q& q) {
    return q.kernel.leaf_use(q, kLeaf).way == Use::Way::none;
  }
  template <uint32_t kLoaded, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t bits(Q& q) {
    const Use use = q.kernel.leaf_use(q, kLeaf);
    if (use.way == Use::Way::direct) {
      return Values::template bits<kLoaded>(q);
    }
    // The slot is loaded here if what follows expects that.
    q.kernel.template load<ValueTest<kSlot>::kSlots, kLoaded>(q);
    return ValueTest<kSlot>::template finish<false>(q, use.way == Use::Way::none ? 0 : ~uint32_t{0});
  }
};

// The sum of a thread's packed differences, each times the number of the vector's values that it is part of.
template <class T, uint32_t W>
[[nodiscard]] BOBBIN_HD uint64_t sum_of_sums(const Lane<T, W>& lane, uint32_t first) {
  static_assert(sizeof(T) >= 4);
  // Value n of the thread is number first + n * kStep. `sums`: of the thread's differences up to each.
  constexpr uint32_t kStep = SpreadLayout<T>::index(0, 1);
  using Sum = std::conditional_t<(W <= 22), uint32_t, uint64_t>;
  Sum all = 0;
  Sum sums = 0;
  if constexpr (W == 8) {
    constexpr uint32_t kOnes = 0x01010101;
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < W; ++k) {
      all = dot_bytes(lane.words[k], kOnes, all);
      sums = dot_bytes(lane.words[k], (32 - 4 * k) * kOnes - 0x03020100, sums);
    }
  } else {
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      all += static_cast<Sum>(lane.value(n));
      sums += all;
    }
  }
  return uint64_t{kStep} * sums + static_cast<uint64_t>(int64_t{kVectorLength} - 32 * kStep - first) * all;
}

}  // namespace bobbin::plan
