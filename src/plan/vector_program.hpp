// SPDX-License-Identifier: Apache-2.0
// Evaluates an expression for a vector of up to 1024 rows at a time: a list of loops over vectors, one for
// each step, chosen once. Values of rows that do not exist or are null may be anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bobbin/types.hpp"
#include "core/lanes.hpp"
#include "plan/expression.hpp"

namespace bobbin::plan {

class VectorProgram {
 public:
  // `types`: of the columns, by number. `result`: a type that also holds the values, instead of that of the
  // last step.
  VectorProgram(const Expression& expression, std::span<const DType> types,
                std::optional<NumberType> result = {});

  [[nodiscard]] NumberType type() const { return type_; }
  // Different ones, ascending.
  [[nodiscard]] std::span<const uint32_t> columns() const { return columns_; }
  // The result for `count` values of each of columns(), which are not copied. Valid until the next run.
  [[nodiscard]] const std::byte* run(std::span<const std::byte* const> inputs,
                                     uint32_t count = kVectorLength);
  [[nodiscard]] bool may_overflow() const { return overflow_ != nullptr; }
  // Whether a value of the last run exceeded 128 bits.
  [[nodiscard]] bool overflows(uint32_t row) const { return overflow_ != nullptr && overflow_[row] != 0; }

  // A loop over the values of two registers, or of one.
  using Loop = void (*)(const std::byte* a, const std::byte* b, std::byte* out, uint8_t* overflow,
                        uint32_t count);

 private:
  struct Instruction {
    Loop loop = nullptr;
    uint32_t a = 0;
    uint32_t b = 0;
    uint32_t out = 0;
    double divisor = 1;  // for conversions to reals
  };
  // Registers are inputs, then memory for the results of instructions.
  uint32_t add_register(NumberType type);
  uint32_t convert(uint32_t from, NumberType from_type, NumberType to_type);
  uint32_t add_column(const Expression::Step& step, DType type);
  uint32_t add_constant(const Expression::Step& step);
  uint32_t to_real(uint32_t from, NumberType type, double divisor);

  NumberType type_;
  std::vector<uint32_t> columns_;
  std::vector<Instruction> instructions_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<const std::byte*> registers_;
  uint32_t result_ = 0;
  std::unique_ptr<uint8_t[]> overflow_;  // of each row; null if no step has 128 bits
};

// One bit for each of 1024 rows for which it holds: two vectors of a type.
using CompareLoop = void (*)(const std::byte* a, const std::byte* b, uint32_t* bits);
[[nodiscard]] CompareLoop compare_loop(Compare op, NumberType type);
// The type in which both sides are compared.
[[nodiscard]] NumberType compared_type(const Comparison& comparison);

}  // namespace bobbin::plan
