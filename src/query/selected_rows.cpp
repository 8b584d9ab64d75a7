// SPDX-License-Identifier: Apache-2.0
#include "query/selected_rows.hpp"

namespace bobbin::query {

Result<SelectedColumn> SelectedRows::column(uint32_t column) {
  constexpr uint64_t kFew = 16;  // at most one row in 16 is selected
  if (rows_.size() * kFew > piece_.size()) {
    BOBBIN_ASSIGN(const DecodedColumn* values, group_.decoded(column, piece_));
    return SelectedColumn{values, rows_, piece_.begin};
  }
  auto found = taken_.find(column);
  if (found == taken_.end()) {
    BOBBIN_ASSIGN(DecodedColumn values, group_.take(column, rows_));
    found = taken_.emplace(column, std::move(values)).first;
  }
  return SelectedColumn{&found->second};
}

}  // namespace bobbin::query
