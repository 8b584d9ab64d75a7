// SPDX-License-Identifier: Apache-2.0
#include "table/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bobbin::table {

Status check_columns(const Reader& reader, std::span<const size_t> columns, uint64_t begin, uint64_t count) {
  const size_t there = file::ReaderAccess::columns(reader).size();
  for (const size_t column : columns) {
    BOBBIN_RETURN_IF(
        column >= there, StatusCode::invalid_argument,
        fmt::format("{}: read: column {} of {}", file::ReaderAccess::name(reader), column, there));
  }
  BOBBIN_RETURN_IF(begin > reader.num_rows() || count > reader.num_rows() - begin,
                   StatusCode::invalid_argument,
                   fmt::format("{}: read: {} rows from row {} on, but there are {}",
                               file::ReaderAccess::name(reader), count, begin, reader.num_rows()));
  return {};
}

std::vector<Part> parts_of(const Reader& reader, std::span<const size_t> columns, uint64_t begin,
                           uint64_t count) {
  std::vector<Part> parts;
  const auto& groups = file::ReaderAccess::footer(reader).row_groups;
  for (size_t g = 0; g < groups.size(); ++g) {
    const uint64_t first = std::max(begin, groups[g].first_row);
    const uint64_t end = std::min(begin + count, groups[g].first_row + groups[g].num_rows);
    for (size_t slot = 0; slot < columns.size() && first < end; ++slot) {
      parts.push_back({.slot = slot,
                       .column = columns[slot],
                       .group = g,
                       .begin = first - groups[g].first_row,
                       .count = end - first,
                       .at = first - begin});
    }
  }
  return parts;
}

void FirstError::note(uint64_t task, const Status& status) {
  const std::scoped_lock lock(mutex_);
  if (!status.ok() && task < task_) {
    task_ = task;
    status_ = status;
  }
}

Status FirstError::status() const {
  const std::scoped_lock lock(mutex_);
  return status_;
}

}  // namespace bobbin::table
