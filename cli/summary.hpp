// SPDX-License-Identifier: Apache-2.0
// What the footer of a .bob file says about its columns, summarised over row groups. Nothing is decoded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bobbin/file.hpp"
#include "cli/format.hpp"

namespace bobbin::cli {

// For numbers; 0 for strings, whose sizes the node does not have.
[[nodiscard]] uint64_t raw_bytes(const NodeInfo& node);
// For strings their bytes, without offsets or lengths.
[[nodiscard]] uint64_t raw_bytes(const ChunkInfo& chunk);
// Verbs that need all values of a chunk in memory leave out larger ones. Our writer's have at most 256 MiB.
inline constexpr uint64_t kMaxRawBytes = uint64_t{1} << 30;
// For a node and everything below it.
[[nodiscard]] uint64_t tree_bytes(const NodeInfo& node);

// What is known about the values of a chunk, or of several chunks of a column together.
struct Zone {
  uint64_t rows = 0;
  uint64_t nulls = 0;
  Scalar min;  // for numbers, if not all are null
  Scalar max;
  StringZone strings;  // for strings

  void add(DType type, const ChunkInfo& chunk, uint64_t num_rows);
  [[nodiscard]] bool has_bounds() const { return nulls < rows; }

 private:
  void add_numbers(DType type, const ChunkInfo& chunk, uint64_t num_rows);
  void add_strings(const StringZone& more, uint64_t num_rows);
};

[[nodiscard]] Zone zone_of(const RowGroupInfo& group, size_t column, DType type);

// All chunks of a column: the combined zone maps, and the trees grouped by shape.
struct ColumnSummary {
  struct Encoding {
    NodeInfo sum;
    uint64_t raw = 0;
    uint64_t chunks = 0;
  };
  Zone zone;
  uint64_t raw = 0;
  uint64_t bytes = 0;
  std::vector<Encoding> encodings;  // in the order of their first chunks

  void add(DType type, const ChunkInfo& chunk, uint64_t num_rows);
};

[[nodiscard]] std::vector<ColumnSummary> summarize(const Reader& reader);
// Raw bytes of all columns, used for the ratio of a file everywhere.
[[nodiscard]] uint64_t raw_bytes(const std::vector<ColumnSummary>& summaries);

// Bytes and chunks of each shape, those with the most bytes first. Trees that differ only in types are
// combined.
struct CascadeTotal {
  std::string cascade;
  uint64_t bytes = 0;
  uint64_t chunks = 0;
};
[[nodiscard]] std::vector<CascadeTotal> cascades(const ColumnSummary& summary);

// "nullable i32", "date"
[[nodiscard]] std::string type_text(const Column& column);
// A bound as shown in a table; "-" for none. Strings are quoted, and truncated if long.
[[nodiscard]] std::string min_text(const Column& column, const Zone& zone);
[[nodiscard]] std::string max_text(const Column& column, const Zone& zone);
// null if there is no bound.
[[nodiscard]] Json min_json(const Column& column, const Zone& zone);
[[nodiscard]] Json max_json(const Column& column, const Zone& zone);

}  // namespace bobbin::cli
