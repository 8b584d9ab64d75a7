// SPDX-License-Identifier: Apache-2.0
// Runs of one value: where each ends, and its value: see spec.md.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/codec.hpp"

namespace bobbin::codec::rle {

template <Backend kBackend>
const DeviceOps& ops_on();  // registry_device.cu

inline constexpr size_t kMetadataBytes = sizeof(uint64_t);

// Of up to 2^32 - 1 values. The children of a split are the runs' ends and the runs' values.
uint64_t estimate(const Values& values);
Result<Array> encode(const Values& values);
Result<Split> split(const Values& values);
std::string describe(const Array& array);
Status validate(const Array& array);
Status validate_content(const Array& array);
// Of a slice, no more runs are decoded than it has.
void decode(const Array& array, void* out);
void reference(const Array& array, void* out);
Array slice(const Array& array, uint64_t begin, uint64_t length);
Scalar value_at(const Array& array, uint64_t index);
void compare(const Array& array, const ValueRange& range, uint32_t* bitmap);

// The runs that hold the array's rows, of an array that has some: numbers begin .. end-1.
struct RunRange {
  uint64_t begin;
  uint64_t end;
};
[[nodiscard]] RunRange runs_of(const Array& array);

}  // namespace bobbin::codec::rle
