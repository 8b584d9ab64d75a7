// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "bobbin/query.hpp"
#include "query/ranges.hpp"

namespace bobbin::query {
namespace {

// Parts of the same kind are merged into one node, so that long chains stay flat. The first node's parts stay
// in place: a chain of n terms takes n steps.
Predicate join(Predicate::Kind kind, Predicate a, Predicate b) {
  if (a.kind != kind) {
    Predicate joined{.kind = kind};
    joined.parts.push_back(std::move(a));
    a = std::move(joined);
  }
  if (b.kind == kind) {
    a.parts.insert(a.parts.end(), std::make_move_iterator(b.parts.begin()),
                   std::make_move_iterator(b.parts.end()));
  } else {
    a.parts.push_back(std::move(b));
  }
  return a;
}

}  // namespace

Predicate operator&&(Predicate a, Predicate b) {
  return join(Predicate::Kind::both, std::move(a), std::move(b));
}

Predicate operator||(Predicate a, Predicate b) {
  return join(Predicate::Kind::either, std::move(a), std::move(b));
}

Predicate operator!(Predicate a) {
  Predicate negation{.kind = Predicate::Kind::negation};
  negation.parts.push_back(std::move(a));
  return negation;
}

Predicate compare(const Formula& a, Compare op, const Formula& b) {
  using Kind = Expression::Kind;
  const Expression& left = a.expression;
  const Expression& right = b.expression;
  if (left.kind == Kind::column && right.kind == Kind::column) {
    return col(left.column).compare(op, col(right.column));
  }
  if (left.kind == Kind::column && right.kind == Kind::constant) {
    return col(left.column).compare(op, *right.constant);
  }
  if (left.kind == Kind::constant && right.kind == Kind::column) {
    return col(right.column).compare(mirrored(op), *left.constant);
  }
  return {.kind = Predicate::Kind::compare_expressions, .op = op, .expressions = {left, right}};
}

Predicate ColumnName::compare(Compare op, Literal literal) const {
  return {.kind = Predicate::Kind::compare, .op = op, .column = name_, .literals = {std::move(literal)}};
}

Predicate ColumnName::compare(Compare op, const ColumnName& other) const {
  return {.kind = Predicate::Kind::compare_columns, .op = op, .column = name_, .other = other.name_};
}

Predicate ColumnName::between(Literal least, Literal greatest) const {
  return {
      .kind = Predicate::Kind::between, .column = name_, .literals = {std::move(least), std::move(greatest)}};
}

Predicate ColumnName::in(std::vector<Literal> literals) const {
  return {.kind = Predicate::Kind::in, .column = name_, .literals = std::move(literals)};
}

Predicate ColumnName::is_null() const {
  return {.kind = Predicate::Kind::is_null, .column = name_};
}

Predicate ColumnName::starts_with(std::string text) const {
  return {.kind = Predicate::Kind::starts_with, .column = name_, .literals = {std::move(text)}};
}

Predicate ColumnName::contains(std::string text) const {
  return {.kind = Predicate::Kind::contains, .column = name_, .literals = {std::move(text)}};
}

Predicate ColumnName::ends_with(std::string text) const {
  return {.kind = Predicate::Kind::ends_with, .column = name_, .literals = {std::move(text)}};
}

Predicate ColumnName::like(std::string pattern) const {
  return {.kind = Predicate::Kind::like, .column = name_, .literals = {std::move(pattern)}};
}

Predicate ColumnName::ilike(std::string pattern) const {
  return {.kind = Predicate::Kind::ilike, .column = name_, .literals = {std::move(pattern)}};
}

}  // namespace bobbin::query
