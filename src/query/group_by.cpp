// SPDX-License-Identifier: Apache-2.0
#include "query/group_by.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>

#include "array/strings.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"
#include "core/scalar.hpp"
#include "plan/column_plan.hpp"
#include "query/prune.hpp"
#include "query/text.hpp"

namespace bobbin::query {
namespace {

uint64_t num_rows(const BitmapWords& rows) {
  return std::transform_reduce(rows.begin(), rows.end(), uint64_t{0}, std::plus(),
                               [](uint32_t word) { return static_cast<uint64_t>(std::popcount(word)); });
}

plan::Total total_of(const plan::CodeTotal& codes) {
  plan::Total total;
  total.count = codes.count;
  total.sum = codes.sum;
  return total;
}

// Whether a dictionary is decoded as a whole.
bool is_small(const Array& dictionary) {
  return !is_string(dictionary.type) || array::string_bytes(dictionary) <= kMostEntryBytes;
}

// Whether a column has a dictionary that is worth looking at.
Result<bool> has_dictionary(RowGroupQuery& group, uint32_t column) {
  BOBBIN_ASSIGN(const Array* array, group.load(column));
  const Array& values = plan::values_of(*array);
  return values.codec == CodecId::dict && values.length != 0 &&
         !codec::dict::is_few(values.length, codec::dict::dictionary_of(values).length);
}

// Calls f(values, marks) with the values whose bits are set, some at a time.
template <class F>
Status for_each_marked(const Array& dictionary, const BitmapWords& marks, F&& f) {
  if (is_small(dictionary)) {
    BOBBIN_ASSIGN(const DecodedColumn all, DecodedColumn::of(dictionary));
    return f(all, marks);
  }
  const Array* const strings = &dictionary;
  BOBBIN_ASSIGN(const std::vector<RowRange> ranges, cut_rows({&strings, 1}, dictionary.length));
  for (const RowRange& range : ranges) {
    const std::vector<uint64_t> some = rows_of(marks, range.begin, range.end);
    if (!some.empty()) {
      BOBBIN_ASSIGN(const DecodedColumn values, DecodedColumn::of(dictionary, some));
      BitmapWords all((some.size() + 31) / 32);
      set_bits(all.data(), 0, some.size());
      BOBBIN_TRY(f(values, all));
    }
  }
  return {};
}

}  // namespace

GroupKeys::GroupKeys(std::span<const Column> columns, std::vector<uint32_t> keys)
    : keys_(std::move(keys)), groups_(keys_.size()) {
  for (const uint32_t key : keys_) {
    ids_.emplace_back(columns[key]);
  }
}

Result<std::vector<uint32_t>> GroupKeys::groups_of(SelectedRows& rows) {
  std::vector<uint32_t> groups(rows.rows().size());
  for (size_t k = 0; k < keys_.size(); ++k) {
    BOBBIN_ASSIGN(const std::vector<uint32_t> ids, ids_[k].ids_of(rows, keys_[k]));
    for (size_t i = 0; i < groups.size(); ++i) {
      groups[i] = groups_[k].id_of(uint64_t{groups[i]} << 32 | ids[i]);
    }
  }
  return groups;
}

uint32_t GroupKeys::group_of(const DecodedColumn& values, uint64_t row) {
  return groups_[0].id_of(ids_[0].id_at(values, row));
}

uint32_t GroupKeys::group_of_null() {
  return groups_[0].id_of(ValueIds::kNull);
}

uint32_t GroupKeys::group_of(std::span<const uint32_t> ids) {
  uint32_t group = 0;
  for (size_t k = 0; k < ids.size(); ++k) {
    group = groups_[k].id_of(uint64_t{group} << 32 | ids[k]);
  }
  return group;
}

std::vector<Value> GroupKeys::values(uint32_t group) const {
  std::vector<Value> values(keys_.size());
  for (size_t k = keys_.size(); k-- > 0;) {
    const uint64_t pair = groups_[k].key(group);
    values[k] = ids_[k].value(static_cast<uint32_t>(pair));
    group = static_cast<uint32_t>(pair >> 32);
  }
  return values;
}

GroupBy::GroupBy(std::span<const Column> columns, std::vector<uint32_t> keys,
                 const std::vector<BoundAggregate>& aggregates, uint64_t max_groups)
    : columns_(columns), keys_(columns, keys), decoded_(std::move(keys)), max_groups_(max_groups) {
  for (const BoundAggregate& aggregate : aggregates) {
    if (aggregate.column.has_value()) {
      decoded_.push_back(*aggregate.column);
    }
    accumulators_.push_back(make_accumulator(columns, aggregate));
    const auto needs = accumulators_.back()->needs();
    sees_rows_ = sees_rows_ || !needs.has_value();
    if (needs.has_value() && std::ranges::find(needs_, *needs) == needs_.end()) {
      needs_.push_back(*needs);
    }
  }
  resize();
}

void GroupBy::resize() {
  for (const auto& accumulator : accumulators_) {
    accumulator->resize(keys_.size());
  }
}

Status GroupBy::check_number_of_groups() const {
  if (keys_.size() <= max_groups_) {
    return {};
  }
  std::string names;
  for (const uint32_t key : keys_.keys()) {
    names += (names.empty() ? "" : ", ") + single_quoted(columns_[key].name);
  }
  return {StatusCode::unsupported,
          fmt::format("grouping by {} makes more than {} groups", names, max_groups_)};
}

void GroupBy::add_totals(const Accumulator::Needs& needs, uint32_t group, const plan::Total& total) {
  for (const auto& accumulator : accumulators_) {
    if (accumulator->needs() == needs) {
      accumulator->add_total(group, total);
    }
  }
}

// Rows whose key is null, which are removed.
Status GroupBy::add_nulls(RowGroupQuery& group, const Array& array, BitmapWords& rows) {
  BitmapWords nulls = rows;
  find_codec(array.codec)->clear_nulls(array, rows.data());
  std::ranges::transform(nulls, rows, nulls.begin(), std::bit_xor());
  if (num_rows(nulls) == 0) {
    return {};
  }
  const uint32_t null = keys_.group_of_null();
  resize();
  for (const Accumulator::Needs& needs : needs_) {
    if (!needs.column.has_value()) {
      add_totals(needs, null, total_of({.count = num_rows(nulls)}));
      continue;
    }
    // All codes together.
    BOBBIN_ASSIGN(const auto totals, group.fold_codes(keys_.keys()[0], *needs.column, nulls));
    for (const plan::CodeTotal& total : totals) {
      add_totals(needs, null, total_of(total));
    }
  }
  return {};
}

Status GroupBy::add_codes(RowGroupQuery& group, const BitmapWords& selected) {
  const uint32_t key = keys_.keys()[0];
  BOBBIN_ASSIGN(const Array* array, group.load(key));
  BitmapWords rows = selected;
  if (array::has_nulls(*array)) {
    BOBBIN_TRY(add_nulls(group, *array, rows));
  }
  BOBBIN_ASSIGN(const DecodedColumn entries,
                DecodedColumn::of(codec::dict::dictionary_of(plan::values_of(*array))));
  // A group exists if it has rows, even if all values in them are null.
  BOBBIN_ASSIGN(const std::vector<uint64_t> counts, group.count_codes(key, rows));
  std::vector<uint32_t> groups(counts.size());
  for (uint64_t entry = 0; entry < counts.size(); ++entry) {
    groups[entry] = counts[entry] != 0 ? keys_.group_of(entries, entry) : 0;
  }
  resize();
  for (const Accumulator::Needs& needs : needs_) {
    std::vector<plan::CodeTotal> totals;
    if (needs.column.has_value()) {
      BOBBIN_ASSIGN(totals, group.fold_codes(key, *needs.column, rows));
    } else {
      std::ranges::transform(counts, std::back_inserter(totals),
                             [](uint64_t count) { return plan::CodeTotal{.count = count}; });
    }
    for (uint64_t entry = 0; entry < counts.size(); ++entry) {
      if (counts[entry] != 0) {
        add_totals(needs, groups[entry], total_of(totals[entry]));
      }
    }
  }
  return check_number_of_groups();
}

Result<bool> GroupBy::can_add_codes(RowGroupQuery& group, const BitmapWords& rows) const {
  if (keys_.keys().size() != 1 || sees_rows_) {
    return false;
  }
  // If few rows match, only their values are decoded; counts of floats are not worth a path of their own.
  const bool few = num_rows(rows) < group.info().num_rows / 64;
  for (const Accumulator::Needs& needs : needs_) {
    if (needs.expression != nullptr || needs.fold == plan::Fold::extremes ||
        (needs.column.has_value() && (few || is_float(columns_[*needs.column].type)))) {
      return false;
    }
  }
  BOBBIN_ASSIGN(const bool coded, has_dictionary(group, keys_.keys()[0]));
  BOBBIN_ASSIGN(const Array* array, group.load(keys_.keys()[0]));
  return coded && is_small(codec::dict::dictionary_of(plan::values_of(*array)));
}

namespace {

// The values between the ends of a zone, if they are few.
std::optional<uint32_t> few_values(DType type, const file::ZoneMap& zone) {
  const Int128 span = visit_integer(type, [&]<class T>(std::type_identity<T>) {
    return Int128{value_of<T>(zone.max)} - Int128{value_of<T>(zone.min)};
  });
  return span < plan::kMaxCells ? std::optional(static_cast<uint32_t>(span) + 1) : std::nullopt;
}

}  // namespace

Result<std::optional<GroupBy::Cells>> GroupBy::cells_of(RowGroupQuery& group) const {
  Cells cells;
  uint64_t number = 1;
  for (const uint32_t key : keys_.keys()) {
    BOBBIN_ASSIGN(const Array* array, group.load(key));
    const Array& values = plan::values_of(*array);
    const bool coded = values.codec == CodecId::dict && is_small(codec::dict::dictionary_of(values));
    if (values.length == 0 || (!coded && (is_string(values.type) || is_float(values.type)))) {
      return std::optional<Cells>();
    }
    const file::Chunk& chunk = group.chunk(key);
    const bool all_null = num_nulls(chunk) == group.info().num_rows;
    const auto count = coded      ? static_cast<uint32_t>(std::min<uint64_t>(
                                   codec::dict::dictionary_of(values).length, plan::kMaxCells + 1))
                       : all_null ? 1
                                  : few_values(values.type, chunk.zone).value_or(plan::kMaxCells + 1);
    cells.keys.push_back({.column = key,
                          .is_coded = coded,
                          .low = coded ? 0 : chunk.zone.min.bits,
                          .values = count,
                          .nulls = array::has_nulls(*array)});
    number *= cells.keys.back().cells();
    if (number > plan::kMaxCells) {
      return std::optional<Cells>();
    }
    cells.entries.emplace_back();
    if (coded) {
      BOBBIN_ASSIGN(cells.entries.back(), DecodedColumn::of(codec::dict::dictionary_of(values)));
    }
  }
  return std::optional(std::move(cells));
}

uint32_t GroupBy::group_of_cell(const Cells& cells, uint64_t cell) {
  std::vector<uint32_t> ids(cells.keys.size());
  for (size_t k = cells.keys.size(); k-- > 0;) {
    const RowGroupQuery::CellKey& key = cells.keys[k];
    const uint64_t digit = cell % key.cells();
    const uint64_t mask = low_mask<uint64_t>(key.is_coded ? 64 : size_bits(columns_[key.column].type));
    ids[k] = digit == key.values ? ValueIds::kNull
             : key.is_coded      ? keys_.ids(k).id_at(cells.entries[k], digit)
                                 : keys_.ids(k).id_of(Scalar{(key.low + digit) & mask});
    cell /= key.cells();
  }
  return keys_.group_of(ids);
}

Result<bool> GroupBy::add_cells(RowGroupQuery& group, Bound& bound) {
  if (sees_rows_ || keys_.keys().empty() || keys_.keys().size() > plan::kMaxKeys) {
    return false;
  }
  BOBBIN_ASSIGN(const auto cells, cells_of(group));
  if (!cells.has_value()) {
    return false;
  }
  std::vector<plan::Aggregate> aggregates{{.fold = plan::Fold::count, .column = {}}};
  for (const Accumulator::Needs& needs : needs_) {
    aggregates.push_back({.fold = needs.fold, .column = needs.column});
    if (needs.expression != nullptr) {
      aggregates.back().expression = {needs.expression, &needs.expression->program};
    }
  }
  BOBBIN_ASSIGN(const auto totals, group.fold_cells(bound, cells->keys, aggregates));
  if (!totals.has_value()) {
    return false;
  }
  for (size_t at = 0; at < totals->size(); at += aggregates.size()) {
    if ((*totals)[at].count == 0) {
      continue;
    }
    const uint32_t number = group_of_cell(*cells, at / aggregates.size());
    resize();
    for (size_t i = 0; i < needs_.size(); ++i) {
      add_totals(needs_[i], number, (*totals)[at + 1 + i]);
    }
  }
  BOBBIN_TRY(check_number_of_groups());
  return true;
}

Result<GroupBy::Accumulators> GroupBy::add_distinct(RowGroupQuery& group, const Bound& bound) {
  Accumulators left;
  for (const auto& accumulator : accumulators_) {
    const auto column = keys_.keys().empty() ? accumulator->distinct_column() : std::nullopt;
    bool coded = false;
    if (column.has_value()) {
      BOBBIN_ASSIGN(coded, has_dictionary(group, *column));
    }
    if (!coded) {
      left.push_back(accumulator.get());
      continue;
    }
    BOBBIN_ASSIGN(const Array* array, group.load(*column));
    BOBBIN_ASSIGN(const BitmapWords marks, group.mark_codes(bound, *column));
    BOBBIN_TRY(for_each_marked(codec::dict::dictionary_of(plan::values_of(*array)), marks,
                               [&](const DecodedColumn& values, const BitmapWords& some) {
                                 return accumulator->add_marked(0, values, some);
                               }));
  }
  return left;
}

Status GroupBy::add(RowGroupQuery& group, Bound bound) {
  BOBBIN_ASSIGN(const bool done, add_cells(group, bound));
  if (done) {
    return {};
  }
  BOBBIN_ASSIGN(const Accumulators left, add_distinct(group, bound));
  if (keys_.keys().empty() && left.empty()) {
    return {};
  }
  BOBBIN_ASSIGN(const BitmapWords words, group.rows(bound));
  BOBBIN_ASSIGN(const bool by_code, can_add_codes(group, words));
  return by_code ? add_codes(group, words) : for_each_piece(group, words, decoded_, [&](SelectedRows& rows) {
    return add_rows(rows, left);
  });
}

Status GroupBy::add_rows(SelectedRows& rows, const Accumulators& accumulators) {
  BOBBIN_ASSIGN(const std::vector<uint32_t> groups, keys_.groups_of(rows));
  BOBBIN_TRY(check_number_of_groups());
  resize();
  for (Accumulator* accumulator : accumulators) {
    BOBBIN_TRY(accumulator->add(rows, groups));
  }
  return {};
}

std::vector<std::vector<Value>> GroupBy::rows() const {
  std::vector<std::vector<Value>> rows;
  for (uint32_t group = 0; group < keys_.size(); ++group) {
    rows.push_back(keys_.values(group));
    for (const auto& accumulator : accumulators_) {
      rows.back().push_back(accumulator->value(group));
    }
  }
  return rows;
}

}  // namespace bobbin::query
