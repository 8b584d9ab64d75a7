// SPDX-License-Identifier: Apache-2.0
// Predicates as types. A test has a word with a bit for each of a thread's rows, for which it loads its slot
// unless that is among those of the mask kLoaded; trees combine such words. Where all values are of one slot,
// a tree also has an answer for a single value, so that test and fold are one pass.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "plan/stages/question.hpp"
#include "plan/stages/slots.hpp"
#include "plan/values.hpp"

namespace bobbin::plan {

// What tests of values have in common. kUse: none, or the number of what is prepared for each vector.
// kOfRows: single rows can be tested, without loading the slot (Composition::kSparse).
template <uint32_t kSlot>
struct ValueTest {
  static constexpr uint32_t kSlots = 1U << kSlot;
  static constexpr uint32_t kLeaves = 0;
  static constexpr bool kOfValues = true;
  static constexpr bool kPackedRange = false;
  static constexpr bool kOfRows = false;
  static constexpr bool kOfBytes = false;  // values of 4 or 8 bits can be tested four at a time

  // Whether no row of the vector satisfies the test, as far as that is known before the slot is loaded.
  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool is_none(Q& /*q*/) {
    return false;
  }

  // Rows of the slot that satisfy test(n), in the layout of the rows of the query.
  template <bool kNegated, class Q, class Test>
  [[nodiscard]] BOBBIN_HD static uint32_t collect(Q& q, Test&& test) {
    using Slot = typename std::remove_cvref_t<decltype(q.kernel)>::template SlotAt<kSlot>;
    uint32_t hits = 0;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      hits |= test(n) ? 1U << Slot::Layout::bit(n) : 0;
    }
    return finish<kNegated>(q, hits);
  }
  // Bits in the slot's layout to those of rows.
  template <bool kNegated, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t finish(Q& q, uint32_t hits) {
    using Kernel = std::remove_cvref_t<decltype(q.kernel)>;
    using Slot = typename Kernel::template SlotAt<kSlot>;
    hits = kNegated ? ~hits : hits;
    if constexpr (Slot::kNulls) {
      hits &= get<kSlot>(q.states).valid;
    }
    return convert<typename Slot::Layout, typename Kernel::RowLayout>(q.cta, hits);
  }
};

// Packed integers in the range of step kStep, which is prepared for each vector as leaf kLeaf.
template <uint32_t kStep, uint32_t kSlot, uint32_t kLeaf, bool kNegated = false>
struct InPackedRange : ValueTest<kSlot> {
  static constexpr uint32_t kLeaves = 1U << kLeaf;
  static constexpr bool kPackedRange = !kNegated;  // nothing but a range of packed integers
  static constexpr bool kOfBytes = true;
  static constexpr bool kOfRows = true;

  template <uint32_t L, class Slots, class Cta>
  [[nodiscard]] BOBBIN_HD static Use use(Cta& cta, const Uses& query, uint64_t v) {
    using Slot = ItemAt<kSlot, Slots>;
    Use use =
        query.template test_use<typename Slot::Element, typename Slot::Known>(cta, query.steps[kStep], v);
    const uint64_t top = low_mask<uint64_t>(use.width);
    if (use.way == Use::Way::direct && use.span > top - use.low) {
      // It wraps around; the integers that do not match are a range that does not.
      use.low = (use.low + use.span + 1) & top;
      use.span = top - use.span - 1;
      use.way = Use::Way::outside;
    }
    return use;
  }
  // If it is not negated.
  [[nodiscard]] BOBBIN_HD static const KeyRange& range(const Uses& query) { return query.steps[kStep].range; }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool is_none(Q& q) {
    return q.kernel.leaf_use(q, kLeaf).way == (kNegated ? Use::Way::all : Use::Way::none);
  }
  template <uint32_t kLoaded, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t bits(Q& q) {
    q.kernel.template load<ValueTest<kSlot>::kSlots, kLoaded>(q);
    using Kernel = std::remove_cvref_t<decltype(q.kernel)>;
    using Slot = typename Kernel::template SlotAt<kSlot>;
    const Use use = q.kernel.leaf_use(q, kLeaf);
    if (use.way == Use::Way::slow) {
      return ValueTest<kSlot>::template finish<kNegated>(q, slow_bits<Slot>(q, use));
    }
    if (use.way == Use::Way::all || use.way == Use::Way::none) {
      return ValueTest<kSlot>::template finish<kNegated>(q, use.way == Use::Way::all ? ~uint32_t{0} : 0);
    }
    const uint32_t flip = use.way == Use::Way::outside ? ~uint32_t{0} : 0;
    return ValueTest<kSlot>::template finish<kNegated>(q, direct_bits<Slot>(q, use) ^ flip);
  }

