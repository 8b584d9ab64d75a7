// SPDX-License-Identifier: Apache-2.0
// ALP's floats of narrow integers: how to convert, test and add them in few instructions, of which few go to
// the ALU, which takes two cycles for each.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "plan/packed.hpp"
#include "plan/stages/values.hpp"
#include "plan/uses.hpp"

namespace bobbin::plan {

// A sum of floats that match, with their number. Each is multiplied by a mask: to select sums instead takes
// two instructions of the ALU for each.
struct MaskedSum {
  Chains chains;
  float count = 0;
};

// Integers of up to 20 bits are inserted into the upper half of a double, below the exponent of 2^20: the
// lower half is zero. If `fused`, the reference is added to the first product, by one operation with it; that
// gives the same bits if the product of the reference is exact.
struct UpperScaling {
  static constexpr uint32_t kMaxWidth = 20;
  static constexpr uint32_t kExponent = 0x41300000;  // of 2^20

  double reference;  // minus 2^20; fused: times `up`
  double up;
  double down;

  // For a vector that WideScaling fits.
  [[nodiscard]] BOBBIN_HD static UpperScaling of(const Powers& powers, const Use& use, bool& fused) {
    const auto reference = static_cast<double>(static_cast<int64_t>(use.low) - (int64_t{1} << 20));
    const double up = powers.f64.up[use.f];
    const double product = reference * up;
    fused = std::fma(reference, up, -product) == 0;
    return {fused ? product : reference, up, powers.f64.down[use.e]};
  }
  // `upper`: the exponent and the packed integer.
  [[nodiscard]] BOBBIN_HD double operator()(uint32_t upper, bool fused) const {
    const auto inserted = std::bit_cast<double>(static_cast<uint64_t>(upper) << 32);
    return (fused ? std::fma(inserted, up, reference) : (inserted + reference) * up) * down;
  }
};

// The sum of a thread's floats whose packed integers are in a range, with their number. Integers are tested
// by their distance from the middle of the range, as floats: subtractions of floats do not need the ALU, and
// all of this is exact.
template <uint32_t W>
[[nodiscard]] BOBBIN_HD MaskedSum sum_in_range(const Lane<uint64_t, W>& lane, const UpperScaling& scaling,
                                               bool fused, uint32_t low, uint32_t span) {
  // The upper half of a double, seen as a float, is 11 and the integer in units of 2^-20.
  constexpr float kUnit = 1.0F / (1U << 20);
  const float half = static_cast<float>(span) * (kUnit / 2);
  const float from = std::bit_cast<float>(UpperScaling::kExponent | low);
  MaskedSum sum;
  BOBBIN_UNROLL
  for (uint32_t n = 0; n < 32; ++n) {
    const uint32_t upper = UpperScaling::kExponent | lane.value(n);
    const float mask = std::fabs(std::bit_cast<float>(upper) - from - half) <= half ? 1.0F : 0.0F;
    const auto wide = std::bit_cast<double>(static_cast<uint64_t>(std::bit_cast<uint32_t>(mask)) << 32);
    double& chain = n % 2 == 0 ? sum.chains.first : sum.chains.second;
    chain = std::fma(scaling(upper, fused), wide, chain);
    sum.count += mask;
  }
  // As the upper half of a double, the bits of 1.0F are 2^-7.
  sum.chains = {sum.chains.first * 128, sum.chains.second * 128};
  return sum;
}
template <uint32_t W>
[[nodiscard]] BOBBIN_HD MaskedSum sum_in_range(const Lane<uint32_t, W>& lane, const QuickScaling& scaling,
                                               uint32_t low, uint32_t span) {
  const float half = static_cast<float>(span) * 0.5F;
  const float middle = scaling.integer(QuickScaling::kExponent | low) + half;
  MaskedSum sum;
  BOBBIN_UNROLL
  for (uint32_t n = 0; n < 32; ++n) {
    const float integer = scaling.integer(QuickScaling::kExponent | lane.value(n));
    const float mask = std::fabs(integer - middle) <= half ? 1.0F : 0.0F;
    (n < 16 ? sum.chains.first : sum.chains.second) += scaling.scaling.quotient(integer * scaling.up * mask);
    sum.count += mask;
  }
  return sum;
}

}  // namespace bobbin::plan
