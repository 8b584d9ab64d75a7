// SPDX-License-Identifier: Apache-2.0
// Rows of a file's columns in memory, on their way to text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "array/array.hpp"
#include "bobbin/file.hpp"
#include "csv/batch.hpp"

namespace bobbin::cli {

// A column's rows.
struct Slice {
  std::vector<std::byte> values;
  std::vector<uint8_t> validity;  // empty: no nulls
  Strings strings;
};

// Rows begin .. begin+rows-1.
[[nodiscard]] Result<Slice> read_slice(const Reader& reader, size_t column, uint64_t begin, uint64_t rows,
                                       Backend backend);

// Slices of these columns, of so many rows each; they must outlive it.
[[nodiscard]] csv::Batch to_batch(const Reader& reader, std::span<const size_t> columns,
                                  std::span<const Slice> slices, uint64_t rows);

// Columns of a row group, as they are encoded, from which any rows can be taken without decoding all.
class LoadedGroup {
 public:
  static Result<LoadedGroup> create(const Reader& reader, size_t row_group, std::span<const size_t> columns);

  // A slice for each column of the rows, which are the group's, ascending, and counted from the file's first.
  [[nodiscard]] Result<std::vector<Slice>> take(std::span<const uint64_t> rows, Backend backend) const;

 private:
  struct Chunk {
    size_t column = 0;
    Array array;
    array::Bitmap validity;  // of numbers that may be null; otherwise empty
  };

  LoadedGroup(const Reader& reader, size_t row_group) : reader_(&reader), row_group_(row_group) {}
  [[nodiscard]] Result<Slice> take(const Chunk& chunk, std::span<const uint64_t> indices,
                                   const array::Bitmap& selected, Backend backend) const;

  const Reader* reader_;
  size_t row_group_;
  uint64_t first_row_ = 0;
  uint64_t num_rows_ = 0;
  std::vector<Chunk> chunks_;
};

}  // namespace bobbin::cli
