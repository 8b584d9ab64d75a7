// SPDX-License-Identifier: Apache-2.0
// A query as one kernel that has only what the query needs: columns' stages, tests and folds are types, so
// that widths, types and the shape of the predicate are constants. `plan/compose.cpp` writes these types for
// a query.
//
// Shape: one warp per vector of 1024 rows, 32 per thread, in registers. All blocks have the same number of
// consecutive vectors, which their warps take in turn. What a vector's frames and ranges are is prepared for
// several vectors at a time, by one lane each, and kept in shared memory. Bytes read: those of the columns,
// for vectors that still have rows when a column is needed; if these are few, only what they need.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/bit_scan.hpp"
#include "plan/stages/computed.hpp"
#include "plan/stages/exchange.hpp"
#include "plan/stages/folds.hpp"
#include "plan/stages/groups.hpp"
#include "plan/stages/layout.hpp"
#include "plan/stages/marks.hpp"
#include "plan/stages/question.hpp"
#include "plan/stages/runs.hpp"
#include "plan/stages/slots.hpp"
#include "plan/stages/tests.hpp"
#include "plan/uses.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

template <class Slots>
struct RowsOf {
  using Layout = typename ItemAt<0, Slots>::Layout;
};
template <>
struct RowsOf<List<>> {
  using Layout = StridedLayout;
};

template <class TheSlots, class Tests, class Folds, bool kBitmap, uint32_t kSharedBytes, uint32_t kBlocks,
          uint32_t kTheWarps = 8>
struct Composition;

// kBitmap: matching rows are written to memory too. kSharedBytes: what a block may use of shared memory.
// kBlocks: as many must fit on an SM, which limits the registers. kTheWarps: of a block.
template <class... TheSlots, class... Tests, class... Folds, bool kBitmap, uint32_t kSharedBytes,
          uint32_t kBlocks, uint32_t kTheWarps>
