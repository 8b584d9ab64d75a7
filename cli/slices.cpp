// SPDX-License-Identifier: Apache-2.0
#include "cli/slices.hpp"

#include <algorithm>

#include "file/access.hpp"

namespace bobbin::cli {

using file::ReaderAccess;
using table::ChunkRows;

csv::Batch to_batch(std::span<const HostColumn> columns, uint64_t rows) {
  csv::Batch batch{.columns = {}, .rows = rows};
  for (const HostColumn& column : columns) {
    const uint8_t* const validity = column.validity.empty() ? nullptr : column.validity.data();
    batch.columns.push_back({.type = {column.column.type, column.column.logical},
                             .numbers = {column.values.get(), validity},
                             .strings = column.strings.view()});
  }
  return batch;
}

LoadedRows::LoadedRows(const Reader& reader, size_t row_group, std::span<const size_t> columns)
    : reader_(&reader),
      first_row_(ReaderAccess::footer(reader).row_groups[row_group].first_row),
      columns_(columns.begin(), columns.end()) {}

Result<LoadedRows> LoadedRows::load(const Reader& reader, size_t row_group, std::span<const size_t> columns,
                                    uint64_t begin, uint64_t count) {
  LoadedRows rows(reader, row_group, columns);
  for (const size_t column : columns) {
    BOBBIN_ASSIGN(ChunkRows chunk,
                  ChunkRows::load(reader, row_group, column, begin - rows.first_row_, count));
    rows.chunks_.push_back(std::move(chunk));
  }
  return rows;
}

Result<LoadedRows> LoadedRows::load(const Reader& reader, size_t row_group, std::span<const size_t> columns,
                                    std::span<const uint64_t> rows) {
  LoadedRows loaded(reader, row_group, columns);
  const std::vector<uint64_t> own = loaded.own_rows(rows);
  for (const size_t column : columns) {
    BOBBIN_ASSIGN(ChunkRows chunk, ChunkRows::load(reader, row_group, column, own));
    loaded.chunks_.push_back(std::move(chunk));
  }
  return loaded;
}

std::vector<uint64_t> LoadedRows::own_rows(std::span<const uint64_t> rows) const {
  std::vector<uint64_t> own(rows.begin(), rows.end());
  std::ranges::for_each(own, [&](uint64_t& row) { row -= first_row_; });
  return own;
}

template <class F>
Result<std::vector<HostColumn>> LoadedRows::decode(uint64_t rows, F&& f) const {
  std::vector<HostColumn> made;
  for (size_t i = 0; i < columns_.size(); ++i) {
    made.push_back(table::make_column(reader_->columns()[columns_[i]], rows));
    BOBBIN_TRY(f(chunks_[i], made.back()));
  }
  return made;
}

Result<std::vector<HostColumn>> LoadedRows::read(uint64_t begin, uint64_t count, Backend backend) const {
  return decode(count, [&](const ChunkRows& chunk, HostColumn& to) {
    return chunk.read(begin - first_row_, count, 0, to, backend);
  });
}

Result<std::vector<HostColumn>> LoadedRows::take(std::span<const uint64_t> rows) const {
  const std::vector<uint64_t> own = own_rows(rows);
  return decode(own.size(), [&](const ChunkRows& chunk, HostColumn& to) { return chunk.take(own, 0, to); });
}

}  // namespace bobbin::cli
