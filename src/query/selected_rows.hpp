// SPDX-License-Identifier: Apache-2.0
// The matching rows of a row group, and their values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "query/row_group.hpp"

namespace bobbin::query {

// A column's values of the selected rows: value i is at place(i).
struct SelectedColumn {
  const DecodedColumn* values = nullptr;
  std::span<const uint64_t> rows{};  // empty if there are values only for the selected rows
  uint64_t first_row = 0;            // of the values

  [[nodiscard]] uint64_t place(size_t i) const { return rows.empty() ? i : rows[i] - first_row; }
};

class SelectedRows {
 public:
  // Rows are those of one piece, counted from the start of the row group, and ascend.
  SelectedRows(RowGroupQuery& group, RowRange piece, std::vector<uint64_t> rows)
      : group_(group), piece_(piece), rows_(std::move(rows)) {}

  [[nodiscard]] std::span<const uint64_t> rows() const { return rows_; }
  [[nodiscard]] RowRange piece() const { return piece_; }
  // The piece of a column in encoded form.
  [[nodiscard]] Result<Array> load(uint32_t column) const { return group_.load(column, piece_); }
  // Valid as long as this object. If few rows are selected, only they are decoded.
  Result<SelectedColumn> column(uint32_t column);

 private:
  RowGroupQuery& group_;
  RowRange piece_;
  std::vector<uint64_t> rows_;
  std::map<uint32_t, DecodedColumn> taken_;
};

// Calls f(rows) for each piece of a row group that has rows whose bits are set, with those rows; of `columns`
// it may request values.
template <class F>
Status for_each_piece(RowGroupQuery& group, const BitmapWords& words, std::span<const uint32_t> columns,
                      F&& f) {
  if (std::ranges::all_of(words, [](uint32_t word) { return word == 0; })) {
    return {};
  }
  BOBBIN_ASSIGN(const std::vector<RowRange> pieces, group.pieces(columns));
  for (const RowRange& piece : pieces) {
    std::vector<uint64_t> rows = rows_of(words, piece.begin, piece.end);
    if (!rows.empty()) {
      SelectedRows selected(group, piece, std::move(rows));
      BOBBIN_TRY(f(selected));
    }
  }
  return {};
}

}  // namespace bobbin::query
