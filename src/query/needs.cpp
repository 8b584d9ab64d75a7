// SPDX-License-Identifier: Apache-2.0
#include "query/needs.hpp"

#include <algorithm>
#include <iterator>

#include "query/prune.hpp"

namespace bobbin::query {
namespace {

void add_columns(const Bound& bound, std::set<uint32_t>& to) {
  switch (bound.kind) {
    case Bound::Kind::columns:
      to.insert(bound.other);
      to.insert(bound.column);
      break;
    case Bound::Kind::test:
    case Bound::Kind::set:
    case Bound::Kind::strings:
    case Bound::Kind::is_null:
    case Bound::Kind::not_null:
      to.insert(bound.column);
      break;
    case Bound::Kind::compare:
      std::ranges::copy(bound.comparison->program.columns(), std::inserter(to, to.end()));
      break;
    default:
      break;
  }
  for (const Bound& part : bound.parts) {
    add_columns(part, to);
  }
}

}  // namespace

void Needs::add(std::span<const BoundAggregate> aggregates) {
  for (const BoundAggregate& aggregate : aggregates) {
    if (aggregate.expression != nullptr) {
      std::ranges::copy(aggregate.expression->program.columns(), std::inserter(always_, always_.end()));
    } else if (aggregate.column.has_value()) {
      (aggregate.kind == AggregateSpec::Kind::count ? counted_ : always_).insert(*aggregate.column);
    }
  }
}

std::set<uint32_t> Needs::columns(const Bound& bound, const file::RowGroup& group) const {
  std::set<uint32_t> all = always_;
  add_columns(bound, all);
  std::ranges::copy_if(counted_, std::inserter(all, all.end()),
                       [&](uint32_t column) { return num_nulls(group.chunks[column]) > 0; });
  return all;
}

}  // namespace bobbin::query
