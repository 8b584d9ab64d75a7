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

// Doubles of integers of 52 bits at most, where their products do not overflow: the integer is put under the
// exponent of 1.5 * 2^52, and a product of doubles is rounded as the exact one of integers is when it becomes
// a double. Vectors of 64-bit integers can be neither multiplied nor converted on most CPUs. False, and
// nothing is written, when an integer may be too large.
BOBBIN_INLINE bool to_doubles(std::byte* integers, uint64_t count, const Scaling<double>& scaling) {
  constexpr uint64_t kMagicBits = 0x4338000000000000;
  constexpr double kMagic = 6755399441055744.0;
  // A power of two, so that one addition and one "or" tell of integers outside -limit .. limit - 1.
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

// Integers to values, in place.
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

Status check_child(const Array& array) {
  const Array& child = array.children[0];
  BOBBIN_RETURN_IF(child.type != integer_type(array.type), StatusCode::corrupt,
                   "alp: integers are of type " + std::string(to_string(child.type)));
  BOBBIN_RETURN_IF(
      child.length != array.length || child.offset != array.offset, StatusCode::corrupt,
      "alp: " + std::to_string(child.length) + " integers for " + std::to_string(array.length) + " values");
  return {};
}

Status check_scales(const Array& array) {
  const uint64_t vectors = num_vectors(array.offset + array.length);
  BOBBIN_RETURN_IF(array.buffers[0].bytes.size() != 2 * vectors, StatusCode::corrupt,
                   "alp: scales have " + std::to_string(array.buffers[0].bytes.size()) +
                       " bytes instead of " + std::to_string(2 * vectors));
  const uint32_t most = array.type == DType::f64 ? kMaxExponent<double> : kMaxExponent<float>;
  for (uint64_t v = 0; v < vectors; ++v) {
    const Scale scale = scale_of(array, v);
    BOBBIN_RETURN_IF(scale.e > most || scale.f > scale.e, StatusCode::corrupt,
                     "alp: vector " + std::to_string(v) + " has exponent " + std::to_string(scale.e) +
                         " and factor " + std::to_string(scale.f));
  }
  return {};
}

}  // namespace

std::string describe(const Array& array) {
  return array.buffers.size() == 1 ? std::to_string(array.buffers[0].bytes.size() / 2) + " scales"
                                   : "damaged";
}

Status validate(const Array& array) {
  BOBBIN_RETURN_IF(!is_float(array.type), StatusCode::corrupt,
                   "alp: type " + std::string(to_string(array.type)) + " is no float");
  BOBBIN_RETURN_IF(!array.metadata.empty(), StatusCode::corrupt, "alp: has metadata");
  BOBBIN_RETURN_IF(array.buffers.size() != 1, StatusCode::corrupt,
                   "alp: " + std::to_string(array.buffers.size()) + " buffers instead of 1");
  BOBBIN_RETURN_IF(array.children.size() != 1, StatusCode::corrupt,
                   "alp: " + std::to_string(array.children.size()) + " children instead of 1");
  BOBBIN_RETURN_IF(array.offset >= kVectorLength, StatusCode::corrupt, "alp: offset past the first vector");
  BOBBIN_RETURN_IF(array.length > UINT64_MAX / 16 - kVectorLength, StatusCode::corrupt,
                   "alp: length too large");
  BOBBIN_TRY(check_scales(array));
  return check_child(array);
}

void decode(const Array& array, void* out) {
  visit_float(array.type, [&]<class Float>(std::type_identity<Float>) {
    auto* const bytes = static_cast<std::byte*>(out);
    decode_in_batches(array.children[0], bytes, [&](uint64_t v, const BatchValues& decoded) {
      const uint64_t begin = std::max(v * kVectorLength, array.offset);
      const uint64_t end = std::min((v + 1) * kVectorLength, array.offset + array.length);
      const auto convert = have_avx2() ? &to_values_avx2<Float> : &to_values<Float>;
      convert(decoded.at(begin - array.offset), end - begin, scaling_of<Float>(scale_of(array, v)));
    });
  });
}

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint64_t start = array.offset + begin;
  Array part = array;
  part.offset = start % kVectorLength;
  part.length = length;
  part.buffers[0] = array.buffers[0].sub(start / kVectorLength * 2, num_vectors(part.offset + length) * 2);
  part.children[0] = find_codec(array.children[0].codec)->slice(array.children[0], begin, length);
  return part;
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
