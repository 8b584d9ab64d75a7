// SPDX-License-Identifier: Apache-2.0
#include "query/text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/scalar.hpp"
#include "core/text.hpp"
#include "core/value_text.hpp"

namespace bobbin::query {
namespace {

// The digits with the decimal point inserted. Sums have more digits than values.
std::string decimal_text(Int128 value, size_t scale) {
  std::string digits = to_text(value);
  const size_t sign = value < 0 ? 1 : 0;
  if (digits.size() - sign <= scale) {
    digits.insert(sign, scale + 1 - (digits.size() - sign), '0');
  }
  if (scale > 0) {
    digits.insert(digits.size() - scale, 1, '.');
  }
  return digits;
}

std::string integer_text(Int128 value, const Logical& logical) {
  switch (logical.kind) {
    case Logical::Kind::plain:
      break;
    case Logical::Kind::decimal:
      return decimal_text(value, logical.scale);
    case Logical::Kind::boolean:
    case Logical::Kind::date:
    case Logical::Kind::timestamp:
    case Logical::Kind::time:
      return value_text({DType::i64, logical}, scalar_of(static_cast<int64_t>(value)));
  }
  return to_text(value);
}

}  // namespace

std::string single_quoted(std::string_view text) {
  constexpr size_t kLongest = 64;
  const bool cut = text.size() > kLongest;
  const std::string_view shown = cut ? text.substr(0, character_start(text, kLongest)) : text;
  return fmt::format("'{}{}'", printable(shown), cut ? "..." : "");
}

std::string to_text(Int128 value) {
  return fmt::format("{}", value);
}

std::string to_text(const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::integer:
      return to_text(literal.integer);
    case Literal::Kind::real:
      return fmt::format("{}", literal.real);
    case Literal::Kind::boolean:
      return literal.integer != 0 ? "true" : "false";
    case Literal::Kind::text:
      break;
  }
  return single_quoted(literal.text);
}

std::string_view kind_text(const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::text:
      return "string";
    case Literal::Kind::boolean:
      return "boolean";
    case Literal::Kind::integer:
    case Literal::Kind::real:
      break;
  }
  return "number";
}

std::string to_string(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      return "null";
    case Value::Kind::integer:
      return integer_text(value.integer, value.logical);
    case Value::Kind::text:
      return value.text;
    case Value::Kind::real:
      break;
  }
  return std::isnan(value.real) ? "nan" : fmt::format("{}", value.real);
}

std::string_view to_string(AggregateSpec::Kind kind) {
  switch (kind) {
    case AggregateSpec::Kind::count:
      return "count";
    case AggregateSpec::Kind::sum:
      return "sum";
    case AggregateSpec::Kind::min:
      return "min";
    case AggregateSpec::Kind::max:
      return "max";
    case AggregateSpec::Kind::avg:
      return "avg";
    case AggregateSpec::Kind::count_distinct:
      break;
  }
  return "count";
}

std::string type_text(const Column& column) {
  return bobbin::to_string(ColumnType{column.type, column.logical});
}

std::string to_text(const AggregateSpec& aggregate) {
  const bool distinct = aggregate.kind == AggregateSpec::Kind::count_distinct;
  return fmt::format("{}({}{})", to_string(aggregate.kind), distinct ? "distinct " : "",
                     aggregate.expression.has_value() ? to_string(*aggregate.expression) : aggregate.column);
}

}  // namespace bobbin::query
