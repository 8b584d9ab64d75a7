// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "codecs/ffor/ffor.hpp"
#include "core/dispatch.hpp"
#include "core/vectors.hpp"

namespace bobbin::codec::ffor {
namespace {

Status validate_entries(const Array& array) {
  const Parts parts(array);
  const uint32_t bits = size_bits(array.type);
  const uint64_t end = array.offset + array.length;
  const uint64_t stored = array.buffers[2].bytes.size() / kRegisterBytes;
  for (uint64_t v = 0; v < num_vectors(end); ++v) {
    const Entry entry = parts.entry(v);
    const auto here = static_cast<uint32_t>(std::min<uint64_t>(kVectorLength, end - v * kVectorLength));
    const uint64_t needed = num_registers(num_rows(here, bits), entry.width(), bits);
    BOBBIN_RETURN_IF(entry.width() > bits, StatusCode::corrupt,
                     "ffor: vector " + std::to_string(v) + " has width " + std::to_string(entry.width()) +
                         ", more than the type's " + std::to_string(bits) + " bits");
    BOBBIN_RETURN_IF(entry.first_register() + needed > stored, StatusCode::corrupt,
                     "ffor: vector " + std::to_string(v) + " is outside the packed bytes");
  }
  return {};
}

}  // namespace

std::string describe(const Array& array) {
  if (array.buffers.size() != 3) {
    return "damaged";
  }
  const double bits = array.length == 0 ? 0
                                        : 8.0 * static_cast<double>(array.buffers[2].bytes.size()) /
                                              static_cast<double>(array.length);
  char text[48];
  std::snprintf(text, sizeof text, "mean width %.2f", bits);
  return text;
}

Status validate(const Array& array) {
  const uint64_t packed = array.buffers[2].bytes.size();
  BOBBIN_RETURN_IF(packed % kRegisterBytes != 0, StatusCode::corrupt,
                   "ffor: " + std::to_string(packed) + " packed bytes are not a multiple of a register");
  BOBBIN_RETURN_IF(packed / kRegisterBytes > kMaxRegisters, StatusCode::corrupt,
                   "ffor: too many packed bytes");
  return validate_entries(array);
}

void decode(const Array& array, void* out) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const Parts parts(array);
    decode_vectors<T>(
        array.offset, array.length, static_cast<T*>(out), [&](uint64_t v, uint32_t rows, T* to) {
          const Entry entry = parts.entry(v);
          bitpack::unpack_vector<T>(parts.vector(entry), entry.width(), rows, parts.reference<T>(v), to);
        });
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const Parts parts(array);
    const uint64_t i = array.offset + index;
    const uint64_t v = i / kVectorLength;
    const Entry entry = parts.entry(v);
    const T difference =
        bitpack::unpack_one<T>(parts.vector(entry), entry.width(), static_cast<uint32_t>(i % kVectorLength));
    return Scalar{static_cast<T>(difference + parts.reference<T>(v))};
  });
}

}  // namespace bobbin::codec::ffor
