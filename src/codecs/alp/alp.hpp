// SPDX-License-Identifier: Apache-2.0
// Floats that are decimal numbers, as integers: see spec.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codecs/codec.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::alp {

extern const DeviceOps kEmulator;
extern const DeviceOps kCuda;  // only in builds with CUDA

template <class Float>
using IntegerOf = std::make_signed_t<BitsOf<Float>>;
[[nodiscard]] constexpr DType integer_type(DType type) {
  return type == DType::f64 ? DType::i64 : DType::i32;
}

template <class Float>
inline constexpr uint32_t kMaxExponent = sizeof(Float) == 8 ? 18 : 10;

// What scales a vector's integers.
template <class Float>
struct Scaling {
  BitsOf<Float> factor;
  Float power;  // f64: to multiply with; f32: to divide by

  // The spec's formula.
  [[nodiscard]] BOBBIN_HD constexpr Float value_of(BitsOf<Float> integer) const {
    const auto x = static_cast<Float>(static_cast<IntegerOf<Float>>(integer * factor));
    if constexpr (sizeof(Float) == 8) {
      return x * power;
    } else {
      return x / power;
    }
  }
};

// Powers of ten by exponent. A kernel has them among its parameters.
template <class Float>
struct Powers {
  BitsOf<Float> integer[kMaxExponent<Float> + 1];  // 10^f, modulo 2^T
  Float up[kMaxExponent<Float> + 1];               // 10^e
  Float down[kMaxExponent<Float> + 1];             // nearest to 10^-e

  [[nodiscard]] BOBBIN_HD constexpr Scaling<Float> scaling(uint32_t e, uint32_t f) const {
    return {integer[f], sizeof(Float) == 8 ? down[e] : up[e]};
  }

  static constexpr Powers make() {
    Powers powers{};
    constexpr double kUp[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                              1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    constexpr double kDown[] = {1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,  1e-8, 1e-9,
                                1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18};
    BitsOf<Float> integer = 1;
    for (uint32_t e = 0; e <= kMaxExponent<Float>; ++e, integer *= 10) {
      powers.integer[e] = integer;
      powers.up[e] = static_cast<Float>(kUp[e]);  // exact up to 10^22 as doubles, up to 10^10 as floats
      powers.down[e] = static_cast<Float>(kDown[e]);
    }
    return powers;
  }
};
template <class Float>
inline constexpr Powers<Float> kPowers = Powers<Float>::make();

// A vector's exponent and factor.
struct Scale {
  uint8_t e = 0;
  uint8_t f = 0;

  friend bool operator==(const Scale&, const Scale&) = default;
};
[[nodiscard]] inline Scale scale_of(const Array& array, uint64_t v) {
  const std::byte* scales = array.buffers[0].bytes.data() + 2 * v;
  return {static_cast<uint8_t>(scales[0]), static_cast<uint8_t>(scales[1])};
}

template <class Float>
[[nodiscard]] Scaling<Float> scaling_of(Scale scale) {
  return kPowers<Float>.scaling(scale.e, scale.f);
}

// Calls f with the type of an array of floats.
template <class F>
decltype(auto) visit_float(DType type, F&& f) {
  return type == DType::f64 ? f(std::type_identity<double>{}) : f(std::type_identity<float>{});
}

// encode() gives a `patched` array over an `alp` one where some values do not fit any integer.
uint64_t estimate(const Values& values);
Result<Array> encode(const Values& values);
std::string describe(const Array& array);
Status validate(const Array& array);
void decode(const Array& array, void* out);
void reference(const Array& array, void* out);
Array slice(const Array& array, uint64_t begin, uint64_t length);
Scalar value_at(const Array& array, uint64_t index);

}  // namespace bobbin::codec::alp
