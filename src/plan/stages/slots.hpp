// SPDX-License-Identifier: Apache-2.0
// Columns as tests and folds of a composed kernel see them: a thread's 32 values of the warp's vector.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "plan/stages/dictionaries.hpp"
#include "plan/stages/layout.hpp"
#include "plan/stages/ranks.hpp"
#include "plan/stages/short_reals.hpp"
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
  };

  template <class Cta, class Memory>
  [[nodiscard]] BOBBIN_HD static Value value(Cta& /*cta*/, Memory& /*shared*/, const State& state,
                                             uint32_t n) {
    return state.values[n];
  }

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
enum class Meaning : uint8_t { values, scaled, codes };

// Packed integers without their reference, of a column that is packed, or packed and scaled: tests are of
// packed integers, and sums add the reference, or scale, where they need it. The use of a vector is `direct`
// if all its rows are in the query and can be summed that way. A use of codes
// has the least and the greatest that they may be.
template <uint32_t kTheColumn, class T, class Widths, Meaning kMeaning, bool kHasNulls = false>
struct Packed {
  static constexpr uint32_t kColumn = kTheColumn;
  static constexpr bool kNulls = kHasNulls;
  static constexpr bool kPacked = true;
  static constexpr bool kMayBeFloat = kMeaning == Meaning::scaled;
  static constexpr bool kShorts =
      kMeaning == Meaning::scaled && !kNulls && Widths::kOne && Widths::kMost == kShortWidth;
  static constexpr uint32_t kUses = 1;
  using Element = T;
  using Known = Widths;
  using Value = std::conditional_t<(Widths::kMost <= 32), uint32_t, uint64_t>;
  using Layout = SpreadLayout<T>;
  template <uint32_t kWarps>
  using Shared = NothingShared;
  // If there is only one width, words stay packed: they take fewer registers than the values in them.
  struct Words {
    Lane<T, Widths::kOne ? Widths::kMost : 1> lane;

    template <class Cta>
    BOBBIN_HD void load(Cta& cta, const Bytes& packed, const Use& use) {
      lane.load(cta, view_as<Quad>(packed), use.first_register);
    }
    BOBBIN_HD void clear() {
      BOBBIN_UNROLL
      for (uint32_t& word : lane.words) {
        word = 0;
      }
    }
    [[nodiscard]] BOBBIN_HD Value value(uint32_t n) const { return static_cast<Value>(lane.value(n)); }
    // Values are extracted again: those of an earlier pass would take registers until a later one.
    BOBBIN_HD void forget() {
      BOBBIN_UNROLL
      for (uint32_t& word : lane.words) {
        word = opaque(word);
      }
    }
    template <uint32_t kFactor>
    [[nodiscard]] BOBBIN_HD uint32_t add_scaled(uint32_t n, uint32_t sum) const {
      return lane.template add_scaled<kFactor>(n, sum);
    }
  };
  struct Values {
    Value values[32];

    template <class Cta>
    BOBBIN_HD void load(Cta& cta, const Bytes& packed, const Use& use) {
      load_packed<T, Widths>(cta, packed, use, values);
    }
    BOBBIN_HD void clear() {
      BOBBIN_UNROLL
      for (Value& value : values) {
        value = 0;
      }
    }
    [[nodiscard]] BOBBIN_HD Value value(uint32_t n) const { return values[n]; }
    BOBBIN_HD void forget() {}
    // `sum` plus value n times a constant.
    template <uint32_t kFactor>
    [[nodiscard]] BOBBIN_HD uint32_t add_scaled(uint32_t n, uint32_t sum) const {
      return sum + static_cast<uint32_t>(values[n]) * kFactor;
    }
  };
  struct State : std::conditional_t<Widths::kOne, Words, Values> {
    Use use;
    uint32_t valid;
  };

  template <class Cta, class Memory>
  [[nodiscard]] BOBBIN_HD static Value value(Cta& /*cta*/, Memory& /*shared*/, const State& state,
                                             uint32_t n) {
    return state.value(n);
  }

