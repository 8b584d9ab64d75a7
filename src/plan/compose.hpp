// SPDX-License-Identifier: Apache-2.0
// Writes the C++ source of a kernel that has only what one query needs: the types of plan/stages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/column_plan.hpp"
#include "plan/query_input.hpp"

namespace bobbin::plan {

// The widths that a composed kernel has code for, for each node that unpacks: at most kMostWidths, ascending.
inline constexpr size_t kMostWidths = 6;
struct KnownWidths {
  std::array<std::array<std::vector<uint8_t>, ColumnPlan::kMaxNodes>, kMaxColumns> of;
  std::array<uint64_t, kMaxColumns> entries{};  // of dictionaries, rounded up to a power of two
  std::array<bool, kMaxColumns> narrow{};       // whether packed values have up to 12 bits, without a sign
};

struct Composed {
  static constexpr uint32_t kWarps = 8;
  static constexpr uint32_t kThreads = 32 * kWarps;

  std::string
      declarations;  // they end with `Query`, the kernel's type, and belong into namespace bobbin::plan
  uint32_t shared_bytes = 0;  // of a block

  // The whole source for the GPU.
  [[nodiscard]] std::string source() const;
};

// Empty if no kernel can be composed. The query's arguments (ranges, buffers, rows) are not part of it.
[[nodiscard]] std::optional<Composed> compose(const QueryInput& query, uint32_t num_columns,
                                              const KnownWidths& widths);

}  // namespace bobbin::plan
