// SPDX-License-Identifier: Apache-2.0
// Tile functions of the frame of reference. Unpacking is bitpack's (codecs/bitpack/tile.hpp); added here are
// the source of a vector's frame, and how a frame is found for values in shared memory.
//
// Formula: value = reference + difference modulo 2^T; reference = the least value, width = bits of the
// greatest difference. Signed values are ordered as unsigned ones with the sign bit flipped.
//
// Shape: as in bitpack, eight threads per vector, each with a column of 16 bytes per row.
#pragma once

#include <cstdint>

#include "codecs/bitpack/tile.hpp"
#include "codecs/ffor/ffor.hpp"
#include "core/lanes.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::ffor {

using bitpack::kSliceLength;
using bitpack::kSlices;

// The least value of the eight threads that share a vector.
template <class T, class Cta>
BOBBIN_HD T vector_min(Cta& cta, T value) {
  using Word = bitpack::LaneWord<T>;
  for (uint32_t distance = kSlices / 2; distance != 0; distance /= 2) {
    const auto other = static_cast<T>(cta.shfl_xor(static_cast<Word>(value), distance));
    value = other < value ? other : value;
  }
  return value;
}

// The frame of a vector of `count` (0 to 1024) values; `load_row(r)` returns the thread's slice of row r.
// `sign` is the sign bit for signed types, else zero. All eight threads, and the whole warp, must call it
// together; the caller sets first_register.
template <class T, class Cta, class LoadRow>
BOBBIN_HD Frame<T> find_frame(Cta& cta, uint32_t count, uint32_t slice, T sign, LoadRow&& load_row) {
  T low = static_cast<T>(~T{0});
  T high = 0;
  const auto look_at = [&](uint32_t row, bool check) {
    const Quad quad = load_row(row);
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kSliceLength<T>; ++i) {
      const auto value = static_cast<T>(bitpack::value_in<T>(quad, i) ^ sign);
      if (!check || row * kLanes<T> + slice * kSliceLength<T> + i < count) {
        low = value < low ? value : low;
        high = value > high ? value : high;
      }
    }
  };
  if (count == kVectorLength) {
    BOBBIN_UNROLL
    for (uint32_t row = 0; row < kRows<T>; ++row) {
      look_at(row, false);
    }
  } else {
    for (uint32_t row = 0; row < num_rows(count, kBits<T>); ++row) {
      look_at(row, true);
    }
  }
  low = vector_min<T>(cta, low);
  high = static_cast<T>(~vector_min<T>(cta, static_cast<T>(~high)));
  if (count == 0) {
    return {};
  }
  return {.first_register = 0,
          .width = bit_width_of(static_cast<T>(high - low)),
          .reference = static_cast<T>(low ^ sign)};
}

}  // namespace bobbin::codec::ffor
