// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "codecs/alp/alp.hpp"
#include "codecs/batches.hpp"
#include "core/portable.hpp"

namespace bobbin::codec::alp {
namespace {

template <class T>
BOBBIN_INLINE T load_at(const std::byte* bytes, uint64_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof value, sizeof value);
  return value;
}

// Converts integers of at most 52 bits whose products do not overflow: adding the integer to the bits of 1.5
// * 2^52 converts it, and the product of doubles rounds like the converted integer product. Most CPUs cannot
// multiply or convert vectors of 64-bit integers. Returns false and writes nothing if an integer may be too
// large.
BOBBIN_INLINE bool to_doubles(std::byte* integers, uint64_t count, const Scaling<double>& scaling) {
  constexpr uint64_t kMagicBits = 0x4338000000000000;
  constexpr double kMagic = 6755399441055744.0;
  // A power of two, so that one addition and one OR detect integers outside -limit .. limit - 1.
  const uint64_t limit = std::min(uint64_t{1} << 51, std::bit_floor(uint64_t{INT64_MAX} / scaling.factor));
  uint64_t seen = 0;
  for (uint64_t i = 0; i < count; ++i) {
    seen |= load_at<uint64_t>(integers, i) + limit;
  }
  if (seen >= 2 * limit) {
    return false;
  }
  const auto up = static_cast<double>(static_cast<int64_t>(scaling.factor));  // 10^f, exactly
  for (uint64_t i = 0; i < count; ++i) {
    const double integer = std::bit_cast<double>(load_at<uint64_t>(integers, i) + kMagicBits) - kMagic;
    const double value = integer * up * scaling.power;
    std::memcpy(integers + i * sizeof value, &value, sizeof value);
  }
  return true;
}

// Converts integers to values, in place.
template <class Float>
BOBBIN_INLINE void to_values(std::byte* integers, uint64_t count, const Scaling<Float>& scaling) {
  if constexpr (sizeof(Float) == 8) {
    if (to_doubles(integers, count, scaling)) {
      return;
    }
  }
  for (uint64_t i = 0; i < count; ++i) {
    const Float value = scaling.value_of(load_at<BitsOf<Float>>(integers, i));
    std::memcpy(integers + i * sizeof value, &value, sizeof value);
  }
}

template <class Float>
BOBBIN_AVX2 void to_values_avx2(std::byte* integers, uint64_t count, const Scaling<Float>& scaling) {
  to_values<Float>(integers, count, scaling);
}

}  // namespace

std::string describe(const Array& array) {
  return array.buffers.size() == 1 ? std::to_string(array.buffers[0].bytes.size() / 2) + " scales"
                                   : "damaged";
}

Status validate(const Array& array) {
  const uint64_t vectors = num_vectors(array.offset + array.length);
  const uint32_t most = array.type == DType::f64 ? kMaxExponent<double> : kMaxExponent<float>;
  for (uint64_t v = 0; v < vectors; ++v) {
    const Scale scale = scale_of(array, v);
    BOBBIN_RETURN_IF(scale.e > most || scale.f > scale.e, StatusCode::corrupt,
                     "alp: vector " + std::to_string(v) + " has invalid exponent " + std::to_string(scale.e) +
                         " or factor " + std::to_string(scale.f));
  }
  return {};
}

void decode(const Array& array, void* out) {
  visit_float(array.type, [&]<class Float>(std::type_identity<Float>) {
    auto* const bytes = static_cast<std::byte*>(out);
    decode_in_batches(array.children[0], bytes, [&](uint64_t v, const DecodedBatch& decoded) {
      const uint64_t begin = std::max(v * kVectorLength, array.offset);
      const uint64_t end = std::min((v + 1) * kVectorLength, array.offset + array.length);
      const auto convert = have_avx2() ? &to_values_avx2<Float> : &to_values<Float>;
      convert(decoded.at(begin - array.offset), end - begin, scaling_of<Float>(scale_of(array, v)));
    });
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  const Array& child = array.children[0];
  const Scalar integer = find_codec(child.codec)->value_at(child, index);
  const Scale scale = scale_of(array, (array.offset + index) / kVectorLength);
  return visit_float(array.type, [&]<class Float>(std::type_identity<Float>) {
    const Float value = scaling_of<Float>(scale).value_of(static_cast<BitsOf<Float>>(integer.bits));
    return Scalar{std::bit_cast<BitsOf<Float>>(value)};
  });
}

}  // namespace bobbin::codec::alp
