// SPDX-License-Identifier: Apache-2.0
// The order of result rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/query.hpp"

namespace bobbin::query {

// A term with its position resolved: in the rows of a result, or among the columns of a file.
struct BoundOrder {
  size_t place = 0;
  bool is_descending = false;
  OrderTerm::Nulls nulls{};

  // Applies this order to a comparison result (negative, zero, positive).
  [[nodiscard]] int apply(int sign, bool a_is_null, bool b_is_null) const;
};

// For rows of keys and aggregates: the terms, then all keys, ascending. Aggregates in the order that are not
// computed yet are added.
[[nodiscard]] Result<std::vector<BoundOrder>> bind_group_order(std::span<const OrderTerm> terms,
                                                               std::span<const std::string> keys,
                                                               std::vector<AggregateSpec>& aggregates);
// For rows of a file.
[[nodiscard]] Result<std::vector<BoundOrder>> bind_row_order(std::span<const OrderTerm> terms,
                                                             const Reader& reader);

// Whether row a comes before row b.
[[nodiscard]] bool comes_before(std::span<const BoundOrder> order, const std::vector<Value>& a,
                                const std::vector<Value>& b);

// Moves the first `limit` elements by `less` to the front, in order, and drops the rest.
template <class T, class Less>
void sort_first(std::vector<T>& elements, uint64_t limit, Less&& less) {
  if (limit < elements.size()) {
    std::nth_element(elements.begin(), elements.begin() + static_cast<ptrdiff_t>(limit), elements.end(),
                     less);
    elements.resize(limit);
  }
  std::ranges::sort(elements, less);
}

}  // namespace bobbin::query
