// SPDX-License-Identifier: Apache-2.0
// Runs of equal values, each with its end and its value: see spec.md. For up to 2^32 - 1 values. The children
// of a split are the runs' ends and values. A slice decodes only its own runs.
#pragma once

#include <cstdint>
#include <string>

#include "codecs/codec.hpp"

namespace bobbin::codec::rle {

// The runs of the array's rows, if it has any: indices begin .. end-1.
struct RunRange {
  uint64_t begin;
  uint64_t end;
};
[[nodiscard]] RunRange runs_of(const Array& array);

}  // namespace bobbin::codec::rle
