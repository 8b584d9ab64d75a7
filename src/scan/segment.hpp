// SPDX-License-Identifier: Apache-2.0
// A thread's segment of a tile in shared memory, and the recurrence over it.
//
// Linear (one series): a segment is a run of 16-byte quads, an odd number of them so that threads access
// different banks of shared memory. Strided (s interleaved series): its values are s apart; an odd number of
// them, for the same reason.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/portable.hpp"
#include "scan/algebra.hpp"
#include "scan/scan.hpp"
#include "simt/cta.hpp"

namespace bobbin::scan {

using simt::Global;
using simt::Quad;

// A tile: kWarps warps, segments of kItems values, kStages tiles in shared memory at a time.
template <class T, uint32_t kWarpsOfTile, uint32_t kItemsOfSegment, uint32_t kStagesOfBlock, bool kIsStrided>
struct TileShape {
  using Value = T;
  static constexpr uint32_t kWarps = kWarpsOfTile;
  static constexpr uint32_t kItems = kItemsOfSegment;
  static constexpr uint32_t kStages = kStagesOfBlock;
  static constexpr bool kStrided = kIsStrided;
  static constexpr uint32_t kMaxScans = kStrided ? kMaxTuple : 1;
  static constexpr uint32_t kQuadItems = sizeof(Quad) / sizeof(T);
  static constexpr uint32_t kTileItems = kWarps * simt::kWarpSize * kItems;  // at most
  static constexpr uint32_t kTileQuads = kTileItems / kQuadItems;
  static_assert(kWarps * sizeof(T) % sizeof(Quad) == 0, "tiles are whole quads for every tuple");
  static_assert(kStrided || kItems % kQuadItems == 0);

  // Values of a tile: the same number for each series.
  BOBBIN_HD static constexpr uint32_t tile_items(uint32_t tuple) {
    return kWarps * (simt::kWarpSize / tuple) * tuple * kItems;
  }

  // Quads in shared memory, accessed as values.
  template <uint32_t N>
  BOBBIN_HD static auto& values(simt::Shared<Quad, N>& quads) {
    return reinterpret_cast<simt::Shared<T, N * kQuadItems>&>(quads);
  }
};

// Four bytes are scanned as one word: see Segment::sum_bytes.
template <class Op, class Shape>
inline constexpr bool kBytesAsWords =
    !Shape::kStrided && sizeof(typename Shape::Value) == 1 && std::is_same_v<Op, Sum<uint32_t>>;

template <class Op, class Shape>
struct Segment {
  using T = typename Shape::Value;
  using Word = typename Op::Word;
  uint32_t first;   // value in shared memory
  uint32_t stride;  // between values
  T mask;

  // The state that the segment reaches from a neutral one.
  template <uint32_t K, class Cta, uint32_t N>
  [[nodiscard]] BOBBIN_HD State<Op, K> reduce(Cta& cta, simt::Shared<Quad, N>& tiles) const {
    State<Op, K> state{};
    if constexpr (K == 1 && kBytesAsWords<Op, Shape>) {
      state.s[0] = sum_bytes(cta, tiles);
    } else {
      visit<false>(cta, tiles, [&](Word x) { return state.step(x); });
    }
    return state;
  }

  // Replaces the values by results, continuing from `state`.
  template <uint32_t K, class Cta, uint32_t N>
  BOBBIN_HD void rerun(Cta& cta, simt::Shared<Quad, N>& tiles, State<Op, K> state, bool exclusive) const {
    if constexpr (K == 1 && kBytesAsWords<Op, Shape>) {
      scan_bytes(cta, tiles, state.s[0], exclusive);
    } else if (exclusive) {
      visit<true>(cta, tiles, [&](Word x) {
        const Word result = state.s[K - 1];
        state.step(x);
        return result;
      });
    } else {
      visit<true>(cta, tiles, [&](Word x) { return state.step(x); });
    }
  }

 private:
  static constexpr uint32_t kQuads = Shape::kItems / Shape::kQuadItems;

