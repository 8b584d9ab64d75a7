// SPDX-License-Identifier: Apache-2.0
// The device-wide scan, for any executor.
//
// Blocks are persistent and all resident at once; block b of G takes tiles b, b+G, b+2G ... Blocks exchange
// sums through a ring (ring.hpp), whose size does not depend on the number of values. Waiting for another
// block is safe because the launch is cooperative: the driver starts all blocks or none. (Tiles assigned by a
// ticket would not need this, but with a ring of fixed size it must be known who reads a slot.)
//
// Warps of a block have roles, and synchronise only through barriers in shared memory:
// - the conductor has tiles loaded and stored by bulk copies, several in flight at a time;
// - working warps process their segments twice: once to find the tile's sums, a few tiles ahead, and once
//   more, with the carry, to replace the values by results;
// - telling warps add up the tile's sums and publish them for other blocks;
// - looking warps look back for the sums of other blocks, and give each working warp the state before it.
//   While they wait for memory, the others work.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/bits.hpp"
#include "core/portable.hpp"
#include "scan/ring.hpp"
#include "scan/scan.hpp"
#include "scan/segment.hpp"
#include "scan/tile.hpp"
#include "simt/cta.hpp"
#include "simt/turnstiles.hpp"

namespace bobbin::scan {

using simt::Turnstiles;

// Arguments of a scan, in the form the kernel needs. Positions count from the last multiple of 16 bytes at or
// before the input's first value: values are at begin .. end-1, tiles start at multiples of 16 bytes.
template <class T>
struct Arguments {
  Global<const T> in;
  Global<T> out;
  uint64_t begin;
  uint64_t end;
  Global<uint64_t> ring;
  uint64_t slots;
  uint64_t epoch;
  uint64_t tiles;
  uint32_t tuple;
  uint32_t rounds;
  T mask;  // values are xor-ed with this before and after: min is the max, and `and` the `or`, of the
           // complement
  bool exclusive;
  bool bulk_out;  // the output has the same alignment as the input
};

// The scan. Either K is the order, done with one exchange of a state of K words per tile; or K is 1 with
// kInRounds, and each of args.rounds orders is a round over the tile with its own exchange (SAM's scheme, for
// every operation at every order).
template <class TheOp, uint32_t K, class TheShape, uint32_t kLead, bool kInRounds>
struct ScanKernel {
  using Op = TheOp;
  using Shape = TheShape;
  using T = typename Shape::Value;
  using Word = typename Op::Word;
  using Coefficients = Pascal<Word, K>;
  using OneState = State<Op, K>;
  static_assert(!kInRounds || (K == 1 && kLead == 0), "a round needs the one before it");

  static constexpr uint32_t kWarps = Shape::kWarps;  // working warps
  static constexpr uint32_t kTellers = 2;
  static constexpr uint32_t kLookers = 5;
  static constexpr uint32_t kFirstLooker = kWarps + kTellers;
  static constexpr uint32_t kConductor = kFirstLooker + kLookers;
  static constexpr uint32_t kThreads = (kConductor + 1) * simt::kWarpSize;
  static constexpr uint32_t kMaxBlocks =
      kLookers * simt::kWarpSize + 1;  // each lane looks at one other block
  static_assert(kLookers * simt::kWarpSize >= kMaxTuple, "a looking lane keeps the state of one scan");
  static constexpr uint32_t kStages = Shape::kStages;
  static constexpr uint32_t kScans = Shape::kMaxScans;
  static constexpr uint32_t kKept = 2 * kScans * (kInRounds ? kMaxOrder : 1);
  static constexpr uint32_t kDepth = kLead + 1;    // tiles whose states are in use
  static constexpr uint32_t kTotals = kDepth + 1;  // a total is still read after its tile is finished
  static constexpr uint32_t kPieces = sizeof(Word) / sizeof(uint32_t);
  static constexpr uint32_t kStateWords = K * kPieces;  // in the ring

