// SPDX-License-Identifier: Apache-2.0
// Tile functions of delta: turn a vector of residuals in shared memory into values, in place.
//
// Formula: the recurrence in spec.md, computed as in scan/tile.hpp. Shape: with one scan, eight lanes have
// 128 values each, so a warp processes four vectors at a time; with s scans, all lanes of the warp work on
// one vector after another, lane t on scan t modulo s.
//
// Shared memory: a vector is stored in quads of 16 bytes; one quad is left free after every 32nd, so that
// lanes which are 32 quads apart use different banks. Preconditions: the warp has passed a sync_warp() since
// the residuals were written; it must pass another before the values are read. Cost: 2k additions per value,
// its loads and stores in shared memory, and k*k multiplications per lane.
#pragma once

#include <cstdint>

#include "codecs/bitpack/tile.hpp"
#include "core/lanes.hpp"
#include "scan/tile.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::delta {

using bitpack::kSliceLength;
using bitpack::kSlices;
using simt::Global;
using simt::Quad;

// The place of quad q, or of value i, of a vector.
BOBBIN_HD constexpr uint32_t padded(uint32_t q) {
  return q + q / 32;
}
template <class T>
inline constexpr uint32_t kVectorQuads = kVectorLength / kSliceLength<T>;
template <class T>
inline constexpr uint32_t kPaddedQuads = padded(kVectorQuads<T>);
template <class T>
BOBBIN_HD constexpr uint32_t padded_value(uint32_t i) {
  return padded(i / kSliceLength<T>) * kSliceLength<T> + i % kSliceLength<T>;
}

// The word type that a type is computed in.
template <class T>
using Word = bitpack::LaneWord<T>;
template <class T, uint32_t K>
using VectorState = scan::State<scan::Sum<Word<T>>, K>;

// The state that the scan of a vector starts from.
template <class T, uint32_t K, class Cta>
BOBBIN_HD VectorState<T, K> load_restart(Cta& cta, Global<const T> restarts, uint64_t vector, uint32_t tuple,
                                         uint32_t scan) {
  VectorState<T, K> state;
  BOBBIN_UNROLL
  for (uint32_t j = 0; j < K; ++j) {
    state.s[j] = cta.load(restarts, (vector * tuple + scan) * K + j);
  }
  return state;
}

// Concurrent loads from shared memory.
inline constexpr uint32_t kAtOnce = 4;

// Replaces each value of the quad by f's result, lowest first.
template <class T, class F>
BOBBIN_HD Quad map_quad(const Quad& quad, F&& f) {
  constexpr uint32_t kPerWord = sizeof(Word<T>) / sizeof(T);
  const auto words = bitpack::PackedWords<Word<T>>::of(quad);
  bitpack::PackedWords<Word<T>> out{};
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kSliceLength<T>; ++i) {
    const uint32_t shift = i % kPerWord * kBits<T>;
    const auto value = static_cast<T>(words.word[i / kPerWord] >> shift);
    out.word[i / kPerWord] |= static_cast<Word<T>>(static_cast<T>(f(value))) << shift;
  }
  return out.quad();
}

// Four vectors of one scan each, eight lanes per vector; `first` is the lane's vector in shared memory, in
// quads.
template <class T, uint32_t K, class Cta, uint32_t N>
BOBBIN_HD void scan_vectors(Cta& cta, simt::Shared<Quad, N>& quads, uint32_t first,
                            const VectorState<T, K>& restart) {
  constexpr uint32_t kItems = kVectorLength / kSlices;
  constexpr uint32_t kQuads = kItems / kSliceLength<T>;
  const uint32_t place = cta.lane() % kSlices;
  const scan::TileSegments at_lane{{1, kSlices, 0, place}, kItems, place};
  scan::scan_warp<scan::Sum<Word<T>>, K>(cta, at_lane, restart, [&](auto write, auto&& f) {
    for (uint32_t q = 0; q < kQuads; q += kAtOnce) {
      Quad loaded[kAtOnce];
      BOBBIN_UNROLL
      for (uint32_t c = 0; c < kAtOnce; ++c) {
        loaded[c] = cta.load(quads, first + padded(place * kQuads + q + c));
      }
      BOBBIN_UNROLL
      for (uint32_t c = 0; c < kAtOnce; ++c) {
        const Quad out = map_quad<T>(loaded[c], f);
        if constexpr (write) {
          cta.store(quads, first + padded(place * kQuads + q + c), out);
        }
      }
    }
  });
}

// One vector of several scans, by the whole warp.
template <class T, uint32_t K, class Cta, uint32_t N>
BOBBIN_HD void scan_tuples(Cta& cta, simt::Shared<Quad, N>& quads, uint32_t first, uint32_t tuple,
                           const VectorState<T, K>& restart) {
  auto& values = reinterpret_cast<simt::Shared<T, N * kSliceLength<T>>&>(quads);
  const auto shape = scan::WarpShape::of(cta.lane(), tuple);
  const uint32_t items = ceil_div(kVectorLength, tuple * shape.segments);
  const auto at_lane = scan::TileSegments::of_warp(cta.lane(), tuple, items);
  scan::scan_warp<scan::Sum<Word<T>>, K>(cta, at_lane, restart, [&](auto write, auto&& f) {
    const auto place = [&](uint32_t i) {
      const uint32_t v = (shape.segment * items + i) * tuple + shape.scan;
      return i < items && v < kVectorLength && shape.active() ? v : kVectorLength;  // past the end: no value
    };
    for (uint32_t i = 0; i < items; i += kAtOnce) {
      T loaded[kAtOnce];
      BOBBIN_UNROLL
      for (uint32_t c = 0; c < kAtOnce; ++c) {
        const uint32_t v = place(i + c);
        loaded[c] = v < kVectorLength ? cta.load(values, first * kSliceLength<T> + padded_value<T>(v)) : T{0};
      }
      BOBBIN_UNROLL
      for (uint32_t c = 0; c < kAtOnce; ++c) {
        const uint32_t v = place(i + c);
        if (v < kVectorLength) {
          const auto result = static_cast<T>(f(loaded[c]));
          if constexpr (write) {
            cta.store(values, first * kSliceLength<T> + padded_value<T>(v), result);
          }
        }
      }
    }
  });
}

}  // namespace bobbin::codec::delta
