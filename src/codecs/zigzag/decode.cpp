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

// Converts codes to values, in place.
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

void decode(const Array& array, void* out) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const auto convert = have_avx2() ? &to_values_avx2<T> : &to_values<T>;
    decode_in_batches(array.children[0], static_cast<std::byte*>(out),
                      [&](uint64_t v, const DecodedBatch& decoded) {
                        const uint64_t begin = std::max(v * kVectorLength, array.offset);
                        const uint64_t end = std::min((v + 1) * kVectorLength, array.offset + array.length);
                        convert(decoded.at(begin - array.offset), end - begin);
                      });
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  const Array& codes = array.children[0];
  const Scalar code = find_codec(codes.codec)->value_at(codes, index);
  return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    return Scalar{value_of_code(static_cast<T>(code.bits))};
  });
}

}  // namespace bobbin::codec::zigzag
