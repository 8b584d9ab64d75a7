// SPDX-License-Identifier: Apache-2.0
// One value but for some rows: see spec.md.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "codecs/codec.hpp"

namespace bobbin::codec::sparse {

template <Backend kBackend>
const DeviceOps& ops_on();  // registry_device.cu

inline constexpr size_t kMetadataBytes = 2 * sizeof(uint64_t);

[[nodiscard]] inline Scalar fill_of(const Array& array) {
  Scalar fill;
  std::memcpy(&fill.bits, array.metadata.data(), sizeof fill.bits);
  return fill;
}

// Of up to 2^32 - 1 values. The children of a split are the positions and the values there.
uint64_t estimate(const Values& values);
Result<Array> encode(const Values& values);
Result<Split> split(const Values& values);
std::string describe(const Array& array);
Status validate(const Array& array);
Status validate_content(const Array& array);
// Of a slice, no more values are decoded than it has.
void decode(const Array& array, void* out);
void reference(const Array& array, void* out);
Array slice(const Array& array, uint64_t begin, uint64_t length);
Scalar value_at(const Array& array, uint64_t index);
void compare(const Array& array, const ValueRange& range, uint32_t* bitmap);

}  // namespace bobbin::codec::sparse
