// SPDX-License-Identifier: Apache-2.0
// Tile functions: how warps process parts of a scan, for the device-wide scan and for decoders.
//
// Formula: algebra.hpp. Shape: the values of a tile are split into segments, and a thread has one segment of
// one of the s series; lane t of a warp works on series t modulo s, segment t / s. It runs the recurrence
// over its segment once from a neutral state to find the segment's own state, which it moves to the tile's
// start; the warp sums these states; then the thread runs the recurrence again from the true state before its
// segment and writes the results. This costs 2k additions per value whatever s is, and no multiplication per
// value. Lanes past the last multiple of s have no segment (up to 15 of 32, for s from 17 to 31).
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/portable.hpp"
#include "scan/algebra.hpp"
#include "simt/cta.hpp"

namespace bobbin::scan {

// Which of s interleaved series, and which segment of it, a lane of a warp works on.
struct WarpShape {
  uint32_t tuple;
  uint32_t segments;  // per warp
  uint32_t scan;      // 0 .. tuple-1
  uint32_t segment;   // a lane with `segment >= segments` has no segment

  BOBBIN_HD static WarpShape of(uint32_t lane, uint32_t tuple) {
    return {tuple, simt::kWarpSize / tuple, lane % tuple, lane / tuple};
  }
  [[nodiscard]] BOBBIN_HD bool active() const { return segment < segments; }
};

template <class Op, uint32_t K, class Cta>
BOBBIN_HD State<Op, K> shift_up(Cta& cta, const State<Op, K>& state, uint32_t distance) {
  State<Op, K> moved;
  BOBBIN_UNROLL
  for (uint32_t j = 0; j < K; ++j) {
    moved.s[j] = cta.shfl_up(state.s[j], distance);
  }
  return moved;
}

// Sums states over groups of lanes: `place` is the lane's position in its group of `places`; the previous
// position is `stride` lanes below. Returns the inclusive sum; all lanes of the warp take part.
template <class Op, uint32_t K, class Cta>
BOBBIN_HD State<Op, K> add_through(Cta& cta, State<Op, K> state, uint32_t place, uint32_t places,
                                   uint32_t stride) {
  BOBBIN_UNROLL
  for (uint32_t distance = 1; distance < simt::kWarpSize; distance *= 2) {
    if (distance >= places) {
      break;
    }
    const State<Op, K> before = shift_up<Op, K>(cta, state, distance * stride);
    if (place >= distance) {
      state.prepend(before);
    }
  }
  return state;
}

// The exclusive sum, from the inclusive one.
template <class Op, uint32_t K, class Cta>
BOBBIN_HD State<Op, K> before_own(Cta& cta, const State<Op, K>& through, uint32_t place, uint32_t stride) {
  const State<Op, K> before = shift_up<Op, K>(cta, through, stride);
  return place == 0 ? State<Op, K>{} : before;
}

// Sums one state of each lane. Word j of the sum is left in lane add_all_lane<K>(j).
//
// 32-bit words have an instruction for it. Otherwise lanes exchange words: at each step a lane gives away
// half of its words and receives the other lane's part of those it keeps, until it has one. This takes K-1
// exchanges instead of 5K.
template <uint32_t K>
BOBBIN_HD constexpr uint32_t add_all_lane(uint32_t j) {
  uint32_t lane = 0;
  for (uint32_t bit = simt::kWarpSize / 2, half = std::bit_ceil(K) / 2; half != 0; bit /= 2, half /= 2) {
    lane += (j & half) != 0 ? bit : 0;
  }
  return lane;
}
template <class Op, uint32_t K, class Cta>
BOBBIN_HD typename Op::Word add_all(Cta& cta, const State<Op, K>& state) {
  using Word = typename Op::Word;
  constexpr uint32_t kWords = std::bit_ceil(K);
  Word words[kWords] = {};
  BOBBIN_UNROLL
  for (uint32_t j = 0; j < K; ++j) {
    if constexpr (std::is_same_v<Word, uint32_t>) {
      words[j] = Op::reduce(cta, state.s[j]);
    } else {
      words[j] = state.s[j];
    }
  }
  uint32_t bit = simt::kWarpSize / 2;
  BOBBIN_UNROLL
  for (uint32_t half = kWords / 2; half != 0; half /= 2, bit /= 2) {
    const bool upper = (cta.lane() & bit) != 0;
    BOBBIN_UNROLL
    for (uint32_t j = 0; j < half; ++j) {
      const Word keep = upper ? words[j + half] : words[j];
      const Word give = upper ? words[j] : words[j + half];
      words[j] = std::is_same_v<Word, uint32_t> ? keep : Op::combine(keep, cta.shfl_xor(give, bit));
    }
  }
  if constexpr (!std::is_same_v<Word, uint32_t>) {
    for (; bit != 0; bit /= 2) {
      words[0] = Op::combine(words[0], cta.shfl_xor(words[0], bit));
    }
  }
  return words[0];
}

// N states in shared memory.
template <class Op, uint32_t K, uint32_t N>
struct SharedStates {
  simt::Shared<typename Op::Word, N * K> words;

