// SPDX-License-Identifier: Apache-2.0
// Columns as tests and folds of a composed kernel see them: a thread's 32 values of the warp's vector.
#pragma once

#include <cstdint>
#include <type_traits>

#include "plan/stages/layout.hpp"
#include "plan/stages/unpack.hpp"
#include "plan/stages/values.hpp"
#include "plan/uses.hpp"

namespace bobbin::plan {

// A list of types.
template <class... Items>
struct List {
  static constexpr uint32_t kSize = sizeof...(Items);
};
namespace list {
template <uint32_t K, class First, class... Rest>
struct At : At<K - 1, Rest...> {};
template <class First, class... Rest>
struct At<0, First, Rest...> {
  using Type = First;
};
template <uint32_t K, class L>
struct AtOf;
template <uint32_t K, class... Items>
struct AtOf<K, List<Items...>> : At<K, Items...> {};
}  // namespace list
template <uint32_t K, class L>
using ItemAt = typename list::AtOf<K, L>::Type;

// One object for each type of a list: std::tuple, as far as kernels need it.
template <class... Items>
struct Each {};
template <class First, class... Rest>
struct Each<First, Rest...> {
  First first;
  Each<Rest...> rest;
};
template <uint32_t K, class... Items>
[[nodiscard]] BOBBIN_HD auto& get(Each<Items...>& each) {
  if constexpr (K == 0) {
    return each.first;
  } else {
    return get<K - 1>(each.rest);
  }
}

template <class Cta>
[[nodiscard]] BOBBIN_HD uint32_t valid_bits(Cta& cta, const ColumnPlan& column, uint64_t v) {
  return Uses::valid_rows(cta, column.validity, v);
}

// Values that stages have made.
template <uint32_t kTheColumn, class Stage, bool kHasNulls = false>
struct Made {
  static constexpr uint32_t kColumn = kTheColumn;
  static constexpr bool kNulls = kHasNulls;
  static constexpr bool kPacked = false;
  static constexpr uint32_t kUses = Stage::kFrames;
  using Element = typename Stage::Element;
  using Value = typename Stage::Value;
  using Layout = typename Stage::Layout;
  template <uint32_t kWarps>
  using Shared = typename Stage::template Shared<kWarps>;
  struct State {
    uint32_t valid;  // in the slot's layout
    Value values[32];

    [[nodiscard]] BOBBIN_HD Value value(uint32_t n) const { return values[n]; }
  };

  template <uint32_t K, class Cta>
  [[nodiscard]] BOBBIN_HD static Use use(Cta& cta, const Uses& query, uint64_t v) {
    return Stage::template frame<K>(cta, query, query.columns[kColumn], v);
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& cta, Memory& shared, const Uses& query) {
    Stage::begin(cta, shared, query.columns[kColumn]);
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void load(Cta& cta, Memory& shared, const Uses& query, const Use* uses, uint64_t v,
                             State& state) {
    Stage::make(cta, shared, query, query.columns[kColumn], uses, v, query.rows_of(v), state.values);
    if constexpr (kNulls) {
      state.valid = Layout::exchange(cta, valid_bits(cta, query.columns[kColumn], v));
    }
  }
};

// What packed integers are.
enum class Meaning : uint8_t { values, scaled, codes, bare_codes /* without a reference */ };

// Packed integers without their reference, of a column that is packed, or packed and scaled: tests are of
// packed integers, and sums add the reference, or scale, where they need it.
template <uint32_t kTheColumn, class T, class Widths, Meaning kMeaning, bool kHasNulls = false>
struct Packed {
  static constexpr uint32_t kColumn = kTheColumn;
  static constexpr bool kNulls = kHasNulls;
  static constexpr bool kPacked = true;
  static constexpr bool kBare = kMeaning == Meaning::bare_codes;
  static constexpr uint32_t kUses = 1;
  using Element = T;
  using Known = Widths;
  using Value = std::conditional_t<(Widths::kMost <= 32), uint32_t, uint64_t>;
  using Layout = SpreadLayout<T>;
  template <uint32_t kWarps>
  using Shared = NothingShared;
  // Of one width, words are kept as they are: they take fewer registers than the values in them.
  struct Words {
    Lane<T, Widths::kOne ? Widths::kMost : 1> lane;

    template <class Cta>
    BOBBIN_HD void load(Cta& cta, const Bytes& packed, const Use& use) {
      if (use.width == 0) {
        BOBBIN_UNROLL
        for (uint32_t& word : lane.words) {
          word = 0;
        }
      } else {
        lane.load(cta, view_as<Quad>(packed), use.first_register);
      }
    }
    [[nodiscard]] BOBBIN_HD Value value(uint32_t n) const { return static_cast<Value>(lane.value(n)); }
  };
  struct Values {
    Value values[32];

    template <class Cta>
    BOBBIN_HD void load(Cta& cta, const Bytes& packed, const Use& use) {
      load_packed<T, Widths>(cta, packed, use, values);
    }
    [[nodiscard]] BOBBIN_HD Value value(uint32_t n) const { return values[n]; }
  };
  struct State : std::conditional_t<Widths::kOne, Words, Values> {
    Use use;
    uint32_t valid;
  };

  template <uint32_t K, class Cta>
  [[nodiscard]] BOBBIN_HD static Use use(Cta& cta, const Uses& query, uint64_t v) {
    const ColumnPlan& column = query.columns[kColumn];
    if constexpr (kMeaning == Meaning::codes || kMeaning == Meaning::bare_codes) {
      T reference = 0;
      Use use = query.template frame_use<T, Widths>(cta, column, v, reference);
      use.low = reference;
      return use;
    }
    Use use = query.template sum_use<T, Widths>(cta, column, v);
    if constexpr (kMeaning == Meaning::scaled) {
      const bool direct = use.way == Use::Way::direct;
      use.way = direct && is_quick<T>(query.powers, use) ? Use::Way::direct : Use::Way::slow;
    }
    return use;
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& /*cta*/, Memory& /*shared*/, const Uses& /*query*/) {}
  template <class Cta, class Memory>
  BOBBIN_HD static void load(Cta& cta, Memory& /*shared*/, const Uses& query, const Use* uses, uint64_t v,
                             State& state) {
    state.use = uses[0];
    // Tests of ranges may be direct where sums are not, and the other way round.
    if (Widths::has(state.use.width) && query.rows_of(v) == kVectorLength) {
      state.load(cta, query.columns[kColumn].frames().packed, state.use);
    }
    if constexpr (kNulls) {
      state.valid = Layout::exchange(cta, valid_bits(cta, query.columns[kColumn], v));
    }
  }
};

}  // namespace bobbin::plan
