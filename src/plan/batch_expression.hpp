// SPDX-License-Identifier: Apache-2.0
// Expressions over columns in host memory, a vector at a time. Steps have at most 64 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/batch_column.hpp"
#include "plan/vector_program.hpp"

namespace bobbin::plan {

class BatchExpression {
 public:
  // `result` as for VectorProgram.
  BatchExpression(const Expression& expression, const std::vector<BatchColumn>& columns,
                  std::optional<NumberType> result = {});

  [[nodiscard]] NumberType type() const { return program_.type(); }
  // The values of a vector of the batch, valid until the next call.
  [[nodiscard]] const std::byte* values(const RowBatch& batch, uint64_t vector,
                                        std::vector<BatchColumn>& columns);
  // The values of some rows of a vector, by their positions in it, one after another. The same.
  [[nodiscard]] const std::byte* values_of(std::span<const uint16_t> rows, const RowBatch& batch,
                                           uint64_t vector, std::vector<BatchColumn>& columns);
  // Clears the rows of a bitmap for which it is null.
  void keep_valid(const RowBatch& batch, const std::vector<BatchColumn>& columns, BitmapWords& bitmap) const;
  [[nodiscard]] bool has_nulls(const std::vector<BatchColumn>& columns) const;

 private:
  VectorProgram program_;
  std::vector<const std::byte*> inputs_;
  std::vector<std::vector<uint64_t>> picked_;  // values of some rows of each column
};

// Tests rows of a batch.
class BatchComparison {
 public:
  BatchComparison(const Comparison& comparison, const std::vector<BatchColumn>& columns);

  void test(const RowBatch& batch, std::vector<BatchColumn>& columns, BitmapWords& bitmap);

 private:
  // What is known about a vector before its values are read.
  [[nodiscard]] Truth decide(const RowBatch& batch, uint64_t vector, const std::vector<BatchColumn>& columns);

  Comparison comparison_;
  std::vector<uint32_t> compared_;  // columns
  std::vector<std::optional<Limits>> limits_;
  BatchExpression left_;
  BatchExpression right_;
  CompareLoop loop_;
};

}  // namespace bobbin::plan
