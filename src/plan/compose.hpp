// SPDX-License-Identifier: Apache-2.0
// Writes the C++ source of a kernel that has only what one query needs: the types of plan/stages.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/column_plan.hpp"
#include "plan/expression.hpp"
#include "plan/query_input.hpp"

namespace bobbin::plan {

// The widths that a composed kernel has code for, for each node that unpacks: at most kMostWidths, ascending.
inline constexpr size_t kMostWidths = 6;
struct KnownWidths {
  std::array<std::array<std::vector<uint8_t>, ColumnPlan::kMaxNodes>, kMaxColumns> of;
  std::array<uint64_t, kMaxColumns> entries{};  // of dictionaries, rounded up to a power of two
  std::array<uint32_t, kMaxColumns> bits{};     // of values in most vectors, with their sign; 64 if unknown
};

// The expressions of a query.
struct Formulas {
  std::vector<std::shared_ptr<const Comparison>> comparisons{};  // Step::column of a step that compares
  std::vector<std::shared_ptr<const Expression>> folds{};        // null for a fold of a column, or of rows

  [[nodiscard]] bool empty() const;
  [[nodiscard]] const Expression* fold(size_t f) const { return f < folds.size() ? folds[f].get() : nullptr; }
};

struct Composed {
  static constexpr uint32_t kWarps = 8;
  static constexpr uint32_t kThreads = 32 * kWarps;

  std::string
      declarations;  // they end with `Query`, the kernel's type, and belong into namespace bobbin::plan
  uint32_t shared_bytes = 0;        // of a block
  uint32_t warps = kWarps;          // of a block
  std::vector<uint64_t> numbers{};  // QueryInput::numbers

  // The whole source for the GPU.
  [[nodiscard]] std::string source() const;
};

// What kernels can use of a device.
struct DeviceLimits {
  size_t shared_bytes = 0;  // of a block
  uint32_t sms = 1;
};

// Empty if no kernel can be composed. The query's arguments (ranges, buffers, and whether there are some rows
// more or less) are not part of it.
[[nodiscard]] std::optional<Composed> compose(const QueryInput& query, uint32_t num_columns,
                                              const KnownWidths& widths, const Formulas& formulas,
                                              const DeviceLimits& limits);

}  // namespace bobbin::plan
