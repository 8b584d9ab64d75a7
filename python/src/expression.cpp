// SPDX-License-Identifier: Apache-2.0
#include "expression.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "bobbin/text.hpp"
#include "errors.hpp"

namespace bobbin::python {
namespace {

using query::Expression;
using query::Literal;
using query::Predicate;

struct Operation {
  const char* name;
  Expression::Kind kind;
};
constexpr Operation kOperations[] = {{"negate", Expression::Kind::negate},
                                     {"add", Expression::Kind::add},
                                     {"subtract", Expression::Kind::subtract},
                                     {"multiply", Expression::Kind::multiply}};

// All digits count, so that they go through the same parser as in the command.
Literal number_from(const std::string& digits) {
  const Predicate parsed = take(query::parse_predicate("x = " + digits));
  if (parsed.kind != Predicate::Kind::compare || parsed.literals.empty()) {
    raise({StatusCode::invalid_argument, "not a number: " + quoted_text(digits)});
  }
  return parsed.literals[0];
}

Expression from_node(nb::handle node, int depth) {
  if (depth > kMaxNesting) {
    raise({StatusCode::invalid_argument, "the formula is nested more than 100 deep"});
  }
  const auto kind = nb::cast<std::string>(node[0]);
  if (kind == "column") {
    return {.kind = Expression::Kind::column, .column = nb::cast<std::string>(node[1])};
  }
  if (kind == "constant") {
    return {.kind = Expression::Kind::constant, .constant = literal_from(node[1])};
  }
  for (const Operation& operation : kOperations) {
    if (kind == operation.name) {
      Expression made{.kind = operation.kind};
      for (const nb::handle operand : nb::borrow<nb::tuple>(node[1])) {
        made.operands.push_back(from_node(operand, depth + 1));
      }
      return made;
    }
  }
  raise({StatusCode::invalid_argument, "unknown operation " + kind});
}

}  // namespace

std::string text_from(nb::handle value) {
  if (PyBytes_Check(value.ptr())) {
    const auto bytes = nb::borrow<nb::bytes>(value);
    return {bytes.c_str(), bytes.size()};
  }
  return nb::cast<std::string>(value);
}

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

Expression expression_from(nb::handle node) {
  return from_node(node, 0);
}

}  // namespace bobbin::python
