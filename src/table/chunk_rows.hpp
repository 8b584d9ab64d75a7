// SPDX-License-Identifier: Apache-2.0
// Rows of a chunk in memory, as they are encoded: any of them are decoded without the others. Where few rows
// are wanted, only their vectors are read from the file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "array/array.hpp"
#include "bobbin/file.hpp"
#include "bobbin/table.hpp"

namespace bobbin::table {

class ChunkRows {
 public:
  // Rows are counted from the row group's first, and ascend. Errors name the file and the chunk. The reader
  // must outlive it.
  static Result<ChunkRows> load(const Reader& reader, size_t group, size_t column, uint64_t begin,
                                uint64_t count);
  static Result<ChunkRows> load(const Reader& reader, size_t group, size_t column,
                                std::span<const uint64_t> rows);

  // Decodes rows that were loaded. Puts them into a column of the same type from row `at` on, which is where
  // its strings and its bits end; numbers must have room.
  [[nodiscard]] Status read(uint64_t begin, uint64_t count, uint64_t at, HostColumn& to,
                            Backend backend) const;
  [[nodiscard]] Status take(std::span<const uint64_t> rows, uint64_t at, HostColumn& to) const;

 private:
  // Neighbouring rows.
  struct Piece {
    uint64_t begin = 0;
    Array array;
  };

  ChunkRows(const Reader& reader, size_t group, size_t column)
      : reader_(&reader), group_(group), column_(column) {}
  Status add(uint64_t begin, uint64_t count);
  Status take(const Piece& piece, std::span<const uint64_t> rows, uint64_t at, HostColumn& to) const;

  const Reader* reader_;
  size_t group_;
  size_t column_;
  std::vector<Piece> pieces_;
};

// A column with room for the numbers of `rows` rows.
[[nodiscard]] HostColumn make_column(const Column& column, uint64_t rows);

}  // namespace bobbin::table
