// SPDX-License-Identifier: Apache-2.0
// A stage that moves values between threads.
#pragma once

#include <cstdint>
#include <type_traits>

#include "plan/stages/layout.hpp"
#include "plan/stages/values.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// Moves values to the strided layout. Sums of floats need it, because their order is defined, and so do
// expressions of columns whose layouts differ.
template <class Inner>
struct Strided : Stage<Inner> {
  using Layout = StridedLayout;
  using Value = typename Inner::Value;

  template <class Cta, class Memory>
  BOBBIN_HD static void make(Cta& cta, Memory& shared, const Uses& query, const ColumnPlan& column,
                             const Use* frames, uint64_t v, uint32_t count, Value (&values)[32]) {
    Inner::make(cta, shared, query, column, frames, v, count, values);
    if constexpr (kOfLanes<uint64_t>) {
      exchange<0, 4>(cta, values);
      // The lowest bit of a value's number now says in which half of the vector it is: it becomes the
      // highest.
      Value halves[32];
      BOBBIN_UNROLL
      for (uint32_t n = 0; n < 32; ++n) {
        halves[n / 2 | n % 2 << 4] = values[n];
      }
      BOBBIN_UNROLL
      for (uint32_t n = 0; n < 32; ++n) {
        values[n] = halves[n];
      }
    } else if constexpr (kOfLanes<uint16_t>) {
      exchange<0, 0>(cta, values);
    } else if constexpr (kOfLanes<uint8_t>) {
      exchange<0, 0>(cta, values);
      exchange<1, 1>(cta, values);
    } else if constexpr (std::is_same_v<typename Inner::Layout, NeighbourLayout>) {
      exchange<0, 0>(cta, values);
      exchange<1, 1>(cta, values);
      exchange<2, 2>(cta, values);
      exchange<3, 3>(cta, values);
      exchange<4, 4>(cta, values);
    } else {
      static_assert(kOfLanes<uint32_t>);
    }
  }

 private:
  template <class T>
  static constexpr bool kOfLanes = std::is_same_v<typename Inner::Layout, SpreadLayout<T>>;

  // A bit of the values' numbers and a bit of the lane change places, as in Spread::exchange().
  template <uint32_t kBit, uint32_t kLaneBit, class Cta>
  BOBBIN_HD static void exchange(Cta& cta, Value (&values)[32]) {
    const bool upper = (cta.lane() >> kLaneBit & 1) != 0;
    BOBBIN_UNROLL
    for (uint32_t n = 0; n < 32; ++n) {
      if ((n >> kBit & 1) == 0) {
        Value& low = values[n];
        Value& high = values[n | 1U << kBit];
        const Value other = cta.shfl_xor(upper ? low : high, 1U << kLaneBit);
        (upper ? low : high) = other;
      }
    }
  }
};

}  // namespace bobbin::plan
