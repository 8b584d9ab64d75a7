// SPDX-License-Identifier: Apache-2.0
// Reads the values of some rows of an array in host memory.
#pragma once

#include <cstdint>
#include <span>

#include "codecs/codec.hpp"

namespace bobbin {

// Writes the values at `indices` to `out`, one after another. All indices are below the array's length. Only
// vectors that hold some of the rows are decoded, each once if the indices ascend.
void take_values(const Array& array, std::span<const uint64_t> indices, void* out);

}  // namespace bobbin
