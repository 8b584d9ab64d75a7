// SPDX-License-Identifier: Apache-2.0
#include "predicate.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "bobbin/text.hpp"
#include "errors.hpp"

namespace bobbin::python {
namespace {

using query::Literal;
using query::Predicate;

constexpr int kMaxDepth = 100;

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

std::string text_from(nb::handle value) {
  if (PyBytes_Check(value.ptr())) {
    const auto bytes = nb::borrow<nb::bytes>(value);
    return {bytes.c_str(), bytes.size()};
  }
  return nb::cast<std::string>(value);
}

// All digits count, so that they go through the same parser as in the command.
Literal number_from(const std::string& digits) {
  const Predicate parsed = take(query::parse_predicate("x = " + digits));
  if (parsed.kind != Predicate::Kind::compare || parsed.literals.empty()) {
    raise({StatusCode::invalid_argument, "not a number: " + quoted_text(digits)});
  }
  return parsed.literals[0];
}

// bool, int, float, str, bytes, or ("digits", "12.50").
Literal literal_from(nb::handle value) {
  if (PyBool_Check(value.ptr())) {
    return value.ptr() == Py_True;
  }
  if (PyLong_Check(value.ptr())) {
    return number_from(nb::cast<std::string>(nb::str(value)));
  }
  if (PyFloat_Check(value.ptr())) {
    return nb::cast<double>(value);
  }
  if (PyTuple_Check(value.ptr())) {
    return number_from(nb::cast<std::string>(value[1]));
  }
  return text_from(value);
}

std::vector<Literal> literals_from(nb::handle values) {
  std::vector<Literal> literals;
  for (const nb::handle value : nb::borrow<nb::tuple>(values)) {
    literals.push_back(literal_from(value));
  }
  return literals;
}

// (kind, ...): the parts depend on the kind.
Predicate from_tuple(const nb::tuple& node, int depth) {
  if (depth > kMaxDepth) {
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
    if (kind == std::string("columns ") + compare.text) {
      return {.kind = Predicate::Kind::compare_columns,
              .op = compare.op,
              .column = column,
              .other = nb::cast<std::string>(node[2])};
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
