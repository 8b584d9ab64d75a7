// SPDX-License-Identifier: Apache-2.0
#include "plan/batch_expression.hpp"

#include <algorithm>
#include <functional>

namespace bobbin::plan {
namespace {

std::vector<DType> types_of(const Expression& expression, const std::vector<BatchColumn>& columns) {
  std::vector<DType> types(columns.size());
  for (const uint32_t c : expression.columns()) {
    types[c] = columns[c].type();
  }
  return types;
}

}  // namespace

BatchExpression::BatchExpression(const Expression& expression, const std::vector<BatchColumn>& columns,
                                 std::optional<NumberType> result)
    : program_(expression, types_of(expression, columns), result),
      inputs_(program_.columns().size()),
      picked_(inputs_.size(), std::vector<uint64_t>(kVectorLength)) {}

const std::byte* BatchExpression::values(const RowBatch& batch, uint64_t vector,
                                         std::vector<BatchColumn>& columns) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    BatchColumn& column = columns[program_.columns()[i]];
    inputs_[i] = column.values(batch) + vector * kVectorLength * size_bytes(column.type());
  }
  return program_.run(inputs_);
}

const std::byte* BatchExpression::values_of(std::span<const uint16_t> rows, const RowBatch& batch,
                                            uint64_t vector, std::vector<BatchColumn>& columns) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    BatchColumn& column = columns[program_.columns()[i]];
    column.pick(batch, vector, rows, picked_[i].data());
    inputs_[i] = reinterpret_cast<const std::byte*>(picked_[i].data());
  }
  return program_.run(inputs_, static_cast<uint32_t>(rows.size()));
}

void BatchExpression::keep_valid(const RowBatch& batch, const std::vector<BatchColumn>& columns,
                                 BitmapWords& bitmap) const {
  for (const uint32_t c : program_.columns()) {
    columns[c].keep_valid(batch, bitmap);
  }
}

bool BatchExpression::has_nulls(const std::vector<BatchColumn>& columns) const {
  return std::ranges::any_of(program_.columns(), [&](uint32_t c) { return columns[c].has_nulls(); });
}

BatchComparison::BatchComparison(const Comparison& comparison, const std::vector<BatchColumn>& columns)
    : comparison_(comparison),
      compared_(comparison.columns()),
      limits_(columns.size()),
      left_(comparison.left, columns, compared_type(comparison)),
      right_(comparison.right, columns, compared_type(comparison)),
      loop_(compare_loop(comparison.op, compared_type(comparison))) {}

Truth BatchComparison::decide(const RowBatch& batch, uint64_t vector,
                              const std::vector<BatchColumn>& columns) {
  if (comparison_.left.is_real()) {
    return Truth::some;
  }
  for (const uint32_t c : compared_) {
    limits_[c] = columns[c].limits(batch, vector);
    if (!limits_[c].has_value()) {
      return Truth::some;
    }
  }
  return truth_of(comparison_, limits_);
}

void BatchComparison::test(const RowBatch& batch, std::vector<BatchColumn>& columns, BitmapWords& bitmap) {
  constexpr uint64_t kWords = kVectorLength / 32;
  for (uint64_t v = 0; v < batch.words() / kWords; ++v) {
    const std::span words(bitmap.data() + v * kWords, kWords);
    const Truth truth = decide(batch, v, columns);
    if (truth != Truth::some) {
      std::ranges::fill(words, truth == Truth::all ? ~uint32_t{0} : 0);
      continue;
    }
    loop_(left_.values(batch, v, columns), right_.values(batch, v, columns), words.data());
    if (comparison_.negated) {
      std::ranges::transform(words, words.begin(), std::bit_not());
    }
  }
  left_.keep_valid(batch, columns, bitmap);
  right_.keep_valid(batch, columns, bitmap);
}

}  // namespace bobbin::plan
