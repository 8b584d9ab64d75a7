// SPDX-License-Identifier: Apache-2.0
// Arrow arrays as views of columns. Arrays come from outside: all that can be checked is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bobbin/arrow_abi.h"
#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "interop/formats.hpp"

namespace bobbin::interop {

// The type of an array, and of its dictionary if its values are indices.
struct Source {
  ArrowType type{};  // of the dictionary, if there is one
  std::optional<ArrowType> index{};
};

// Memory for what a view cannot share.
struct Scratch {
  std::vector<std::byte> values;
  std::vector<uint8_t> validity;
  std::vector<uint64_t> offsets;
  Strings strings;
};

// No sum or product of an array's sizes overflows.
[[nodiscard]] Status check_extent(const ArrowArray& array);

// Rows begin .. begin+length-1 of an array, which must have them. The view lives as long as the array and
// `scratch`.
[[nodiscard]] Result<ColumnView> import_rows(const Source& source, const ArrowArray& array, uint64_t begin,
                                             uint64_t length, Scratch& scratch);

}  // namespace bobbin::interop
