// SPDX-License-Identifier: Apache-2.0
// Runs of one value: where each ends, and its value: see spec.md. For up to 2^32 - 1 values. The children of
// a split are the runs' ends and the runs' values. Of a slice, no more runs are decoded than it has.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/codec.hpp"

namespace bobbin::codec::rle {

// The runs that hold the array's rows, of an array that has some: numbers begin .. end-1.
struct RunRange {
  uint64_t begin;
  uint64_t end;
};
[[nodiscard]] RunRange runs_of(const Array& array);

}  // namespace bobbin::codec::rle