struct Composition<List<TheSlots...>, List<Tests...>, List<Folds...>, kBitmap, kSharedBytes, kBlocks,
                   kTheWarps> : Uses {
  using Slots = List<TheSlots...>;
  using RowLayout = typename RowsOf<Slots>::Layout;
  using Where = AllOf<Tests...>;
  using States = Each<typename TheSlots::State...>;
  template <uint32_t K>
  using SlotAt = ItemAt<K, Slots>;

  static constexpr uint32_t kWarps = kTheWarps;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kSlotUses = (0 + ... + TheSlots::kUses);
  static constexpr uint32_t kUses = kSlotUses + static_cast<uint32_t>(std::popcount(Where::kLeaves));
  static_assert(kUses <= simt::kWarpSize);
  // A warp prepares all uses of some vectors at a time, 2 to the power of kGroupBits: a lane prepares one
  // use, or both if there are two small ones, because lanes with different uses take turns.
  static constexpr bool kWide =
      (false || ... || (sizeof(typename TheSlots::Element) == 8 && !kComputed<TheSlots>));
  static constexpr bool kBothUses = kUses == 2 && !kWide;
  static constexpr uint32_t kGroupBits = kUses <= 1 || kBothUses ? 5 : 5 - bit_width_of(kUses - 1);
  static constexpr uint32_t kMinBlocks = kBlocks;
  using Record = UseRecord<std::conditional_t<kWide, uint64_t, uint32_t>>;

  struct Shared {
    simt::Shared<Quad, kThreads * Record::kQuads*(kBothUses ? 2 : 1)> uses;
    Each<typename TheSlots::template Shared<kWarps>...> slots;
    Each<typename Folds::Map::Shared...> maps;
  };

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    static_assert(sizeof(Shared) <= kSharedBytes);
    auto& shared = cta.template shared<Shared>();
    begin_slots<0>(cta, shared);
    begin_folds<0>(cta, shared);
    Totals folded;
    const uint64_t vectors = num_vectors(end);
    const uint64_t last = vectors * (uint64_t{cta.block()} + 1) / cta.num_blocks();
    for (uint64_t first = vectors * cta.block() / cta.num_blocks() + cta.warp(); first < last;
         first += uint64_t{kWarps} << kGroupBits) {
      const uint64_t left = ceil_div<uint64_t>(last - first, kWarps);
      const uint32_t here = left < 1U << kGroupBits ? static_cast<uint32_t>(left) : 1U << kGroupBits;
      cta.sync_warp();  // the previous group is no longer in use
      const uint32_t place = cta.lane() & low_mask<uint32_t>(kGroupBits);
      if (place < here) {
        prepare<0>(cta, shared, cta.lane() >> kGroupBits, place, first + place * kWarps);
      }
      cta.sync_warp();
      BOBBIN_ROLL
      for (uint32_t at = 0; at < here; ++at) {
        States states;
        Question<Composition, Cta> q{*this, cta, shared, states, first + at * kWarps, at};
        run_vector(q, folded);
      }
    }
    end_folds<0>(cta, shared, folded);
  }

  // What was prepared for a test.
  template <class Q>
  [[nodiscard]] BOBBIN_HD Use leaf_use(Q& q, uint32_t leaf) const {
    return Record::read(q.cta, q.shared.uses, use_at(q.cta, kSlotUses + leaf, q.place));
  }

  // Loads the slots of a mask, and those that they are computed from, but for those that are loaded.
  template <uint32_t kMask, uint32_t kLoaded, class Q>
  BOBBIN_HD void load(Q& q) const {
    load_slots<with_inputs(kMask) & ~with_inputs(kLoaded), 0, 0>(q);
  }

 private:
  template <class Slot>
  [[nodiscard]] static constexpr uint32_t inputs_of() {
    if constexpr (kComputed<Slot>) {
      return Slot::kNeeds;
    } else {
      return 0;
    }
  }
  [[nodiscard]] static constexpr uint32_t with_inputs(uint32_t mask) {
    uint32_t all = mask;
    uint32_t k = 0;
    ((all |= (mask >> k++ & 1) != 0 ? inputs_of<TheSlots>() : 0), ...);
    return all;
  }
  template <uint32_t kMask, uint32_t K, uint32_t kFirstUse, class Q>
  BOBBIN_HD void load_slots(Q& q) const {
    if constexpr (K < sizeof...(TheSlots)) {
      using Slot = SlotAt<K>;
      if constexpr ((kMask >> K & 1) == 0) {
        // not needed
      } else if constexpr (kComputed<Slot>) {
        Slot::load(q, get<K>(q.states));
      } else {
        Use frames[Slot::kUses == 0 ? 1 : Slot::kUses];
        BOBBIN_UNROLL
        for (uint32_t u = 0; u < Slot::kUses; ++u) {
          frames[u] = Record::read(q.cta, q.shared.uses, use_at(q.cta, kFirstUse + u, q.place));
        }
        Slot::load(q.cta, get<K>(q.shared.slots), *this, frames, q.v, get<K>(q.states));
      }
      load_slots<kMask, K + 1, kFirstUse + Slot::kUses>(q);
    }
  }

  template <class Sink>
  struct TotalFor {
    static auto type() {
      if constexpr (Sink::kOfValues) {
        return typename Sink::template TotalOf<SlotAt<Sink::kSlot>>{};
      } else {
        return typename Sink::Total{};
      }
    }
    using Type = decltype(type());
  };
  using Totals = Each<typename TotalFor<Folds>::Type...>;
  template <uint32_t F>
  using FoldAt = ItemAt<F, List<Folds...>>;

  // Test and fold are one pass if all is about the values of one slot without nulls.
  static constexpr uint32_t kValueFolds = (0 + ... + (Folds::kOfValues ? 1 : 0));
  static constexpr bool kOnePass = sizeof...(TheSlots) == 1 && !(false || ... || TheSlots::kNulls) &&
                                   Where::kOfValues && !kBitmap && kValueFolds == 1 && sizeof...(Folds) == 1;

  // Whether rows can be tested and folded one by one. If a test leaves few of a vector, this reads fewer
  // bytes than loading the other columns does, and takes fewer instructions.
  template <class Slot>
  static constexpr bool kOfPacked = !Slot::kNulls && (Slot::kPacked || kComputed<Slot>);
  template <class Sink>
  static constexpr bool kRowByRow = [] {
    if constexpr (requires { Sink::kOfRows; }) {
      return Sink::kOfRows;
    } else {
      return false;
    }
  }();
  static constexpr bool kSparse = !kBitmap && !kOnePass && sizeof...(Tests) != 0 && sizeof...(Folds) != 0 &&
                                  (true && ... && kOfPacked<TheSlots>)&&(true && ... && Tests::kOfRows) &&
                                  (true && ... && kRowByRow<Folds>);
  // Whether all values take 4 bits, or all 8, and are tested and summed four at a time, in bytes that have
  // the same place in all slots.
  template <class Slot>
  static constexpr bool kFillsBytes = [] {
    if constexpr (Slot::kPacked) {
      using First = SlotAt<0>;
      if constexpr (Slot::Known::kOne && First::kPacked) {
        return !Slot::kNulls && kTestsBytes<typename Slot::Element, Slot::Known::kMost> &&
               std::is_same_v<typename Slot::Element, typename First::Element> &&
               std::is_same_v<typename Slot::Known, typename First::Known>;
      }
    }
    return false;
  }();
  template <class Sink>
  static constexpr bool kAddsBytes = [] {
    if constexpr (requires { Sink::kCountsBytes; }) {
      return Sink::kCountsBytes;
    } else if constexpr (requires { Sink::template kSumsBytes<SlotAt<0>>; }) {
      return Sink::template kSumsBytes<SlotAt<Sink::kSlot>>;
    } else {
      return false;
    }
  }();
  static constexpr bool kInBytes = !kBitmap && !kOnePass && sizeof...(Tests) != 0 && sizeof...(Folds) != 0 &&
                                   (true && ... && kFillsBytes<TheSlots>)&&(true && ... && Tests::kOfBytes) &&
                                   (true && ... && kAddsBytes<Folds>);
  static constexpr uint32_t kFewRows = 1;  // of a thread: more would wait for memory one after another

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t use_at(Cta& cta, uint32_t u, uint32_t place) {
    return (cta.warp() * simt::kWarpSize * (kBothUses ? 2 : 1) + (u << kGroupBits) + place) * Record::kQuads;
  }

  // Before the first vector.
  template <uint32_t K, class Cta>
  BOBBIN_HD void begin_slots(Cta& cta, Shared& shared) const {
    if constexpr (K < sizeof...(TheSlots)) {
      SlotAt<K>::begin(cta, get<K>(shared.slots), *this);
      begin_slots<K + 1>(cta, shared);
    }
  }
  template <uint32_t F, class Cta>
  BOBBIN_HD void begin_folds(Cta& cta, Shared& shared) const {
    if constexpr (F < sizeof...(Folds)) {
      using Map = typename FoldAt<F>::Map;
      if constexpr (kGroups<FoldAt<F>>) {
        FoldAt<F>::begin(cta, get<F>(shared.maps), *this);
      } else if constexpr (kMatches<Map>) {
        Map::begin(cta, get<F>(shared.maps), columns[SlotAt<FoldAt<F>::kSlot>::kColumn], kThreads,
                   [&](uint32_t code) { return Where::holds_code(*this, code); });
      } else if constexpr (kHolds<Map>) {
        static_assert(kOnePass && Where::kPackedRange);
        Map::begin(cta, get<F>(shared.maps), columns[SlotAt<FoldAt<F>::kSlot>::kColumn], kThreads,
                   Where::range(*this));
      } else if constexpr (FoldAt<F>::kOfValues) {
        Map::begin(cta, get<F>(shared.maps), columns[SlotAt<FoldAt<F>::kSlot>::kColumn], kThreads);
      }
      begin_folds<F + 1>(cta, shared);
    }
  }
  template <uint32_t F, class Cta>
  BOBBIN_HD void end_folds(Cta& cta, Shared& shared, Totals& folded) const {
    if constexpr (F < sizeof...(Folds)) {
      if constexpr (requires { FoldAt<F>::end(cta, get<F>(shared.maps), *this); }) {
        FoldAt<F>::end(cta, get<F>(shared.maps), *this);
      } else {
        FoldAt<F>::end(cta, *this, get<F>(folded));
      }
      end_folds<F + 1>(cta, shared, folded);
    }
  }

  // Use U of a vector and those after it, by the lane whose they are.
  template <uint32_t U, class Cta>
  BOBBIN_HD void prepare(Cta& cta, Shared& shared, uint32_t u, uint32_t place, uint64_t v) const {
    if constexpr (U < kUses) {
      if (kBothUses || u == U) {
        Record::store(cta, shared.uses, use_at(cta, U, place), make_use<U>(cta, v));
      }
      prepare<U + 1>(cta, shared, u, place, v);
    }
  }
  template <uint32_t U, uint32_t K = 0, class Cta>
  [[nodiscard]] BOBBIN_HD Use make_use(Cta& cta, uint64_t v) const {
    if constexpr (K == sizeof...(TheSlots)) {
      return Where::template use<U, Slots>(cta, *this, v);
    } else if constexpr (U < SlotAt<K>::kUses) {
      return SlotAt<K>::template use<U>(cta, *this, v);
    } else {
      return make_use<U - SlotAt<K>::kUses, K + 1>(cta, v);
    }
  }

  template <class Q>
  BOBBIN_HD void run_vector(Q& q, Totals& folded) const {
    if constexpr (kOnePass) {
      if constexpr (requires { Where::kBounded; }) {
        if (fold_bounded(q, folded)) {
          return;
        }
      }
      load<1, 0>(q);
      if (one_pass(q, folded)) {
        return;
      }
    }
    if constexpr (kInBytes) {
      uint32_t hits[8] = {};
      if (is_whole(q.v) && fold_bytes<0, Tests...>(q, hits, folded)) {
        return;
      }
    }
    uint32_t rows = RowLayout::exchange(q.cta, rows_inside(q.v, q.cta.lane(), begin, end));
    const bool left = test < kOnePass ? 1 : 0, Tests... > (q, rows, folded);
    if constexpr (kBitmap) {
      q.cta.store_once(bitmap, q.v * simt::kWarpSize + q.cta.lane(),
                       transpose(q.cta, RowLayout::exchange(q.cta, rows)));
    }
    if (left) {
      constexpr uint32_t kTested = (0U | ... | Tests::kSlots) | (kOnePass ? 1 : 0);
      load<(0U | ... | Folds::kSlots), kTested>(q);
      fold<0>(q, rows, folded);
    }
  }

  // One test after another; false if no row is left to be folded.
  template <uint32_t kLoaded, class Q>
  [[nodiscard]] BOBBIN_HD bool test(Q& q, uint32_t& rows, Totals& /*folded*/) const {
    return q.cta.any(rows != 0);
  }
  template <uint32_t kLoaded, class Test, class... Rest, class Q>
  [[nodiscard]] BOBBIN_HD bool test(Q& q, uint32_t& rows, Totals& folded) const {
    if (Test::is_none(q)) {
      rows = 0;
      return false;
    }
    rows &= Test::template bits<kLoaded>(q);
    if (!q.cta.any(rows != 0)) {
      return false;
    }
    if constexpr (kSparse) {
      if (q.cta.all(std::popcount(rows) <= static_cast<int>(kFewRows))) {
        fold_rows<Rest...>(q, rows, folded);
        return false;
      }
    }
    if constexpr (sizeof...(Rest) == 0) {
      return true;
    } else {
      return test<kLoaded | Test::kSlots, Rest...>(q, rows, folded);
    }
  }

  // One test after another, in bytes; then the folds. False if a slot or a range cannot be used that way.
  template <uint32_t kLoaded, class Test, class... Rest, class Q>
  [[nodiscard]] BOBBIN_HD bool fold_bytes(Q& q, uint32_t (&hits)[8], Totals& folded) const {
    if (Test::is_none(q)) {
      return true;
    }
    load<Test::kSlots, kLoaded>(q);
    const auto test = Test::bytes(q);
    if (!test.usable) {
      return false;
    }
    uint32_t count = 0;
    BOBBIN_UNROLL
    for (uint32_t g = 0; g < 8; ++g) {
      hits[g] = kLoaded == 0 ? test(g) : hits[g] & test(g);
      count = dot_bytes(hits[g], kLaneOnes<8>, count);
    }
    count /= 128;
    if (!q.cta.any(count != 0)) {
      return true;
    }
    if constexpr (kSparse) {
      if (q.cta.all(count <= kFewRows)) {
        using Slot = SlotAt<0>;
        fold_rows<Rest...>(
            q, bits_of_bytes<typename Slot::Element, Slot::Known::kMost>([&](uint32_t g) { return hits[g]; }),
            folded);
        return true;
      }
    }
    constexpr uint32_t kNow = kLoaded | Test::kSlots;
    if constexpr (sizeof...(Rest) != 0) {
      return fold_bytes<kNow, Rest...>(q, hits, folded);
    } else {
      load<(0U | ... | Folds::kSlots), kNow>(q);
      if ((false || ... || is_slow_fold<Folds>(q))) {
        return false;
      }
      add_bytes<0>(q, hits, count, folded);
      return true;
    }
  }
  template <class Sink, class Q>
  [[nodiscard]] BOBBIN_HD bool is_slow_fold(Q& q) const {
    if constexpr (Sink::kOfValues) {
      return is_slow_slot<Sink::kSlot>(q);
    } else {
      return false;
    }
  }
  template <uint32_t F, class Q>
  BOBBIN_HD void add_bytes(Q& q, const uint32_t (&hits)[8], uint32_t count, Totals& folded) const {
    if constexpr (F < sizeof...(Folds)) {
      get<F>(folded).count += count;
      if constexpr (FoldAt<F>::kOfValues) {
        FoldAt<F>::template add_bytes<SlotAt<FoldAt<F>::kSlot>>(q, hits, count, get<F>(folded));
      }
      add_bytes<F + 1>(q, hits, count, folded);
    }
  }

  // Row by row.
  template <class... Rest, class Q>
  BOBBIN_HD void fold_rows(Q& q, uint32_t rows, Totals& folded) const {
    load_uses<0, 0>(q);
    uint32_t left = RowLayout::exchange(q.cta, rows);
    BOBBIN_ROLL
    for (; left != 0; left &= left - 1) {
      const uint32_t r = trailing_zeros(left);
      if ((true && ... && Rest::holds_row(q, r))) {
        fold_row<0>(q, r, folded);
      }
    }
  }
  template <uint32_t K, uint32_t kFirstUse, class Q>
  BOBBIN_HD void load_uses(Q& q) const {
    if constexpr (K < sizeof...(TheSlots)) {
      if constexpr (SlotAt<K>::kPacked) {
        get<K>(q.states).use = Record::read(q.cta, q.shared.uses, use_at(q.cta, kFirstUse, q.place));
      }
      load_uses<K + 1, kFirstUse + SlotAt<K>::kUses>(q);
    }
  }
  template <uint32_t F, class Q>
  BOBBIN_HD void fold_row(Q& q, uint32_t r, Totals& folded) const {
    if constexpr (F < sizeof...(Folds)) {
      if constexpr (FoldAt<F>::kOfValues) {
        FoldAt<F>::template add_row<SlotAt<FoldAt<F>::kSlot>>(q, get<F>(q.shared.maps), r, get<F>(folded));
      } else {
        get<F>(folded).count += 1;
      }
      fold_row<F + 1>(q, r, folded);
    }
  }

  template <uint32_t F, class Q>
  BOBBIN_HD void fold(Q& q, uint32_t rows, Totals& folded) const {
    if constexpr (F < sizeof...(Folds)) {
      using Sink = FoldAt<F>;
      auto& total = get<F>(folded);
      if constexpr (kGroups<Sink>) {
        Sink::add(q, get<F>(q.shared.maps), rows, total);
      } else if constexpr (!Sink::kOfValues) {
        total.count += Sink::template count<RowLayout>(q, rows);
      } else {
        fold_values<F, SlotAt<Sink::kSlot>>(q, rows, total);
      }
      fold<F + 1>(q, rows, folded);
    }
  }
  template <uint32_t F, class Slot, class Q, class Total>
  BOBBIN_HD void fold_values(Q& q, uint32_t rows, Total& total) const {
    using Sink = FoldAt<F>;
    uint32_t mine = convert<RowLayout, typename Slot::Layout>(q.cta, rows);
    if constexpr (Slot::kNulls) {
      mine &= get<Sink::kSlot>(q.states).valid;
    }
    if (Sink::template is_slow<Slot>(q)) {
      Sink::template add_slow<Slot>(q, get<F>(q.shared.maps), mine, total);
      return;
    }
    Sink::template with_part<Slot>(q, get<F>(q.shared.maps), [&](auto& part, auto&& one) {
      BOBBIN_UNROLL
      for (uint32_t n = 0; n < 32; ++n) {
        one(n, q.template value<Sink::kSlot>(n), (mine >> Slot::Layout::bit(n) & 1) != 0);
      }
      Sink::template finish<Slot>(q, part, static_cast<uint32_t>(std::popcount(mine)), total);
    });
  }

  [[nodiscard]] BOBBIN_HD bool is_whole(uint64_t v) const {
    return v * kVectorLength >= begin && rows_of(v) == kVectorLength;
  }

  // False if the bounds of a vector's values do not say whether all or none match, or it is not whole.
  template <class Q>
  [[nodiscard]] BOBBIN_HD bool fold_bounded(Q& q, Totals& folded) const {
    using Sink = FoldAt<0>;
    using Slot = SlotAt<0>;
    const Use bounds = leaf_use(q, 0);
    if (bounds.way == Use::Way::none) {
      return true;
    }
    if constexpr (Sink::template kOfDifferences<Slot>) {
      const Use frame = Record::read(q.cta, q.shared.uses, use_at(q.cta, 0, q.place));
      if (bounds.way == Use::Way::joined && frame.way == Use::Way::direct && is_whole(q.v)) {
        Sink::template add_differences<Slot>(q, frame, bounds.low, get<0>(folded));
        return true;
      }
    }
    return false;
  }

  // False if the vector is not whole, or a range cannot be evaluated that way.
  template <class Q>
  [[nodiscard]] BOBBIN_HD bool one_pass(Q& q, Totals& folded) const {
    using Sink = FoldAt<0>;
    using Slot = SlotAt<0>;
    if (Sink::template is_slow<Slot>(q) || (!Slot::kPacked && !is_whole(q.v))) {
      return false;
    }
    if constexpr (kMatches<typename Sink::Map>) {
      return Sink::template add_codes<Slot>(q, get<0>(q.shared.maps), get<0>(folded));
    } else if constexpr (kHolds<typename Sink::Map>) {
      return Sink::template add_held<Slot>(q, get<0>(q.shared.maps), Where::range(*this), get<0>(folded)) ||
             one_pass_of_values(q, folded);
    } else if constexpr (kMayBeFlat<Slot>) {
      // Written twice, because not every compiler moves the question out of the loop over values.
      auto& flat = get<0>(q.states).flat;
      if (flat) {
        flat = true;
        return one_pass_of_values(q, folded);
      }
      flat = false;
      return one_pass_of_values(q, folded);
    } else {
      return one_pass_of_values(q, folded);
    }
  }
  template <class Q>
  [[nodiscard]] BOBBIN_HD bool one_pass_of_values(Q& q, Totals& folded) const {
    using Sink = FoldAt<0>;
    using Slot = SlotAt<0>;
    const auto test = Where::single(q);
    if (!test.usable) {
      return false;
    }
    if constexpr (Where::kPackedRange && Sink::template kOfWords<Slot>) {
      Use range = leaf_use(q, 0);
      if (range.way == Use::Way::all) {
        range.low = 0;
        range.span = low_mask<uint64_t>(Slot::Known::kMost);
      }
      if (get<0>(q.states).use.width != 0) {
        Sink::template add_range<Slot>(q, range, get<0>(folded));
        return true;
      }
    }
    if constexpr (Sink::template kOfEntries<Slot>) {
      if (Sink::template add_entries<Slot>(q, test, get<0>(folded))) {
        return true;
      }
    }
    Sink::template with_part<Slot>(q, get<0>(q.shared.maps), [&](auto& part, auto&& one) {
      uint32_t count = 0;
      BOBBIN_UNROLL
      for (uint32_t n = 0; n < 32; ++n) {
        const auto value = q.template value<0>(n);
        const bool hit = test(value);
        count += hit ? 1 : 0;
        one(n, value, hit);
      }
      Sink::template finish<Slot>(q, part, count, get<0>(folded));
    });
    return true;
  }
};

}  // namespace bobbin::plan
