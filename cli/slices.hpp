// SPDX-License-Identifier: Apache-2.0
// Rows of a file's columns in memory, on their way to text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/table.hpp"
#include "csv/batch.hpp"
#include "table/chunk_rows.hpp"

namespace bobbin::cli {

// Columns' rows as text is made of them; they must outlive it.
[[nodiscard]] csv::Batch to_batch(std::span<const HostColumn> columns, uint64_t rows);

// Rows of one row group in all of some columns, as they are encoded: read once, and then decoded a few at a
// time.
class LoadedRows {
 public:
  // Rows are counted from the file's first. The reader must outlive it.
  static Result<LoadedRows> load(const Reader& reader, size_t row_group, std::span<const size_t> columns,
                                 uint64_t begin, uint64_t count);
  // These rows, which ascend.
  static Result<LoadedRows> load(const Reader& reader, size_t row_group, std::span<const size_t> columns,
                                 std::span<const uint64_t> rows);

  // Of those that were loaded.
  [[nodiscard]] Result<std::vector<HostColumn>> read(uint64_t begin, uint64_t count, Backend backend) const;
  [[nodiscard]] Result<std::vector<HostColumn>> take(std::span<const uint64_t> rows) const;

 private:
  LoadedRows(const Reader& reader, size_t row_group, std::span<const size_t> columns);
  // Decodes by f(chunk, column to fill).
  template <class F>
  [[nodiscard]] Result<std::vector<HostColumn>> decode(uint64_t rows, F&& f) const;
  [[nodiscard]] std::vector<uint64_t> own_rows(std::span<const uint64_t> rows) const;

  const Reader* reader_;
  uint64_t first_row_;
  std::vector<size_t> columns_;
  std::vector<table::ChunkRows> chunks_;
};

}  // namespace bobbin::cli
