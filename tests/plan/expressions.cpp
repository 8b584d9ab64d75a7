// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/expressions.hpp"

#include <algorithm>
#include <cstring>

#include "core/dispatch.hpp"
#include "tests/codecs/compares.hpp"

namespace bobbin::testing {
namespace {

using plan::Bounds;
using plan::Comparison;
using plan::Expression;
using plan::NumberType;
using Op = Expression::Op;

// An expression while it is drawn.
struct Part {
  std::vector<Expression::Step> steps{};
  Bounds bounds{};

  [[nodiscard]] bool is_real() const { return steps.back().type == NumberType::f64; }
};

Part column_part(const std::vector<NumberColumn>& columns, uint32_t c) {
  const bool real = is_float(columns[c].type);
  return {
      {{.op = Op::column, .type = real ? NumberType::f64 : plan::type_for(columns[c].bounds), .column = c}},
      columns[c].bounds};
}

Part constant_part(Random& random) {
  if (random.below(3) == 0) {
    const double real = static_cast<double>(random.below(2001)) / 8 - 100;
    return {{{.op = Op::constant, .type = NumberType::f64, .real = real}}, {}};
  }
  const Int128 value = static_cast<Int128>(random.below(random.below(2) == 0 ? 4 : 300'000)) - 100;
  return {{{.op = Op::constant, .type = plan::type_for({value, value}), .integer = value}}, {value, value}};
}

void to_real(Part& part, Random* random) {
  if (!part.is_real()) {
    const double divisor = random != nullptr && random->below(2) == 0 ? 100 : 1;
    part.steps.push_back({.op = Op::to_real, .type = NumberType::f64, .real = divisor});
  }
}

// Empty if it may have 128 bits.
std::optional<Part> two(Op op, Part a, Part b, Random* random) {
  const bool real = a.is_real() || b.is_real();
  if (real) {
    to_real(a, random);
    to_real(b, random);
  }
  Part made{a.steps, real ? Bounds{} : plan::bounds_of(op, a.bounds, b.bounds)};
  made.steps.insert(made.steps.end(), b.steps.begin(), b.steps.end());
  const NumberType type =
      real ? NumberType::f64
           : std::max({plan::type_for(made.bounds), a.steps.back().type, b.steps.back().type});
  made.steps.push_back({.op = op, .type = type});
  return type == NumberType::i128 ? std::nullopt : std::optional(made);
}

std::optional<Part> draw_part(Random& random, const std::vector<NumberColumn>& columns, int depth) {
  if (depth == 0 || random.below(4) == 0) {
    if (random.below(3) == 0) {
      return constant_part(random);
    }
    Part part = column_part(columns, static_cast<uint32_t>(random.below(columns.size())));
    return part.steps[0].type == NumberType::i128 ? std::nullopt : std::optional(part);
  }
  if (random.below(6) == 0) {
    auto part = draw_part(random, columns, depth - 1);
    if (part.has_value()) {
      part->bounds = plan::bounds_of(Op::negate, part->bounds, part->bounds);
      const NumberType type =
          part->is_real() ? NumberType::f64 : std::max(plan::type_for(part->bounds), part->steps.back().type);
      part->steps.push_back({.op = Op::negate, .type = type});
      return type == NumberType::i128 ? std::nullopt : part;
    }
  }
  auto a = draw_part(random, columns, depth - 1);
  auto b = draw_part(random, columns, depth - 1);
  if (!a.has_value() || !b.has_value()) {
    return a.has_value() ? a : b;
  }
  constexpr Op kOps[] = {Op::add, Op::subtract, Op::multiply};
  auto made = two(kOps[random.below(3)], *a, *b, &random);
  return made.has_value() ? made : a;
}

Expression finished(const Part& part, uint32_t bits) {
  return {part.steps, part.is_real() ? 64 : bits};
}

std::optional<Part> draw_with_column(Random& random, const std::vector<NumberColumn>& columns) {
  const auto part = draw_part(random, columns, 2);
  const bool has_column = part.has_value() && std::ranges::any_of(part->steps, [](const auto& step) {
                            return step.op == Op::column;
                          });
  return has_column ? part : std::nullopt;
}

Number number_of(DType type, Scalar value) {
  if (is_float(type)) {
    return {0, type == DType::f32 ? value_of<float>(value) : value_of<double>(value)};
  }
  return {visit_integer(type, [&]<class T>(std::type_identity<T>) { return Int128{value_of<T>(value)}; }), 0};
}

template <class T>
T combine(Op op, T a, T b) {
  return op == Op::add ? a + b : op == Op::subtract ? a - b : a * b;
}

}  // namespace

NumberColumn number_column(DType type, const std::vector<std::byte>& values) {
  NumberColumn column{type, {}};
  if (!is_float(type)) {
    visit_integer(type, [&]<class T>(std::type_identity<T>) {
      for (size_t at = 0; at < values.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, values.data() + at, sizeof(T));
        const Int128 wide{value};
        column.bounds =
            at == 0 ? Bounds{wide, wide}
                    : Bounds{std::min(column.bounds.least, wide), std::max(column.bounds.greatest, wide)};
      }
    });
  }
  return column;
}

std::optional<Expression> draw_expression(Random& random, const std::vector<NumberColumn>& columns) {
  const auto part = draw_with_column(random, columns);
  if (!part.has_value()) {
    return std::nullopt;
  }
  return finished(*part, random.below(2) == 0 ? 64 : plan::bits_for(part->bounds));
}

std::optional<Comparison> draw_comparison(Random& random, const std::vector<NumberColumn>& columns) {
  auto left = draw_with_column(random, columns);
  auto right = draw_part(random, columns, 1);
  if (!left.has_value() || !right.has_value()) {
    return std::nullopt;
  }
  if (left->is_real() || right->is_real()) {
    to_real(*left, &random);
    to_real(*right, &random);
  }
  return Comparison{finished(*left, 64), static_cast<Compare>(random.below(6)), finished(*right, 64),
                    random.below(3) == 0};
}

std::optional<Expression> combination(const std::vector<NumberColumn>& columns, uint32_t a, uint32_t b) {
  const Part first = column_part(columns, a);
  const Part second = column_part(columns, b);
  auto made = two(Op::multiply, first, second, nullptr);
  made = made.has_value() ? made : two(Op::add, first, second, nullptr);
  return made.has_value() ? std::optional(finished(*made, plan::bits_for(made->bounds))) : std::nullopt;
}

Number evaluate(const Expression& expression, const std::vector<NumberColumn>& columns,
                const std::function<Scalar(uint32_t)>& value) {
  std::vector<Number> stack;
  for (const Expression::Step& step : expression.steps) {
    switch (step.op) {
      case Op::column:
        stack.push_back(number_of(columns[step.column].type, value(step.column)));
        break;
      case Op::constant:
        stack.push_back({step.integer, step.real});
        break;
      case Op::to_real:
        stack.back().real = static_cast<double>(stack.back().integer) / step.real;
        break;
      case Op::negate:
        stack.back() = {-stack.back().integer, -stack.back().real};
        break;
      default: {
        const Number second = stack.back();
        stack.pop_back();
        const bool real = step.type == NumberType::f64;
        stack.back() = real ? Number{0, combine(step.op, stack.back().real, second.real)}
                            : Number{combine(step.op, stack.back().integer, second.integer), 0};
      }
    }
  }
  return stack.back();
}

bool holds(const Comparison& comparison, const std::vector<NumberColumn>& columns,
           const std::function<Scalar(uint32_t)>& value) {
  const Number a = evaluate(comparison.left, columns, value);
  const Number b = evaluate(comparison.right, columns, value);
  return (comparison.left.is_real() ? holds(comparison.op, a.real, b.real)
                                    : holds(comparison.op, a.integer, b.integer)) != comparison.negated;
}

}  // namespace bobbin::testing
