// SPDX-License-Identifier: Apache-2.0
// Expressions over decoded columns: for groups, and where steps have 128 bits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plan/vector_program.hpp"
#include "query/accumulate.hpp"
#include "query/expression.hpp"
#include "query/selected_rows.hpp"

namespace bobbin::query {

// Evaluates an expression, 1024 rows at a time.
class ComputedRows {
 public:
  // `text` is for messages. `result` as for VectorProgram.
  ComputedRows(const plan::Expression& expression, std::span<const Column> columns, std::string text,
               std::optional<plan::NumberType> result = {});

  [[nodiscard]] std::span<const uint32_t> columns() const { return program_.columns(); }
  [[nodiscard]] plan::NumberType type() const { return program_.type(); }
  // Values of up to 1024 rows, from `first` on: from[i] has those of columns()[i]. Valid until the next call.
  // Fails if a value that is not null exceeds 128 bits.
  [[nodiscard]] Result<const std::byte*> run(std::span<const SelectedColumn> from, size_t first,
                                             size_t count);
  // After a run, for row i of it.
  [[nodiscard]] bool is_null(size_t i) const { return nulls_[i] != 0; }

 private:
  void gather(const SelectedColumn& from, size_t first, size_t count, std::vector<std::byte>& to);

  plan::VectorProgram program_;
  std::string text_;
  std::vector<std::vector<std::byte>> gathered_;  // values of each column
  std::vector<const std::byte*> inputs_;
  std::vector<uint8_t> nulls_;
};

// The rows of a piece for which it holds: one bit per row. from[i] has the values of comparison.columns()[i].
[[nodiscard]] Result<BitmapWords> compare_rows(const BoundComparison& comparison,
                                               std::span<const Column> columns,
                                               std::span<const DecodedColumn* const> from);

[[nodiscard]] std::unique_ptr<Accumulator> make_computed_accumulator(std::span<const Column> columns,
                                                                     const BoundAggregate& aggregate);

}  // namespace bobbin::query
