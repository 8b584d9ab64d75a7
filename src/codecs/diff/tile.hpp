// SPDX-License-Identifier: Apache-2.0
// Turns differences into values, in place.
//
// Formula: the running sum in spec.md, from the value before each vector. A warp processes one vector; its
// lanes take neighbouring quads of 16 bytes, all loaded before the first is summed, and the warp adds up the
// quads' totals, one row of quads after another. Shared memory: none. Preconditions (checked by validate): a
// start for each vector. Cost: each value is read and written once.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/lanes.hpp"
#include "simt/cta.hpp"
#include "simt/quad_values.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::codec::diff {

using simt::Global;
using simt::Quad;

// Values in device memory; those of an incomplete last quad are accessed one by one.
template <class T>
struct QuadValues {
  static constexpr uint32_t kPer = simt::kPerQuad<T>;

  Global<T> values;
  Global<Quad> quads;  // of the values

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Quad load(Cta& cta, uint64_t q) const {
    if (q < quads.size) {
      return cta.load(quads, q);
    }
    return simt::quad_of<T>(
        [&](uint32_t i) { return q * kPer + i < values.size ? cta.load(values, q * kPer + i) : T{0}; });
  }
  template <class Cta>
  BOBBIN_HD void store(Cta& cta, uint64_t q, const Quad& quad) const {
    if (q < quads.size) {
      cta.store(quads, q, quad);
      return;
    }
    for (uint32_t i = 0; i < kPer; ++i) {
      if (q * kPer + i < values.size) {
        cta.store(values, q * kPer + i, simt::value_of_quad<T>(quad, i));
      }
    }
  }
};

// Called by all lanes of a warp.
template <class T, class Cta>
BOBBIN_HD void sum_vector(Cta& cta, uint64_t vector, T start, const QuadValues<T>& values) {
  using Sum = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;  // a type that shuffles support
  constexpr uint32_t kRounds = kVectorLength / (simt::kPerQuad<T> * simt::kWarpSize);
  const uint64_t first = vector * (kVectorLength / simt::kPerQuad<T>)+cta.lane();
  Quad loaded[kRounds];
  BOBBIN_UNROLL
  for (uint32_t r = 0; r < kRounds; ++r) {
    loaded[r] = values.load(cta, first + r * simt::kWarpSize);
  }
  Sum before = start;
  BOBBIN_UNROLL
  for (uint32_t r = 0; r < kRounds; ++r) {
    Sum own = 0;
    const Quad sums = simt::quad_of<T>(
        [&](uint32_t i) { return static_cast<T>(own += simt::value_of_quad<T>(loaded[r], i)); });
    const Sum through = simt::sum_through(cta, own);
    const Sum add = before + through - own;
    values.store(cta, first + r * simt::kWarpSize, simt::quad_of<T>([&](uint32_t i) {
                   return static_cast<T>(add + simt::value_of_quad<T>(sums, i));
                 }));
    before += cta.shfl(through, simt::kWarpSize - 1);
  }
}

}  // namespace bobbin::codec::diff
