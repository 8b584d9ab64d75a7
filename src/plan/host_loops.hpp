// SPDX-License-Identifier: Apache-2.0
// Loops over decoded values that the compiler vectorises. In bitmaps, row i is bit i % 32 of word i / 32, as
// in memory.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "codecs/codec.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"
#include "core/portable.hpp"
#include "core/scalar.hpp"
#include "core/wide.hpp"
#include "plan/values.hpp"

namespace bobbin::plan {

// Expands a word of 32 rows to one mask per row: all ones, or zero.
template <class Mask>
BOBBIN_INLINE std::array<Mask, 32> spread(uint32_t word) {
  std::array<Mask, 32> masks;
  for (uint32_t i = 0; i < 32; ++i) {
    masks[i] = static_cast<Mask>(Mask{0} - static_cast<Mask>(word >> i & 1));
  }
  return masks;
}

// Packs 32 bytes of 0 or 1 into a word.
BOBBIN_INLINE uint32_t gather_bits(const uint8_t* flags) {
  uint32_t word = 0;
  for (uint32_t byte = 0; byte < 4; ++byte) {
    uint64_t eight = 0;
    std::memcpy(&eight, flags + byte * 8, 8);
    // The product gathers bit 0 of byte j at bit 56 + j.
    word |= static_cast<uint32_t>(eight * 0x0102040810204080ULL >> 56) << (byte * 8);
  }
  return word;
}

// The bits of 32 values that are in a range that is not negated.
template <class T>
BOBBIN_INLINE uint32_t test_narrow(const BitsOf<T>* values, BitsOf<T> low, BitsOf<T> span) {
  using Bits = BitsOf<T>;
  uint8_t flags[32];
  for (uint32_t i = 0; i < 32; ++i) {
    flags[i] = static_cast<uint8_t>(static_cast<Bits>(range_key<T>(values[i]) - low) <= span);
  }
  return gather_bits(flags);
}

// The same for values of at least 32 bits: each contributes its bit, and all are combined at the end.
// `test(values, hits)` sets all bits of those of `hits` whose values match.
template <class T, class Test>
BOBBIN_INLINE uint32_t test_wide(const BitsOf<T>* values, Test&& test) {
  using Bits = BitsOf<T>;
  constexpr uint32_t kLanesHere = kWideLanes<Bits>;
  Wide<Bits> bit;
  for (uint32_t i = 0; i < kLanesHere; ++i) {
    bit[i] = Bits{1} << i;
  }
  Wide<Bits> all{};
  for (uint32_t first = 0; first < 32; first += kLanesHere, bit <<= kLanesHere) {
    Wide<Bits> hits;
    test(values + first, hits);
    all |= hits & bit;
  }
  Bits word = 0;
  for (uint32_t i = 0; i < kLanesHere; ++i) {
    word |= all[i];
  }
  return static_cast<uint32_t>(word);
}

// A range for test_wide: by keys, as in ValueRange.
template <class T>
struct TestKeys {
  using Bits = BitsOf<T>;
  Bits low;
  Bits span;

  BOBBIN_INLINE void operator()(const Bits* values, Wide<Bits>& hits) const {
    using Key = std::make_signed_t<Bits>;
    Wide<Key> key;
    load_wide(key, values);
    if constexpr (std::is_floating_point_v<T>) {
      key ^= (key < 0) & std::numeric_limits<Key>::max();
    }
    hits = reinterpret_cast<Wide<Bits>>((reinterpret_cast<Wide<Bits>>(key) - low) <= span);
  }
};

// By comparing floats, which takes half as many instructions. Not possible for all ranges.
template <class Float>
struct TestFloats {
  Float least;
  Float greatest;

