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

// A thread's sum of the floats of a vector that match, with their number.
struct RealPart {
  Chains chains;
  uint32_t count = 0;
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

// The sum of a thread's floats whose packed integers are in a range. Integers are compared as floats, which
// is exact.
template <uint32_t W>
[[nodiscard]] BOBBIN_HD RealPart sum_in_range(const Lane<uint64_t, W>& lane, const UpperScaling& scaling,
                                              bool fused, uint32_t low, uint32_t span) {
  const float from = std::bit_cast<float>(UpperScaling::kExponent | low);
  const float to = std::bit_cast<float>(UpperScaling::kExponent | (low + span));
  RealPart sum;
  BOBBIN_UNROLL
  for (uint32_t n = 0; n < 32; ++n) {
    const uint32_t upper = opaque(UpperScaling::kExponent | lane.value(n));
    const auto integer = std::bit_cast<float>(upper);
    const bool hit = integer >= from && integer <= to;
    add_if(hit, scaling(upper, fused), n % 2 == 0 ? sum.chains.first : sum.chains.second);
    count_if(hit, sum.count);
  }
  return sum;
}
template <uint32_t W>
[[nodiscard]] BOBBIN_HD RealPart sum_in_range(const Lane<uint32_t, W>& lane, const QuickScaling& scaling,
                                              uint32_t low, uint32_t span) {
  const float from = std::bit_cast<float>(QuickScaling::kExponent | low);
  const float to = std::bit_cast<float>(QuickScaling::kExponent | (low + span));
  RealPart sum;
  BOBBIN_UNROLL
  for (uint32_t n = 0; n < 32; ++n) {
    const uint32_t bits = opaque(QuickScaling::kExponent | lane.value(n));
    const auto integer = std::bit_cast<float>(bits);
    const bool hit = integer >= from && integer <= to;
    add_if(hit, scaling.scaling.quotient(scaling.integer(bits) * scaling.up),
           n < 16 ? sum.chains.first : sum.chains.second);
    count_if(hit, sum.count);
  }
  return sum;
}

}  // namespace bobbin::plan
