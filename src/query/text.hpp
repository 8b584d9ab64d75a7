// SPDX-License-Identifier: Apache-2.0
// How names, constants and aggregates appear in messages.
#pragma once

#include <string>
#include <string_view>

#include "bobbin/query.hpp"

namespace bobbin::query {

// In single quotes, on one line; long ones are truncated and end in "...".
[[nodiscard]] std::string single_quoted(std::string_view text);
[[nodiscard]] std::string to_text(Int128 value);
[[nodiscard]] std::string to_text(const Literal& literal);
// "number", "string", "boolean"
[[nodiscard]] std::string_view kind_text(const Literal& literal);
[[nodiscard]] std::string_view to_string(AggregateSpec::Kind kind);
// "decimal(2)"
[[nodiscard]] std::string type_text(const Column& column);
// "sum(price)", "count()"
[[nodiscard]] std::string to_text(const AggregateSpec& aggregate);

}  // namespace bobbin::query