  struct Shared {
    simt::Shared<Quad, kStages * Shape::kTileQuads> tiles;
    // For each tile in use, series and working warp: the warp's own sum, then the state before the warp. Both
    // are moved to the tile's start.
    SharedStates<Op, K, kDepth * kScans * kWarps> starts;
    SharedStates<Op, K, kTotals * kScans> totals;         // of those tiles
    SharedStates<Op, K, 2 * kScans * kLookers> gathered;  // what looking warps found, for two tiles
    SharedStates<Op, K, kKept> kept;  // the state after the block's last tile, moved to the start of the next
    Turnstiles<kStages> loaded;
    Turnstiles<kStages> done;
    Turnstiles<kDepth> reduced;
    Turnstiles<kDepth> told;
    Turnstiles<kDepth> carried;
    Turnstiles<1> found;
  };

  Arguments<T> args;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    if (cta.thread() == 0) {
      shared.loaded.set_up(cta, 1);
      shared.done.set_up_warps(cta, kWarps);
      shared.reduced.set_up_warps(cta, kWarps);
      shared.told.set_up_warps(cta, kTellers);
      shared.found.set_up_warps(cta, kLookers);
      shared.carried.set_up_warps(cta, kLookers);
    }
    cta.sync();
    if (cta.warp() < kWarps) {
      work(cta, shared);
    } else if (cta.warp() < kFirstLooker) {
      tell(cta, shared);
    } else if (cta.warp() < kConductor) {
      look(cta, shared);
    } else if (cta.lane() == 0) {
      conduct(cta, shared);
    }
  }

 private:
  [[nodiscard]] BOBBIN_HD uint32_t tuple() const { return Shape::kStrided ? args.tuple : 1; }
  [[nodiscard]] BOBBIN_HD uint32_t rounds() const { return kInRounds ? args.rounds : 1; }
  [[nodiscard]] BOBBIN_HD uint32_t tile_items() const { return Shape::tile_items(tuple()); }
  // The number of values of one series.
  [[nodiscard]] BOBBIN_HD uint32_t scan_items() const { return tile_items() / tuple(); }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint64_t tile(Cta& cta, uint64_t i) const {
    return cta.block() + i * cta.num_blocks();
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint64_t tiles_of_block(Cta& cta) const {
    return cta.block() < args.tiles ? (args.tiles - 1 - cta.block()) / cta.num_blocks() + 1 : 0;
  }
  // Whether the block's i-th tile is complete, so that it can be copied at once.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool whole(Cta& cta, uint64_t i) const {
    const uint64_t first = tile(cta, i) * tile_items();
    return first >= args.begin && first + tile_items() <= args.end;
  }

  // The conductor ---------------------------------------------------------------------------------------

  template <class Cta>
  BOBBIN_HD void conduct(Cta& cta, Shared& shared) const {
    const uint64_t count = tiles_of_block(cta);
    for (uint64_t i = 0; i < kStages && i < count; ++i) {
      start_load(cta, shared, i);
    }
    for (uint64_t i = 0; i < count; ++i) {
      shared.done.wait(cta, i);
      if (args.bulk_out && whole(cta, i)) {
        const Global<Quad> to{reinterpret_cast<Quad*>(args.out.data), args.out.size / Shape::kQuadItems};
        cta.bulk_store(to, tile(cta, i) * tile_items() / Shape::kQuadItems, shared.tiles,
                       static_cast<uint32_t>(i % kStages) * Shape::kTileQuads,
                       tile_items() / Shape::kQuadItems);
        cta.bulk_store_wait();
      }
      if (i + kStages < count) {
        start_load(cta, shared, i + kStages);
      }
    }
  }

  template <class Cta>
  BOBBIN_HD void start_load(Cta& cta, Shared& shared, uint64_t i) const {
    if (!whole(cta, i)) {
      shared.loaded.arrive(cta, i);  // the warps load it themselves
      return;
    }
    const Global<const Quad> from{reinterpret_cast<const Quad*>(args.in.data),
                                  args.in.size / Shape::kQuadItems};
    const uint32_t quads = tile_items() / Shape::kQuadItems;
    auto& barrier = shared.loaded.barriers[i % kStages];
    cta.barrier_arrive_expect(barrier, quads * sizeof(Quad));
    cta.bulk_load(shared.tiles, static_cast<uint32_t>(i % kStages) * Shape::kTileQuads, from,
                  tile(cta, i) * quads, quads, barrier);
  }

  // Working warps ---------------------------------------------------------------------------------------