  // For comparisons, 0.0 and -0.0 are equal, and NaN is in no range.
  static std::optional<TestFloats> of(const ValueRange& range) {
    using Key = std::make_signed_t<BitsOf<Float>>;
    constexpr Key kInfinity = order_key(std::numeric_limits<Float>::infinity());
    constexpr Key kLowerZero = order_key(-Float{0});
    const auto least = static_cast<Key>(range.low);
    const auto greatest = static_cast<Key>(range.low + range.span);
    if (least > greatest || least < order_key(-std::numeric_limits<Float>::infinity()) ||
        greatest > kInfinity || least == kLowerZero + 1 || greatest == kLowerZero) {
      return std::nullopt;
    }
    return TestFloats{value_of_key<Float>(least), value_of_key<Float>(greatest)};
  }

  BOBBIN_INLINE void operator()(const BitsOf<Float>* values, Wide<BitsOf<Float>>& hits) const {
    Wide<Float> floats;
    load_wide(floats, values);
    hits = reinterpret_cast<Wide<BitsOf<Float>>>((floats >= least) & (floats <= greatest));
  }
};

template <class T>
BOBBIN_INLINE void test_rows(const BitsOf<T>* values, uint64_t words, const ValueRange& range,
                             uint32_t* bitmap) {
  const uint32_t turned = range.negated ? ~0U : 0;
  if constexpr (std::is_floating_point_v<T>) {
    if (const auto test = TestFloats<T>::of(range); test.has_value()) {
      for (uint64_t w = 0; w < words; ++w) {
        bitmap[w] = test_wide<T>(values + w * 32, *test) ^ turned;
      }
      return;
    }
  }
  const TestKeys<T> keys{static_cast<BitsOf<T>>(range.low), static_cast<BitsOf<T>>(range.span)};
  for (uint64_t w = 0; w < words; ++w) {
    if constexpr (sizeof(T) < sizeof(uint32_t)) {
      bitmap[w] = test_narrow<T>(values + w * 32, keys.low, keys.span) ^ turned;
    } else {
      bitmap[w] = test_wide<T>(values + w * 32, keys) ^ turned;
    }
  }
}
template <class T>
BOBBIN_AVX2 void test_rows_avx2(const BitsOf<T>* values, uint64_t words, const ValueRange& range,
                                uint32_t* bitmap) {
  test_rows<T>(values, words, range, bitmap);
}

BOBBIN_INLINE uint64_t count_rows(const uint32_t* bitmap, uint64_t words) {
  uint64_t count = 0;
  for (uint64_t w = 0; w < words; ++w) {
    count += static_cast<uint64_t>(std::popcount(bitmap[w]));
  }
  return count;
}
BOBBIN_AVX2 inline uint64_t count_rows_avx2(const uint32_t* bitmap, uint64_t words) {
  return count_rows(bitmap, words);
}

// Exact for up to 2^31 values.
template <class T>
BOBBIN_INLINE WideSum sum_rows(const T* values, uint64_t words, const uint32_t* bitmap) {
  using Half = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  Half low = 0;
  Half high = 0;
  for (uint64_t w = 0; w < words; ++w) {
    if (bitmap[w] == 0) {
      continue;
    }
    const auto masks = spread<BitsOf<T>>(bitmap[w]);
    const T* const from = values + w * 32;
    if constexpr (sizeof(T) == 8) {
      for (uint32_t i = 0; i < 32; ++i) {
        const auto bits = static_cast<uint64_t>(from[i]) & masks[i];
        low += static_cast<Half>(bits & 0xffffffff);
        high += static_cast<Half>(bits) >> 32;
      }
    } else {
      for (uint32_t i = 0; i < 32; ++i) {
        low += static_cast<T>(static_cast<BitsOf<T>>(from[i]) & masks[i]);
      }
    }
  }
  // The result in the form that a device produces: the low part is not negative.
  return {static_cast<uint64_t>(low) & 0xffffffff, static_cast<uint64_t>(high + (low >> 32))};
}
template <class T>
BOBBIN_AVX2 WideSum sum_rows_avx2(const T* values, uint64_t words, const uint32_t* bitmap) {
  return sum_rows<T>(values, words, bitmap);
}

BOBBIN_INLINE void load_reals(Wide<double>& reals, const double* from) {
  load_wide(reals, from);
}
BOBBIN_INLINE void load_reals(Wide<double>& reals, const float* from) {
  for (uint32_t i = 0; i < kWideLanes<double>; ++i) {
    reals[i] = from[i];
  }
}

// The last steps of RealSum: the sum of 32 chains.
BOBBIN_INLINE double sum_chains(double* chains) {
  for (uint32_t distance = 16; distance != 0; distance /= 2) {
    for (uint32_t p = 0; p < distance; ++p) {
      chains[p] += chains[p + distance];
    }
  }
  return chains[0];
}

// The sum of one vector of floats, in RealSum's order. `values` has 1024 of them.
template <class Float>
BOBBIN_INLINE double sum_vector(const Float* values, const uint32_t* bitmap) {
  constexpr uint32_t kLanesHere = kWideLanes<double>;
  double chains[32];
  for (uint32_t p = 0; p < 32; p += kLanesHere) {
    Wide<uint64_t> bit;
    for (uint32_t i = 0; i < kLanesHere; ++i) {
      bit[i] = uint64_t{1} << (p + i);
    }
    Wide<double> halves[2] = {};
    for (uint32_t r = 0; r < 16; ++r) {
      for (uint32_t half = 0; half < 2; ++half) {
        const uint32_t row = half * 16 + r;
        Wide<double> reals;
        load_reals(reals, values + row * 32 + p);
        // A chain is never -0.0, so adding zero for values that do not match changes nothing.
        halves[half] += reinterpret_cast<Wide<double>>(reinterpret_cast<Wide<int64_t>>(reals) &
                                                       ((bit & bitmap[row]) == bit));
      }
    }
    store_wide(&chains[p], halves[0] + halves[1]);
  }
  return sum_chains(chains);
}
template <class Float>
BOBBIN_AVX2 double sum_vector_avx2(const Float* values, const uint32_t* bitmap) {
  return sum_vector<Float>(values, bitmap);
}

// The count and the sum of the values in a range that is not negated: one test and one sum in one pass.
struct Passed {
  uint64_t count = 0;
  WideSum sum;
};
template <class T>
BOBBIN_INLINE Passed sum_passed(const T* values, uint64_t count, BitsOf<T> low, BitsOf<T> span) {
  using Bits = BitsOf<T>;
  using Half = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  uint64_t hits = 0;
  Half sum_low = 0;
  Half sum_high = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const bool hit = static_cast<Bits>(range_key<T>(static_cast<Bits>(values[i])) - low) <= span;
    const T value = hit ? values[i] : T{0};
    hits += hit ? 1 : 0;
    if constexpr (sizeof(T) == 8) {
      sum_low += static_cast<Half>(static_cast<uint64_t>(value) & 0xffffffff);
      sum_high += static_cast<Half>(value) >> 32;
    } else {
      sum_low += value;
    }
  }
  return {hits,
          {static_cast<uint64_t>(sum_low) & 0xffffffff, static_cast<uint64_t>(sum_high + (sum_low >> 32))}};
}
template <class T>
BOBBIN_AVX2 Passed sum_passed_avx2(const T* values, uint64_t count, BitsOf<T> low, BitsOf<T> span) {
  return sum_passed<T>(values, count, low, span);
}

template <class T>
BOBBIN_INLINE void fold_extremes(const BitsOf<T>* values, uint64_t words, const uint32_t* bitmap,
                                 Extremes& extremes) {
  for (uint64_t w = 0; w < words; ++w) {
    for (uint32_t rest = bitmap[w]; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(rest));
      extremes.add<BitsOf<T>>(values[w * 32 + i], std::is_floating_point_v<T>, std::is_signed_v<T>);
    }
  }
}

}  // namespace bobbin::plan
