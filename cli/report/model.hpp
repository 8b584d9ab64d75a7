// SPDX-License-Identifier: Apache-2.0
// What a report shows of a file, bounded so that the page stays small whatever the file holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/summary.hpp"

namespace bobbin::cli::page {

inline constexpr size_t kMaxColumns = 250;  // those with most bytes
inline constexpr size_t kMaxSpans = 128;    // with more row groups, a span has several
inline constexpr size_t kMaxCells = 8000;   // of all columns together

// Row groups next to each other that are shown as one.
struct Span {
  size_t first_group = 0;
  size_t num_groups = 0;
  uint64_t first_row = 0;
  uint64_t num_rows = 0;
};

// A column's bytes after compression by peers, row group by row group; nothing where that was not measured.
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
  uint64_t footer_bytes = 0;             // all that is not in a column: footer, header and trailer
  std::optional<uint64_t> source_bytes;  // of the file that it was made from, where the metadata says
  std::vector<Span> spans;
  std::vector<ColumnFacts> columns;  // in the file's order
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
