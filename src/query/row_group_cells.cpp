// SPDX-License-Identifier: Apache-2.0
// Groups of a row group in one launch.
#include <algorithm>

#include "codecs/dict/dict.hpp"
#include "plan/column_plan.hpp"
#include "query/program.hpp"
#include "query/row_group.hpp"

namespace bobbin::query {
namespace {

const Array& codes_in(const Array& array) {
  const Array& values = plan::values_of(array);
  return values.codec == CodecId::dict ? codec::dict::codes_of(values) : values;
}

// Whether a part of the predicate is evaluated on the host, to a bitmap.
bool needs_bitmap(const Bound& bound) {
  return bound.kind == Bound::Kind::set || bound.kind == Bound::Kind::columns ||
         std::ranges::any_of(bound.parts, needs_bitmap);
}

}  // namespace

Result<plan::Source> RowGroupQuery::place_key(const CellKey& key) {
  BOBBIN_ASSIGN(const Array* array, place(key.column));
  const Array& host = chunks_.at(key.column).array;
  if (!key.is_coded) {
    return plan::Source{.array = array, .host = &host, .column = key.column};
  }
  // Of strings, the codes are all that is there.
  return plan::Source{.array = is_string(host.type) ? array : &codes_in(*array),
                      .host = &codes_in(host),
                      .column = key.column};
}

Result<std::optional<std::vector<plan::Total>>> RowGroupQuery::fold_cells(
    Bound bound, std::span<const CellKey> keys, std::span<const plan::Aggregate> aggregates) {
  using Totals = std::optional<std::vector<plan::Total>>;
  if (on_cpu() || needs_bitmap(bound)) {
    return Totals();
  }
  BOBBIN_TRY(settle(bound, true));
  if (!fits(bound, aggregates)) {
    return Totals();
  }
  const Program program = compile(bound, aggregates);
  std::vector<plan::Source> sources;
  for (const Operand& operand : program.operands) {
    if (std::holds_alternative<const BitmapWords*>(operand)) {
      return Totals();
    }
    const auto* codes = std::get_if<CodesOf>(&operand);
    const uint32_t column = codes != nullptr ? codes->column : std::get<uint32_t>(operand);
    BOBBIN_ASSIGN(const plan::Source source, place_key({.column = column, .is_coded = codes != nullptr}));
    sources.push_back(source);
  }
  std::vector<plan::KeyColumn> columns;
  for (const CellKey& key : keys) {
    columns.push_back({static_cast<uint32_t>(sources.size()), key.low, key.values});
    BOBBIN_ASSIGN(const plan::Source source, place_key(key));
    sources.push_back(source);
  }
  auto prepared = plan::Prepared::create_groups(sources, program.filter, program.aggregates, columns, stream_,
                                                plan::QueryPath::automatic, pieces_);
  const Status ran = prepared.has_value() ? prepared->run(stream_) : prepared.error();
  if (ran.code() == StatusCode::unsupported) {
    return Totals();
  }
  BOBBIN_TRY(ran);
  BOBBIN_ASSIGN(auto totals, prepared->totals(stream_));
  return Totals(std::move(totals));
}

}  // namespace bobbin::query
