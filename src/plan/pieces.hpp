// SPDX-License-Identifier: Apache-2.0
// What the pieces of one query share. A query of a file runs piece by piece, one for each row group: what its
// tests need on the device is sent with the first piece, and one compiled kernel answers all pieces, although
// their widths differ.
//
// Threads: one at a time uses a Pieces.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "codecs/codec.hpp"
#include "plan/column_plan.hpp"
#include "plan/query_input.hpp"

namespace bobbin::plan {

// Which kernel answered a launch, and why.
struct LaunchReport {
  enum class Kernel : uint8_t { host, compiled, general };

  Kernel kernel{};
  std::string reason{};      // why it was not a compiled kernel
  std::string source{};      // of the kernel composed for the query; empty if there is none
  uint32_t registers = 0;    // of a compiled kernel, per thread
  uint32_t local_bytes = 0;  // the same: memory per thread for registers that do not fit
};

// How many vectors have each width: as many as an entry can name.
using WidthCounts = std::array<uint64_t, 128>;

class Pieces {
 public:
  // `rows`: those of all pieces. `scope` names the table, or is empty: what is known about the widths of its
  // columns is kept for later queries of this process.
  explicit Pieces(uint64_t rows, std::string scope = {});

  [[nodiscard]] uint64_t rows() const { return rows_; }

  // A number that differs from run to run of a query: all pieces are one run.
  [[nodiscard]] uint64_t run() const { return run_; }
  void begin_run();

  // The widths that a kernel should have code for in a node that unpacks, ascending. It stays the same as
  // long as almost all vectors have one of these widths. `column` is the number of the table's column.
  [[nodiscard]] std::vector<uint8_t> add_widths(uint32_t column, const ColumnPlan& plan, uint32_t node,
                                                const WidthCounts& counts) const;
  // The room for entries of the column's dictionary: a power of two, the largest so far.
  [[nodiscard]] uint64_t add_entries(uint32_t column, const ColumnPlan& plan, uint64_t entries) const;
  // The bits of the column's values: the most so far.
  [[nodiscard]] uint32_t add_bits(uint32_t column, const ColumnPlan& plan, uint32_t bits) const;

  // In device memory: the range of floats as ranges of integers, for each scale of ALP.
  [[nodiscard]] Result<Global<const uint64_t>> scaled_ranges(DType type, const ValueRange& range,
                                                             StreamView stream);
  // In device memory: the totals of at least `folds` folds before the first row. Valid until the next call.
  [[nodiscard]] Result<const void*> fresh_totals(size_t folds, StreamView stream);

  // Where launches are reported, or null.
  std::vector<LaunchReport>* reports = nullptr;

 private:
  [[nodiscard]] std::string key_of(uint32_t column, const ColumnPlan& plan, uint32_t node) const;

  uint64_t rows_;
  std::string scope_;
  uint64_t run_ = 0;
  std::map<std::tuple<DType, uint64_t, uint64_t>, DeviceBuffer> ranges_;  // by the ends of a range
  std::optional<DeviceBuffer> fresh_;
};

}  // namespace bobbin::plan
