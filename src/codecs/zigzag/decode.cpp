// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "codecs/batches.hpp"
#include "codecs/zigzag/zigzag.hpp"
#include "core/dispatch.hpp"
#include "core/portable.hpp"

namespace bobbin::codec::zigzag {
namespace {

// Codes to values, in place.
template <class T>
BOBBIN_INLINE void to_values(std::byte* codes, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    T code;
    std::memcpy(&code, codes + i * sizeof code, sizeof code);
    code = value_of_code(code);
    std::memcpy(codes + i * sizeof code, &code, sizeof code);
  }
}

template <class T>
BOBBIN_AVX2 void to_values_avx2(std::byte* codes, uint64_t count) {
  to_values<T>(codes, count);
}

}  // namespace

std::string describe(const Array& array) {
  return array.children.size() == 1 ? "codes of " + std::string(to_string(array.children[0].type))
                                    : "damaged";
}

Status validate(const Array& array) {
  BOBBIN_RETURN_IF(!is_signed(array.type), StatusCode::corrupt,
                   "zigzag: type " + std::string(to_string(array.type)) + " has no sign");
  BOBBIN_RETURN_IF(!array.metadata.empty(), StatusCode::corrupt, "zigzag: has metadata");
  BOBBIN_RETURN_IF(!array.buffers.empty(), StatusCode::corrupt, "zigzag: has buffers");
  BOBBIN_RETURN_IF(array.children.size() != 1, StatusCode::corrupt,
                   "zigzag: " + std::to_string(array.children.size()) + " children instead of 1");
  BOBBIN_RETURN_IF(array.offset >= kVectorLength, StatusCode::corrupt,
                   "zigzag: offset past the first vector");
  BOBBIN_RETURN_IF(array.length > UINT64_MAX / 16 - kVectorLength, StatusCode::corrupt,
                   "zigzag: length too large");
  const Array& codes = array.children[0];
  BOBBIN_RETURN_IF(codes.type != code_type(array.type), StatusCode::corrupt,
                   "zigzag: codes of type " + std::string(to_string(codes.type)));
  BOBBIN_RETURN_IF(
      codes.length != array.length || codes.offset != array.offset, StatusCode::corrupt,
      "zigzag: " + std::to_string(codes.length) + " codes for " + std::to_string(array.length) + " values");
  return {};
}

void decode(const Array& array, void* out) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const auto convert = have_avx2() ? &to_values_avx2<T> : &to_values<T>;
    decode_in_batches(array.children[0], static_cast<std::byte*>(out),
                      [&](uint64_t v, const BatchValues& decoded) {
                        const uint64_t begin = std::max(v * kVectorLength, array.offset);
                        const uint64_t end = std::min((v + 1) * kVectorLength, array.offset + array.length);
                        convert(decoded.at(begin - array.offset), end - begin);
                      });
  });
}

Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const Array& codes = array.children[0];
  Array part = array;
  part.offset = (array.offset + begin) % kVectorLength;
  part.length = length;
  part.children[0] = find_codec(codes.codec)->slice(codes, begin, length);
  return part;
}

Scalar value_at(const Array& array, uint64_t index) {
  const Array& codes = array.children[0];
  const Scalar code = find_codec(codes.codec)->value_at(codes, index);
  return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    return Scalar{value_of_code(static_cast<T>(code.bits))};
  });
}

}  // namespace bobbin::codec::zigzag
