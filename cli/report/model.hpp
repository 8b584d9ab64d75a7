// SPDX-License-Identifier: Apache-2.0
// The contents of a report, bounded so that the page stays small for any file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/summary.hpp"

namespace bobbin::cli::page {

inline constexpr size_t kMaxColumns = 250;  // those with the most bytes
inline constexpr size_t kMaxSpans = 128;    // with more row groups, a span covers several
inline constexpr size_t kMaxCells = 8000;   // of all columns together

// Consecutive row groups that are shown as one.
struct Span {
  size_t first_group = 0;
  size_t num_groups = 0;
  uint64_t first_row = 0;
  uint64_t num_rows = 0;
};

// A column's size when compressed by other libraries, row group by row group; empty if not measured.
struct PeerSizes {
  std::optional<uint64_t> zstd;
  std::optional<uint64_t> lz4;
};

struct ColumnFacts {
  size_t index = 0;  // in the file
  Column column;
  ColumnSummary total;
  std::vector<ColumnSummary> cells;  // one per span
  PeerSizes peers;
};

struct Model {
  std::string name;
  uint64_t num_rows = 0;
  uint64_t num_columns = 0;
  uint64_t num_row_groups = 0;
  uint64_t raw = 0;
  uint64_t file_bytes = 0;
  uint64_t footer_bytes = 0;             // everything outside of columns: footer, header and trailer
  std::optional<uint64_t> source_bytes;  // of the file it was made from, if recorded in the metadata
  std::vector<Span> spans;
  std::vector<ColumnFacts> columns;  // in file order
  uint64_t bytes_of_others = 0;      // of columns that are not shown

  [[nodiscard]] uint64_t num_others() const { return num_columns - columns.size(); }
  // Whether any column was compressed with zstd or lz4.
  [[nodiscard]] bool has_peers() const;
};

// From the footer alone.
[[nodiscard]] Model make_model(const OpenReader& file);
// Decodes the model's columns, one chunk at a time, and compresses them with zstd -3 and with lz4.
[[nodiscard]] Status measure_peers(const OpenReader& file, bool quiet, Model& model);

}  // namespace bobbin::cli::page