  // A lane's segment, the same in every tile.
  struct Place {
    WarpShape warp;
    uint32_t first;      // value of a tile
    Coefficients back;   // from the segment's end to the tile's start
    Coefficients ahead;  // from the tile's start to the segment's
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Place place(Cta& cta) const {
    const auto warp = WarpShape::of(cta.lane(), tuple());
    const uint32_t before = cta.warp() * warp.segments + warp.segment;
    return {.warp = warp,
            .first = before * warp.tuple * Shape::kItems + warp.scan,
            .back = Coefficients::back((before + 1) * Shape::kItems),
            .ahead = Coefficients::forward(before * Shape::kItems)};
  }

  template <class Cta>
  BOBBIN_HD void work(Cta& cta, Shared& shared) const {
    const Place at = place(cta);
    const uint64_t count = tiles_of_block(cta) * rounds();
    OneState before[kDepth] = {};
    BOBBIN_UNROLL
    for (uint32_t n = 0; n + 1 < kDepth; ++n) {
      if (n < count) {
        before[n] = reduce(cta, shared, at, n);
      }
    }
    for (uint64_t n = 0; n < count; ++n) {
      if (n + kLead < count) {
        before[kLead] = reduce(cta, shared, at, n + kLead);
      }
      shared.carried.wait(cta, n);
      rerun(cta, shared, at, n, before[0]);
      BOBBIN_UNROLL
      for (uint32_t lead = 0; lead + 1 < kDepth; ++lead) {
        before[lead] = before[lead + 1];
      }
    }
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Segment<Op, Shape> segment(Cta& /*cta*/, const Place& at, uint64_t i) const {
    return {static_cast<uint32_t>(i % kStages) * Shape::kTileItems + at.first, at.warp.tuple, args.mask};
  }
  [[nodiscard]] BOBBIN_HD static uint32_t start_place(uint64_t n, uint32_t scan, uint32_t warp) {
    return (static_cast<uint32_t>(n % kDepth) * kScans + scan) * kWarps + warp;
  }

  // Computes the segment's own state and sums the warp's states, at the tile's start. Returns the sum before
  // the segment in its warp.
  template <class Cta>
  BOBBIN_HD OneState reduce(Cta& cta, Shared& shared, const Place& at, uint64_t n) const {
    const uint64_t i = n / rounds();
    if (n % rounds() == 0) {
      shared.loaded.wait(cta, i);
      if (!whole(cta, i)) {
        load_part(cta, shared, at, i);
      }
    }
    OneState own{};
    if (at.warp.active()) {
      own = segment(cta, at, i).template reduce<K>(cta, shared.tiles);
    }
    const OneState through = add_through<Op, K>(cta, advance<Op, K>(own, at.back), at.warp.segment,
                                                at.warp.segments, at.warp.tuple);
    if (at.warp.segment + 1 == at.warp.segments) {
      shared.starts.store(cta, start_place(n, at.warp.scan, cta.warp()), through);
    }
    shared.reduced.arrive_warp(cta, n);
    return before_own<Op, K>(cta, through, at.warp.segment, at.warp.tuple);
  }

  template <class Cta>
  BOBBIN_HD void rerun(Cta& cta, Shared& shared, const Place& at, uint64_t n, OneState before) const {
    const uint64_t i = n / rounds();
    const bool last = n % rounds() + 1 == rounds();
    if (at.warp.active()) {
      before.prepend(shared.starts.load(cta, start_place(n, at.warp.scan, cta.warp())));
      const OneState start = advance<Op, K>(before, at.ahead);
      segment(cta, at, i).template rerun<K>(cta, shared.tiles, start, args.exclusive && last);
    }
    if (!last) {
      cta.sync_warp();
      return;
    }
    if (args.bulk_out && whole(cta, i)) {
      cta.bulk_fence();
    } else {
      cta.sync_warp();
      store_part(cta, shared, at, i);
    }
    shared.done.arrive_warp(cta, i);
  }

  // The warp's part of an incomplete tile, value by value; the segments of a warp are contiguous. Several
  // loads are in flight at a time: small scans hardly do more than wait for them.
  template <class Cta, class Load, class Store>
  BOBBIN_HD void copy_part(Cta& cta, const Place& at, uint64_t i, Load&& load, Store&& store) const {
    // All values of a lane, if there are enough registers.
    constexpr uint32_t kAtOnce = K == 1 && sizeof(T) >= 4 ? Shape::kItems : 8;
    const uint32_t items = at.warp.segments * at.warp.tuple * Shape::kItems;
    const uint32_t end = (cta.warp() + 1) * items;
    const uint64_t tile_first = tile(cta, i) * tile_items();
    const uint32_t stage = static_cast<uint32_t>(i % kStages) * Shape::kTileItems;
    for (uint32_t first = cta.warp() * items + cta.lane(); first < end; first += kAtOnce * simt::kWarpSize) {
      T values[kAtOnce];
      BOBBIN_UNROLL
      for (uint32_t c = 0; c < kAtOnce; ++c) {
        const uint32_t v = first + c * simt::kWarpSize;
        values[c] = v < end ? load(stage + v, tile_first + v) : T{};
      }
      BOBBIN_UNROLL
      for (uint32_t c = 0; c < kAtOnce; ++c) {
        const uint32_t v = first + c * simt::kWarpSize;
        if (v < end) {
          store(stage + v, tile_first + v, values[c]);
        }
      }
    }
  }
  [[nodiscard]] BOBBIN_HD bool is_there(uint64_t position) const {
    return position >= args.begin && position < args.end;
  }
  template <class Cta>
  BOBBIN_HD void load_part(Cta& cta, Shared& shared, const Place& at, uint64_t i) const {
    auto& tiles = Shape::values(shared.tiles);
    copy_part(
        cta, at, i,
        [&](uint32_t, uint64_t position) {
          return is_there(position) ? cta.load(args.in, position) : args.mask;
        },
        [&](uint32_t v, uint64_t, T value) { cta.store(tiles, v, value); });
    cta.sync_warp();
  }
  template <class Cta>
  BOBBIN_HD void store_part(Cta& cta, Shared& shared, const Place& at, uint64_t i) const {
    auto& tiles = Shape::values(shared.tiles);
    copy_part(
        cta, at, i, [&](uint32_t v, uint64_t) { return cta.load(tiles, v); },
        [&](uint32_t, uint64_t position, T value) {
          if (is_there(position)) {
            cta.store_once(args.out, position, value);
          }
        });
  }

  // Telling warps ---------------------------------------------------------------------------------------

  // A lane handles one series of one working warp, so a telling warp handles a few series at a time.
  static constexpr uint32_t kScansOfTeller = simt::kWarpSize / kWarps;

  template <class Cta>
  BOBBIN_HD void tell(Cta& cta, Shared& shared) const {
    const auto to_next = Coefficients::forward(scan_items());
    const uint64_t count = tiles_of_block(cta) * rounds();
    for (uint64_t n = 0; n < count; ++n) {
      shared.reduced.wait(cta, n);
      for (uint32_t first = (cta.warp() - kWarps) * kScansOfTeller; first < tuple();
           first += kTellers * kScansOfTeller) {
        tell_scans(cta, shared, n, first, to_next);
      }
      shared.told.arrive_warp(cta, n);
    }
  }

  [[nodiscard]] BOBBIN_HD static uint32_t total_place(uint64_t n, uint32_t scan) {
    return static_cast<uint32_t>(n % kTotals) * kScans + scan;
  }

  // Turns each warp's sum into the sum before it, and publishes the tile's sum.
  template <class Cta>
  BOBBIN_HD void tell_scans(Cta& cta, Shared& shared, uint64_t n, uint32_t first,
                            const Coefficients& to_next) const {
    const uint32_t warp = cta.lane() % kWarps;
    const uint32_t scan = first + cta.lane() / kWarps;
    const bool is_pair = cta.lane() < kScansOfTeller * kWarps && scan < tuple();
    const uint32_t at = start_place(n, scan, warp);
    const OneState own = is_pair ? shared.starts.load(cta, at) : OneState{};
    const OneState through = add_through<Op, K>(cta, own, warp, kWarps, 1);
    if (is_pair && warp == kWarps - 1) {
      if (cta.num_blocks() > 1) {
        write_ring(cta, n, scan, advance<Op, K>(through, to_next));
      }
      shared.totals.store(cta, total_place(n, scan), through);
    }
    const OneState before = before_own<Op, K>(cta, through, warp, 1);
    if (is_pair) {
      shared.starts.store(cta, at, before);
    }
  }

  [[nodiscard]] BOBBIN_HD uint64_t ring_place(uint64_t tile, uint32_t round, uint32_t scan,
                                              uint32_t word) const {
    const uint64_t row = uint64_t{round * tuple() + scan} * kStateWords + word;
    return row * args.slots + ((args.epoch + tile) & (args.slots - 1));
  }

  template <class Cta>
  BOBBIN_HD void write_ring(Cta& cta, uint64_t n, uint32_t scan, const OneState& state) const {
    const uint64_t here = tile(cta, n / rounds());
    const uint64_t tag = uint64_t{ring_tag(args.epoch, here)} << 32;
    BOBBIN_UNROLL
    for (uint32_t w = 0; w < kStateWords; ++w) {
      cta.template atomic_store<simt::Order::relaxed>(
          args.ring, ring_place(here, static_cast<uint32_t>(n % rounds()), scan, w), tag | piece(state, w));
    }
  }
  [[nodiscard]] BOBBIN_HD static uint32_t piece(const OneState& state, uint32_t w) {
    if constexpr (kPieces == 2) {
      return static_cast<uint32_t>(std::bit_cast<uint64_t>(state.s[w / 2]) >> (w % 2 * 32));
    } else {
      return std::bit_cast<uint32_t>(state.s[w]);
    }
  }

  // Looking warps ---------------------------------------------------------------------------------------

  // What a lane looks for: the sums of one other block, for the carry into this block's n-th tile (or round).
  struct Look {
    uint64_t n;
    uint64_t tile;
    bool is_there;
  };
  // Series looked for together: as many as registers allow.
  static constexpr uint32_t kWordsAtOnce = kWarps > 12 || K == 1 ? 8 : 16;
  static constexpr uint32_t kScansAtOnce = std::clamp<uint32_t>(kWordsAtOnce / kStateWords, 1, kScans);
  // Words of some series, with their tags.
  struct Glimpse {
    uint64_t words[kScansAtOnce][kStateWords];
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Look look_for(Cta& cta, uint64_t n) const {
    const uint32_t apart = (cta.warp() - kFirstLooker) * simt::kWarpSize + cta.lane();
    const uint64_t here = tile(cta, n / rounds());
    return {.n = n, .tile = here - 1 - apart, .is_there = apart + 1 < cta.num_blocks() && apart < here};
  }

  template <class Cta>
  BOBBIN_HD void look(Cta& cta, Shared& shared) const {
    const uint32_t apart = (cta.warp() - kFirstLooker) * simt::kWarpSize + cta.lane();
    const auto from_other = Coefficients::forward(uint64_t{scan_items()} * apart);
    const auto to_own_next = Coefficients::forward(uint64_t{scan_items()} * cta.num_blocks());
    const uint64_t count = tiles_of_block(cta) * rounds();
    for (uint64_t n = 0; n < count; ++n) {
      // Once this block has published the sums of its next tile, others have published what is needed now:
      // looking earlier would usually mean looking twice.
      shared.told.wait(cta, n);
      if (kLead > 1 && n + 1 < count) {
        shared.told.wait(cta, n + 1);
      }
      if (cta.num_blocks() > 1) {
        gather(cta, shared, look_for(cta, n), from_other);
      }
      shared.found.arrive_warp(cta, n);
      shared.found.wait(cta, n);
      for (uint32_t pair = apart; pair < tuple() * kWarps; pair += kLookers * simt::kWarpSize) {
        hand_out(cta, shared, n, pair / kWarps, pair % kWarps);
      }
      shared.carried.arrive_warp(cta, n);
      // Working warps continue meanwhile; the total read here stays valid until every looking warp has
      // reached the carry of the next tile.
      if (apart < tuple()) {
        shared.kept.store(cta, kept_place(n, apart),
                          advance<Op, K>(after_tile(cta, shared, n, apart), to_own_next));
      }
    }
  }

  // The words of series first, first+1 ... If one is missing, all are read again together: a round trip to L2
  // takes as long for one word as for many.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Glimpse see(Cta& cta, const Look& look, uint32_t first) const {
    Glimpse seen{};
    if (!look.is_there) {
      return seen;
    }
    const uint32_t tag = ring_tag(args.epoch, look.tile);
    for (bool complete = false; !complete;) {
      BOBBIN_UNROLL
      for (uint32_t b = 0; b < kScansAtOnce; ++b) {
        if (first + b < tuple()) {
          BOBBIN_UNROLL
          for (uint32_t w = 0; w < kStateWords; ++w) {
            seen.words[b][w] = cta.template atomic_load<simt::Order::relaxed>(
                args.ring, ring_place(look.tile, static_cast<uint32_t>(look.n % rounds()), first + b, w));
          }
        }
      }
      complete = true;
      BOBBIN_UNROLL
      for (uint32_t b = 0; b < kScansAtOnce; ++b) {
        BOBBIN_UNROLL
        for (uint32_t w = 0; w < kStateWords; ++w) {
          const bool there = static_cast<uint32_t>(seen.words[b][w] >> 32) == tag;
          complete = complete && (there || first + b >= tuple());
        }
      }
      if (!complete) {
        cta.pause();
      }
    }
    return seen;
  }

  // Adds up the sums before the tile.
  template <class Cta>
  BOBBIN_HD void gather(Cta& cta, Shared& shared, const Look& look, const Coefficients& from_other) const {
    for (uint32_t first = 0; first < tuple(); first += kScansAtOnce) {
      const Glimpse seen = see(cta, look, first);
      cta.sync_warp();
      BOBBIN_UNROLL
      for (uint32_t b = 0; b < kScansAtOnce; ++b) {
        if (first + b < tuple()) {
          const Word sum = add_all<Op, K>(cta, advance<Op, K>(state_of(seen.words[b]), from_other));
          BOBBIN_UNROLL
          for (uint32_t j = 0; j < K; ++j) {
            if (cta.lane() == add_all_lane<K>(j)) {
              shared.gathered.store_word(cta, gathered_place(look.n, first + b, cta.warp() - kFirstLooker), j,
                                         sum);
            }
          }
        }
      }
    }
  }
  [[nodiscard]] BOBBIN_HD static uint32_t gathered_place(uint64_t n, uint32_t scan, uint32_t warp) {
    return (static_cast<uint32_t>(n % 2) * kScans + scan) * kLookers + warp;
  }
  // Zero words, where a lane did not look, give the neutral state.
  [[nodiscard]] BOBBIN_HD static OneState state_of(const uint64_t (&words)[kStateWords]) {
    OneState state;
    BOBBIN_UNROLL
    for (uint32_t j = 0; j < K; ++j) {
      if constexpr (kPieces == 2) {
        state.s[j] = std::bit_cast<Word>(words[2 * j + 1] << 32 | static_cast<uint32_t>(words[2 * j]));
      } else {
        state.s[j] = std::bit_cast<Word>(static_cast<uint32_t>(words[j]));
      }
    }
    return state;
  }

  [[nodiscard]] BOBBIN_HD uint32_t kept_place(uint64_t n, uint32_t scan) const {
    const auto round = static_cast<uint32_t>(n % rounds());
    return (static_cast<uint32_t>(n / rounds() % 2) * rounds() + round) * kScans + scan;
  }

  // The carry into a tile.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD OneState carry(Cta& cta, const Shared& shared, uint64_t n, uint32_t scan) const {
    OneState before{};
    if (n >= rounds()) {
      before = shared.kept.load(cta, kept_place(n - rounds(), scan));
    }
    if (cta.num_blocks() > 1) {
      BOBBIN_UNROLL
      for (uint32_t w = 0; w < kLookers; ++w) {
        before.prepend(shared.gathered.load(cta, gathered_place(n, scan, w)));
      }
    }
    return before;
  }

  // Adds the carry to the state before a warp.
  template <class Cta>
  BOBBIN_HD void hand_out(Cta& cta, Shared& shared, uint64_t n, uint32_t scan, uint32_t warp) const {
    const uint32_t at = start_place(n, scan, warp);
    OneState start = shared.starts.load(cta, at);
    start.prepend(carry(cta, shared, n, scan));
    shared.starts.store(cta, at, start);
  }

  // The state after a tile, moved to the tile's start.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD OneState after_tile(Cta& cta, const Shared& shared, uint64_t n,
                                              uint32_t scan) const {
    OneState after = shared.totals.load(cta, total_place(n, scan));
    after.prepend(carry(cta, shared, n, scan));
    return after;
  }
};

}  // namespace bobbin::scan
