// SPDX-License-Identifier: Apache-2.0
// Expressions as types: what they compute of the values of slots, one row at a time. A formula that is used
// by a test or a fold is a slot of its own, after those that it is computed from. All of these have one
// layout; either all of them are packed, or none is.
//
//   kSlots              the slots that it needs, as a mask
//   at(q, n)            of a thread's value n
//   slow(q, i)          of value i of the vector, in vectors whose packed values cannot be used as they are
//   is_slow(q)          whether this is one
//   valid(q)            rows where none of the slots is null, in their layout
//   limits(cta, query, v)   what the numbers of vector v lie between
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "plan/arithmetic.hpp"
#include "plan/stages/question.hpp"
#include "plan/stages/tests.hpp"

namespace bobbin::plan {

// What integers lie between, inclusive. Not known for reals, and not for integers of more than 62 bits, so
// that sums and differences of what is known do not overflow.
struct NumberLimits {
  int64_t least = 0;
  int64_t greatest = 0;
  bool known = false;

  [[nodiscard]] BOBBIN_HD static NumberLimits between(int64_t least, int64_t greatest) {
    constexpr int64_t kMost = int64_t{1} << 61;
    return {least, greatest, least >= -kMost && greatest <= kMost};
  }
};

// The value of a slot. Stored: the column's type.
template <uint32_t kSlot, class TheNumber, class Stored>
struct Of {
  using Number = TheNumber;
  static constexpr uint32_t kSlots = 1U << kSlot;

