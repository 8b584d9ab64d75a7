// SPDX-License-Identifier: Apache-2.0
#include "query/program.hpp"

#include <algorithm>

#include "plan/query_input.hpp"

namespace bobbin::query {
namespace {

plan::Condition::Kind condition_of(Bound::Kind kind) {
  switch (kind) {
    case Bound::Kind::is_null:
      return plan::Condition::Kind::is_null;
    case Bound::Kind::not_null:
      return plan::Condition::Kind::not_null;
    case Bound::Kind::both:
      return plan::Condition::Kind::both;
    case Bound::Kind::either:
      return plan::Condition::Kind::either;
    case Bound::Kind::codes:
      return plan::Condition::Kind::member;
    case Bound::Kind::compare:
      return plan::Condition::Kind::compare;
    default:
      return plan::Condition::Kind::test;
  }
}

Operand operand_of(const Bound& bound) {
  switch (bound.kind) {
    case Bound::Kind::rows:
      return &bound.bitmap;
    case Bound::Kind::codes:
      return CodesOf{bound.column};
    default:
      return bound.column;
  }
}

class Compiler {
 public:
  explicit Compiler(Program& program) : program_(program) {}

  void add(const Bound& bound) {
    if (bound.kind == Bound::Kind::always) {
      return;
    }
    if (bound.kind == Bound::Kind::compare) {
      auto comparison = std::make_shared<plan::Comparison>(bound.comparison->program);
      number_columns(comparison->left);
      number_columns(comparison->right);
      program_.filter.push_back(
          {.kind = plan::Condition::Kind::compare, .comparison = std::move(comparison)});
      return;
    }
    if (bound.parts.empty()) {
      program_.filter.push_back({.kind = condition_of(bound.kind),
                                 .column = number_of(operand_of(bound)),
                                 .range = bound.range,
                                 .passes = bound.passes});
      return;
    }
    for (size_t i = 0; i < bound.parts.size(); ++i) {
      add(bound.parts[i]);
      if (i > 0) {
        program_.filter.push_back({.kind = condition_of(bound.kind), .column = 0, .range = {}});
      }
    }
  }

  void add(const plan::Aggregate& aggregate) {
    program_.aggregates.push_back(aggregate);
    plan::Aggregate& added = program_.aggregates.back();
    if (added.column.has_value()) {
      added.column = number_of(*added.column);
    }
    if (added.expression != nullptr) {
      auto expression = std::make_shared<plan::Expression>(*added.expression);
      number_columns(*expression);
      added.expression = std::move(expression);
    }
  }

 private:
  void number_columns(plan::Expression& expression) {
    for (plan::Expression::Step& step : expression.steps) {
      if (step.op == plan::Expression::Op::column) {
        step.column = number_of(step.column);
      }
    }
  }
  uint32_t number_of(const Operand& operand) {
    const auto found = std::ranges::find(program_.operands, operand);
    const auto number = static_cast<uint32_t>(found - program_.operands.begin());
    if (found == program_.operands.end()) {
      program_.operands.push_back(operand);
    }
    return number;
  }

  Program& program_;
};

// Counted as in plan: an `and` takes a step that skips its second part.
bool filter_fits(const plan::Filter& filter) {
  size_t steps = 0;
  size_t depth = 0;
  size_t deepest = 0;
  for (const plan::Condition& condition : filter) {
    const bool both = condition.kind == plan::Condition::Kind::both;
    const bool joins = both || condition.kind == plan::Condition::Kind::either;
    steps += both ? 2 : 1;
    depth += joins ? size_t(-1) : 1;
    deepest = std::max(deepest, depth);
  }
  return steps <= plan::kMaxSteps && deepest <= plan::kMaxDepth;
}

}  // namespace

Program compile(const Bound& bound, std::span<const plan::Aggregate> aggregates) {
  Program program;
  Compiler compiler(program);
  compiler.add(bound);
  for (const plan::Aggregate& aggregate : aggregates) {
    compiler.add(aggregate);
  }
  return program;
}

bool fits(const Bound& bound, std::span<const plan::Aggregate> aggregates) {
  const Program program = compile(bound, aggregates);
  const bool counted = std::ranges::any_of(
      program.operands, [](const Operand& o) { return !std::holds_alternative<const BitmapWords*>(o); });
  return program.operands.size() + (counted ? 0 : 1) <= plan::kMaxColumns && filter_fits(program.filter);
}

}  // namespace bobbin::query
