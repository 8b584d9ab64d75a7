// SPDX-License-Identifier: Apache-2.0
// Writes expressions of a composed kernel: types of plan/stages/computed.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/expression.hpp"
#include "plan/query_input.hpp"

namespace bobbin::plan {

class FormulaWriter {
 public:
  // `slots`: those of the columns' values.
  FormulaWriter(const QueryInput& query, const std::array<uint32_t, kMaxColumns>& slots)
      : query_(query), slots_(slots) {}

  // An expression; its numbers have 64 bits if `wide`.
  [[nodiscard]] std::string write(const Expression& expression, bool wide);
  // 1 or 0; whether it is negated is not part of it.
  [[nodiscard]] std::string write(const Comparison& comparison);
  // The constants so far, which are arguments of the kernel.
  [[nodiscard]] const std::vector<uint64_t>& numbers() const { return numbers_; }

 private:
  [[nodiscard]] std::string fixed(uint64_t bits, NumberType type);
  [[nodiscard]] std::string column(const Expression::Step& step) const;
  [[nodiscard]] std::string to_real(const std::string& integer, double divisor);

  const QueryInput& query_;
  const std::array<uint32_t, kMaxColumns>& slots_;
  std::vector<uint64_t> numbers_;
};

}  // namespace bobbin::plan