  template <class Q>
  [[nodiscard]] BOBBIN_HD static Number at(Q& q, uint32_t n) {
    using T = typename SlotOf<Q, kSlot>::Element;
    if constexpr (SlotOf<Q, kSlot>::kPacked) {
      const auto reference = static_cast<T>(get<kSlot>(q.states).use.low);
      return number(static_cast<T>(reference + static_cast<T>(q.template value<kSlot>(n))));
    } else {
      return number(static_cast<T>(q.template value<kSlot>(n)));
    }
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static Number slow(Q& q, uint32_t i) {
    return number(slow_value<kSlot>(q, i));
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool is_slow(Q& q) {
    return is_slow_slot<kSlot>(q);
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t valid(Q& q) {
    if constexpr (SlotOf<Q, kSlot>::kNulls) {
      return get<kSlot>(q.states).valid;
    } else {
      return ~uint32_t{0};
    }
  }
  // From the vector's reference and width, if its integers are packed and nothing else.
  template <class Slots, class Cta>
  [[nodiscard]] BOBBIN_HD static NumberLimits limits(Cta& cta, const Uses& query, uint64_t v) {
    if constexpr (std::is_floating_point_v<Stored>) {
      return {};
    } else {
      using T = std::make_unsigned_t<Stored>;
      const ColumnPlan& column = query.columns[ItemAt<kSlot, Slots>::kColumn];
      if (column.num_nodes != 1 || column.nodes[0].op != Op::unpack) {
        return {};
      }
      const auto frame = column.frames().template frame<T>(cta, v);
      const auto least = static_cast<Stored>(frame.reference);
      const auto greatest = static_cast<Stored>(frame.reference + low_mask<T>(frame.width));
      const bool wraps =
          greatest < least || (std::is_unsigned_v<Stored> && static_cast<int64_t>(greatest) < 0);
      return wraps ? NumberLimits{}
                   : NumberLimits::between(static_cast<int64_t>(least), static_cast<int64_t>(greatest));
    }
  }

 private:
  template <class T>
  [[nodiscard]] BOBBIN_HD static Number number(T bits) {
    static_assert(sizeof(T) == sizeof(Stored));
    return static_cast<Number>(std::bit_cast<Stored>(bits));
  }
};

// A constant, which is an argument of the kernel.
template <uint32_t kNumber, class TheNumber>
struct Fixed {
  using Number = TheNumber;
  static constexpr uint32_t kSlots = 0;

  template <class Q>
  [[nodiscard]] BOBBIN_HD static Number at(Q& q, uint32_t /*n*/) {
    const uint64_t bits = q.kernel.numbers[kNumber];
    if constexpr (std::is_floating_point_v<Number>) {
      return std::bit_cast<double>(bits);
    } else {
      return static_cast<Number>(bits);
    }
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static Number slow(Q& q, uint32_t i) {
    return at(q, i);
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool is_slow(Q& /*q*/) {
    return false;
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t valid(Q& /*q*/) {
    return ~uint32_t{0};
  }
  template <class Slots, class Cta>
  [[nodiscard]] BOBBIN_HD static NumberLimits limits(Cta& /*cta*/, const Uses& query, uint64_t /*v*/) {
    if constexpr (std::is_floating_point_v<Number>) {
      return {};
    } else {
      const auto number = static_cast<Number>(query.numbers[kNumber]);
      return NumberLimits::between(number, number);
    }
  }
};

// The limits of a sum, a difference or a product.
[[nodiscard]] BOBBIN_HD NumberLimits limits_of(Add /*op*/, const NumberLimits& a, const NumberLimits& b) {
  return NumberLimits::between(a.least + b.least, a.greatest + b.greatest);
}
[[nodiscard]] BOBBIN_HD NumberLimits limits_of(Subtract /*op*/, const NumberLimits& a,
                                               const NumberLimits& b) {
  return NumberLimits::between(a.least - b.greatest, a.greatest - b.least);
}
[[nodiscard]] BOBBIN_HD NumberLimits limits_of(Multiply /*op*/, const NumberLimits& a,
                                               const NumberLimits& b) {
  const auto size = [](const NumberLimits& limits) {
    const auto least = static_cast<double>(limits.least);
    const auto greatest = static_cast<double>(limits.greatest);
    return greatest > -least ? greatest : -least;
  };
  if (size(a) * size(b) > 0x1p60) {
    return {};
  }
  const int64_t products[] = {a.least * b.least, a.least * b.greatest, a.greatest * b.least,
                              a.greatest * b.greatest};
  NumberLimits made{products[0], products[0], true};
  BOBBIN_UNROLL
  for (const int64_t product : products) {
    made.least = product < made.least ? product : made.least;
    made.greatest = product > made.greatest ? product : made.greatest;
  }
  return made;
}

// What formulas of two formulas have in common. Apply::of() takes two numbers of type Operand.
template <class Apply, class Operand, class A, class B>
struct OfTwo {
  static constexpr uint32_t kSlots = A::kSlots | B::kSlots;

  template <class Q>
  [[nodiscard]] BOBBIN_HD static auto at(Q& q, uint32_t n) {
    return Apply::of(static_cast<Operand>(A::at(q, n)), static_cast<Operand>(B::at(q, n)));
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static auto slow(Q& q, uint32_t i) {
    return Apply::of(static_cast<Operand>(A::slow(q, i)), static_cast<Operand>(B::slow(q, i)));
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool is_slow(Q& q) {
    return A::is_slow(q) || B::is_slow(q);
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t valid(Q& q) {
    return A::valid(q) & B::valid(q);
  }
  template <class Slots, class Cta>
  [[nodiscard]] BOBBIN_HD static NumberLimits limits(Cta& cta, const Uses& query, uint64_t v) {
    if constexpr (std::is_floating_point_v<Operand>) {
      return {};
    } else {
      const NumberLimits a = A::template limits<Slots>(cta, query, v);
      const NumberLimits b = B::template limits<Slots>(cta, query, v);
      return a.known && b.known ? limits_of(Apply{}, a, b) : NumberLimits{};
    }
  }
};

template <class TheNumber, class A, class B>
struct Plus : OfTwo<Add, TheNumber, A, B> {
  using Number = TheNumber;
};
template <class TheNumber, class A, class B>
struct Minus : OfTwo<Subtract, TheNumber, A, B> {
  using Number = TheNumber;
};
template <class TheNumber, class A, class B>
struct Times : OfTwo<Multiply, TheNumber, A, B> {
  using Number = TheNumber;
};

struct Divide {
  [[nodiscard]] BOBBIN_HD static double of(double a, double b) { return a / b; }
};
// An integer as a real, divided by a power of ten.
template <class A, class B>
struct Quotient : OfTwo<Divide, double, A, B> {
  using Number = double;
};

// Another type for the same numbers.
template <class TheNumber, class A>
struct As : A {
  using Number = TheNumber;

  template <class Q>
  [[nodiscard]] BOBBIN_HD static Number at(Q& q, uint32_t n) {
    return static_cast<Number>(A::at(q, n));
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static Number slow(Q& q, uint32_t i) {
    return static_cast<Number>(A::slow(q, i));
  }
};

// Comparisons, as the numbers 0 and 1.
struct Equal {
  // Whether it holds for none or all of the numbers between limits; direct: for some.
  [[nodiscard]] BOBBIN_HD static Use::Way decide(const NumberLimits& a, const NumberLimits& b) {
    return a.greatest < b.least || b.greatest < a.least     ? Use::Way::none
           : a.least == b.greatest && a.greatest == b.least ? Use::Way::all
                                                            : Use::Way::direct;
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD static uint32_t of(T a, T b) {
    return a == b ? 1 : 0;
  }
};
struct Different {
  [[nodiscard]] BOBBIN_HD static Use::Way decide(const NumberLimits& a, const NumberLimits& b) {
    const Use::Way equal = Equal::decide(a, b);
    return equal == Use::Way::direct ? equal : equal == Use::Way::all ? Use::Way::none : Use::Way::all;
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD static uint32_t of(T a, T b) {
    return a != b ? 1 : 0;
  }
};
struct Less {
  [[nodiscard]] BOBBIN_HD static Use::Way decide(const NumberLimits& a, const NumberLimits& b) {
    return a.greatest < b.least ? Use::Way::all : a.least >= b.greatest ? Use::Way::none : Use::Way::direct;
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD static uint32_t of(T a, T b) {
    return a < b ? 1 : 0;
  }
};
struct LessOrEqual {
  [[nodiscard]] BOBBIN_HD static Use::Way decide(const NumberLimits& a, const NumberLimits& b) {
    return a.greatest <= b.least ? Use::Way::all : a.least > b.greatest ? Use::Way::none : Use::Way::direct;
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD static uint32_t of(T a, T b) {
    return a <= b ? 1 : 0;
  }
};
// Both are compared as Operand.
template <class Comparing, class Operand, class A, class B>
struct Compared : OfTwo<Comparing, Operand, A, B> {
  using Number = uint32_t;

  template <class Slots, class Cta>
  [[nodiscard]] BOBBIN_HD static Use::Way decide(Cta& cta, const Uses& query, uint64_t v) {
    const NumberLimits a = A::template limits<Slots>(cta, query, v);
    const NumberLimits b = B::template limits<Slots>(cta, query, v);
    return a.known && b.known ? Comparing::decide(a, b) : Use::Way::direct;
  }
};

// The slot. Values have up to kBits bits with their sign. Inputs are the types of the slots that it needs.
template <class TheFormula, uint32_t kTheBits, class First, class... Rest>
struct Computed {
  static_assert((true && ... && std::is_same_v<typename First::Layout, typename Rest::Layout>));
  static_assert((true && ... && (First::kPacked == Rest::kPacked)));
  using Formula = TheFormula;
  using Number = typename Formula::Number;
  static constexpr uint32_t kBits = kTheBits;
  static constexpr uint32_t kNeeds = Formula::kSlots;
  static constexpr uint32_t kColumn = First::kColumn;
  static constexpr bool kNulls = (First::kNulls || ... || Rest::kNulls);
  static constexpr bool kPacked = false;
  static constexpr uint32_t kUses = 0;
  using Element = std::conditional_t<sizeof(Number) == 8, uint64_t, uint32_t>;
  using Value = Element;
  using Layout = typename First::Layout;
  template <uint32_t kWarps>
  using Shared = NothingShared;
  struct State {
    uint32_t valid;
  };

  // The slots that it needs are loaded.
  template <class Q>
  BOBBIN_HD static void load(Q& q, State& state) {
    state.valid = Formula::valid(q);
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& /*cta*/, Memory& /*shared*/, const Uses& /*query*/) {}
  template <class Q>
  [[nodiscard]] BOBBIN_HD static Value value(Q& q, uint32_t n) {
    return std::bit_cast<Element>(Formula::at(q, n));
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static Element slow_value(Q& q, uint32_t i) {
    return std::bit_cast<Element>(Formula::slow(q, i));
  }
};

// Rows for which a comparison, which is a slot, holds. Comparisons of integers are leaves: for each vector it
// is prepared whether they hold for no row, or for all.
inline constexpr uint32_t kNoLeaf = 32;
template <uint32_t kSlot, bool kNegated, uint32_t kLeaf = kNoLeaf>
struct Holds : ValueTest<kSlot> {
  static constexpr bool kOfRows = true;
  static constexpr uint32_t kLeaves = kLeaf == kNoLeaf ? 0 : 1U << kLeaf % 32;

  template <uint32_t L, class Slots, class Cta>
  [[nodiscard]] BOBBIN_HD static Use use(Cta& cta, const Uses& query, uint64_t v) {
    return {.way = ItemAt<kSlot, Slots>::Formula::template decide<Slots>(cta, query, v)};
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static Use::Way decided(Q& q) {
    if constexpr (kLeaf == kNoLeaf) {
      return Use::Way::direct;
    } else {
      return q.kernel.leaf_use(q, kLeaf).way;
    }
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool is_none(Q& q) {
    return decided(q) == (kNegated ? Use::Way::all : Use::Way::none);
  }

  template <class Q>
  [[nodiscard]] BOBBIN_HD static bool holds_row(Q& q, uint32_t i) {
    return (slow_value<kSlot>(q, i) != 0) != kNegated;
  }
  template <uint32_t kLoaded, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t bits(Q& q) {
    using Slot = SlotOf<Q, kSlot>;
    q.kernel.template load<ValueTest<kSlot>::kSlots, kLoaded>(q);
    if (const Use::Way way = decided(q); way != Use::Way::direct) {
      return ValueTest<kSlot>::template finish<kNegated>(q, way == Use::Way::all ? ~uint32_t{0} : 0);
    }
    if (is_slow_slot<kSlot>(q)) {
      const uint32_t inside = rows_inside(q.v, q.cta.lane(), q.kernel.begin, q.kernel.end);
      uint32_t hits = 0;
      BOBBIN_ROLL
      for (uint32_t r = 0; r < 32; ++r) {
        hits |= (inside >> r & 1) != 0 && Slot::slow_value(q, strided_row(q.cta, r)) != 0 ? 1U << r : 0;
      }
      return ValueTest<kSlot>::template finish<kNegated>(q, Slot::Layout::exchange(q.cta, hits));
    }
    return ValueTest<kSlot>::template collect<kNegated>(
        q, [&](uint32_t n) { return q.template value<kSlot>(n) != 0; });
  }
};

}  // namespace bobbin::plan
