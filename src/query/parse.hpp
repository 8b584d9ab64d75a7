// SPDX-License-Identifier: Apache-2.0
// Text to predicates, aggregates and orders, for the command:
//
//   price < 3.5 and (qty >= 2 or not flag = 1) and "odd name" in ('abc', 'it''s') and x is not null and a < b
//
// Errors say at which character (counted from 1) and what was expected there.
#pragma once

#include <string_view>
#include <vector>

#include "bobbin/query.hpp"
#include "bobbin/status.hpp"

namespace bobbin::query {

// How deep parentheses and `not` may be nested.
inline constexpr int kMaxNesting = 100;

[[nodiscard]] Result<Predicate> parse_predicate(std::string_view text);
// "sum(price), count(), count(distinct city)"
[[nodiscard]] Result<std::vector<AggregateSpec>> parse_aggregates(std::string_view text);
// "city, sum(price) desc, day asc nulls last"
[[nodiscard]] Result<std::vector<OrderTerm>> parse_order(std::string_view text);

}  // namespace bobbin::query
