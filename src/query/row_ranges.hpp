// SPDX-License-Identifier: Apache-2.0
// Rows that are decoded together: few enough that memory is bounded, however long their strings are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "array/array.hpp"

namespace bobbin::query {

// Rows begin .. end-1.
struct RowRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  [[nodiscard]] uint64_t size() const { return end - begin; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

inline constexpr uint64_t kPieceRows = uint64_t{1} << 20;
inline constexpr uint64_t kPieceBytes = uint64_t{8} << 20;  // of strings; more only in a piece of one row

// Ranges of all rows of a row group, for these columns of it. A dictionary's string counts once in a range,
// and not at all if its dictionary is decoded as a whole.
[[nodiscard]] Result<std::vector<RowRange>> cut_rows(std::span<const Array* const> columns, uint64_t rows);

}  // namespace bobbin::query
