// SPDX-License-Identifier: Apache-2.0
// Sinks of a composed kernel: what matching rows are folded into. A fold keeps its total in registers; of a
// vector it takes one value at a time (`one`), whether it matches or not.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "plan/stages/differences.hpp"
#include "plan/stages/lane_sums.hpp"
#include "plan/stages/question.hpp"
#include "plan/stages/real_sums.hpp"
#include "plan/stages/short_reals.hpp"
#include "plan/stages/slots.hpp"
#include "plan/values.hpp"

namespace bobbin::plan {

// Whether a map has only the entries of codes that match.
template <class Map>
inline constexpr bool kMatches = requires { Map::kCountBit; };

// Whether a map has entries of a range of codes.
template <class Map>
inline constexpr bool kHolds = requires(typename Map::Shared& shared) { shared.held; };

// Values as they are in the slot.
struct AsIs {
  using Shared = NothingShared;

  template <class Cta>
  BOBBIN_HD static void begin(Cta& /*cta*/, Shared& /*shared*/, const ColumnPlan& /*column*/,
                              uint32_t /*threads*/) {}
};

template <class Map, class Slot>
struct Mapped {
  using Element = typename Map::Element;
};
template <class Slot>
struct Mapped<AsIs, Slot> {
  using Element = typename Slot::Element;
};

// Counts rows.
template <uint32_t kTheFold>
struct Count {
  static constexpr uint32_t kFold = kTheFold;
  static constexpr uint32_t kSlots = 0;
  static constexpr bool kOfValues = false;
  static constexpr bool kOfRows = true;       // single rows can be added (Composition::kSparse)
  static constexpr bool kCountsBytes = true;  // or rows as bytes (Composition::kInBytes)
  using Map = AsIs;
  struct Total {
    uint64_t count = 0;
  };

  // How many of a thread's rows count.
  template <class RowLayout, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t count(Q& /*q*/, uint32_t rows) {
    return static_cast<uint32_t>(std::popcount(rows));
  }
  template <class Cta>
  BOBBIN_HD static void end(Cta& cta, const Uses& query, const Total& total) {
    query.add_totals(cta, total.count, {}, kFold);
  }
};
// Counts rows in which none of the columns of a mask is null.
template <uint32_t kTheFold, uint32_t kColumns>
struct CountValid : Count<kTheFold> {
  static constexpr bool kNulls = true;
  static constexpr bool kOfRows = false;
  static constexpr bool kCountsBytes = false;

  template <class RowLayout, class Q>
  [[nodiscard]] BOBBIN_HD static uint32_t count(Q& q, uint32_t rows) {
    const uint32_t valid = RowLayout::exchange(q.cta, valid_in_all<kColumns>(q));
    return static_cast<uint32_t>(std::popcount(rows & valid));
  }
};

enum class Numbers : uint8_t { naturals, integers, reals };

// Sums values of a slot, or what a map makes of them.
template <uint32_t kTheFold, uint32_t kTheSlot, Numbers kNumbers, class TheMap = AsIs>
struct Sum {
  static constexpr uint32_t kFold = kTheFold;
  static constexpr uint32_t kSlot = kTheSlot;
  static constexpr uint32_t kSlots = 1U << kSlot;
  static constexpr bool kOfValues = true;
  static constexpr bool kOfRows = kNumbers != Numbers::reals;
  static constexpr bool kSigned = kNumbers == Numbers::integers;
  using Map = TheMap;

  static constexpr bool kReal = kNumbers == Numbers::reals;
  template <class Slot>
  struct TotalOf {
    uint64_t count = 0;
    Adder<typename Mapped<Map, Slot>::Element> sum;
    uint32_t kept = 0;  // a bit for each vector whose sums are in LaneSums
  };