  // Whether row i of the vector satisfies the test.
  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool holds_row(Q& q, uint32_t i) {
    const Step& step = q.kernel.steps[kStep];
    const bool is_float = SlotOf<Q, kSlot>::kMayBeFloat && step.is_float;
    return step.range.holds(slow_value<kSlot>(q, i), is_float) != kNegated;
  }

  // Whether a code of a dictionary satisfies the test.
  template <class Kernel>
  [[nodiscard]] BOBBIN_HD static bool holds_code(const Kernel& kernel, uint32_t code) {
    using T = typename Kernel::template SlotAt<kSlot>::Element;
    return kernel.steps[kStep].range.template holds<T>(static_cast<T>(code), false) != kNegated;
  }

  // Four values at a time, in bytes: the highest bits of those that satisfy the test.
  template <class Slot>
  struct Bytes {
    using T = typename Slot::Element;
    static constexpr uint32_t kWidth = Slot::Known::kMost;
    const Lane<T, kWidth>& lane;
    uint32_t from;
    uint32_t to;
    uint32_t flip;
    bool usable;

    [[nodiscard]] BOBBIN_HD uint32_t operator()(uint32_t g) const {
      return bytes_within<kWidth>(bytes_of(lane, g), from, to) ^ flip;
    }
  };
  template <class Q>
  [[nodiscard]] BOBBIN_HD static auto bytes(Q& q) {
    using Slot = typename std::remove_cvref_t<decltype(q.kernel)>::template SlotAt<kSlot>;
    constexpr uint32_t kOnes = kLaneOnes<8>;
    const Use use = q.kernel.leaf_use(q, kLeaf);
    const bool all = use.way == Use::Way::all || use.way == Use::Way::none;
    const bool flip = (use.way == Use::Way::outside || use.way == Use::Way::none) != kNegated;
    return Bytes<Slot>{.lane = get<kSlot>(q.states).lane,
                       .from = all ? 0 : static_cast<uint32_t>(use.low) * kOnes,
                       .to = all ? low_mask<uint32_t>(Slot::Known::kMost) * kOnes
                                 : static_cast<uint32_t>(use.low + use.span) * kOnes,
                       .flip = flip ? kOnes << 7 : 0,
                       .usable = use.way != Use::Way::slow};
  }

  // One value at a time.
  template <class Slot>
  struct Range {
    typename Slot::Value low;
    typename Slot::Value span;

    BOBBIN_HD explicit Range(const Use& use)
        : low(static_cast<typename Slot::Value>(use.low)),
          span(static_cast<typename Slot::Value>(use.span)) {}
    [[nodiscard]] BOBBIN_HD bool holds(typename Slot::Value value) const {
      return static_cast<typename Slot::Value>(value - low) <= span;
    }
  };
  template <class Slot>
  struct Single {
    Range<Slot> range;
    bool usable;

