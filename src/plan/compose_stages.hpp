// SPDX-License-Identifier: Apache-2.0
// Writes the stages of a column: types of plan/stages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/column_input.hpp"

namespace bobbin::plan {

// An unsigned type of this size.
[[nodiscard]] std::string type_of(uint32_t bytes);
[[nodiscard]] std::string widths_of(const std::vector<uint8_t>& widths);

// Whether the steps are those of alp with exceptions, of alprd, or of delta of order 1, over packed words.
[[nodiscard]] bool is_scaled(const ColumnPlan& column);
[[nodiscard]] bool is_joined(const ColumnPlan& column);
[[nodiscard]] bool is_summed(const ColumnPlan& column);

// Which rows a thread has: the packed type's size, or neighbours.
inline constexpr uint32_t kNeighbours = 0;
inline constexpr uint32_t kStrided = 4;

// Which layouts are wanted.
enum class WantedRows : uint8_t {
  any,
  chains,  // those in which floats can be summed
  strided,
};

// A stage, as written.
struct Written {
  std::string text;
  uint32_t bytes = 0;  // of an element
  uint32_t layout = 0;
  uint32_t frames = 0;
  size_t shared = 0;  // bytes of a block
};

// Writes the stages of a column, step by step.
class StageWriter {
 public:
  StageWriter(const ColumnPlan& column, const std::array<std::vector<uint8_t>, ColumnPlan::kMaxNodes>& widths)
      : column_(column), widths_(widths) {}

  // The first `nodes` steps. Empty if a step has no stage.
  [[nodiscard]] std::optional<Written> write(uint32_t nodes, WantedRows rows);

 private:
  void add(uint32_t n, WantedRows rows);
  void flush();
  void add_sums(uint32_t n, const Node& node);
  void arrange(WantedRows rows);

  const ColumnPlan& column_;
  const std::array<std::vector<uint8_t>, ColumnPlan::kMaxNodes>& widths_;
  Written made_;
  Written left_;
  std::vector<uint32_t> pending_;
  bool ok_ = true;
};

}  // namespace bobbin::plan
