// SPDX-License-Identifier: Apache-2.0
// Groups and marks of a row group in one launch, or on the host.
#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "core/bits.hpp"
#include "plan/column_plan.hpp"
#include "plan/host.hpp"
#include "query/program.hpp"
#include "query/row_group.hpp"

namespace bobbin::query {
namespace {

// The codes of a column with a dictionary, with its nulls.
Array codes_in(const Array& array) {
  const Array& codes = codec::dict::codes_of(plan::values_of(array));
  if (!array::has_nulls(array)) {
    return codes;
  }
  Array made = array;
  made.type = codes.type;
  made.children[0] = codes;
  return made;
}

}  // namespace

Result<plan::Source> RowGroupQuery::place_key(const CellKey& key) {
  BOBBIN_ASSIGN(const Array* array, place(key.column));
  LoadedChunk& chunk = chunks_.at(key.column);
  if (!key.is_coded) {
    return plan::Source{.array = array, .host = &chunk.array, .column = key.column};
  }
  if (!chunk.codes.has_value()) {
    // For strings, place() has returned only the codes.
    chunk.codes = codes_in(chunk.array);
    chunk.codes_there = is_string(chunk.array.type) ? *array : codes_in(*array);
  }
  return plan::Source{.array = &*chunk.codes_there, .host = &*chunk.codes, .column = key.column};
}

Result<std::optional<std::vector<plan::Total>>> RowGroupQuery::fold_cells(
    Bound& bound, std::span<const CellKey> keys, std::span<const plan::Aggregate> aggregates) {
  using Totals = std::optional<std::vector<plan::Total>>;
  BOBBIN_TRY(settle(bound, true));
  if (on_cpu()) {
    BOBBIN_TRY(reduce(bound));
  } else if (!fits(bound, aggregates)) {
    return Totals();
  }
  const Program program = compile(bound, aggregates);
  std::vector<DeviceBuffer> bitmaps;
  BOBBIN_ASSIGN(std::vector<plan::Source> sources, place_all(program, on_cpu(), bitmaps));
  std::vector<plan::KeyColumn> columns;
  for (const CellKey& key : keys) {
    columns.push_back({static_cast<uint32_t>(sources.size()), key.low, key.values, key.nulls});
    BOBBIN_ASSIGN(const plan::Source source, place_key(key));
    sources.push_back(source);
  }
  if (on_cpu()) {
    auto totals = plan::run_groups_on_host(sources, program.filter, program.aggregates, columns);
    if (!totals.has_value() && totals.error().code() == StatusCode::unsupported) {
      return Totals();
    }
    BOBBIN_TRY(totals.error());
    if (pieces_->reports != nullptr) {
      pieces_->reports->push_back({.kernel = plan::LaunchReport::Kernel::host});
    }
    return Totals(*std::move(totals));
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

Result<std::optional<BitmapWords>> RowGroupQuery::mark_compiled(const Bound& bound, uint32_t column) {
  using Marks = std::optional<BitmapWords>;
  if (!fits(bound, {})) {
    return Marks();
  }
  const Program program = compile(bound, {});
  std::vector<DeviceBuffer> bitmaps;
  BOBBIN_ASSIGN(std::vector<plan::Source> sources, place_all(program, false, bitmaps));
  const plan::CodeColumn codes{static_cast<uint32_t>(sources.size()),
                               codec::dict::dictionary_of(plan::values_of(chunks_.at(column).array)).length};
  BOBBIN_ASSIGN(const plan::Source source, place_key({.column = column, .is_coded = true}));
  sources.push_back(source);
  auto prepared = plan::Prepared::create_marks(sources, program.filter, codes, stream_,
                                               plan::QueryPath::automatic, pieces_);
  const Status ran = prepared.has_value() ? prepared->run(stream_) : prepared.error();
  if (ran.code() == StatusCode::unsupported) {
    return Marks();
  }
  BOBBIN_TRY(ran);
  BOBBIN_ASSIGN(BitmapWords marks, prepared->marks(stream_));
  return Marks(std::move(marks));
}

Result<BitmapWords> RowGroupQuery::mark_codes(Bound bound, uint32_t column) {
  BOBBIN_ASSIGN(const Array* array, load(column));
  if (!on_cpu()) {
    BOBBIN_TRY(settle(bound, true));
    BOBBIN_ASSIGN(auto marks, mark_compiled(bound, column));
    if (marks.has_value()) {
      return *std::move(marks);
    }
  }
  BOBBIN_ASSIGN(BitmapWords selected, rows(std::move(bound)));
  if (array::has_nulls(*array)) {
    find_codec(array->codec)->clear_nulls(*array, selected.data());
  }
  BOBBIN_ASSIGN(const std::vector<uint64_t> counts, count_codes(column, selected));
  BitmapWords marks(ceil_div<size_t>(counts.size(), 32));
  for (size_t code = 0; code < counts.size(); ++code) {
    marks[code / 32] |= counts[code] != 0 ? 1U << (code % 32) : 0;
  }
  return marks;
}

}  // namespace bobbin::query
