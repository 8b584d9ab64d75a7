// SPDX-License-Identifier: Apache-2.0
// One value for all rows: see spec.md.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "codecs/codec.hpp"

namespace bobbin::codec::constant {

template <Backend kBackend>
const DeviceOps& ops_on();  // registry_device.cu

[[nodiscard]] inline Scalar constant_of(const Array& array) {
  Scalar value;
  std::memcpy(&value.bits, array.metadata.data(), sizeof value.bits);
  return value;
}

// Only of values that are all alike.
uint64_t estimate(const Values& values);
Result<Array> encode(const Values& values);
std::string describe(const Array& array);
Status validate(const Array& array);
void decode(const Array& array, void* out);
void reference(const Array& array, void* out);
Array slice(const Array& array, uint64_t begin, uint64_t length);
Scalar value_at(const Array& array, uint64_t index);
// All or nothing.
void compare(const Array& array, const ValueRange& range, uint32_t* bitmap);

}  // namespace bobbin::codec::constant
