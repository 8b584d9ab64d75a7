// SPDX-License-Identifier: Apache-2.0
// Loops that test and add values of one vector without decoding them first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "codecs/alp/stage.hpp"
#include "core/portable.hpp"
#include "core/wide.hpp"
#include "plan/host_loops.hpp"
#include "plan/query_input.hpp"

namespace bobbin::plan {

// The type that entries of a dictionary are looked up as: smaller ones would have to be extended.
template <class T>
using SummedAs =
    std::conditional_t<sizeof(T) == 8, T, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>;

// Codes from `low` on, as many as there are entries, less one: the last entry is zero, for all other codes.
// Greater codes than `last` mean the same as `last`.
template <class T, class Code>
struct PassingCodes {
  Code low;
  Code last;
  std::span<const SummedAs<T>> entries;

  // The place of a code in `entries`.
  [[nodiscard]] BOBBIN_INLINE uint64_t place(Code code) const {
    const auto from_low = static_cast<Code>(std::min(code, last) - low);
    return std::min<uint64_t>(from_low, entries.size() - 1);
  }
};

// Sums of up to 2^31 integers.
template <class T>
struct HalfSums {
  using Half = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  Half low = 0;
  Half high = 0;

  BOBBIN_INLINE void add(SummedAs<T> value) {
    if constexpr (sizeof(T) == 8) {
      low += static_cast<Half>(static_cast<uint64_t>(value) & 0xffffffff);
      high += static_cast<Half>(value) >> 32;
    } else {
      low += value;
    }
  }
  [[nodiscard]] BOBBIN_INLINE WideSum sum() const {
    return {static_cast<uint64_t>(low) & 0xffffffff, static_cast<uint64_t>(high + (low >> 32))};
  }
};

// The count and the sum of the codes' entries that pass. Codes are limited to their places in vectors, and
// taken from there in words: a load for each would take as long as the load of its entry. Up to 1024 codes.
template <class T, class Code>
BOBBIN_INLINE Passed sum_codes(const Code* codes, uint64_t count, PassingCodes<T, Code> passing) {
  constexpr uint32_t kLanesHere = kWideLanes<Code>;
  constexpr uint32_t kPerWord = sizeof(uint64_t) / sizeof(Code);
  const uint64_t others = passing.entries.size() - 1;
  const SummedAs<T>* const entries = passing.entries.data();
  // A chain for each of two neighbours.
  HalfSums<T> even;
  HalfSums<T> odd;
  uint64_t hits = 0;
  uint64_t i = 0;
  const auto most = static_cast<Code>(std::min<uint64_t>(others, std::numeric_limits<Code>::max()));
  Wide<Code> misses{};
  for (; i + kLanesHere <= count; i += kLanesHere) {
    Wide<Code> code;
    load_wide(code, codes + i);
    code = code < passing.last ? code : passing.last - Wide<Code>{};
    code -= passing.low;
    code = code < most ? code : most - Wide<Code>{};
    misses -= reinterpret_cast<Wide<Code>>(code == most);
    const auto words = reinterpret_cast<Wide<uint64_t>>(code);
    for (uint32_t w = 0; w < kWideLanes<uint64_t>; ++w) {
      uint64_t word = words[w];
      for (uint32_t k = 0; k < kPerWord; k += 2) {
        even.add(entries[static_cast<Code>(word)]);
        word >>= kBits<Code>;
        odd.add(entries[static_cast<Code>(word)]);
        word >>= kBits<Code>;
      }
    }
    hits += kLanesHere;
  }
  // If all codes of the type pass, no place is that of the others.
  for (uint32_t lane = 0; others == most && lane < kLanesHere; ++lane) {
    hits -= misses[lane];
  }
  for (; i < count; ++i) {
    const uint64_t place = passing.place(codes[i]);
    even.add(entries[place]);
    hits += place != others ? 1 : 0;
  }
  even.low += odd.low;
  even.high += odd.high;
  return {hits, even.sum()};
}
template <class T, class Code>
BOBBIN_AVX2 Passed sum_codes_avx2(const Code* codes, uint64_t count, PassingCodes<T, Code> passing) {
  return sum_codes<T, Code>(codes, count, passing);
}

// A range of ALP's integers, and their conversion to values.
struct ScaledTest {
  // Differences are compared as signed integers, so both are moved by half of all integers.
  int64_t low = 0;
  int64_t span = 0;
  // Integers from -limit to limit - 1 have at most 52 bits, and products that do not overflow. A power of
  // two, so that one addition and one "or" find others.
  uint64_t limit = 0;
  double factor = 0;
  double power = 0;

  static ScaledTest of(const ScaledRange& range, const codec::alp::Scaling<double>& scaling) {
    constexpr uint64_t kHalf = uint64_t{1} << 63;
    constexpr int64_t kOutside = INT64_MAX / 2;  // beyond the limit
    const int64_t low = range.empty != 0 ? kOutside : range.low;
    const uint64_t span = range.empty != 0 ? 0 : range.span;
    return {.low = static_cast<int64_t>(static_cast<uint64_t>(low) + kHalf),
            .span = static_cast<int64_t>(span + kHalf),
            .limit = std::min(uint64_t{1} << 51, std::bit_floor(static_cast<uint64_t>(range.most))),
            .factor = static_cast<double>(static_cast<int64_t>(scaling.factor)),
            .power = scaling.power};
  }
};

struct ScaledSum {
  uint64_t count = 0;
  double sum = 0;
  bool exact = false;  // all integers were within the limit
};

// The count and the sum of a vector's values that pass, in RealSum's order; a double is made of an integer as
// in alp/decode.cpp.
BOBBIN_INLINE ScaledSum sum_scaled(const int64_t* integers, const ScaledTest& test) {
  constexpr uint64_t kMagicBits = 0x4338000000000000;
  constexpr double kMagic = 6755399441055744.0;
  constexpr uint32_t kLanesHere = kWideLanes<double>;
  double chains[32];
  Wide<uint64_t> seen{};
  Wide<int64_t> misses{};
  for (uint32_t p = 0; p < 32; p += kLanesHere) {
    Wide<double> halves[2] = {};
    for (uint32_t r = 0; r < 16; ++r) {
      for (uint32_t half = 0; half < 2; ++half) {
        Wide<int64_t> signed_integer;
        load_wide(signed_integer, integers + (half * 16 + r) * 32 + p);
        const auto integer = reinterpret_cast<Wide<uint64_t>>(signed_integer);  // which may wrap
        seen |= integer + test.limit;
        const auto miss =
            reinterpret_cast<Wide<int64_t>>(integer - static_cast<uint64_t>(test.low)) > test.span;
        misses += miss;
        const auto whole = reinterpret_cast<Wide<double>>(integer + kMagicBits) - kMagic;
        const auto value = whole * test.factor * test.power;
        // A chain is never -0.0, so adding zero for values that do not match changes nothing.
        halves[half] += reinterpret_cast<Wide<double>>(reinterpret_cast<Wide<int64_t>>(value) & ~miss);
      }
    }
    store_wide(&chains[p], halves[0] + halves[1]);
  }
  ScaledSum result{.count = kVectorLength, .exact = true};
  for (uint32_t lane = 0; lane < kLanesHere; ++lane) {
    result.count += static_cast<uint64_t>(misses[lane]);  // of which each is -1
    result.exact &= seen[lane] < 2 * test.limit;
  }
  result.sum = sum_chains(chains);
  return result;
}
BOBBIN_AVX2 inline ScaledSum sum_scaled_avx2(const int64_t* integers, const ScaledTest& test) {
  return sum_scaled(integers, test);
}

}  // namespace bobbin::plan
