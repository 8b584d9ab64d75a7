// SPDX-License-Identifier: Apache-2.0
// Rows of a row group, a slice at a time: the encoded chunks are read once, and few rows of them are decoded
// at a time, so that memory is bounded however long their strings are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bobbin/table.hpp"
#include "table/chunk_rows.hpp"

namespace bobbin::table {

class GroupSlices {
 public:
  struct Options {
    uint64_t rows = UINT64_MAX;      // of a slice
    uint64_t string_bytes = 0;       // of a slice, in all columns; more only in a slice of one row
    Backend backend = Backend::cpu;  // that decodes ranges of rows
    unsigned threads = 1;            // that read and decode columns
  };
  struct Slice {
    std::vector<HostColumn> columns;
    uint64_t rows = 0;
  };

  // Rows begin .. end-1, or those with the given numbers, which ascend; counted from the first of the row
  // group. The reader must outlive this object.
  static Result<GroupSlices> of(const Reader& reader, size_t group, std::vector<size_t> columns,
                                uint64_t begin, uint64_t end, const Options& options);
  static Result<GroupSlices> of(const Reader& reader, size_t group, std::vector<size_t> columns,
                                std::vector<uint64_t> rows, const Options& options);

  // The next rows; nothing after the last.
  Result<std::optional<Slice>> next();

 private:
  GroupSlices(const Reader& reader, std::vector<size_t> columns, const Options& options)
      : reader_(&reader), columns_(std::move(columns)), options_(options) {}
  // With the chunk of each column from load(column).
  template <class Load>
  Status load_all(Load&& load);
  // Calls f(i) for each column, on several threads.
  template <class F>
  Status for_each_column(F&& f) const;
  // How many rows the next slice has, of at most `most`.
  Result<uint64_t> rows_that_fit(uint64_t most);
  Status find_sizes(uint64_t count);

  const Reader* reader_;
  std::vector<size_t> columns_;
  Options options_;
  std::vector<ChunkRows> chunks_;
  bool fits_ = true;  // all strings fit into one slice
  std::optional<std::vector<uint64_t>> rows_;
  uint64_t at_ = 0;  // the next row, or its place in rows_
  uint64_t end_ = 0;
  std::vector<uint64_t> sizes_;  // bytes of the strings of rows first_size_, first_size_ + 1 ..
  uint64_t first_size_ = 0;
};

}  // namespace bobbin::table
