// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "codecs/bitpack/bitpack.hpp"
#include "core/dispatch.hpp"
#include "core/vectors.hpp"
#include "core/wide.hpp"

namespace bobbin::codec::bitpack {
namespace {

template <class T>
BOBBIN_INLINE void unpack_rows(const std::byte* __restrict packed, uint32_t width, uint32_t rows, T reference,
                               T* __restrict out) {
  for (uint32_t row = 0; row < rows; ++row, out += kLanes<T>) {
    const auto cut = RowCut<T, uint64_t>::of(row, width);
    const std::byte* const low = packed + size_t{cut.low_register} * kRegisterBytes;
    auto* const to = reinterpret_cast<std::byte*>(out);
    for (uint32_t at = 0; at < kRegisterBytes; at += kWideBytes) {
      Wide<uint64_t> words;
      load_wide(words, low + at);
      words = (words >> cut.shift) & cut.low_mask;
      if (cut.high_mask != 0) {
        Wide<uint64_t> above;
        load_wide(above, low + kRegisterBytes + at);
        words |= ((above << 1) << (kBits<T> - 1 - cut.shift)) & cut.high_mask;
      }
      store_wide(to + at, reinterpret_cast<Wide<T>>(words) + reference);
    }
  }
}

template <class T>
BOBBIN_AVX2 void unpack_rows_avx2(const std::byte* packed, uint32_t width, uint32_t rows, T reference,
                                  T* out) {
  unpack_rows(packed, width, rows, reference, out);
}

}  // namespace

template <class T>
void unpack_vector(const std::byte* packed, uint32_t width, uint32_t rows, T reference, T* out) {
  if (width == 0) {
    std::fill_n(out, size_t{rows} * kLanes<T>, reference);
  } else if (have_avx2()) {
    unpack_rows_avx2(packed, width, rows, reference, out);
  } else {
    unpack_rows(packed, width, rows, reference, out);
  }
}

template void unpack_vector<uint8_t>(const std::byte*, uint32_t, uint32_t, uint8_t, uint8_t*);
template void unpack_vector<uint16_t>(const std::byte*, uint32_t, uint32_t, uint16_t, uint16_t*);
template void unpack_vector<uint32_t>(const std::byte*, uint32_t, uint32_t, uint32_t, uint32_t*);
template void unpack_vector<uint64_t>(const std::byte*, uint32_t, uint32_t, uint64_t, uint64_t*);

std::string describe(const Array& array) {
  return array.metadata.size() == 1 ? "width " + std::to_string(width_of(array)) : "damaged";
}

Status validate(const Array& array) {
  const uint32_t bits = size_bits(array.type);
  const uint32_t width = width_of(array);
  BOBBIN_RETURN_IF(
      width > bits, StatusCode::corrupt,
      "bitpack: width " + std::to_string(width) + " exceeds the type's " + std::to_string(bits) + " bits");
  const uint64_t expected = packed_bytes(array.offset + array.length, width, bits);
  BOBBIN_RETURN_IF(array.buffers[0].bytes.size() != expected, StatusCode::corrupt,
                   "bitpack: " + std::to_string(array.buffers[0].bytes.size()) + " packed bytes, expected " +
                       std::to_string(expected));
  return {};
}

void decode(const Array& array, void* out) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const std::byte* packed = array.buffers[0].bytes.data();
    const uint32_t width = width_of(array);
    decode_vectors<T>(array.offset, array.length, static_cast<T*>(out),
                      [&](uint64_t v, uint32_t rows, T* to) {
                        unpack_vector<T>(packed + v * width * kRegisterBytes, width, rows, 0, to);
                      });
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const uint32_t width = width_of(array);
    const uint64_t i = array.offset + index;
    const std::byte* vector = array.buffers[0].bytes.data() + i / kVectorLength * width * kRegisterBytes;
    return Scalar{unpack_one<T>(vector, width, static_cast<uint32_t>(i % kVectorLength))};
  });
}

}  // namespace bobbin::codec::bitpack
