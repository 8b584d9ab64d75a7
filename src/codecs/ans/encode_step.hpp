// SPDX-License-Identifier: Apache-2.0
// How the encoder's kernel makes a step of a state x: 2^P * floor(x / f) + x mod f + begin, for two values at
// a time, exactly as Symbol does.
//
// A quotient has up to 53 bits. A double estimates it: x times the reciprocal of f, added to a constant that
// is so large that the last bits of the mantissa are those of the quotient. The estimate is never too large
// and at most 5 too small, so the remainder that belongs to it is below 6 f, and what is missing is that
// remainder divided by f: a product of 32 bits. The second value's quotient is estimated from the first
// one's estimate, which leaves out the state's last bits: it may be thousands too small, and the remainder is
// below 2^15.
#pragma once

#include <bit>
#include <cstdint>

#include "codecs/ans/ans.hpp"
#include "core/dot_bytes.hpp"
#include "core/portable.hpp"
#include "core/products.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::ans {

// What the table has for a value: 2^P / f as a double; floor(2^32 / f) + 1; -2 f and begin in 16 bits each.
struct Entry {
  static constexpr uint32_t kBits = Layout{}.bits;

  simt::Quad quad;

  [[nodiscard]] static Entry of(uint32_t frequency, uint32_t begin) {
    if (frequency == 0) {
      return {};
    }
    const auto inverse = std::bit_cast<uint64_t>(static_cast<double>(1U << kBits) / frequency);
    const bool power = std::has_single_bit(frequency);
    // 2^32 does not fit. For f = 1 at least 1 is missing, one less is found, and `begin` makes up for it.
    const bool one = frequency == 1;
    const uint32_t reciprocal = one ? ~0U : static_cast<uint32_t>((uint64_t{1} << 32) / frequency + !power);
    return {{{static_cast<uint32_t>(inverse), static_cast<uint32_t>(inverse >> 32), reciprocal,
              (0 - 2 * frequency) << 16 | (begin + (one ? (1U << kBits) - 1 : 0))}}};
  }

  // Whether two values can be encoded before the state gives a word.
  [[nodiscard]] BOBBIN_HD static bool fit(uint64_t state, const Entry& a, const Entry& b) {
    return static_cast<uint32_t>(state >> (62 - 2 * kBits)) <
           static_cast<uint32_t>(a.minus_twice_frequency() * b.minus_twice_frequency());
  }

  struct Constants {
    // Three quotients less, because the state, the reciprocal and the product are rounded.
    double addend = kOne - 3.0 * (1U << kBits);
    uint32_t lower_half = 1;
  };
  // The state after `first` and then `second` are encoded.
  [[nodiscard]] BOBBIN_HD static uint64_t next(uint64_t state, const Entry& first, const Entry& second,
                                               const Constants& constants) {
    const Step low = first.step(static_cast<uint32_t>(state), static_cast<double>(state), constants);
    const Step high = second.step(static_cast<uint32_t>(low.state()), low.estimate - kOne, constants);
    return high.state();
  }

 private:
  // Doubles from here to twice as much are multiples of 2^(P+1): their mantissa is half of a quotient.
  static constexpr double kOne = 0x1p64;
  static constexpr uint32_t kAboveMantissa = 12;
  static_assert(kBits + 1 == kAboveMantissa, "shifted to its place, the quotient loses sign and exponent");

  struct Step {
    double estimate;
    uint32_t rest;  // of the state, for what the estimate leaves out

    [[nodiscard]] BOBBIN_HD uint64_t state() const {
      return (std::bit_cast<uint64_t>(estimate) << kAboveMantissa) + rest;
    }
  };

  [[nodiscard]] BOBBIN_HD int32_t minus_twice_frequency() const {
    return static_cast<int32_t>(quad.word[3]) >> 16;
  }
  // One instruction, because `begin` has fewer than 16 bits.
  [[nodiscard]] BOBBIN_HD uint32_t complement() const {
    return static_cast<uint32_t>((static_cast<int32_t>(quad.word[3]) >> 17) + (1 << kBits));
  }

  // `low` is the last 32 bits of the state that `state` is, or nearly is.
  [[nodiscard]] BOBBIN_HD Step step(uint32_t low, double state, const Constants& constants) const {
    const auto inverse = std::bit_cast<double>(uint64_t{quad.word[1]} << 32 | quad.word[0]);
    const double estimate = fused_multiply_add(state, inverse, constants.addend);
    const auto half = static_cast<uint32_t>(std::bit_cast<uint64_t>(estimate));
    const uint32_t remainder = half * static_cast<uint32_t>(minus_twice_frequency()) + low;
    const uint32_t missing = multiply_high_32(remainder, quad.word[2]);
    return {estimate, missing * complement() + dot_halves(quad.word[3], constants.lower_half, remainder)};
  }
};

}  // namespace bobbin::codec::ans