    [[nodiscard]] BOBBIN_HD bool operator()(typename Slot::Value value) const {
      return range.holds(value) != kNegated;
    }
  };
  template <class Q>
  [[nodiscard]] BOBBIN_HD static auto single(Q& q) {
    using Slot = typename std::remove_cvref_t<decltype(q.kernel)>::template SlotAt<kSlot>;
    Use use = q.kernel.leaf_use(q, kLeaf);
    if (use.way == Use::Way::all) {
      use.low = 0;
      use.span = ~uint64_t{0};
      use.way = Use::Way::direct;
    }
    return Single<Slot>{Range<Slot>(use), use.way == Use::Way::direct && Slot::Known::has(use.width)};
  }

 private:
  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t direct_bits(Q& q, const Use& use) {
    using T = typename Slot::Element;
    constexpr uint32_t kWidth = Slot::Known::kMost;
    if constexpr (Slot::Known::kOne && kTestsBytes<T, kWidth>) {
      return test_bytes<T, kWidth>(get<kSlot>(q.states).lane, static_cast<uint32_t>(use.low),
                                   static_cast<uint32_t>(use.span));
    } else if constexpr (Slot::Known::kOne) {
      return test_lane<T, kWidth>(get<kSlot>(q.states).lane,
                                  {static_cast<T>(use.low), static_cast<T>(use.span), false});
    } else {
      const Range<Slot> range(use);
      uint32_t hits = 0;
      BOBBIN_UNROLL
      for (uint32_t n = 0; n < 32; ++n) {
        hits |= range.holds(q.template value<kSlot>(n)) ? 1U << Slot::Layout::bit(n) : 0;
      }
      return hits;
    }
  }
  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t slow_bits(Q& q, const Use& use) {
    using T = typename Slot::Element;
    const Step& step = q.kernel.steps[kStep];
    const uint32_t inside = rows_inside(q.v, q.cta.lane(), q.kernel.begin, q.kernel.end);
    const bool is_float = Slot::kMayBeFloat && step.is_float;
    const uint32_t hits = test_values<T, 1>(inside, step.range, is_float, [&](uint32_t r) {
      return Slot::row(q.cta, q.kernel, use, strided_row(q.cta, r));
    });
    return Slot::Layout::exchange(q.cta, hits);
  }
};

// Values whose keys are in the range of a step.
template <uint32_t kStep, uint32_t kSlot, bool kFloat = false, bool kNegated = false>
struct InRange : ValueTest<kSlot> {
  template <class Slot>
  struct Single {
    KeyRange range;
    bool usable = true;

    [[nodiscard]] BOBBIN_HD bool operator()(typename Slot::Value value) const {
      using T = typename Slot::Element;
      return range.holds<T>(static_cast<T>(value), kFloat) != kNegated;
    }
  };
  template <class Q>
  [[nodiscard]] BOBBIN_HD static auto single(Q& q) {
    using Slot = typename std::remove_cvref_t<decltype(q.kernel)>::template SlotAt<kSlot>;
    return Single<Slot>{q.kernel.steps[kStep].range};
  }
  template <uint32_t kLoaded, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t bits(Q& q) {
    q.kernel.template load<ValueTest<kSlot>::kSlots, kLoaded>(q);
    using Slot = typename std::remove_cvref_t<decltype(q.kernel)>::template SlotAt<kSlot>;
    const KeyRange range = q.kernel.steps[kStep].range;
    using T = typename Slot::Element;
    return ValueTest<kSlot>::template collect<kNegated>(
        q, [&](uint32_t n) { return range.holds<T>(static_cast<T>(q.template value<kSlot>(n)), kFloat); });
  }
};

// The same for floats, compared as floats: if neither end is a zero or a NaN, that is the same.
template <uint32_t kStep, uint32_t kSlot, bool kNegated = false>
struct BetweenReals : ValueTest<kSlot> {
  template <class Slot>
  struct Single {
    using T = typename Slot::Element;
    using Float = std::conditional_t<sizeof(T) == 8, double, float>;
    Float low;
    Float high;
    bool usable = true;

