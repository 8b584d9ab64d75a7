// SPDX-License-Identifier: Apache-2.0
// Rows of several columns, a slice at a time: chunks are read once and decoded a few rows at a time.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "bobbin/table.hpp"
#include "file/access.hpp"
#include "table/chunk_rows.hpp"
#include "table/group_slices.hpp"
#include "table/parts.hpp"

namespace bobbin {

using file::ReaderAccess;
using table::ChunkRows;
using table::GroupSlices;

namespace {

constexpr uint64_t kStringBytes = uint64_t{8} << 20;  // of strings; more only in a slice of one row

// All rows in one slice: a chunk's memory is free before the next is loaded. False if their strings do not
// fit into one: then nothing was passed on.
Result<bool> visit_one(const Reader& reader, size_t group, std::span<const size_t> columns, uint64_t begin,
                       uint64_t count, const SliceVisitor& visit, Backend backend) {
  std::vector<HostColumn> made;
  uint64_t bytes = 0;
  for (const size_t column : columns) {
    BOBBIN_ASSIGN(const ChunkRows chunk, ChunkRows::load(reader, group, column, begin, count));
    bytes += chunk.string_bytes();
    if (bytes > kStringBytes && count > 1) {
      return false;
    }
    made.push_back(table::make_column(ReaderAccess::columns(reader)[column], count));
    BOBBIN_TRY(chunk.read(begin, count, 0, made.back(), backend));
  }
  BOBBIN_TRY(visit(made, count));
  return true;
}

Status visit_all(GroupSlices slices, const SliceVisitor& visit) {
  while (true) {
    BOBBIN_ASSIGN(const auto slice, slices.next());
    if (!slice.has_value()) {
      return {};
    }
    BOBBIN_TRY(visit(slice->columns, slice->rows));
  }
}

GroupSlices::Options options_for(size_t columns, Backend backend) {
  return {.rows = table::slice_rows(columns), .string_bytes = kStringBytes, .backend = backend};
}

// Rows of a row group, counted from its first.
Status visit_range(const Reader& reader, size_t group, std::span<const size_t> columns, uint64_t begin,
                   uint64_t end, const SliceVisitor& visit, Backend backend) {
  if (end - begin <= table::slice_rows(columns.size())) {
    BOBBIN_ASSIGN(const bool done, visit_one(reader, group, columns, begin, end - begin, visit, backend));
    if (done) {
      return {};
    }
  }
  BOBBIN_ASSIGN(GroupSlices slices, GroupSlices::of(reader, group, {columns.begin(), columns.end()}, begin,
                                                    end, options_for(columns.size(), backend)));
  return visit_all(std::move(slices), visit);
}

// Rows of a row group as numbers within it.
Result<std::vector<uint64_t>> rows_within(const Reader& reader, size_t row_group,
                                          std::span<const uint64_t> rows) {
  const std::string& name = ReaderAccess::name(reader);
  const auto& groups = ReaderAccess::footer(reader).row_groups;
  BOBBIN_RETURN_IF(row_group >= groups.size(), StatusCode::invalid_argument,
                   fmt::format("{}: read: row group {} of {}", name, row_group, groups.size()));
  const auto& group = groups[row_group];
  const bool ascend = std::ranges::adjacent_find(rows, std::greater_equal()) == rows.end();
  const bool inside =
      rows.empty() || (rows.front() >= group.first_row && rows.back() - group.first_row < group.num_rows);
  BOBBIN_RETURN_IF(!ascend || !inside, StatusCode::invalid_argument,
                   fmt::format("{}: read: row numbers must ascend and lie in row group {}", name, row_group));
  std::vector<uint64_t> own(rows.begin(), rows.end());
  std::ranges::for_each(own, [&](uint64_t& row) { row -= group.first_row; });
  return own;
}

}  // namespace

Status visit_slices(const Reader& reader, std::span<const size_t> columns, uint64_t begin, uint64_t count,
                    const SliceVisitor& visit, Backend backend) {
  BOBBIN_TRY(table::check_columns(reader, columns, begin, count));
  const auto& groups = ReaderAccess::footer(reader).row_groups;
  for (size_t g = 0; g < groups.size(); ++g) {
    const uint64_t first = groups[g].first_row;
    const uint64_t from = std::max(begin, first);
    const uint64_t to = std::min(begin + count, first + groups[g].num_rows);
    if (from < to) {
      BOBBIN_TRY(visit_range(reader, g, columns, from - first, to - first, visit, backend));
    }
  }
  return {};
}

Status visit_slices(const Reader& reader, size_t row_group, std::span<const size_t> columns,
                    std::span<const uint64_t> rows, const SliceVisitor& visit) {
  BOBBIN_TRY(table::check_columns(reader, columns, 0, 0));
  BOBBIN_ASSIGN(std::vector<uint64_t> own, rows_within(reader, row_group, rows));
  BOBBIN_ASSIGN(GroupSlices slices,
                GroupSlices::of(reader, row_group, {columns.begin(), columns.end()}, std::move(own),
                                options_for(columns.size(), Backend::cpu)));
  return visit_all(std::move(slices), visit);
}

}  // namespace bobbin