  // Calls f for each value; if kWrite, its result replaces the value.
  template <bool kWrite, class Cta, uint32_t N, class F>
  BOBBIN_HD void visit(Cta& cta, simt::Shared<Quad, N>& tiles, F&& f) const {
    if constexpr (Shape::kStrided) {
      auto& values = Shape::values(tiles);
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < Shape::kItems; ++i) {
        const Word result = f(to_word(cta.load(values, first + i * stride)));
        if constexpr (kWrite) {
          cta.store(values, first + i * stride, to_value(result));
        }
      }
    } else {
      BOBBIN_UNROLL
      for (uint32_t q = 0; q < kQuads; ++q) {
        const uint32_t at = first / Shape::kQuadItems + q;
        const Quad out = map_quad(cta.load(tiles, at), f);
        if constexpr (kWrite) {
          cta.store(tiles, at, out);
        }
      }
    }
  }

  [[nodiscard]] BOBBIN_HD Word to_word(T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      return value;
    } else {
      return static_cast<Word>(static_cast<T>(value ^ mask));
    }
  }
  [[nodiscard]] BOBBIN_HD T to_value(Word word) const {
    if constexpr (std::is_floating_point_v<T>) {
      return word;
    } else {
      return static_cast<T>(static_cast<T>(word) ^ mask);
    }
  }
  template <class F>
  [[nodiscard]] BOBBIN_HD Quad map_quad(const Quad& in, F&& f) const {
    Quad out{};
    if constexpr (sizeof(T) == 8) {
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 2; ++i) {
        const auto bits = uint64_t{in.word[2 * i + 1]} << 32 | in.word[2 * i];
        const auto result = std::bit_cast<uint64_t>(to_value(f(to_word(std::bit_cast<T>(bits)))));
        out.word[2 * i] = static_cast<uint32_t>(result);
        out.word[2 * i + 1] = static_cast<uint32_t>(result >> 32);
      }
    } else if constexpr (sizeof(T) == 4) {
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 4; ++i) {
        out.word[i] = std::bit_cast<uint32_t>(to_value(f(to_word(std::bit_cast<T>(in.word[i])))));
      }
    } else {
      constexpr uint32_t kPerWord = 4 / sizeof(T);
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 4 * kPerWord; ++i) {
        const uint32_t shift = i % kPerWord * 8 * static_cast<uint32_t>(sizeof(T));
        const auto value = static_cast<T>(in.word[i / kPerWord] >> shift);
        out.word[i / kPerWord] |= uint32_t{to_value(f(to_word(value)))} << shift;
      }
    }
    return out;
  }

  // Sums of bytes, four at a time: bytes 0 and 2, and bytes 1 and 3, each in 16 bits of a word. A segment is
  // too short to overflow them.
  static constexpr uint32_t kEven = 0x00ff00ff;

  template <class Cta, uint32_t N>
  [[nodiscard]] BOBBIN_HD uint32_t sum_bytes(Cta& cta, simt::Shared<Quad, N>& tiles) const {
    uint32_t sums = 0;
    BOBBIN_UNROLL
    for (uint32_t q = 0; q < kQuads; ++q) {
      const Quad quad = cta.load(tiles, first / Shape::kQuadItems + q);
      BOBBIN_UNROLL
      for (uint32_t w = 0; w < 4; ++w) {
        sums += (quad.word[w] & kEven) + (quad.word[w] >> 8 & kEven);
      }
    }
    return (sums & 0xffff) + (sums >> 16);
  }
  template <class Cta, uint32_t N>
  BOBBIN_HD void scan_bytes(Cta& cta, simt::Shared<Quad, N>& tiles, uint32_t sum, bool exclusive) const {
    sum &= 0xff;
    BOBBIN_UNROLL
    for (uint32_t q = 0; q < kQuads; ++q) {
      const uint32_t at = first / Shape::kQuadItems + q;
      Quad quad = cta.load(tiles, at);
      BOBBIN_UNROLL
      for (uint32_t w = 0; w < 4; ++w) {
        const uint32_t even = quad.word[w] & kEven;
        const uint32_t odd = quad.word[w] >> 8 & kEven;
        const uint32_t through_odd = (even + odd + sum) * 0x10001;
        const uint32_t through_even = through_odd - odd;
        quad.word[w] = exclusive ? ((through_even - even) & kEven) | (through_even & kEven) << 8
                                 : (through_even & kEven) | (through_odd & kEven) << 8;
        sum = through_odd >> 16 & 0xff;
      }
      cta.store(tiles, at, quad);
    }
  }
};

}  // namespace bobbin::scan