  template <class Cta>
  BOBBIN_HD State<Op, K> load(Cta& cta, uint32_t i) const {
    State<Op, K> state;
    BOBBIN_UNROLL
    for (uint32_t j = 0; j < K; ++j) {
      state.s[j] = cta.load(words, j * N + i);
    }
    return state;
  }
  template <class Cta>
  BOBBIN_HD void store_word(Cta& cta, uint32_t i, uint32_t j, typename Op::Word word) {
    cta.store(words, j * N + i, word);
  }
  template <class Cta>
  BOBBIN_HD void store(Cta& cta, uint32_t i, const State<Op, K>& state) {
    BOBBIN_UNROLL
    for (uint32_t j = 0; j < K; ++j) {
      cta.store(words, j * N + i, state.s[j]);
    }
  }
};

// The segments of a tile: each has `items` values; a lane's segment is number `place` of its series. The last
// segment of a series may have fewer values if nothing follows the tile.
struct TileSegments {
  WarpShape warp;
  uint32_t items;
  uint32_t place;

  // A tile of one warp.
  BOBBIN_HD static TileSegments of_warp(uint32_t lane, uint32_t tuple, uint32_t items) {
    const auto warp = WarpShape::of(lane, tuple);
    return {warp, items, warp.segment};
  }
  // A tile of several warps; lower warps have the earlier segments.
  BOBBIN_HD static TileSegments of_block(uint32_t thread, uint32_t tuple, uint32_t items) {
    const auto warp = WarpShape::of(thread % simt::kWarpSize, tuple);
    return {warp, items, thread / simt::kWarpSize * warp.segments + warp.segment};
  }
};

// Computes the state of the lane's segment and sums those of the warp, at the tile's start. `visit(write, f)`
// calls f for each value of the lane's segment, and replaces it by f's result if `write` is std::true_type.
template <class Op, uint32_t K, class Cta, class Visit>
BOBBIN_HD State<Op, K> reduce_segments(Cta& cta, const TileSegments& at, Visit&& visit) {
  State<Op, K> own{};
  visit(std::false_type{}, [&](typename Op::Word x) { return own.step(x); });
  const auto back = Pascal<typename Op::Word, K>::back((at.place + 1) * at.items);
  return add_through<Op, K>(cta, advance<Op, K>(own, back), at.warp.segment, at.warp.segments, at.warp.tuple);
}

// Replaces the lane's segment by results, from the state before it, given at the tile's start.
template <class Op, uint32_t K, class Visit>
BOBBIN_HD void rerun_segment(const TileSegments& at, const State<Op, K>& before, Visit&& visit) {
  auto state = advance<Op, K>(before, Pascal<typename Op::Word, K>::forward(at.place * at.items));
  visit(std::true_type{}, [&](typename Op::Word x) { return state.step(x); });
}

// A warp scans its tile. `carry` is the state of the lane's series before the tile.
template <class Op, uint32_t K, class Cta, class Visit>
BOBBIN_HD void scan_warp(Cta& cta, const TileSegments& at, const State<Op, K>& carry, Visit&& visit) {
  const auto through = reduce_segments<Op, K>(cta, at, visit);
  auto before = before_own<Op, K>(cta, through, at.warp.segment, at.warp.tuple);
  before.prepend(carry);
  rerun_segment<Op, K>(at, before, visit);
}

// A block of kWarps warps scans its tile, which must be complete. Returns the state of the lane's series
// after it.
template <class Op, uint32_t K, uint32_t kWarps, uint32_t kScans, class Cta, class Visit>
BOBBIN_HD State<Op, K> scan_block(Cta& cta, SharedStates<Op, K, kWarps * kScans>& sums,
                                  const TileSegments& at, const State<Op, K>& carry, Visit&& visit) {
  const auto through = reduce_segments<Op, K>(cta, at, visit);
  if (at.warp.segment + 1 == at.warp.segments) {
    sums.store(cta, at.warp.scan * kWarps + cta.warp(), through);
  }
  cta.sync();
  auto before = before_own<Op, K>(cta, through, at.warp.segment, at.warp.tuple);
  State<Op, K> total = carry;
  for (uint32_t w = 0; w < kWarps; ++w) {
    if (w == cta.warp()) {
      before.prepend(total);
    }
    auto sum = sums.load(cta, at.warp.scan * kWarps + w);
    sum.prepend(total);
    total = sum;
  }
  rerun_segment<Op, K>(at, before, visit);
  cta.sync();  // the sums may be overwritten
  const uint64_t values = uint64_t{kWarps} * at.warp.segments * at.items;
  return advance<Op, K>(total, Pascal<typename Op::Word, K>::forward(values));
}

}  // namespace bobbin::scan
