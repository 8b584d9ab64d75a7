// SPDX-License-Identifier: Apache-2.0
#include "plan/compose_expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "plan/vector_program.hpp"

namespace bobbin::plan {
namespace {

using Action = Expression::Op;

const char* name_of(NumberType type) {
  return type == NumberType::f64 ? "double" : type == NumberType::i64 ? "int64_t" : "int32_t";
}

const char* name_of(Action op) {
  return op == Action::add ? "Plus" : op == Action::multiply ? "Times" : "Minus";
}

// Comparisons with the greater number first exchange their sides.
const char* name_of(Compare op) {
  switch (op) {
    case Compare::eq:
      return "Equal";
    case Compare::ne:
      return "Different";
    case Compare::lt:
    case Compare::gt:
      return "Less";
    case Compare::le:
    case Compare::ge:
      break;
  }
  return "LessOrEqual";
}

std::string stored_type(const ColumnPlan& column) {
  if (column.is_float) {
    return column.bytes == 8 ? "double" : "float";
  }
  return fmt::format("{}int{}_t", column.is_signed ? "" : "u", column.bytes * 8);
}

}  // namespace

std::string FormulaWriter::fixed(uint64_t bits, NumberType type) {
  auto found = std::ranges::find(numbers_, bits);
  if (found == numbers_.end()) {
    found = numbers_.insert(numbers_.end(), bits);
  }
  return fmt::format("Fixed<{}, {}>", found - numbers_.begin(), name_of(type));
}

std::string FormulaWriter::column(const Expression::Step& step) const {
  return fmt::format("Of<{}, {}, {}>", slots_[step.column], name_of(step.type),
                     stored_type(query_.columns[step.column]));
}

std::string FormulaWriter::to_real(const std::string& integer, double divisor) {
  return divisor == 1 ? fmt::format("As<double, {}>", integer)
                      : fmt::format("Quotient<{}, {}>", integer,
                                    fixed(std::bit_cast<uint64_t>(divisor), NumberType::f64));
}

std::string FormulaWriter::write(const Expression& expression, bool wide) {
  std::vector<std::string> stack;
  for (const Expression::Step& step : expression.steps) {
    const bool real = step.type == NumberType::f64;
    switch (step.op) {
      case Action::column:
        stack.push_back(column(step));
        break;
      case Action::constant:
        stack.push_back(fixed(real ? std::bit_cast<uint64_t>(step.real) : static_cast<uint64_t>(step.integer),
                              step.type));
        break;
      case Action::to_real:
        stack.back() = to_real(stack.back(), step.real);
        break;
      case Action::negate:
        // As on the CPU: -x is 0 - x, but of a zero, so that floats are multiplied.
        stack.back() =
            real ? fmt::format("Times<double, {}, {}>", fixed(std::bit_cast<uint64_t>(-1.0), step.type),
                               stack.back())
                 : fmt::format("Minus<{}, {}, {}>", name_of(step.type), fixed(0, step.type), stack.back());
        break;
      default: {
        const std::string second = std::move(stack.back());
        stack.pop_back();
        stack.back() =
            fmt::format("{}<{}, {}, {}>", name_of(step.op), name_of(step.type), stack.back(), second);
      }
    }
  }
  return wide && expression.type() == NumberType::i32 ? fmt::format("As<int64_t, {}>", stack.back())
                                                      : stack.back();
}

std::string FormulaWriter::write(const Comparison& comparison) {
  std::string first = write(comparison.left, false);
  std::string second = write(comparison.right, false);
  if (comparison.op == Compare::gt || comparison.op == Compare::ge) {
    std::swap(first, second);
  }
  return fmt::format("Compared<{}, {}, {}, {}>", name_of(comparison.op), name_of(compared_type(comparison)),
                     first, second);
}

}  // namespace bobbin::plan
