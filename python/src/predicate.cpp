// SPDX-License-Identifier: Apache-2.0
#include "predicate.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "errors.hpp"
#include "expression.hpp"

namespace bobbin::python {
namespace {

using query::Literal;
using query::Predicate;

struct Name {
  const char* text;
  Predicate::Kind kind;
};
constexpr Name kTests[] = {
    {"between", Predicate::Kind::between},     {"in", Predicate::Kind::in},
    {"is_null", Predicate::Kind::is_null},     {"starts_with", Predicate::Kind::starts_with},
    {"ends_with", Predicate::Kind::ends_with}, {"contains", Predicate::Kind::contains},
    {"like", Predicate::Kind::like},           {"ilike", Predicate::Kind::ilike}};
constexpr Name kJunctions[] = {
    {"and", Predicate::Kind::both}, {"or", Predicate::Kind::either}, {"not", Predicate::Kind::negation}};

struct Operator {
  const char* text;
  Compare op;
};
constexpr Operator kOperators[] = {{"==", Compare::eq}, {"!=", Compare::ne}, {"<", Compare::lt},
                                   {"<=", Compare::le}, {">", Compare::gt},  {">=", Compare::ge}};

std::vector<Literal> literals_from(nb::handle values) {
  std::vector<Literal> literals;
  for (const nb::handle value : nb::borrow<nb::tuple>(values)) {
    literals.push_back(literal_from(value));
  }
  return literals;
}

// (kind, ...): the parts depend on the kind.
Predicate from_tuple(const nb::tuple& node, int depth) {
  if (depth > kMaxNesting) {
    raise({StatusCode::invalid_argument, "the filter is nested more than 100 deep"});
  }
  const auto kind = nb::cast<std::string>(node[0]);
  for (const Name& junction : kJunctions) {
    if (kind == junction.text) {
      Predicate made{.kind = junction.kind};
      for (const nb::handle part : nb::borrow<nb::tuple>(node[1])) {
        made.parts.push_back(from_tuple(nb::borrow<nb::tuple>(part), depth + 1));
      }
      return made;
    }
  }
  if (kind == "text") {
    return take(query::parse_predicate(text_from(node[1])));
  }
  for (const Operator& compare : kOperators) {
    if (kind == std::string("computed ") + compare.text) {
      return query::compare(expression_from(node[1]), compare.op, expression_from(node[2]));
    }
  }
  const auto column = nb::cast<std::string>(node[1]);
  for (const Name& test : kTests) {
    if (kind == test.text) {
      return {.kind = test.kind, .column = column, .literals = literals_from(node[2])};
    }
  }
  for (const Operator& compare : kOperators) {
    if (kind == compare.text) {
      return {.kind = Predicate::Kind::compare,
              .op = compare.op,
              .column = column,
              .literals = literals_from(node[2])};
    }
  }
  raise({StatusCode::invalid_argument, "unknown test " + kind});
}

}  // namespace

std::optional<Predicate> predicate_from(nb::handle filter) {
  if (filter.is_none()) {
    return std::nullopt;
  }
  return from_tuple(nb::borrow<nb::tuple>(filter), 0);
}

}  // namespace bobbin::python
