// SPDX-License-Identifier: Apache-2.0
// What ALP does to an integer: value = float(integer * 10^f) * 10^-e (f32: / 10^e), with two roundings.
// Kernels that are compiled at run time include this header, so it needs nothing of the host.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/portable.hpp"

namespace bobbin::codec::alp {

template <class Float>
using FloatBits = std::conditional_t<sizeof(Float) == 8, uint64_t, uint32_t>;
template <class Float>
using IntegerOf = std::make_signed_t<FloatBits<Float>>;
template <class Float>
inline constexpr uint32_t kMaxExponent = sizeof(Float) == 8 ? 18 : 10;

// Converts a vector's integers to floats.
template <class Float>
struct Scaling {
  FloatBits<Float> factor;
  Float power;  // f64: factor; f32: divisor

  // Follows the formula in spec.md.
  [[nodiscard]] BOBBIN_HD constexpr Float value_of(FloatBits<Float> integer) const {
    const auto x = static_cast<Float>(static_cast<IntegerOf<Float>>(integer * factor));
    if constexpr (sizeof(Float) == 8) {
      return x * power;
    } else {
      return x / power;
    }
  }
};

// Powers of ten by exponent, passed to kernels as parameters.
template <class Float>
struct Powers {
  FloatBits<Float> integer[kMaxExponent<Float> + 1];  // 10^f, modulo 2^T
  Float up[kMaxExponent<Float> + 1];                  // 10^e
  Float down[kMaxExponent<Float> + 1];                // nearest to 10^-e
  Float rest[kMaxExponent<Float> + 1];                // f32: nearest to 10^-e - down; f64: 0

  [[nodiscard]] BOBBIN_HD constexpr Scaling<Float> scaling(uint32_t e, uint32_t f) const {
    return {integer[f], sizeof(Float) == 8 ? down[e] : up[e]};
  }

  static constexpr Powers make() {
    Powers powers{};
    constexpr double kUp[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                              1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    constexpr double kDown[] = {1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,  1e-8, 1e-9,
                                1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18};
    FloatBits<Float> integer = 1;
    for (uint32_t e = 0; e <= kMaxExponent<Float>; ++e, integer *= 10) {
      powers.integer[e] = integer;
      powers.up[e] = static_cast<Float>(kUp[e]);  // exact up to 10^22 as doubles, up to 10^10 as floats
      powers.down[e] = static_cast<Float>(kDown[e]);
      powers.rest[e] = static_cast<Float>(kDown[e] - static_cast<double>(powers.down[e]));
    }
    return powers;
  }
};
// Gives the same bits as Scaling without the division, which takes about ten instructions on a GPU.
template <class Float>
struct DeviceScaling {
  Scaling<Float> scaling;
  Float inverse;  // nearest to 10^-e
  Float rest;     // nearest to what is missing from it

  [[nodiscard]] BOBBIN_HD static DeviceScaling of(const Powers<Float>& powers, uint32_t e, uint32_t f) {
    return {powers.scaling(e, f), powers.down[e], powers.rest[e]};
  }
  [[nodiscard]] BOBBIN_HD Float value_of(FloatBits<Float> integer) const {
    if constexpr (sizeof(Float) == 8) {
      return scaling.value_of(integer);
    } else {
      return quotient(static_cast<Float>(static_cast<IntegerOf<Float>>(integer * scaling.factor)));
    }
  }
  // x / 10^e for all x that integers give: a product with 10^-e in two floats, which are 2^-48 off, of which
  // only the sum is rounded. x / 10^e is further from the middle of two floats than that for 10^9 and less;
  // for 10^10 it is too, but that is not proved: tests/codecs/alp tries all x.
  [[nodiscard]] BOBBIN_HD Float quotient(Float x) const { return std::fma(x, inverse, x * rest); }
};

}  // namespace bobbin::codec::alp
