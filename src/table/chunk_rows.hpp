// SPDX-License-Identifier: Apache-2.0
// Rows of a chunk in memory, in encoded form: any of them can be decoded without the others. If few rows are
// requested, only their vectors are read from the file.
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
  // Rows are counted from the first row of the row group, and ascend. Errors name the file and the chunk. The
  // reader must outlive this object.
  static Result<ChunkRows> load(const Reader& reader, size_t group, size_t column, uint64_t begin,
                                uint64_t count);
  static Result<ChunkRows> load(const Reader& reader, size_t group, size_t column,
                                std::span<const uint64_t> rows);

  // Decodes loaded rows into a column of the same type from row `at` on, which must be where its strings and
  // bits end; numbers must have been allocated.
  [[nodiscard]] Status read(uint64_t begin, uint64_t count, uint64_t at, HostColumn& to,
                            Backend backend) const;
  [[nodiscard]] Status take(std::span<const uint64_t> rows, uint64_t at, HostColumn& to) const;
  [[nodiscard]] bool has_strings() const;
  // The bytes of all loaded strings together, decoded; 0 for numbers.
  [[nodiscard]] uint64_t string_bytes() const;
  // Adds the size of each of these rows' strings to the row's number. The column must have strings.
  [[nodiscard]] Status add_lengths(uint64_t begin, std::span<uint64_t> sizes) const;
  [[nodiscard]] Status add_lengths(std::span<const uint64_t> rows, std::span<uint64_t> sizes) const;

 private:
  // Adjacent rows.
  struct Piece {
    uint64_t begin = 0;
    Array array;
  };

  ChunkRows(const Reader& reader, size_t group, size_t column)
      : reader_(&reader), group_(group), column_(column) {}
  Status add(uint64_t begin, uint64_t count);
  Status take(const Piece& piece, std::span<const uint64_t> rows, uint64_t at, HostColumn& to) const;
  // Calls f(piece, rows) for each piece that has some of the rows, with those.
  template <class F>
  Status for_each_piece(std::span<const uint64_t> rows, F&& f) const;

  const Reader* reader_;
  size_t group_;
  size_t column_;
  std::vector<Piece> pieces_;
};

// How many rows are decoded at once: fewer for tables of many columns, so that memory
// stays bounded.
[[nodiscard]] uint64_t slice_rows(size_t columns);

// A column with numbers allocated for `rows` rows.
[[nodiscard]] HostColumn make_column(const Column& column, uint64_t rows);

}  // namespace bobbin::table
