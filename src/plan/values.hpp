// SPDX-License-Identifier: Apache-2.0
// Tests and folds of values that a thread gets one at a time, strided: from memory, from shared memory, or
// from a packed vector that is partial or needs the slow path. `get(r)` returns value 32 r + lane of the
// vector, as bits.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/bits.hpp"
#include "plan/packed.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// A range of keys; see ValueRange.
struct KeyRange {
  uint64_t low = 0;
  uint64_t span = 0;

  template <class T>
  [[nodiscard]] BOBBIN_HD bool holds(T bits, bool is_float) const {
    const T key = is_float ? static_cast<T>(turn_negative(static_cast<std::make_signed_t<T>>(bits))) : bits;
    return static_cast<T>(key - static_cast<T>(low)) <= static_cast<T>(span);
  }
};

// The bits of `rows` whose values are in a range. `kAtOnce` loads are in flight before the first value is
// used.
template <class T, uint32_t kAtOnce, class Get>
[[nodiscard]] BOBBIN_HD uint32_t test_values(uint32_t rows, const KeyRange& range, bool is_float, Get&& get) {
  uint32_t hits = 0;
  for (uint32_t first = 0; first < 32; first += kAtOnce) {
    T values[kAtOnce];
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < kAtOnce; ++k) {
      values[k] = (rows >> (first + k) & 1) != 0 ? get(first + k) : T{0};
    }
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < kAtOnce; ++k) {
      hits |= static_cast<uint32_t>(range.holds<T>(values[k], is_float)) << (first + k);
    }
  }
  return hits & rows;
}

// Adds an integer.
template <class T>
BOBBIN_HD void add_to(WideSum& sum, T bits, bool is_signed) {
  const auto wide =
      is_signed ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<std::make_signed_t<T>>(bits)))
                : static_cast<uint64_t>(bits);
  sum.low += static_cast<uint32_t>(wide);
  sum.high += is_signed ? static_cast<uint64_t>(static_cast<int64_t>(wide) >> 32) : wide >> 32;
}

template <class T, uint32_t kAtOnce, class Get>
[[nodiscard]] BOBBIN_HD WideSum sum_values(uint32_t rows, bool is_signed, Get&& get) {
  WideSum sum;
  for (uint32_t first = 0; first < 32; first += kAtOnce) {
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < kAtOnce; ++k) {
      add_to<T>(sum, (rows >> (first + k) & 1) != 0 ? get(first + k) : T{0}, is_signed);
    }
  }
  return sum;
}

// Floats of either size are summed as doubles.
template <class T>
[[nodiscard]] BOBBIN_HD double real_of(T bits) {
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<float>(bits);
  } else if constexpr (sizeof(T) == 8) {
    return std::bit_cast<double>(bits);
  } else {
    return 0;  // no float type is this small
  }
}

// The sum of a vector's floats, in the same order everywhere. Chain p of each half of the vector (values 0 to
// 511, and the rest) adds its values p, p + 32, p + 64 .. in this order; chains p of the first and the second
// half are added; then those of p and p + 16, of p and p + 8, 4, 2, 1.
struct RealSum {
  // For strided values: a lane has the chains of both halves.
  template <class T, class Get>
  [[nodiscard]] BOBBIN_HD static double of_lane(uint32_t rows, Get&& get) {
    Chains chains;
    for (uint32_t r = 0; r < 16; ++r) {
      if ((rows >> r & 1) != 0) {
        chains.first += real_of<T>(get(r));
      }
      if ((rows >> (r + 16) & 1) != 0) {
        chains.second += real_of<T>(get(r + 16));
      }
    }
    return chains.first + chains.second;
  }
  // For packed 64-bit values: a lane has two chains of one half.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static double of_halves(Cta& cta, const Chains& chains) {
    const double even = chains.first + cta.shfl_xor(chains.first, 16);
    const double odd = chains.second + cta.shfl_xor(chains.second, 16);
    return add_up(cta, even + odd, 8);
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static double of_warp(Cta& cta, double lane) {
    return add_up(cta, lane, 16);
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static double add_up(Cta& cta, double sum, uint32_t from) {
    for (uint32_t distance = from; distance != 0; distance /= 2) {
      sum += cta.shfl_xor(sum, distance);
    }
    return sum;
  }
};

// The minimum and maximum of values by their position in their type's order, which is that of unsigned
// integers.
struct Extremes {
  uint64_t least = ~uint64_t{0};
  uint64_t greatest = 0;

  // NaN is ignored.
  template <class T>
  BOBBIN_HD void add(T bits, bool is_float, bool is_signed) {
    constexpr T kSign = static_cast<T>(T{1} << (kBits<T> - 1));
    if (is_float && is_nan(bits)) {
      return;
    }
    const T key = is_float ? static_cast<T>(turn_negative(static_cast<std::make_signed_t<T>>(bits))) : bits;
    const uint64_t place = is_float || is_signed ? static_cast<T>(key ^ kSign) : key;
    least = place < least ? place : least;
    greatest = place > greatest ? place : greatest;
  }

 private:
  template <class T>
  [[nodiscard]] BOBBIN_HD static bool is_nan(T bits) {
    if constexpr (sizeof(T) < 4) {
      return false;
    } else {
      const T infinity = sizeof(T) == 8 ? static_cast<T>(uint64_t{0x7ff} << 52) : static_cast<T>(0x7f800000);
      return static_cast<T>(bits << 1) > static_cast<T>(infinity << 1);
    }
  }
};

}  // namespace bobbin::plan
