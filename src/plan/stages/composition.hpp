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
#include "plan/stages/words_ahead.hpp"
#include "plan/uses.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// Rows of a warp that wait for tests, each as the place of its vector in the group and its number there.
template <uint32_t kLists>
struct PendingRows {
  simt::Shared<uint16_t, kLists * kPendingRoom> rows;
};
template <>
struct PendingRows<0> {};

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
  template <uint32_t F>
  using FoldAt = ItemAt<F, List<Folds...>>;

  static constexpr uint32_t kTests = sizeof...(Tests);
  static constexpr uint32_t kWarps = kTheWarps;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kSlotUses = (0 + ... + TheSlots::kUses);
  static constexpr uint32_t kUses = kSlotUses + static_cast<uint32_t>(std::popcount(Where::kLeaves));
  static_assert(kUses <= simt::kWarpSize);
  static constexpr bool kWide =
      (false || ... || (sizeof(typename TheSlots::Element) == 8 && !kComputed<TheSlots>));
  using Record = UseRecord<std::conditional_t<kWide, uint64_t, uint32_t>>;
  // A warp prepares some vectors at a time, 2 to the power of kGroupBits. A lane prepares all uses of one of
  // them: lanes with different uses would take turns.
  static constexpr bool kFewPrepared =
      sizeof...(TheSlots) == 1 && (false || ... || kShortsWithExceptions<TheSlots>);
  static constexpr uint32_t kGroupBits = group_bits(kWarps, kUses, Record::kQuads, kFewPrepared);
  static constexpr uint32_t kMinBlocks = kBlocks;

  // Test and fold are one pass if all is about the values of one slot without nulls.
  static constexpr uint32_t kValueFolds = (0 + ... + (Folds::kOfValues ? 1 : 0));
  static constexpr bool kOnePass = sizeof...(TheSlots) == 1 && !(false || ... || TheSlots::kNulls) &&
                                   Where::kOfValues && !kBitmap && kValueFolds == 1 && sizeof...(Folds) == 1;

  template <class Sink>
  static constexpr bool kRealSum = [] {
    if constexpr (requires { Sink::kReal; }) {
      return Sink::kReal;
    } else {
      return false;
    }
  }();
  // Whether vectors may be summed two packed integers at a time.
  static constexpr bool kShorts = [] {
    if constexpr (kOnePass && Where::kPackedRange && kUses == 2) {
      if constexpr (kRealSum<FoldAt<0>>) {
        return FoldAt<0>::template kOfShorts<SlotAt<0>>;
      }
    }
    return false;
  }();
  // The width of the packed words that are copied ahead, if the kernel has one pass over them: 0 if none are.
  static constexpr uint32_t kWidthAhead = [] {
    if constexpr (kShorts) {
      return kShortWidth;
    } else if constexpr (kOnePass) {
      if constexpr (requires { SlotAt<0>::kWidthAhead; }) {
        return SlotAt<0>::kWidthAhead;
      }
    }
    return 0U;
  }();

  // Whether rows can be tested and folded one by one. If few of a vector are left, they wait until there is
  // one for each thread: that reads fewer bytes than loading the other columns, and takes fewer instructions.
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

  struct Prepared {
    simt::Shared<Quad, kWarps*(kUses == 0 ? 1 : kUses) * Record::kQuads << kGroupBits> uses;
    PendingRows<kSparse ? kWarps * kTests : 0> pending;
    Each<typename TheSlots::template Shared<kWarps>...> slots;
    Each<typename Folds::Map::Shared...> maps;
  };
  // Sums of floats wait in shared memory if there is one for each vector, and room.
  using Sums = LaneSums<kWarps, kWide>;
  static constexpr bool kKeepsSums =
      (0 + ... + (kRealSum<Folds> ? 1 : 0)) == 1 && sizeof(Prepared) + sizeof(Sums) <= kSharedBytes;
  struct WithSums : Prepared {
    std::conditional_t<kKeepsSums, Sums, NothingShared> sums;
  };
  // Words are copied ahead if there is room.
  using Ahead = WordsAhead<kWarps, kWidthAhead == 0 ? 1 : kWidthAhead>;
  static constexpr bool kCopiesAhead =
      kWidthAhead != 0 && (kShorts || sizeof(WithSums) + sizeof(Ahead) <= kSharedBytes);
  // Whether a slot's words are there before it is loaded.
  static constexpr bool kTakesWords = kCopiesAhead && !kShorts;
  struct Shared : WithSums {
    std::conditional_t<kCopiesAhead, Ahead, NothingShared> ahead;
  };

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    static_assert(sizeof(Shared) <= kSharedBytes);
    auto& shared = cta.template shared<Shared>();
    begin_slots<0>(cta, shared);
    begin_folds<0>(cta, shared);
    Totals folded;
    Pending pending{};
    const uint64_t vectors = num_vectors(end);
    const uint64_t last = vectors * (uint64_t{cta.block()} + 1) / cta.num_blocks();
    uint64_t first = vectors * cta.block() / cta.num_blocks() + cta.warp();
    if constexpr (kTakesWords) {
      copy_words(cta, shared, first, last);
    }
    BOBBIN_ROLL
    for (; first < last; first += uint64_t{kWarps} << kGroupBits) {
      const uint64_t left = ceil_div<uint64_t>(last - first, kWarps);
      const uint32_t here = left < 1U << kGroupBits ? static_cast<uint32_t>(left) : 1U << kGroupBits;
      cta.sync_warp();  // the previous group is no longer in use
      if (cta.lane() < here) {
        prepare<0>(cta, shared, cta.lane(), first + cta.lane() * kWarps);
      }
      cta.sync_warp();
      BOBBIN_ROLL
      for (uint32_t at = 0; at < here; ++at) {
        if constexpr (kShorts) {
          at = run_shorts(cta, shared, folded, first, at, here);
          if (at == here) {
            break;
          }
        }
        States states;
        Question<Composition, Cta> q{*this, cta, shared, states, first + at * kWarps, at, last};
        run_vector(q, pending, folded);
        end_vector(cta, shared, folded, first, at, here);
      }
      if constexpr (kSparse) {
        fold_pending<0, Tests...>(cta, shared, pending, folded);
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
        if constexpr (kTakesWords) {
          Slot::load_left(q.cta, get<K>(q.shared.slots), *this, frames, q.v, get<K>(q.states));
          take_words(q);
        } else {
          Slot::load(q.cta, get<K>(q.shared.slots), *this, frames, q.v, get<K>(q.states));
        }
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
  // How many rows wait after each test.
  struct Pending {
    uint32_t counts[kTests == 0 ? 1 : kTests];
  };

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

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t use_at(Cta& cta, uint32_t u, uint32_t place) {
    return (((cta.warp() * kUses + u) << kGroupBits) + place) * Record::kQuads;
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

  // After vector `at` of a group.
  template <class Cta>
  BOBBIN_HD void end_vector(Cta& cta, Shared& shared, Totals& folded, uint64_t first, uint32_t at,
                            uint32_t here) const {
    if constexpr (kKeepsSums) {
      if (at % Sums::kVectors == Sums::kVectors - 1 || at + 1 == here) {
        add_up_sums<0>(cta, shared, folded, first + (at - at % Sums::kVectors) * kWarps);
      }
    }
  }
  // Starts to copy the words of vector v, if that is one of the block's, and whole.
  template <class Cta>
  BOBBIN_HD void copy_words(Cta& cta, Shared& shared, uint64_t v, uint64_t last) const {
    if (v < last && rows_of(v) == kVectorLength) {
      shared.ahead.start(cta, SlotAt<0>::packed(*this), v * kWidthAhead);
    }
  }
  // Gets the words of a vector, which were copied ahead, and starts to copy those of the warp's next one.
  template <class Q>
  BOBBIN_HD void take_words(Q& q) const {
    auto& lane = get<0>(q.states).lane;
    if (rows_of(q.v) == kVectorLength) {
      q.shared.ahead.take(q.cta, lane);
      copy_words(q.cta, q.shared, q.v + kWarps, q.last);
    } else {
      lane.load_some(q.cta, SlotAt<0>::packed(*this), q.v * kWidthAhead);
    }
  }
  // Sums vectors two integers at a time, from number `at` of a group on, as long as that is possible. Returns
  // the number of the first that is left. While one is summed, what the next one needs is loaded.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t run_shorts(Cta& cta, Shared& shared, Totals& folded, uint64_t first,
                                              uint32_t at, uint32_t here) const {
    using Slot = SlotAt<0>;
    const auto use = [&](uint32_t u, uint32_t place) {
      return Record::read(cta, shared.uses, use_at(cta, u, place));
    };
    typename Slot::Short next;
    // Whether vector `place` is one of these.
    const auto start = [&](uint32_t place) {
      const Use test = use(1, place);
      if (test.way != Use::Way::shorts) {
        return false;
      }
      shared.ahead.start(cta, view_as<Quad>(columns[Slot::kColumn].frames().packed), test.first_register);
      next.load(cta, *this, use(0, place));
      return true;
    };
    bool more = start(at);
    BOBBIN_ROLL
    while (more) {
      const Use test = use(1, at);
      const typename Slot::Short rest = next;
      Lane<typename Slot::Element, kShortWidth> lane;
      shared.ahead.take(cta, lane);
      more = at + 1 < here && start(at + 1);
      States states;
      Question<Composition, Cta> q{*this, cta, shared, states, first + at * kWarps, at};
      FoldAt<0>::template add_shorts<Slot, Where>(q, rest, test, lane, get<0>(folded));
      end_vector(cta, shared, folded, first, at, here);
      ++at;
    }
    return at;
  }
  // Stores the sums of vectors from `v` on that are in shared memory.
  template <uint32_t F, class Cta>
  BOBBIN_HD void add_up_sums(Cta& cta, Shared& shared, Totals& folded, uint64_t v) const {
    if constexpr (!kRealSum<FoldAt<F>>) {
      add_up_sums<F + 1>(cta, shared, folded, v);
    } else {
      uint32_t& kept = get<F>(folded).kept;
      cta.sync_warp();
      const uint32_t place = cta.lane() / Sums::kReaders;
      const bool there = (kept >> place & 1) != 0;
      const double sum = shared.sums.add_up(cta, there);
      if (there && cta.lane() % Sums::kReaders == 0) {
        cta.store(reals, FoldAt<F>::kFold * num_vectors(end) + v + place * kWarps, sum);
      }
      cta.sync_warp();  // they are no longer in use
      kept = 0;
    }
  }

  // Use U of a vector and those after it.
  template <uint32_t U, class Cta>
  BOBBIN_HD void prepare(Cta& cta, Shared& shared, uint32_t place, uint64_t v) const {
    if constexpr (kShorts) {
      prepare_shorts(cta, shared, place, v);
    } else if constexpr (U < kUses) {
      Record::store(cta, shared.uses, use_at(cta, U, place), make_use<U>(cta, v));
      prepare<U + 1>(cta, shared, place, v);
    }
  }
  // The only slot and the only test. If possible, the test is for two integers at a time.
  template <class Cta>
  BOBBIN_HD void prepare_shorts(Cta& cta, Shared& shared, uint32_t place, uint64_t v) const {
    using Slot = SlotAt<0>;
    Use slot = make_use<0>(cta, v);
    Use test = make_use<1>(cta, v);
    bool possible = is_whole(v);
    if constexpr (requires { Slot::exceptions(cta, *this, v); }) {
      possible = possible && Slot::are_sorted(*this);
      slot.span = Slot::exceptions(cta, *this, v);
    }
    if (possible) {
      ShortRange::make<typename Slot::Element>(test, slot);
    }
    Record::store(cta, shared.uses, use_at(cta, 0, place), slot);
    Record::store(cta, shared.uses, use_at(cta, 1, place), test);
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
  BOBBIN_HD void run_vector(Q& q, Pending& pending, Totals& folded) const {
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
      if (is_whole(q.v) && fold_bytes<0, Tests...>(q, hits, pending, folded)) {
        return;
      }
    }
    uint32_t rows = RowLayout::exchange(q.cta, rows_inside(q.v, q.cta.lane(), begin, end));
    const bool left = test < 0, kOnePass ? 1 : 0, Tests... > (q, rows, pending, folded);
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

  // One test after another, from number J on; false if no row is left to be folded.
  template <uint32_t J, uint32_t kLoaded, class Q>
  [[nodiscard]] BOBBIN_HD bool test(Q& q, uint32_t& rows, Pending& /*pending*/, Totals& /*folded*/) const {
    return q.cta.any(rows != 0);
  }
  template <uint32_t J, uint32_t kLoaded, class Test, class... Rest, class Q>
  [[nodiscard]] BOBBIN_HD bool test(Q& q, uint32_t& rows, Pending& pending, Totals& folded) const {
    if (Test::is_none(q)) {
      rows = 0;
      return false;
    }
    rows &= Test::template bits<kLoaded>(q);
    if (!q.cta.any(rows != 0)) {
      return false;
    }
    if constexpr (kSparse) {
      const uint32_t left = q.cta.reduce_add(count_ones(rows));
      if (left <= kFewRows) {
        put_off<J, Rest...>(q, rows, left, pending, folded);
        return false;
      }
    }
    if constexpr (sizeof...(Rest) == 0) {
      return true;
    } else {
      return test<J + 1, kLoaded | Test::kSlots, Rest...>(q, rows, pending, folded);
    }
  }

  // One test after another, in bytes; then the folds. False if a slot or a range cannot be used that way.
  template <uint32_t kLoaded, class Test, class... Rest, class Q>
  [[nodiscard]] BOBBIN_HD bool fold_bytes(Q& q, uint32_t (&hits)[8], Pending& pending, Totals& folded) const {
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
      const uint32_t left = q.cta.reduce_add(count);
      if (left <= kFewRows) {
        using Slot = SlotAt<0>;
        put_off<kTests - 1 - sizeof...(Rest), Rest...>(
            q, bits_of_bytes<typename Slot::Element, Slot::Known::kMost>([&](uint32_t g) { return hits[g]; }),
            left, pending, folded);
        return true;
      }
    }
    constexpr uint32_t kNow = kLoaded | Test::kSlots;
    if constexpr (sizeof...(Rest) != 0) {
      return fold_bytes<kNow, Rest...>(q, hits, pending, folded);
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

  // Where a warp's list of rows that have passed test J begins.
  template <uint32_t J, class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t first_pending(Cta& cta) {
    return (cta.warp() * kTests + J) * kPendingRoom;
  }
  // Adds rows that have passed test J to those that wait for the other tests, Rest, until there are enough
  // for all threads.
  template <uint32_t J, class... Rest, class Q>
  BOBBIN_HD void put_off(Q& q, uint32_t rows, uint32_t number, Pending& pending, Totals& folded) const {
    uint32_t& waiting = pending.counts[J];
    const uint32_t first = first_pending<J>(q.cta);
    const uint32_t vector = q.place * kVectorLength;
    uint32_t left = RowLayout::exchange(q.cta, rows);
    const uint32_t mine = count_ones(left);
    uint32_t to = first + waiting + simt::sum_through(q.cta, mine) - mine;
    q.cta.sync_warp();  // what was read last is no longer in use
    BOBBIN_ROLL
    for (; left != 0; left &= left - 1) {
      q.cta.store(q.shared.pending.rows, to++,
                  static_cast<uint16_t>(vector + strided_row(q.cta, trailing_zeros(left))));
    }
    waiting += number;
    q.cta.sync_warp();
    BOBBIN_ROLL
    while (waiting >= simt::kWarpSize) {
      waiting -= simt::kWarpSize;
      fold_rows<Rest...>(q.cta, q.shared, first + waiting, folded);
    }
  }
  // All that wait.
  template <uint32_t J, class Cta>
  BOBBIN_HD void fold_pending(Cta& /*cta*/, Shared& /*shared*/, Pending& /*pending*/,
                              Totals& /*folded*/) const {}
  template <uint32_t J, class Test, class... Rest, class Cta>
  BOBBIN_HD void fold_pending(Cta& cta, Shared& shared, Pending& pending, Totals& folded) const {
    uint32_t& waiting = pending.counts[J];
    if (cta.lane() < waiting) {
      fold_rows<Rest...>(cta, shared, first_pending<J>(cta), folded);
    }
    waiting = 0;
    fold_pending<J + 1, Rest...>(cta, shared, pending, folded);
  }
  // A row for each thread, which waits for the tests Rest. Their vectors may differ.
  template <class... Rest, class Cta>
  BOBBIN_HD void fold_rows(Cta& cta, Shared& shared, uint32_t first, Totals& folded) const {
    const uint32_t row = cta.load(shared.pending.rows, first + cta.lane());
    States states;
    Question<Composition, Cta> q{*this, cta, shared, states, 0, row / kVectorLength};
    load_uses<0, 0>(q);
    if ((true && ... && Rest::holds_row(q, row % kVectorLength))) {
      fold_row<0>(q, row % kVectorLength, folded);
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
  BOBBIN_HD void fold_row(Q& q, uint32_t i, Totals& folded) const {
    if constexpr (F < sizeof...(Folds)) {
      if constexpr (FoldAt<F>::kOfValues) {
        FoldAt<F>::template add_row<SlotAt<FoldAt<F>::kSlot>>(q, get<F>(q.shared.maps), i, get<F>(folded));
      } else {
        get<F>(folded).count += 1;
      }
      fold_row<F + 1>(q, i, folded);
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
