// SPDX-License-Identifier: Apache-2.0
// Decimal floats stored as integers: see spec.md. encode() returns a `patched` array over an `alp` array when
// some values have no exact integer.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "codecs/alp/stage.hpp"
#include "codecs/codec.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::alp {

[[nodiscard]] constexpr DType integer_type(DType type) {
  return type == DType::f64 ? DType::i64 : DType::i32;
}

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

// A value's integer at some scale. The integer has no meaning unless `exact` is set.
template <class Float>
struct Encoded {
  IntegerOf<Float> integer = 0;
  bool exact = false;
};

// Finds integers at a given scale, on the CPU and in kernels.
template <class Float>
struct Quantizer {
  Float up;    // 10^e
  Float down;  // nearest to 10^-f
  Scaling<Float> scaling;

  static constexpr Quantizer of(Scale scale) {
    const Powers<Float>& powers = kPowers<Float>;
    return {powers.up[scale.e], powers.down[scale.f], powers.scaling(scale.e, scale.f)};
  }

  // Returns the integer that decodes to `value`, if there is one. Contraction to fused operations must be
  // off, so that every machine finds the same integer.
  [[nodiscard]] BOBBIN_HD constexpr Encoded<Float> encode(Float value) const {
    using Bits = BitsOf<Float>;
    constexpr uint32_t kDigits = std::numeric_limits<Float>::digits;        // 53, 24
    constexpr Float kMagic = static_cast<Float>(Bits{3} << (kDigits - 2));  // 1.5 * 2^(digits - 1)
    constexpr Float kHalves =
        static_cast<Float>(Bits{1} << (kDigits - 2));  // values from here on have no fractions below a half
    constexpr Float kMost = static_cast<Float>(Bits{1} << (kBits<Bits> - 2));  // fits an integer easily
    const Float scaled = value * up * down;
    const Float size = scaled < 0 ? -scaled : scaled;
    if (!(size < kMost)) {  // NaN too
      return {};
    }
    const Float rounded = size < kHalves ? (scaled + kMagic) - kMagic : scaled;
    const auto integer = static_cast<IntegerOf<Float>>(rounded);
    const Float back = scaling.value_of(static_cast<Bits>(integer));
    return {integer, std::bit_cast<Bits>(back) == std::bit_cast<Bits>(value)};
  }
};

// The values of a vector that are sampled to choose its scale: `count` of them, every `stride`th.
struct Sample {
  static constexpr uint32_t kAimedAt = 32;
  static constexpr uint32_t kMost = 2 * kAimedAt - 1;

  uint32_t stride;
  uint32_t count;

  [[nodiscard]] BOBBIN_HD static constexpr Sample of(uint32_t vector_size) {
    const uint32_t stride = vector_size < kAimedAt ? 1 : vector_size / kAimedAt;
    return {stride, ceil_div(vector_size, stride)};
  }
};

// Cost in bits of a sample whose exact integers lie between `low` and `high`.
template <class Float>
[[nodiscard]] BOBBIN_HD constexpr uint32_t sample_cost(uint32_t count, uint32_t exceptions,
                                                       IntegerOf<Float> low, IntegerOf<Float> high) {
  using Bits = BitsOf<Float>;
  const uint32_t width =
      exceptions == count ? 0
                          : bit_width_of(static_cast<Bits>(static_cast<Bits>(high) - static_cast<Bits>(low)));
  return count * width + exceptions * (kBits<Bits> + 16);
}

// The vector that is sample i of `sampled`.
inline constexpr uint64_t kSampledVectors = 16;
[[nodiscard]] BOBBIN_HD constexpr uint64_t sampled_vector(uint64_t i, uint64_t sampled, uint64_t vectors) {
  return i * vectors / sampled;
}
// Chooses a few scales, each the best for some samples, most frequent first; at least one.
inline constexpr size_t kMostScales = 5;
template <class Float>
[[nodiscard]] std::vector<Scale> choose_scales(std::span<const std::vector<Float>> samples);

// A few integers far below the others would make a whole vector wide, so a reference above them is tried too.
// The integers are dealt to 32 groups in turn; the candidate is the group minimum of this rank. It lies near
// the vector's 64th smallest value, and a warp finds it in few steps.
inline constexpr uint32_t kGroups = 32;
inline constexpr uint32_t kLowRank = 12;

// Calls f with the C++ type of an array of floats.
template <class F>
decltype(auto) visit_float(DType type, F&& f) {
  return type == DType::f64 ? f(std::type_identity<double>{}) : f(std::type_identity<float>{});
}

}  // namespace bobbin::codec::alp
