// SPDX-License-Identifier: Apache-2.0
// Tile functions of the frame of reference. Unpacking is bitpack's (codecs/bitpack/tile.hpp): this adds where a
// vector's frame comes from, and how a vector of values in shared memory gets one.
//
// Formula: value = reference + difference modulo 2^T; reference = the least value, width = bits of the greatest
// difference. Order among signed values is order among unsigned ones with the sign bit flipped.
//
// Shape: one warp finds one vector's frame, 16 bytes a lane at a time.
#pragma once

#include <cstdint>

#include "codecs/bitpack/tile.hpp"
#include "codecs/ffor/ffor.hpp"
#include "core/lanes.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::ffor {

using bitpack::Frame;
using bitpack::kSliceLength;
using bitpack::kSlices;
using simt::Global;
using simt::Quad;

// Where vectors with their own frames lie.
template <class T>
struct FrameSource {
  Global<const Quad> packed;
  Global<const uint32_t> entries;
  Global<const T> references;

  template <class Cta>
  BOBBIN_HD Frame<T> frame(Cta& cta, uint64_t v) const {
    const Entry entry{cta.load(entries, v)};
    return {.first_register = entry.first_register(), .width = entry.width(), .reference = cta.load(references, v)};
  }
};

// The least of all lanes' values.
template <class T, class Cta>
BOBBIN_HD T warp_min(Cta& cta, T value) {
  if constexpr (sizeof(T) <= 4) {
    return static_cast<T>(cta.reduce_min(static_cast<uint32_t>(value)));
  } else {
    for (uint32_t distance = simt::kWarpSize / 2; distance != 0; distance /= 2) {
      const T other = cta.shfl_xor(value, distance);
      value = other < value ? other : value;
    }
    return value;
  }
}

// The frame of the vector of `count` (1 to 1024) values that `load(q)` gives 16 bytes at a time. `sign` is the sign
// bit for signed types, else zero. One warp; first_register is left to the caller.
template <class T, class Cta, class Load>
BOBBIN_HD Frame<T> find_frame(Cta& cta, uint32_t count, T sign, Load&& load) {
  constexpr uint32_t kQuads = kRows<T> * kSlices;
  T low = static_cast<T>(~T{0});
  T high_inverted = static_cast<T>(~T{0});  // the least of ~value is the greatest value's
  BOBBIN_UNROLL
  for (uint32_t q = 0; q < kQuads; q += simt::kWarpSize) {
    const Quad quad = load(q + cta.lane());
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kSliceLength<T>; ++i) {
      const auto value = static_cast<T>(bitpack::value_in<T>(quad, i) ^ sign);
      const auto inverted = static_cast<T>(~value);
      if ((q + cta.lane()) * kSliceLength<T> + i < count) {
        low = value < low ? value : low;
        high_inverted = inverted < high_inverted ? inverted : high_inverted;
      }
    }
  }
  low = warp_min<T>(cta, low);
  const auto high = static_cast<T>(~warp_min<T>(cta, high_inverted));
  return {.first_register = 0,
          .width = bit_width_of(static_cast<T>(high - low)),
          .reference = static_cast<T>(low ^ sign)};
}

}  // namespace bobbin::codec::ffor
