// SPDX-License-Identifier: Apache-2.0
// Rows of several columns, a slice at a time: chunks are read once and decoded a few rows at a time.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "bobbin/table.hpp"
#include "file/access.hpp"
#include "table/chunk_rows.hpp"
#include "table/parts.hpp"

namespace bobbin {

using file::ReaderAccess;
using table::ChunkRows;

namespace {

constexpr uint64_t kSliceBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxSliceRows = uint64_t{1} << 18;
constexpr uint64_t kVectorRows = 1024;

// Fewer rows for tables of many columns, so that memory stays bounded.
uint64_t slice_rows(size_t columns) {
  const uint64_t rows = kSliceBytes / (2 * sizeof(uint64_t) * std::max<size_t>(1, columns));
  return std::clamp(rows / kVectorRows * kVectorRows, kVectorRows, kMaxSliceRows);
}

// Decodes rows of all columns by decode(chunk, column to fill), and passes them on.
template <class Decode>
Status pass_slice(const Reader& reader, std::span<const size_t> columns, std::span<const ChunkRows> chunks,
                  uint64_t rows, const SliceVisitor& visit, Decode&& decode) {
  std::vector<HostColumn> made;
  for (size_t i = 0; i < columns.size(); ++i) {
    made.push_back(table::make_column(ReaderAccess::columns(reader)[columns[i]], rows));
    BOBBIN_TRY(decode(chunks[i], made.back()));
  }
  return visit(made, rows);
}

// All rows in one slice: a chunk's memory is free before the next is loaded.
Status visit_one(const Reader& reader, size_t group, std::span<const size_t> columns, uint64_t begin,
                 uint64_t count, const SliceVisitor& visit, Backend backend) {
  std::vector<HostColumn> made;
  for (const size_t column : columns) {
    BOBBIN_ASSIGN(const ChunkRows chunk, ChunkRows::load(reader, group, column, begin, count));
    made.push_back(table::make_column(ReaderAccess::columns(reader)[column], count));
    BOBBIN_TRY(chunk.read(begin, count, 0, made.back(), backend));
  }
  return visit(made, count);
}

// Rows of a row group, counted from its first.
Status visit_range(const Reader& reader, size_t group, std::span<const size_t> columns, uint64_t begin,
                   uint64_t end, const SliceVisitor& visit, Backend backend) {
  const uint64_t step = slice_rows(columns.size());
  if (end - begin <= step) {
    return visit_one(reader, group, columns, begin, end - begin, visit, backend);
  }
  std::vector<ChunkRows> chunks;
  for (const size_t column : columns) {
    BOBBIN_ASSIGN(ChunkRows chunk, ChunkRows::load(reader, group, column, begin, end - begin));
    chunks.push_back(std::move(chunk));
  }
  for (uint64_t row = begin; row < end; row += step) {
    const uint64_t count = std::min(step, end - row);
    BOBBIN_TRY(pass_slice(reader, columns, chunks, count, visit, [&](const ChunkRows& chunk, HostColumn& to) {
      return chunk.read(row, count, 0, to, backend);
    }));
  }
  return {};
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
  BOBBIN_ASSIGN(const std::vector<uint64_t> own, rows_within(reader, row_group, rows));
  std::vector<ChunkRows> chunks;
  for (const size_t column : columns) {
    BOBBIN_ASSIGN(ChunkRows chunk, ChunkRows::load(reader, row_group, column, own));
    chunks.push_back(std::move(chunk));
  }
  const uint64_t step = slice_rows(columns.size());
  for (size_t i = 0; i < own.size(); i += step) {
    const auto part = std::span(own).subspan(i, std::min<size_t>(step, own.size() - i));
    BOBBIN_TRY(pass_slice(reader, columns, chunks, part.size(), visit,
                          [&](const ChunkRows& chunk, HostColumn& to) { return chunk.take(part, 0, to); }));
  }
  return {};
}

}  // namespace bobbin