    [[nodiscard]] BOBBIN_HD bool operator()(typename Slot::Value value) const {
      const auto real = std::bit_cast<Float>(static_cast<T>(value));
      return (real >= low && real <= high) != kNegated;
    }
  };
  template <class Q>
  [[nodiscard]] BOBBIN_HD static auto single(Q& q) {
    using Slot = typename std::remove_cvref_t<decltype(q.kernel)>::template SlotAt<kSlot>;
    using S = Single<Slot>;
    const KeyRange& range = q.kernel.steps[kStep].range;
    return S{end<S>(range.low), end<S>(range.low + range.span)};
  }
  template <uint32_t kLoaded, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t bits(Q& q) {
    q.kernel.template load<ValueTest<kSlot>::kSlots, kLoaded>(q);
    const auto one = single(q);
    return ValueTest<kSlot>::template collect<false>(
        q, [&](uint32_t n) { return one(q.template value<kSlot>(n)); });
  }

 private:
  template <class S>
  [[nodiscard]] BOBBIN_HD static typename S::Float end(uint64_t key) {
    using Key = std::make_signed_t<typename S::T>;
    return std::bit_cast<typename S::Float>(turn_negative(static_cast<Key>(key)));
  }
};

// The same, for floats with exceptions: their packed integers may be tested, which leaf kLeaf prepares.
template <uint32_t kStep, uint32_t kSlot, uint32_t kLeaf>
struct InPatchedRange : BetweenReals<kStep, kSlot> {
  static constexpr uint32_t kLeaves = 1U << kLeaf;
  static constexpr bool kPackedRange = true;

  template <uint32_t L, class Slots, class Cta>
  [[nodiscard]] BOBBIN_HD static Use use(Cta& cta, const Uses& query, uint64_t v) {
    using Slot = ItemAt<kSlot, Slots>;
    return query.template test_use<typename Slot::Element, typename Slot::Known>(cta, query.steps[kStep], v);
  }
};

// Codes with a bit in the table of a step.
template <uint32_t kStep, uint32_t kSlot, bool kNegated = false>
struct InTable : ValueTest<kSlot> {
  template <class Q>
  struct Single {
    Q& q;
    bool usable = true;

    template <class Value>
    [[nodiscard]] BOBBIN_HD bool operator()(Value value) const {
      const Step& step = q.kernel.steps[kStep];
      const uint64_t code = value < step.last ? value : step.last;
      return ((q.cta.load(step.table, code / 32) >> (code % 32) & 1) != 0) != kNegated;
    }
  };
  template <class Q>
  [[nodiscard]] BOBBIN_HD static auto single(Q& q) {
    return Single<Q>{q};
  }
  template <uint32_t kLoaded, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t bits(Q& q) {
    q.kernel.template load<ValueTest<kSlot>::kSlots, kLoaded>(q);
    const Single<Q> one{q};
    return ValueTest<kSlot>::template collect<false>(
        q, [&](uint32_t n) { return one(q.template value<kSlot>(n)); });
  }
};

// What tests without values have in common.
struct BitTest {
  static constexpr bool kOfRows = false;
  static constexpr bool kOfBytes = false;
  static constexpr uint32_t kSlots = 0;
  static constexpr uint32_t kLeaves = 0;
  static constexpr bool kOfValues = false;
  static constexpr bool kPackedRange = false;

  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool is_none(Q& /*q*/) {
    return false;
  }
};

// Null rows of a column, or rows with a bit in a bitmap: kSet says which bits count.
template <uint32_t kColumn, bool kSet>
struct Bits : BitTest {
  template <uint32_t kLoaded, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t bits(Q& q) {
    using Kernel = std::remove_cvref_t<decltype(q.kernel)>;
    const uint32_t valid = valid_bits(q.cta, q.kernel.columns[kColumn], q.v);
    return Kernel::RowLayout::exchange(q.cta, kSet ? valid : ~valid);
  }
};

