// SPDX-License-Identifier: Apache-2.0
#include "query/order.hpp"

#include <fmt/format.h>

#include "query/bind.hpp"
#include "query/decoded.hpp"
#include "query/text.hpp"

namespace bobbin::query {
namespace {

BoundOrder at_place(size_t place, const OrderTerm& term) {
  return {.place = place, .is_descending = term.is_descending, .nulls = term.nulls};
}

template <class T>
size_t place_of(const T& range, const auto& value) {
  return static_cast<size_t>(std::ranges::find(range, value) - std::begin(range));
}

// Names that people give to the number of rows, and those of aggregates, suggest an aggregate.
std::string suggestion(const std::string& column) {
  if (column == "count" || column == "n" || column == "COUNT") {
    return " (count() orders by the number of rows)";
  }
  for (const char* name : {"sum", "min", "max", "avg"}) {
    if (column == name) {
      return fmt::format(" ({0}(COLUMN) orders by the {0} of a column)", name);
    }
  }
  return "";
}

Status not_in_groups(const std::string& column) {
  return {StatusCode::invalid_argument,
          fmt::format("column {} cannot order groups: it is not a group column{}", single_quoted(column),
                      suggestion(column))};
}

}  // namespace

Result<std::vector<BoundOrder>> bind_group_order(std::span<const OrderTerm> terms,
                                                 std::span<const std::string> keys,
                                                 std::vector<AggregateSpec>& aggregates) {
  std::vector<BoundOrder> order;
  for (const OrderTerm& term : terms) {
    if (!term.aggregate.has_value()) {
      const size_t key = place_of(keys, term.column);
      if (key == keys.size()) {
        return not_in_groups(term.column);
      }
      order.push_back(at_place(key, term));
      continue;
    }
    const size_t aggregate = place_of(aggregates, *term.aggregate);
    if (aggregate == aggregates.size()) {
      aggregates.push_back(*term.aggregate);
    }
    order.push_back(at_place(keys.size() + aggregate, term));
  }
  for (size_t key = 0; key < keys.size(); ++key) {
    order.push_back({.place = key});
  }
  return order;
}

Result<std::vector<BoundOrder>> bind_row_order(std::span<const OrderTerm> terms, const Reader& reader) {
  std::vector<BoundOrder> order;
  for (const OrderTerm& term : terms) {
    BOBBIN_RETURN_IF(term.aggregate.has_value(), StatusCode::invalid_argument,
                     fmt::format("{} cannot order rows: it is an aggregate",
                                 to_text(term.aggregate.value_or(AggregateSpec()))));
    BOBBIN_ASSIGN(const uint32_t column, find_column(reader, term.column));
    order.push_back(at_place(column, term));
  }
  return order;
}

int BoundOrder::apply(int sign, bool a_is_null, bool b_is_null) const {
  if (nulls != OrderTerm::Nulls::lowest && a_is_null != b_is_null) {
    return a_is_null == (nulls == OrderTerm::Nulls::first) ? -1 : 1;
  }
  return is_descending ? -sign : sign;
}

bool comes_before(std::span<const BoundOrder> order, const std::vector<Value>& a,
                  const std::vector<Value>& b) {
  for (const BoundOrder& term : order) {
    const Value& left = a[term.place];
    const Value& right = b[term.place];
    if (const int sign = term.apply(compare_values(left, right), left.is_null(), right.is_null());
        sign != 0) {
      return sign < 0;
    }
  }
  return false;
}

}  // namespace bobbin::query