  template <uint32_t K, class Cta>
  [[nodiscard]] BOBBIN_HD static Use use(Cta& cta, const Uses& query, uint64_t v) {
    const ColumnPlan& column = query.columns[kColumn];
    T reference = 0;
    Use use = kMeaning == Meaning::codes ? query.template frame_use<T, Widths>(cta, column, v, reference)
                                         : query.template sum_use<T, Widths>(cta, column, v);
    bool direct = use.way == Use::Way::direct && v * kVectorLength >= query.begin;
    if constexpr (kMeaning == Meaning::codes) {
      const uint64_t greatest = reference + low_mask<uint64_t>(use.width);
      use.low = reference;
      use.span = greatest;
      direct = direct && greatest <= low_mask<uint64_t>(kBits<T>);  // otherwise codes may wrap around
    } else if constexpr (kMeaning == Meaning::scaled) {
      direct = direct && is_quick<T>(query.powers, use);
    }
    use.way = direct ? Use::Way::direct : Use::Way::slow;
    return use;
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& /*cta*/, Memory& /*shared*/, const Uses& /*query*/) {}
  template <class Cta, class Memory>
  BOBBIN_HD static void load(Cta& cta, Memory& /*shared*/, const Uses& query, const Use* uses, uint64_t v,
                             State& state) {
    state.use = uses[0];
    // Tests of ranges may be direct where sums are not, and the other way round.
    const bool whole = state.use.way == Use::Way::direct ||
                       (Widths::has(state.use.width) && query.rows_of(v) == kVectorLength);
    if (whole && state.use.width != 0) {
      state.load(cta, query.columns[kColumn].frames().packed, state.use);
    } else {
      state.clear();  // also where nothing is used: what is not defined takes registers all the time
    }
    if constexpr (kNulls) {
      state.valid = Layout::exchange(cta, valid_bits(cta, query.columns[kColumn], v));
    }
  }
  // Value i of a vector, with its reference.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static T row(Cta& cta, const Uses& query, const Use& use, uint32_t i) {
    const ColumnPlan& column = query.columns[kColumn];
    if constexpr (kMeaning != Meaning::scaled && sizeof(T) >= 4 && Widths::kMost <= 32) {
      if (Widths::has(use.width)) {
        T value = static_cast<T>(use.low);
        if (use.width != 0) {
          value += pick_narrow<T>(cta, view_as<Quad>(column.frames().packed), use.first_register,
                                  Widths::kOne ? Widths::kMost : use.width, i);
        }
        return value;
      }
    }
    if constexpr (kMeaning == Meaning::scaled) {
      return query.value_at<T>(cta, column, use, i);
    } else {
      const codec::bitpack::Frame<T> frame{use.first_register, use.width, static_cast<T>(use.low)};
      return static_cast<T>(frame.reference +
                            unpack_one<T>(cta, view_as<Quad>(column.frames().packed), frame, i));
    }
  }
  // What a vector that is summed two integers at a time needs besides its words.
  struct Short {
    template <class Cta>
    BOBBIN_HD void load(Cta& /*cta*/, const Uses& /*query*/, const Use& /*slot*/) {}
    template <class Where, class Q>
    [[nodiscard]] BOBBIN_HD RealPart sum(Q& q, const Use& test, const Lane<T, kShortWidth>& lane) const {
      return sum_shorts(lane, ShortRange::of(test), ShortScaling<T>::of(q.kernel.powers, test),
                        [](uint32_t /*n*/, auto real) { return double{real}; });
    }
  };
};

// ALP's floats with exceptions, of one width: nodes that unpack, scale and patch. Words stay words; a value
// is scaled where it is needed, or is read from shared memory, where exceptions are, each at its place.
// Vectors that cannot be scaled that way are there as a whole.
template <uint32_t kTheColumn, class T, uint32_t kWidth, bool kHasNulls = false>
struct PatchedReals {
  static constexpr uint32_t kColumn = kTheColumn;
  static constexpr bool kNulls = kHasNulls;
  static constexpr bool kPacked = false;
  static constexpr bool kShorts = sizeof(T) == 8 && !kNulls && kWidth == kShortWidth;
  static constexpr uint32_t kUses = 1;
  using Known = Widths<kWidth>;
  using Element = T;
  using Value = ValueOf<T>;
  using Layout = SpreadLayout<T>;
  using Scaled = Scale<1, Unpack<0, T, Widths<kWidth>>>;
  using Scaling = decltype(quick_scaling<T>(Powers{}, Use{}));
  template <uint32_t kWarps>
  struct Shared {
    simt::Shared<T, kWarps * kVectorLength> values;
    simt::Shared<uint32_t, kWarps * simt::kWarpSize> marks;  // of the values that are there
  };
  struct State {
    uint32_t valid;
    uint32_t marks;
    Scaling scaling;
    Lane<T, kWidth> lane;
  };