// Two predicates. kAnd: both, otherwise either.
template <bool kAnd, class A, class B>
struct Two {
  static constexpr uint32_t kSlots = A::kSlots | B::kSlots;
  static constexpr uint32_t kLeaves = A::kLeaves | B::kLeaves;
  static constexpr bool kOfValues = A::kOfValues && B::kOfValues;
  static constexpr bool kPackedRange = false;
  static constexpr bool kOfRows = A::kOfRows && B::kOfRows;
  static constexpr bool kOfBytes = A::kOfBytes && B::kOfBytes;

  template <uint32_t L, class Slots, class Cta>
  [[nodiscard]] BOBBIN_HD static Use use(Cta& cta, const Uses& query, uint64_t v) {
    if constexpr ((A::kLeaves >> L & 1) != 0) {
      return A::template use<L, Slots>(cta, query, v);
    } else {
      return B::template use<L, Slots>(cta, query, v);
    }
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool is_none(Q& q) {
    return kAnd ? A::is_none(q) || B::is_none(q) : A::is_none(q) && B::is_none(q);
  }
  template <uint32_t kLoaded, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t bits(Q& q) {
    const uint32_t a = A::template bits<kLoaded>(q);
    const uint32_t b = B::template bits<kLoaded | A::kSlots>(q);
    return kAnd ? a & b : a | b;
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool holds_row(Q& q, uint32_t i) {
    const bool a = A::holds_row(q, i);
    return kAnd ? a && B::holds_row(q, i) : a || B::holds_row(q, i);
  }

  template <class Kernel>
  [[nodiscard]] BOBBIN_HD static bool holds_code(const Kernel& kernel, uint32_t code) {
    const bool a = A::holds_code(kernel, code);
    return kAnd ? a && B::holds_code(kernel, code) : a || B::holds_code(kernel, code);
  }

  template <class BytesA, class BytesB>
  struct Bytes {
    BytesA a;
    BytesB b;
    bool usable;

    [[nodiscard]] BOBBIN_HD uint32_t operator()(uint32_t g) const { return kAnd ? a(g) & b(g) : a(g) | b(g); }
  };
  template <class Q>
  [[nodiscard]] BOBBIN_HD static auto bytes(Q& q) {
    auto a = A::bytes(q);
    auto b = B::bytes(q);
    const bool usable = a.usable && b.usable;
    return Bytes<decltype(a), decltype(b)>{a, b, usable};
  }

  template <class SingleA, class SingleB>
  struct Single {
    SingleA a;
    SingleB b;
    bool usable;

    template <class Value>
    [[nodiscard]] BOBBIN_HD bool operator()(Value value) const {
      return kAnd ? a(value) && b(value) : a(value) || b(value);
    }
  };
  template <class Q>
  [[nodiscard]] BOBBIN_HD static auto single(Q& q) {
    auto a = A::single(q);
    auto b = B::single(q);
    const bool usable = a.usable && b.usable;
    return Single<decltype(a), decltype(b)>{a, b, usable};
  }
};
template <class A, class B>
using And = Two<true, A, B>;
template <class A, class B>
using Or = Two<false, A, B>;

// Predicates that must all hold, as one.
template <class... Tests>
struct AllOf;
template <class First, class... Rest>
struct AllOf<First, Rest...> : Two<true, First, AllOf<Rest...>> {};
template <class Last>
struct AllOf<Last> : Last {};

// Every row.
struct Everything : BitTest {
  static constexpr bool kOfValues = true;

  struct Single {
    bool usable = true;

    template <class Value>
    [[nodiscard]] BOBBIN_HD bool operator()(Value /*value*/) const {
      return true;
    }
  };
  template <class Q>
  [[nodiscard]] BOBBIN_HD static Single single(Q& /*q*/) {
    return {};
  }
  template <class Kernel>
  [[nodiscard]] BOBBIN_HD static bool holds_code(const Kernel& /*kernel*/, uint32_t /*code*/) {
    return true;
  }
  template <uint32_t kLoaded, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t bits(Q& /*q*/) {
    return ~uint32_t{0};
  }
};

template <>
struct AllOf<> : Everything {};

}  // namespace bobbin::plan