  // A vector's part. Calls f(part): one(n, value, hit) takes a value.
  template <class Slot, class Q, class F>
  BOBBIN_HD static void with_part(Q& q, typename Map::Shared& memory, F&& f) {
    if constexpr (kNumbers == Numbers::reals && kDirect<Slot>) {
      const auto scaling = quick_scaling<typename Slot::Element>(q.kernel.powers, get<kSlot>(q.states).use);
      Reals<Slot> part;
      f(part, [&](uint32_t n, auto value, bool hit) { part.add(n, scaling(value), hit); });
    } else if constexpr (kNumbers == Numbers::reals) {
      Reals<Slot> part;
      f(part, [&](uint32_t n, auto value, bool hit) {
        part.add(n, real_of<Element<Slot>>(mapped<Slot>(q, memory, value, hit)), hit);
      });
    } else {
      std::conditional_t<kDirect<Slot>, PackedPart<Slot>, MadePart<Slot>> part;
      f(part, [&](uint32_t /*n*/, auto value, bool hit) {
        if (hit) {
          part.add(mapped<Slot>(q, memory, value, hit));
        }
      });
    }
  }
  // Adds a vector's part to the total.
  template <class Slot, class Q, class Part, class Total>
  BOBBIN_HD static void finish(Q& q, const Part& part, uint32_t count, Total& total) {
    total.count += count;
    if constexpr (kNumbers == Numbers::reals) {
      put_real<Slot::Layout::kHalves>(q, part.chains, total);
    } else if constexpr (kDirect<Slot>) {
      total.sum.add({part.low, part.high}, static_cast<typename Slot::Element>(get<kSlot>(q.states).use.low),
                    count, kSigned);
    } else {
      total.sum.add(part.total(), 0, 0, kSigned);
    }
  }
  // Whether packed words of a range can be summed without a test and a sum of each value (sum_in_range).
  template <class Slot>
  static constexpr bool kOfWords = [] {
    if constexpr (Slot::kPacked) {
      return std::is_same_v<Map, AsIs> && Slot::Known::kOne &&
             (kNumbers != Numbers::reals || Slot::Known::kMost <= UpperScaling::kMaxWidth);
    } else {
      return false;
    }
  }();
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void add_range(Q& q, const Use& range, Total& total) {
    using T = typename Slot::Element;
    const auto& state = get<kSlot>(q.states);
    if constexpr (kNumbers == Numbers::reals) {
      const auto low = static_cast<uint32_t>(range.low);
      const auto span = static_cast<uint32_t>(range.span);
      if constexpr (sizeof(T) == 8) {
        bool fused = false;
        const auto scaling = UpperScaling::of(q.kernel.powers, state.use, fused);
        // Written twice, because not every compiler moves the question out of the loop over values.
        if (fused) {
          finish_real<Slot>(q, plan::sum_in_range(state.lane, scaling, true, low, span), total);
        } else {
          finish_real<Slot>(q, plan::sum_in_range(state.lane, scaling, false, low, span), total);
        }
      } else {
        const auto scaling = quick_scaling<T>(q.kernel.powers, state.use);
        finish_real<Slot>(q, plan::sum_in_range(state.lane, scaling, low, span), total);
      }
      return;
    }
    const RangeSum found = sum_in_range<T, Slot::Known::kMost>(state.lane, range.low, range.span);
    total.count += found.count;
    total.sum.add(found.sum, static_cast<T>(state.use.low + range.low), found.count, kSigned);
  }
  // Whether values that take bytes can be summed four at a time.
  template <class Slot>
  static constexpr bool kSumsBytes = Slot::kPacked && std::is_same_v<Map, AsIs> && kNumbers != Numbers::reals;
  // Rows of a thread, in bytes that have 128 where a row counts.
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void add_bytes(Q& q, const uint32_t (&hits)[8], uint32_t count, Total& total) {
    const auto& state = get<kSlot>(q.states);
    uint32_t sum = 0;
    BOBBIN_UNROLL
    for (uint32_t g = 0; g < 8; ++g) {
      sum = dot_bytes(bytes_of(state.lane, g), hits[g], sum);
    }
    total.sum.add({sum / 128, 0}, static_cast<typename Slot::Element>(state.use.low), count, kSigned);
  }
  // Whether vectors may be summed two integers at a time (short_reals.hpp).
  template <class Slot>
  static constexpr bool kOfShorts = [] {
    if constexpr (requires { Slot::kShorts; }) {
      return Slot::kShorts && kReal && std::is_same_v<Map, AsIs>;
    } else {
      return false;
    }
  }();
  template <class Slot, class Where, class Q, class Total>
  BOBBIN_HD static void add_shorts(Q& q, const typename Slot::Short& rest, const Use& test,
                                   const Lane<typename Slot::Element, kShortWidth>& lane, Total& total) {
    finish_real<Slot>(q, rest.template sum<Where>(q, test, lane), total);
  }
  // Whether values that were summed up can be summed from their differences.
  template <class Slot>
  static constexpr bool kOfDifferences =
      kNumbers != Numbers::reals && std::is_same_v<Map, AsIs> && DifferencesOf<Slot>::kAny;
  // All values of a whole vector. `before`: the value before the first.
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void add_differences(Q& q, const Use& frame, uint64_t before, Total& total) {
    using T = typename Slot::Element;
    const uint32_t first = SpreadLayout<T>::index(q.cta.lane(), 0);
    uint64_t sum = 0;
    if (frame.width != 0) {
      Lane<T, DifferencesOf<Slot>::kWidth> lane;
      lane.load(q.cta, view_as<Quad>(q.kernel.columns[Slot::kColumn].frames().packed), frame.first_register);
      sum = sum_of_sums(lane, first);
    }
    // The reference counts once for the vector's first value, twice for the second, and so on.
    constexpr uint32_t kStep = SpreadLayout<T>::index(0, 1);
    const auto reference = static_cast<int64_t>(static_cast<std::make_signed_t<T>>(frame.low));
    sum += static_cast<uint64_t>(reference) * (32 * (first + 1) + kStep * (31 * 32 / 2));
    WideSum wide;
    add_to<uint64_t>(wide, sum, true);
    total.count += 32;
    total.sum.add(wide, static_cast<T>(before), 32, kSigned);
  }
  // All codes of a whole vector, whose widths are known, by the words of MatchingEntries. False if some may
  // be greater than the last entry's.
  template <class Slot, class Q, class Total>
  [[nodiscard]] BOBBIN_HD static bool add_codes(Q& q, typename Map::Shared& memory, Total& total) {
    const auto& state = get<kSlot>(q.states);
    const auto reference = static_cast<uint32_t>(state.use.low);
    if (state.use.span > Map::kLast) {
      return false;
    }
    const auto all = Map::common(q.cta, memory);
    const RangeSum found = all.is_narrow ? sum_narrow_words(q, memory, state, reference)
                                         : sum_words(q, memory, state, reference);
    total.count += found.count;
    total.sum.add(found.sum, static_cast<Element<Slot>>(all.least ^ Map::kSign), found.count, kSigned);
    return true;
  }
  template <class Q, class State>
  [[nodiscard]] BOBBIN_HD static RangeSum sum_words(Q& q, typename Map::Shared& memory, const State& state,
                                                    uint32_t reference) {
    const uint32_t first = Map::place(q.cta, memory.words, reference);
    uint64_t words = 0;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      words += q.cta.load_at(memory.words, state.template add_scaled<Map::kStride>(n, first));
    }
    return {static_cast<uint32_t>(words >> Map::kCountBit), {words & low_mask<uint64_t>(Map::kCountBit), 0}};
  }
  template <class Q, class State>
  [[nodiscard]] BOBBIN_HD static RangeSum sum_narrow_words(Q& q, typename Map::Shared& memory,
                                                           const State& state, uint32_t reference) {
    const uint32_t first = Map::place(q.cta, memory.narrow(), reference);
    uint32_t count = 0;
    uint32_t sum = 0;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; n += Map::kNarrowRows) {
      uint32_t words = 0;
      BOBBIN_UNROLL
      for (uint32_t k = n; k < n + Map::kNarrowRows; ++k) {
        words += q.cta.load_at(memory.narrow(), state.template add_scaled<Map::kStride>(k, first));
      }
      count += words >> Map::kNarrowCountBit;
      sum += words & low_mask<uint32_t>(Map::kNarrowCountBit);
    }
    return {count, {sum, 0}};
  }
  // Whether entries are read through the caches, by packed codes.
  template <class Slot>
  static constexpr bool kOfEntries = [] {
    if constexpr (Slot::kPacked && requires { Map::kInMemory; }) {
      return Map::kInMemory && kNumbers != Numbers::reals;
    } else {
      return false;
    }
  }();
  // All rows of a whole vector whose codes satisfy the test. The reference of the codes is part of the
  // entries' address. False if it is greater than the last code.
  template <class Slot, class Q, class Test, class Total>
  [[nodiscard]] BOBBIN_HD static bool add_entries(Q& q, const Test& test, Total& total) {
    using T = Element<Slot>;
    const auto& state = get<kSlot>(q.states);
    const Node& dictionary = q.kernel.columns[Slot::kColumn].dictionary();
    const auto reference = static_cast<uint32_t>(state.use.low);
    if (reference > dictionary.last) {
      return false;
    }
    const auto all = view_as<T>(dictionary.extra);
    const Global<const T> entries{opaque(all.data + reference), all.size - reference};
    const uint32_t last = opaque(dictionary.last - reference);
    WideSum sum;
    uint32_t count = 0;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      const auto code = static_cast<uint32_t>(state.value(n));
      const bool hit = test(static_cast<typename Slot::Value>(code));
      add_entry(sum, hit ? q.cta.load(entries, code < last ? code : last) : T{0});
      count_if(hit, count);
    }
    total.count += opaque(count);
    total.sum.add(sum, 0, 0, kSigned);
    return true;
  }
  // The same where entries of some codes are in shared memory, for a test that is a range. A code's distance
  // from its first, clamped to the number of these entries, is the place of its entry, or of a zero.
  template <class Slot, class Q, class Total>
  [[nodiscard]] BOBBIN_HD static bool add_held(Q& q, typename Map::Shared& memory, const KeyRange& codes,
                                               Total& total) {
    using T = Element<Slot>;
    constexpr uint32_t kScale = sizeof(typename Slot::Element) < 4 ? sizeof(T) : 1;
    const auto& state = get<kSlot>(q.states);
    const auto reference = static_cast<uint32_t>(state.use.low);
    const auto low = static_cast<uint32_t>(codes.low);
    if (reference > q.kernel.columns[Slot::kColumn].dictionary().last) {
      return false;
    }
    const uint32_t held = q.cta.load(memory.held, 0);
    const uint32_t entries = q.cta.place(memory.entries, 0);
    const uint32_t first = (reference - low) * kScale;
    const uint32_t end = held * kScale;
    WideSum sum;
    uint32_t count = 0;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      const uint32_t distance = state.template add_scaled<kScale>(n, first);
      const uint32_t here = distance < end ? distance : end;
      count_if(here != end, count);
      add_entry(sum, q.cta.load_at(memory.entries, entries + here * (sizeof(T) / kScale)));
    }
    total.count += opaque(count);
    total.sum.add(sum, 0, 0, kSigned);
    return held > codes.span || state.use.span < low + held || add_rest<Slot>(q, low + held, codes, total);
  }
  // The rows whose codes are in a range, from `low` on.
  template <class Slot, class Q, class Total>
  [[nodiscard]] BOBBIN_HD static bool add_rest(Q& q, uint32_t low, const KeyRange& codes, Total& total) {
    auto& state = get<kSlot>(q.states);
    state.forget();
    const uint32_t first = static_cast<uint32_t>(state.use.low) - low;
    const uint32_t span = static_cast<uint32_t>(codes.low + codes.span) - low;
    uint32_t nearest = ~uint32_t{0};
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      const uint32_t distance = state.template add_scaled<1>(n, first);
      nearest = distance < nearest ? distance : nearest;
    }
    const auto test = [&](uint32_t packed) { return packed + first <= span; };
    if (!q.cta.any(nearest <= span)) {
      return true;
    }
    state.forget();
    return add_entries<Slot>(q, test, total);
  }
  // Packed values that cannot be summed as they are: `rows` is in the slot's layout.
  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static bool is_slow(Q& q) {
    return is_slow_slot<kSlot>(q);
  }
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void add_slow(Q& q, typename Map::Shared& memory, uint32_t rows, Total& total) {
    if constexpr (Slot::kPacked || kComputed<Slot>) {
      const uint32_t strided = Slot::Layout::exchange(q.cta, rows);
      const auto value = [&](uint32_t r) { return slow_element<Slot>(q, memory, strided_row(q.cta, r)); };
      total.count += static_cast<uint32_t>(std::popcount(rows));
      if constexpr (kNumbers == Numbers::reals) {
        put_real<false>(q, Chains{RealSum::of_lane<Element<Slot>>(strided, value), 0}, total);
      } else {
        total.sum.add(sum_values<Element<Slot>, 1>(strided, kSigned, value), 0, 0, kSigned);
      }
    }
  }
  // Row i of the vector.
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void add_row(Q& q, typename Map::Shared& memory, uint32_t i, Total& total) {
    WideSum one;
    add_to<Element<Slot>>(one, slow_element<Slot>(q, memory, i), kSigned);
    total.count += 1;
    total.sum.add(one, 0, 0, kSigned);
  }
  template <class Cta, class Total>
  BOBBIN_HD static void end(Cta& cta, const Uses& query, const Total& total) {
    query.add_totals(cta, total.count, kNumbers == Numbers::reals ? WideSum{} : total.sum.sum(kSigned),
                     kFold);
  }

 protected:
  template <class Slot>
  using Element = typename Mapped<Map, Slot>::Element;
  // Packed integers are summed as they are.
  template <class Slot>
  static constexpr bool kDirect = Slot::kPacked && std::is_same_v<Map, AsIs>;

  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static Element<Slot> slow_element(Q& q, typename Map::Shared& memory, uint32_t i) {
    const auto one = slow_value<kSlot>(q, i);
    if constexpr (std::is_same_v<Map, AsIs>) {
      return one;
    } else {
      const ColumnPlan& column = q.kernel.columns[Slot::kColumn];
      return static_cast<Element<Slot>>(Map::at(q.cta, memory, column, one));
    }
  }
  template <class Slot, class Q, class Value>
  [[nodiscard]] BOBBIN_HD static auto mapped(Q& q, typename Map::Shared& memory, Value value, bool hit) {
    if constexpr (kDirect<Slot>) {
      return value;
    } else if constexpr (std::is_same_v<Map, AsIs>) {
      return static_cast<Element<Slot>>(value);
    } else {
      if constexpr (Slot::kPacked) {
        value = static_cast<typename Slot::Element>(value + get<kSlot>(q.states).use.low);
      }
      // Only matching rows are looked up.
      return static_cast<Element<Slot>>(hit ? Map::at(q.cta, memory, q.kernel.columns[Slot::kColumn], value)
                                            : typename Map::Value{0});
    }
  }

 private:
  // One of a thread's 32. Those of up to 32 bits need no upper half.
  template <class T>
  BOBBIN_HD static void add_entry(WideSum& sum, T entry) {
    if constexpr (sizeof(T) == 8) {
      add_to<T>(sum, entry, kSigned);
    } else {
      sum.low += kSigned
                     ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<std::make_signed_t<T>>(entry)))
                     : uint64_t{entry};
    }
  }
  template <class Slot>
  struct Reals {
    Chains chains;

    BOBBIN_HD void add(uint32_t n, double value, bool hit) {
      static_assert(Slot::Layout::kChains, "sums of floats have a defined order");
      add_if(hit, value, (Slot::Layout::kHalves ? n % 2 == 0 : n < 16) ? chains.first : chains.second);
    }
  };
  // 32 values of up to 27 bits fit 32 bits.
  template <class Slot>
  struct PackedPart {
    std::conditional_t<(Slot::Known::kMost <= 27), uint32_t, uint64_t> low = 0;
    uint64_t high = 0;

    BOBBIN_HD void add(typename Slot::Value value) {
      low += static_cast<uint32_t>(value);
      if constexpr (Slot::Known::kMost > 32) {
        high += static_cast<uint64_t>(value) >> 32;
      }
    }
  };
  // Whether 64 bits are enough for a thread's values of a vector.
  template <class Slot>
  static constexpr bool kFits = [] {
    if constexpr (kComputed<Slot>) {
      return Slot::kBits <= 59;
    } else {
      return sizeof(Element<Slot>) < 8;
    }
  }();
  template <class Slot>
  struct MadePart {
    WideSum sum;  // if it fits: all of it in `low`

    BOBBIN_HD void add(Element<Slot> bits) {
      if constexpr (kFits<Slot>) {
        sum.low += kSigned ? static_cast<uint64_t>(
                                 static_cast<int64_t>(static_cast<std::make_signed_t<Element<Slot>>>(bits)))
                           : uint64_t{bits};
      } else {
        add_to<Element<Slot>>(sum, bits, kSigned);
      }
    }
    [[nodiscard]] BOBBIN_HD WideSum total() const {
      WideSum total = sum;
      if constexpr (kFits<Slot>) {
        total = {};
        add_to<uint64_t>(total, sum.low, kSigned);
      }
      return total;
    }
  };

  template <class Slot, class Q, class Total>
  BOBBIN_HD static void finish_real(Q& q, const RealPart& part, Total& total) {
    // A lane with more exceptions that do not match than rows that do has less than none.
    total.count += static_cast<uint64_t>(int64_t{static_cast<int32_t>(part.count)});
    put_real<Slot::Layout::kHalves>(q, part.chains, total);
  }
  // A lane's chains: of one half of a vector, or one of each.
  template <bool kHalves, class Q, class Total>
  BOBBIN_HD static void put_real(Q& q, const Chains& chains, Total& total) {
    if constexpr (std::remove_cvref_t<decltype(q.kernel)>::kKeepsSums) {
      total.kept |= 1U << q.place % std::remove_cvref_t<decltype(q.kernel)>::Sums::kVectors;
      if constexpr (kHalves) {
        q.shared.sums.put(q.cta, q.place, chains);
      } else {
        q.shared.sums.put(q.cta, q.place, chains.first + chains.second);
      }
    } else {
      const double sum =
          kHalves ? RealSum::of_halves(q.cta, chains) : RealSum::of_warp(q.cta, chains.first + chains.second);
      if (q.cta.lane() == 0) {
        q.cta.store(q.kernel.reals, kFold * num_vectors(q.kernel.end) + q.v, sum);
      }
    }
  }
};