  template <uint32_t K, class Cta>
  [[nodiscard]] BOBBIN_HD static Use use(Cta& cta, const Uses& query, uint64_t v) {
    Use use = Scaled::template frame<K>(cta, query, query.columns[kColumn], v);
    use.way =
        use.way == Use::Way::direct && is_quick<T>(query.powers, use) ? Use::Way::direct : Use::Way::slow;
    return use;
  }
  // Where the exceptions of a vector begin, and how many it has: if they are sorted.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint64_t exceptions(Cta& cta, const Uses& query, uint64_t v) {
    const auto patches = query.columns[kColumn].nodes[2].patches.template typed<T, 1>();
    const auto all = patches.range(cta, v, 0);
    return all.index | uint64_t{all.count} << 32;
  }
  [[nodiscard]] BOBBIN_HD static bool are_sorted(const Uses& query) {
    const Patches& patches = query.columns[kColumn].nodes[2].patches;
    return !patches.any() || patches.layout == codec::patched::PatchLayout::sorted;
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& cta, Memory& shared, const Uses& /*query*/) {
    cta.store(shared.marks, cta.thread(), 0U);
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void load(Cta& cta, Memory& shared, const Uses& query, const Use* uses, uint64_t v,
                             State& state) {
    const ColumnPlan& column = query.columns[kColumn];
    const auto patches = column.nodes[2].patches.template typed<T, 1>();
    const auto run = patches.run(cta, v, cta.lane(), simt::kWarpSize);
    const Use use = uses[0];
    const bool direct = use.way == Use::Way::direct;
    state.marks = 0;
    state.scaling = quick_scaling<T>(query.powers, use);
    if (direct && use.width != 0) {
      state.lane.load(cta, view_as<Quad>(column.frames().packed), use.first_register);
    } else {
      BOBBIN_UNROLL
      for (uint32_t& word : state.lane.words) {
        word = 0;
      }
    }
    if constexpr (kNulls) {
      state.valid = Layout::exchange(cta, valid_bits(cta, column, v));
    }
    if (direct && !cta.any(run.count != 0)) {
      return;
    }
    cta.sync_warp();  // the previous vector is no longer in use
    if (!direct) {
      store_all(cta, shared, query, use, query.rows_of(v));
      cta.sync_warp();
    }
    patches.apply(cta, run, [&](uint32_t i, T value) { put(cta, shared, i, value); });
    cta.sync_warp();
    const uint32_t mine = take_marks(cta, shared);
    state.marks = direct ? mine : ~uint32_t{0};
  }
  // What a vector that is summed two integers at a time needs besides its words. Exceptions take the place of
  // what their packed integers add; those that do not match add 0.
  struct Short {
    uint64_t run;     // where its exceptions begin, and in the upper half how many it has
    uint32_t number;  // of the exception that this lane has of the first 32
    T value;

    template <class Cta>
    BOBBIN_HD void load(Cta& cta, const Uses& query, const Use& slot) {
      run = slot.span;
      if (cta.lane() < run >> 32) {
        load_exception(cta, query, cta.lane());
      }
    }
    template <class Where, class Q>
    [[nodiscard]] BOBBIN_HD RealPart sum(Q& q, const Use& test, const Lane<T, kShortWidth>& lane) const {
      auto& shared = get<0>(q.shared.slots);
      const auto range = ShortRange::of(test);
      uint32_t marks = 0;
      uint32_t more = 0;
      if (run >> 32 != 0) {
        more = put_exceptions<Where>(q, test, range);
        marks = take_marks(q.cta, shared);
      }
      const auto& mine = part_of<Layout::index(0, 31) + 1>(
          shared.values, q.cta.warp() * kVectorLength + Layout::index(q.cta.lane(), 0));
      RealPart sum =
          sum_shorts(lane, range, ShortScaling<T>::of(q.kernel.powers, test), [&](uint32_t n, auto real) {
            if ((marks >> n & 1) != 0) {
              real = std::bit_cast<decltype(real)>(q.cta.load(mine, Layout::index(0, n)));
            }
            return double{real};
          });
      sum.count += more;
      return sum;
    }

   private:
    template <class Cta>
    BOBBIN_HD void load_exception(Cta& cta, const Uses& query, uint32_t k) {
      const auto patches = query.columns[kColumn].nodes[2].patches.template typed<T, 1>();
      number = cta.load(patches.indices, static_cast<uint32_t>(run) + uint64_t{k});
      value = cta.load(patches.values, static_cast<uint32_t>(run) + uint64_t{k});
    }
    // Returns how many match, less those whose packed integers do.
    template <class Where, class Q>
    [[nodiscard]] BOBBIN_HD uint32_t put_exceptions(Q& q, const Use& test, const ShortRange& range) const {
      const Bytes& packed = q.kernel.columns[kColumn].frames().packed;
      const auto matches = Where::single(q);
      uint32_t more = 0;
      q.cta.sync_warp();  // the previous vector is no longer in use
      Short one = *this;
      BOBBIN_ROLL
      for (uint32_t k = q.cta.lane(); k < run >> 32; k += simt::kWarpSize) {
        if (k >= simt::kWarpSize) {
          one.load_exception(q.cta, q.kernel, k);
        }
        const bool hit = matches(one.value);
        put(q.cta, get<0>(q.shared.slots), one.number, hit ? one.value : T{0});
        more += hit ? 1 : 0;
        more -= range.holds(packed_short<T>(q.cta, packed, test.first_register, one.number)) ? 1 : 0;
      }
      q.cta.sync_warp();
      return more;
    }
  };
  template <class Cta, class Memory>
  [[nodiscard]] BOBBIN_HD static Value value(Cta& cta, Memory& shared, const State& state, uint32_t n) {
    using Float = std::conditional_t<sizeof(T) == 8, double, float>;
    Value bits = std::bit_cast<T>(static_cast<Float>(state.scaling(state.lane.value(n))));
    if ((state.marks >> n & 1) != 0) {
      bits = cta.load(shared.values, cta.warp() * kVectorLength + Layout::index(cta.lane(), n));
    }
    return bits;
  }

 private:
  template <class Cta, class Memory>
  BOBBIN_HD static void put(Cta& cta, Memory& shared, uint32_t i, T value) {
    cta.store(shared.values, cta.warp() * kVectorLength + i, value);
    cta.template atomic_or<simt::Order::relaxed>(
        shared.marks, cta.warp() * simt::kWarpSize + Layout::lane_of(i), 1U << Layout::number_of(i));
  }
  // The thread's marks, which are cleared for the next vector.
  template <class Cta, class Memory>
  [[nodiscard]] BOBBIN_HD static uint32_t take_marks(Cta& cta, Memory& shared) {
    const uint32_t marks = cta.load(shared.marks, cta.thread());
    cta.store(shared.marks, cta.thread(), 0U);
    return marks;
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void store_all(Cta& cta, Memory& shared, const Uses& query, const Use& use,
                                  uint32_t count) {
    const ColumnPlan& column = query.columns[kColumn];
    const codec::bitpack::Frame<T> frame{use.first_register, use.width, 0};
    const auto scaling = query.powers.template scaling<T>(use.e, use.f);
    BOBBIN_ROLL
    for (uint32_t n = 0; n < 32; ++n) {
      const uint32_t i = Layout::index(cta.lane(), n);
      T integer = static_cast<T>(use.low);
      if (i < count) {
        integer =
            static_cast<T>(integer + unpack_one<T>(cta, view_as<Quad>(column.frames().packed), frame, i));
      }
      cta.store(shared.values, cta.warp() * kVectorLength + i, std::bit_cast<T>(scaling.value_of(integer)));
    }
  }
};

// alprd's floats whose right parts all have one width: the node kJoin joins them with the left parts whose
// codes `Left` makes. Words stay words; a value is joined where it is needed.
template <uint32_t kTheColumn, uint32_t kJoin, class Left, class T, uint32_t kWidth, uint32_t kRightBits,
          bool kHasNulls = false>
struct JoinedReals {
  static constexpr uint32_t kColumn = kTheColumn;
  static constexpr bool kNulls = kHasNulls;
  static constexpr bool kPacked = false;
  static constexpr uint32_t kUses = Left::kFrames;
  using Element = T;
  using Value = ValueOf<T>;
  using Layout = SpreadLayout<T>;
  using Parts = LeftParts<kJoin, Left>;
  template <uint32_t kWarps>
  using Shared = typename Parts::template Shared<kWarps>;
  // The width of the right parts, whose words may be copied ahead.
  static constexpr uint32_t kWidthAhead = kWidth;
  struct State {
    uint32_t valid;
    uint32_t first;  // the position of the thread's first value
    bool flat;       // all left parts are equal
    Value left;      // the left part if all are equal, at its place
    Lane<T, kWidth> lane;
  };

  template <uint32_t K, class Cta>
  [[nodiscard]] BOBBIN_HD static Use use(Cta& cta, const Uses& query, uint64_t v) {
    return Left::template frame<K>(cta, query, query.columns[kColumn], v);
  }
  [[nodiscard]] BOBBIN_HD static Global<const Quad> packed(const Uses& query) {
    return view_as<Quad>(query.columns[kColumn].nodes[kJoin - 1].frames.packed);
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void begin(Cta& cta, Memory& shared, const Uses& query) {
    Parts::begin(cta, shared, query.columns[kColumn]);
  }
  template <class Cta, class Memory>
  BOBBIN_HD static void load(Cta& cta, Memory& shared, const Uses& query, const Use* uses, uint64_t v,
                             State& state) {
    load_left(cta, shared, query, uses, v, state);
    if (query.rows_of(v) == kVectorLength) {
      state.lane.load(cta, packed(query), v * kWidth);
    } else {
      state.lane.load_some(cta, packed(query), v * kWidth);
    }
  }
  // All but the right parts, which a kernel copies ahead.
  template <class Cta, class Memory>
  BOBBIN_HD static void load_left(Cta& cta, Memory& shared, const Uses& query, const Use* uses, uint64_t v,
                                  State& state) {
    const ColumnPlan& column = query.columns[kColumn];
    state.first = opaque(Layout::index(cta.lane(), 0));
    state.flat = Left::is_flat(cta, column, uses[0], v);
    if (state.flat) {
      const uint32_t part = column.nodes[kJoin].cut.exchange(static_cast<uint32_t>(uses[0].low));
      state.left = static_cast<Value>(part) << kRightBits;
    } else {
      state.left = 0;
      Parts::make(cta, shared, query, column, uses, v, query.rows_of(v));
    }
    if constexpr (kNulls) {
      state.valid = Layout::exchange(cta, valid_bits(cta, column, v));
    }
  }
  template <class Cta, class Memory>
  [[nodiscard]] BOBBIN_HD static Value value(Cta& cta, Memory& shared, const State& state, uint32_t n) {
    Value left = state.left;
    if (!state.flat) {
      left = static_cast<Value>(Parts::part(cta, shared, state.first + Layout::index(0, n))) << kRightBits;
    }
    return static_cast<T>(left | (state.lane.value(n) & low_mask<T>(kRightBits)));
  }
};

// Whether vectors may be summed two integers at a time, and have exceptions.
template <class Slot>
inline constexpr bool kShortsWithExceptions = [] {
  if constexpr (requires { Slot::kShorts; }) {
    return Slot::kShorts && !Slot::kPacked;
  } else {
    return false;
  }
}();

// Whether values are made in another way for vectors whose state says that they are flat.
template <class Slot>
inline constexpr bool kMayBeFlat = requires(typename Slot::State state) { state.flat; };

}  // namespace bobbin::plan
