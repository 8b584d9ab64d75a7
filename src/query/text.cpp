// SPDX-License-Identifier: Apache-2.0
#include "query/text.hpp"

#include <fmt/format.h>

#include "file/text.hpp"

namespace bobbin::query {

std::string quoted(std::string_view text) {
  constexpr size_t kLongest = 64;
  const bool cut = text.size() > kLongest;
  const std::string_view shown = cut ? text.substr(0, file::character_start(text, kLongest)) : text;
  return fmt::format("'{}{}'", file::printable(shown), cut ? "..." : "");
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
    case Literal::Kind::text:
      break;
  }
  return quoted(literal.text);
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
      break;
  }
  return "max";
}

std::string to_text(const AggregateSpec& aggregate) {
  return fmt::format("{}({})", to_string(aggregate.kind), aggregate.column);
}

}  // namespace bobbin::query
