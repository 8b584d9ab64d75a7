// SPDX-License-Identifier: Apache-2.0
#include "query/group_by.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>

#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "plan/column_plan.hpp"
#include "query/text.hpp"

namespace bobbin::query {
namespace {

uint64_t num_rows(const BitmapWords& rows) {
  return std::transform_reduce(rows.begin(), rows.end(), uint64_t{0}, std::plus(),
                               [](uint32_t word) { return static_cast<uint64_t>(std::popcount(word)); });
}

bool has_large_dictionary(const Array& values) {
  return codec::dict::is_few(values.length, codec::dict::dictionary_of(values).length);
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
    : columns_(columns), keys_(columns, std::move(keys)), max_groups_(max_groups) {
  for (const BoundAggregate& aggregate : aggregates) {
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

void GroupBy::add_totals(const Accumulator::Needs& needs, uint32_t group, const plan::CodeTotal& total) {
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
      add_totals(needs, null, {.count = num_rows(nulls)});
      continue;
    }
    // All codes together.
    BOBBIN_ASSIGN(const auto totals, group.fold_codes(keys_.keys()[0], *needs.column, nulls));
    for (const plan::CodeTotal& total : totals) {
      add_totals(needs, null, total);
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
        add_totals(needs, groups[entry], totals[entry]);
      }
    }
  }
  return check_number_of_groups();
}

Result<bool> GroupBy::can_add_codes(RowGroupQuery& group, const BitmapWords& rows) const {
  if (keys_.keys().size() != 1 || sees_rows_) {
    return false;
  }
  // Of few rows, only the values in them are decoded; counts of floats are not worth a path of their own.
  const bool few = num_rows(rows) < group.info().num_rows / 64;
  for (const Accumulator::Needs& needs : needs_) {
    if (needs.column.has_value() && (few || is_float(columns_[*needs.column].type))) {
      return false;
    }
  }
  BOBBIN_ASSIGN(const Array* array, group.load(keys_.keys()[0]));
  const Array& values = plan::values_of(*array);
  return values.codec == CodecId::dict && values.length != 0 && !has_large_dictionary(values);
}

Status GroupBy::add(RowGroupQuery& group, const Bound& bound) {
  BOBBIN_ASSIGN(const BitmapWords words, group.rows(bound));
  BOBBIN_ASSIGN(const bool by_code, can_add_codes(group, words));
  return by_code ? add_codes(group, words)
                 : for_each_piece(group, words, [&](SelectedRows& rows) { return add_rows(rows); });
}

Status GroupBy::add_rows(SelectedRows& rows) {
  BOBBIN_ASSIGN(const std::vector<uint32_t> groups, keys_.groups_of(rows));
  BOBBIN_TRY(check_number_of_groups());
  resize();
  for (const auto& accumulator : accumulators_) {
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
