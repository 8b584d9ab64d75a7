// SPDX-License-Identifier: Apache-2.0
// Expressions of a row group: in a kernel that is compiled for them, or on the host.
#include <algorithm>
#include <iterator>

#include "core/lanes.hpp"
#include "query/computed.hpp"
#include "query/program.hpp"
#include "query/row_group.hpp"

namespace bobbin::query {
namespace {

bool compares(const Bound& bound) {
  return bound.kind == Bound::Kind::compare || std::ranges::any_of(bound.parts, compares);
}

}  // namespace

bool RowGroupQuery::computes(std::span<const plan::Aggregate> aggregates) {
  return std::ranges::any_of(
      aggregates, [](const plan::Aggregate& aggregate) { return aggregate.expression != nullptr; });
}

Result<std::optional<PendingFold>> RowGroupQuery::fold_compiled(Bound bound,
                                                                std::span<const plan::Aggregate> aggregates,
                                                                BitmapWords* rows) {
  using Pending = std::optional<PendingFold>;
  if (on_cpu() || !(computes(aggregates) || compares(bound))) {
    return Pending();
  }
  BOBBIN_TRY(settle(bound, true));
  if (!fits(bound, aggregates)) {
    return Pending();
  }
  auto totals = launch(bound, aggregates, rows, false);
  if (totals.error().code() == StatusCode::unsupported) {
    return Pending();
  }
  BOBBIN_TRY(totals.error());
  PendingFold pending;
  pending.add(std::move(*totals));
  return Pending(std::move(pending));
}

Status RowGroupQuery::settle_comparison(Bound& bound) {
  const std::vector<uint32_t> columns = bound.comparison->program.columns();
  const auto test = [&](RowRange piece) -> Result<BitmapWords> {
    std::vector<const DecodedColumn*> values;
    for (const uint32_t column : columns) {
      BOBBIN_ASSIGN(const DecodedColumn* one, decoded(column, piece));
      values.push_back(one);
    }
    return compare_rows(*bound.comparison, reader_.columns(), values);
  };
  BOBBIN_ASSIGN(BitmapWords found, collect_bits(columns, test));
  bound = {.kind = Bound::Kind::rows, .bitmap = std::move(found)};
  return {};
}

// A bitmap of the matching rows is made on the device, and used for both.
Result<PendingFold> RowGroupQuery::fold_on_both(Bound bound, std::span<const plan::Aggregate> aggregates) {
  if (bound.kind != Bound::Kind::always) {
    BOBBIN_TRY(to_bitmap(bound));
  }
  std::vector<plan::Total> totals(aggregates.size());
  for (const bool on_host : {false, true}) {
    std::vector<plan::Aggregate> some;
    std::vector<size_t> places;
    for (size_t i = 0; i < aggregates.size(); ++i) {
      if ((aggregates[i].expression != nullptr) == on_host) {
        some.push_back(aggregates[i]);
        places.push_back(i);
      }
    }
    BOBBIN_ASSIGN(PendingFold pending, fold_settled(bound, some, on_host));
    BOBBIN_ASSIGN(const auto found, pending.wait());
    for (size_t i = 0; i < places.size(); ++i) {
      totals[places[i]] = found[i];
    }
  }
  PendingFold all;
  all.add(plan::PendingTotals(std::move(totals)));
  return all;
}

}  // namespace bobbin::query
