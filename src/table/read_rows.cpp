// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "bobbin/table.hpp"
#include "file/access.hpp"
#include "table/chunk_rows.hpp"
#include "table/parts.hpp"

namespace bobbin {
namespace {

using namespace table;

Status check_rows(const Reader& reader, std::span<const uint64_t> rows) {
  const bool ascend = std::ranges::adjacent_find(rows, std::greater_equal()) == rows.end();
  BOBBIN_RETURN_IF(!ascend, StatusCode::invalid_argument,
                   fmt::format("{}: read: row numbers do not ascend", file::ReaderAccess::name(reader)));
  BOBBIN_RETURN_IF(!rows.empty() && rows.back() >= reader.num_rows(), StatusCode::invalid_argument,
                   fmt::format("{}: read: row {} of {}", file::ReaderAccess::name(reader), rows.back(),
                               reader.num_rows()));
  return {};
}

// Rows of one row group, the first of which is row `at` of the columns.
Status read_group(const Reader& reader, size_t group, std::span<const size_t> columns,
                  std::span<const uint64_t> rows, uint64_t at, std::vector<HostColumn>& made) {
  const uint64_t first = file::ReaderAccess::footer(reader).row_groups[group].first_row;
  std::vector<uint64_t> own(rows.begin(), rows.end());
  std::ranges::for_each(own, [&](uint64_t& row) { row -= first; });
  for (size_t slot = 0; slot < columns.size(); ++slot) {
    BOBBIN_ASSIGN(const ChunkRows chunk, ChunkRows::load(reader, group, columns[slot], own));
    BOBBIN_TRY(chunk.take(own, at, made[slot]));
  }
  return {};
}

}  // namespace

Result<std::vector<HostColumn>> read_rows(const Reader& reader, std::span<const size_t> columns,
                                          std::span<const uint64_t> rows) {
  BOBBIN_TRY(check_columns(reader, columns, 0, 0));
  BOBBIN_TRY(check_rows(reader, rows));
  std::vector<HostColumn> made;
  for (const size_t column : columns) {
    made.push_back(make_column(file::ReaderAccess::columns(reader)[column], rows.size()));
  }
  const auto& groups = file::ReaderAccess::footer(reader).row_groups;
  for (uint64_t done = 0; done < rows.size();) {
    const auto after = std::ranges::upper_bound(groups, rows[done], {}, &file::RowGroup::first_row);
    const auto group = static_cast<size_t>(after - groups.begin()) - 1;
    const auto left = rows.subspan(done);
    const auto end = std::ranges::lower_bound(left, groups[group].first_row + groups[group].num_rows);
    const auto own = left.first(static_cast<size_t>(end - left.begin()));
    BOBBIN_TRY(read_group(reader, group, columns, own, done, made));
    done += own.size();
  }
  return made;
}

}  // namespace bobbin