// The minimum and maximum of values of a slot, or of what a map makes of them.
template <uint32_t kTheFold, uint32_t kTheSlot, Numbers kNumbers, class TheMap = AsIs>
struct MinMax {
  static constexpr bool kOfRows = false;
  template <class Slot>
  static constexpr bool kOfWords = false;
  template <class Slot>
  static constexpr bool kOfShorts = false;
  template <class Slot>
  static constexpr bool kOfDifferences = false;
  template <class Slot>
  static constexpr bool kOfEntries = false;
  static constexpr uint32_t kFold = kTheFold;
  static constexpr uint32_t kSlot = kTheSlot;
  static constexpr uint32_t kSlots = 1U << kSlot;
  static constexpr bool kOfValues = true;
  using Map = TheMap;

  template <class Slot>
  struct TotalOf {
    uint64_t count = 0;
    Extremes extremes;
  };

  template <class Slot, class Q, class F>
  BOBBIN_HD static void with_part(Q& q, typename Map::Shared& memory, F&& f) {
    static_assert(!Slot::kPacked);
    using Element = typename Mapped<Map, Slot>::Element;
    Extremes part;
    f(part, [&](uint32_t /*n*/, auto value, bool hit) {
      if (hit) {
        if constexpr (std::is_same_v<Map, AsIs>) {
          part.add<Element>(static_cast<Element>(value), kNumbers == Numbers::reals,
                            kNumbers == Numbers::integers);
        } else {
          const auto entry = Map::at(q.cta, memory, q.kernel.columns[Slot::kColumn], value);
          part.add<Element>(static_cast<Element>(entry), kNumbers == Numbers::reals,
                            kNumbers == Numbers::integers);
        }
      }
    });
  }
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void finish(Q& /*q*/, const Extremes& part, uint32_t count, Total& total) {
    total.count += count;
    merge(total.extremes, part.least, part.greatest);
  }
  template <class Slot, class Q>
  [[nodiscard]] BOBBIN_HD static bool is_slow(Q& /*q*/) {
    return false;
  }
  template <class Slot, class Q, class Total>
  BOBBIN_HD static void add_slow(Q& /*q*/, typename Map::Shared& /*memory*/, uint32_t /*rows*/,
                                 Total& /*total*/) {}
  template <class Cta, class Total>
  BOBBIN_HD static void end(Cta& cta, const Uses& query, const Total& total) {
    uint64_t count = total.count;
    Extremes all = total.extremes;
    for (uint32_t distance = 1; distance < simt::kWarpSize; distance *= 2) {
      count += cta.shfl_xor(count, distance);
      const uint64_t least = cta.shfl_xor(all.least, distance);
      const uint64_t greatest = cta.shfl_xor(all.greatest, distance);
      merge(all, least, greatest);
    }
    if (cta.lane() == 0) {
      constexpr auto kRelaxed = simt::Order::relaxed;
      const uint64_t to = uint64_t{kFold} * TotalWords::kWords;
      cta.template atomic_add<kRelaxed>(query.totals, to + TotalWords::count, count);
      cta.template atomic_min<kRelaxed>(query.totals, to + TotalWords::least, all.least);
      cta.template atomic_max<kRelaxed>(query.totals, to + TotalWords::greatest, all.greatest);
    }
  }

 private:
  BOBBIN_HD static void merge(Extremes& all, uint64_t least, uint64_t greatest) {
    all.least = least < all.least ? least : all.least;
    all.greatest = greatest > all.greatest ? greatest : all.greatest;
  }
};

}  // namespace bobbin::plan
