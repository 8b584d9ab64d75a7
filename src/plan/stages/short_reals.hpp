// SPDX-License-Identifier: Apache-2.0
// Sums of ALP's floats of packed integers of 16 bits that are in a range. Both integers of a word are tested
// at once, by instructions for halves of words; those outside become 0, which is decoded as 0.0 and changes
// no sum, so that nothing is selected.
//
// Preconditions (ShortRange::make): the vector is whole, its width 16, a product of floats gives the codec's
// bits, and the integers in the range are, with the reference, from 0 to 65535.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/dot_bytes.hpp"
#include "plan/packed.hpp"
#include "plan/stage.hpp"
#include "plan/stages/real_sums.hpp"
#include "plan/uses.hpp"

namespace bobbin::plan {

inline constexpr uint32_t kShortWidth = 16;

// The range of a vector's packed integers, as it is tested.
struct ShortRange {
  uint32_t shift;  // in both halves: what moves the range's last integer to the largest of 16 bits
  uint32_t below;  // in both halves: the largest integer outside, once moved
  uint32_t base;   // the range's first integer, with the reference, minus 1

  // Prepares a test for it, if that is possible: `slot` is the use of the integers.
  template <class T>
  BOBBIN_HD static void make(Use& test, const Use& slot) {
    constexpr uint64_t kMost = low_mask<uint64_t>(kShortWidth);
    const auto reference = static_cast<std::make_signed_t<T>>(static_cast<T>(slot.low));
    const uint64_t first = static_cast<uint64_t>(int64_t{reference}) + test.low;
    constexpr uint32_t kMostFactor = sizeof(T) == 4 ? 3 : codec::alp::kMaxExponent<double>;
    if (test.way == Use::Way::direct && slot.way == Use::Way::direct && slot.width == kShortWidth &&
        slot.f <= kMostFactor && test.span < kMost && first <= kMost && first + test.span <= kMost) {
      test.way = Use::Way::shorts;
      test.low = (kMost - test.low - test.span) & kMost;
      test.low |= (kMost - 1 - test.span) << kShortWidth;
      test.span = first - 1;
      test.e = slot.e;
      test.f = slot.f;
    }
  }
  [[nodiscard]] BOBBIN_HD static ShortRange of(const Use& test) {
    const auto both = static_cast<uint32_t>(test.low);
    return {(both & 0xffff) * kLaneOnes<16>, (both >> 16) * kLaneOnes<16>, static_cast<uint32_t>(test.span)};
  }

  // The integers of a word with the reference, and a one for each that is in the range.
  [[nodiscard]] BOBBIN_HD uint32_t integers(uint32_t word, uint32_t& ones) const {
    // From 1 on in the range, 0 outside.
    const uint32_t place = max_of_sum_halves(word, shift, below) - below;
    ones = min_halves(place, kLaneOnes<16>);
    return ones * base + place;
  }
  // Whether it holds one packed integer.
  [[nodiscard]] BOBBIN_HD bool holds(uint32_t integer) const {
    uint32_t ones = 0;
    (void)integers(integer, ones);
    return (ones & 1) != 0;
  }
};

// What makes a float of an integer. f64: two products, as in the codec.
template <class T>
struct ShortScaling {
  double up;
  double down;

  [[nodiscard]] BOBBIN_HD static ShortScaling of(const Powers& powers, const Use& use) {
    return {powers.f64.up[use.f], powers.f64.down[use.e]};
  }
  [[nodiscard]] BOBBIN_HD double operator()(uint32_t integer) const {
    return static_cast<double>(static_cast<uint16_t>(integer)) * up * down;
  }
};
// f32: a product with up to 10^3 is exact, so that only the quotient by one power of ten less is rounded. The
// bits of an integer are those of its float times 2^-149, a number that a product takes as it is. Quotients
// are multiplied by 2^-23, so that all factors are floats.
template <>
struct ShortScaling<uint32_t> {
  static constexpr double kUnit = 0x1p23;

  float inverse;
  float rest;

  [[nodiscard]] BOBBIN_HD static ShortScaling of(const Powers& powers, const Use& use) {
    const uint32_t e = use.e - use.f;
    return {powers.f32.down[e] * 0x1p126F, powers.f32.rest[e] * 0x1p126F};
  }
  [[nodiscard]] BOBBIN_HD float operator()(uint32_t integer) const {
    const auto x = std::bit_cast<float>(integer);
    return std::fma(x, inverse, x * rest);
  }
};

// Calls replace(n, real) for what a thread's value n adds.
template <class Replace>
[[nodiscard]] BOBBIN_HD RealPart sum_shorts(const Lane<uint64_t, kShortWidth>& lane, const ShortRange& range,
                                            const ShortScaling<uint64_t>& scaling, Replace&& replace) {
  RealPart sum;
  uint32_t counts = 0;
  BOBBIN_UNROLL
  for (uint32_t k = 0; k < kShortWidth; ++k) {
    uint32_t ones = 0;
    const uint32_t integers = range.integers(lane.words[k], ones);
    counts += ones;
    sum.chains.first += replace(2 * k, scaling(integers));
    sum.chains.second += replace(2 * k + 1, scaling(integers >> 16));
  }
  sum.count = add_halves(counts, 0);
  return sum;
}
template <class Replace>
[[nodiscard]] BOBBIN_HD RealPart sum_shorts(const Lane<uint32_t, kShortWidth>& lane, const ShortRange& range,
                                            const ShortScaling<uint32_t>& scaling, Replace&& replace) {
  RealPart sum;
  uint32_t counts = 0;
  BOBBIN_UNROLL
  for (uint32_t k = 0; k < kShortWidth; ++k) {
    uint32_t ones = 0;
    const uint32_t integers = range.integers(lane.words[k], ones);
    counts += ones;
    double& chain = k < kShortWidth / 2 ? sum.chains.first : sum.chains.second;
    chain += replace(2 * k, scaling(integers & 0xffff));
    chain += replace(2 * k + 1, scaling(integers >> 16));
  }
  sum.chains.first *= scaling.kUnit;
  sum.chains.second *= scaling.kUnit;
  sum.count = add_halves(counts, 0);
  return sum;
}

// The packed integer i of a vector of that width.
template <class T, class Cta>
[[nodiscard]] BOBBIN_HD uint32_t packed_short(Cta& cta, const Bytes& packed, uint32_t first_register,
                                              uint32_t i) {
  constexpr uint32_t kPerWord = kBits<T> / kShortWidth;
  const uint32_t row = i / kLanes<T>;
  const uint32_t at = (row / kPerWord * kLanes<T> + i % kLanes<T>)*kPerWord + row % kPerWord;
  return cta.load(view_as<uint16_t>(packed), uint64_t{first_register} * (kRegisterBytes / 2) + at);
}

}  // namespace bobbin::plan
