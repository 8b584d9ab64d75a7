// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "codecs/bitpack/bitpack.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::bitpack {
namespace {

constexpr uint32_t kWords = kRegisterBytes / 8;
using Register = std::array<uint64_t, kWords>;

// The width that holds every value, found by OR-ing all of them.
template <class T>
uint32_t needed_width(std::span<const T> values) {
  T all = 0;
  for (const T value : values) {
    all |= value;
  }
  return bit_width_of(all);
}

template <class T>
BOBBIN_INLINE Register load_row(const T* values, T reference) {
  std::array<T, kLanes<T>> row;
  for (uint32_t i = 0; i < kLanes<T>; ++i) {
    row[i] = static_cast<T>(values[i] - reference);
  }
  return std::bit_cast<Register>(row);
}

template <class T>
BOBBIN_INLINE void pack_rows(const T* values, T reference, uint32_t width, uint32_t rows, std::byte* packed) {
  Register current{};
  uint32_t shift = 0;
  for (uint32_t row = 0; row < rows; ++row) {
    const Register value = load_row(values + size_t{row} * kLanes<T>, reference);
    const auto fits = replicate<T, uint64_t>(static_cast<T>(static_cast<T>(~T{0}) << shift));
    for (uint32_t i = 0; i < kWords; ++i) {
      current[i] |= (value[i] << shift) & fits;
    }
    shift += width;
    if (shift < kBits<T>) {
      continue;
    }
    std::memcpy(packed, current.data(), kRegisterBytes);
    packed += kRegisterBytes;
    shift -= kBits<T>;
    // The high bits that did not fit start the next register; shifted in two steps, since width 64 leaves
    // none.
    const auto carried = replicate<T, uint64_t>(low_mask<T>(shift));
    for (uint32_t i = 0; i < kWords; ++i) {
      current[i] = ((value[i] >> 1) >> (width - shift - 1)) & carried;
    }
  }
  if (shift != 0) {
    std::memcpy(packed, current.data(), kRegisterBytes);
  }
}

template <class T>
BOBBIN_AVX2 void pack_rows_avx2(const T* values, T reference, uint32_t width, uint32_t rows,
                                std::byte* packed) {
  pack_rows(values, reference, width, rows, packed);
}

template <class T>
void pack_array(std::span<const T> values, uint32_t width, std::byte* packed) {
  uint64_t first = 0;
  for (; first + kVectorLength <= values.size(); first += kVectorLength) {
    pack_vector<T>(values.data() + first, 0, width, kRows<T>, packed);
    packed += size_t{kRegisterBytes} * width;
  }
  if (first < values.size()) {
    std::array<T, kVectorLength> tail{};
    std::copy(values.begin() + static_cast<ptrdiff_t>(first), values.end(), tail.begin());
    pack_vector<T>(tail.data(), 0, width, num_rows(static_cast<uint32_t>(values.size() - first), kBits<T>),
                   packed);
  }
}

}  // namespace

template <class T>
void pack_vector(const T* values, T reference, uint32_t width, uint32_t rows, std::byte* packed) {
  if (width == 0) {
    return;
  }
  if (have_avx2()) {
    pack_rows_avx2(values, reference, width, rows, packed);
  } else {
    pack_rows(values, reference, width, rows, packed);
  }
}

template void pack_vector<uint8_t>(const uint8_t*, uint8_t, uint32_t, uint32_t, std::byte*);
template void pack_vector<uint16_t>(const uint16_t*, uint16_t, uint32_t, uint32_t, std::byte*);
template void pack_vector<uint32_t>(const uint32_t*, uint32_t, uint32_t, uint32_t, std::byte*);
template void pack_vector<uint64_t>(const uint64_t*, uint64_t, uint32_t, uint32_t, std::byte*);

uint64_t estimate(const Values& values) {
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    return 1 + packed_bytes(values.length, needed_width(values.as<T>()), kBits<T>);
  });
}

Result<Array> encode(const Values& values) {
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    const uint32_t width = needed_width(values.as<T>());
    const NewBuffer packed = make_buffer(packed_bytes(values.length, width, kBits<T>));
    pack_array(values.as<T>(), width, packed.data);
    return Array{.codec = CodecId::bitpack,
                 .type = values.type,
                 .length = values.length,
                 .offset = 0,
                 .metadata = {static_cast<uint8_t>(width)},
                 .buffers = {packed.buffer},
                 .children = {}};
  });
}

}  // namespace bobbin::codec::bitpack
