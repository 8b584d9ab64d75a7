// SPDX-License-Identifier: Apache-2.0
// Which columns a query reads, so that they can be read ahead.
#pragma once

#include <cstdint>
#include <set>
#include <span>

#include "file/footer.hpp"
#include "query/bind.hpp"

namespace bobbin::query {

class Needs {
 public:
  void add(uint32_t column) { always_.insert(column); }
  void add(std::span<const BoundAggregate> aggregates);

  // The columns to read in a row group, for a predicate that is pruned and not `never`.
  [[nodiscard]] std::set<uint32_t> columns(const Bound& bound, const file::RowGroup& group) const;

 private:
  std::set<uint32_t> always_;
  std::set<uint32_t> counted_;  // needed only where a value is null
};

}  // namespace bobbin::query
