// SPDX-License-Identifier: Apache-2.0
// Aggregates by the values of key columns. Counts, sums of integers, minimums and maximums by one or two keys
// of few values are one launch on a device, if a kernel is compiled for it. Otherwise, for one key with a
// dictionary, rows are counted and integers summed by dictionary codes, on the backend; all else is decoded
// and folded on the host. Without keys, values of a column with a dictionary are distinguished by marking its
// codes on the backend.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bobbin/query.hpp"
#include "query/accumulate.hpp"
#include "query/bind.hpp"
#include "query/row_group.hpp"
#include "query/value_ids.hpp"

namespace bobbin::query {

// Groups by the values of some columns; without columns there is one group.
class GroupKeys {
 public:
  GroupKeys(std::span<const Column> columns, std::vector<uint32_t> keys);

  [[nodiscard]] std::span<const uint32_t> keys() const { return keys_; }
  [[nodiscard]] size_t size() const { return keys_.empty() ? 1 : groups_.back().size(); }
  // The group of each selected row.
  Result<std::vector<uint32_t>> groups_of(SelectedRows& rows);
  // The value of a single key.
  uint32_t group_of(const DecodedColumn& values, uint64_t row);
  uint32_t group_of_null();
  // The id of a value of one of the keys, and the group of one id per key.
  [[nodiscard]] ValueIds& ids(size_t key) { return ids_[key]; }
  uint32_t group_of(std::span<const uint32_t> ids);
  // One per key.
  [[nodiscard]] std::vector<Value> values(uint32_t group) const;

 private:
  std::vector<uint32_t> keys_;
  std::vector<ValueIds> ids_;
  std::vector<KeyIds> groups_;  // of the group of the first keys and the value of the next key
};

class GroupBy {
 public:
  GroupBy(std::span<const Column> columns, std::vector<uint32_t> keys,
          const std::vector<BoundAggregate>& aggregates, uint64_t max_groups);

  // Row groups come in file order.
  Status add(RowGroupQuery& group, Bound bound);
  // One row per group: the keys' values, then the aggregates'.
  [[nodiscard]] std::vector<std::vector<Value>> rows() const;

 private:
  using Accumulators = std::vector<Accumulator*>;

  Status add_rows(SelectedRows& rows, const Accumulators& accumulators);
  // Without keys: distinct values by the codes of dictionaries. The others are left.
  Result<Accumulators> add_distinct(RowGroupQuery& group, const Bound& bound);
  // In one launch, by the cells of keys that have few values; false if that is not possible.
  struct Cells {
    std::vector<RowGroupQuery::CellKey> keys;
    std::vector<DecodedColumn> entries;  // of dictionaries; empty for other keys
  };
  [[nodiscard]] Result<std::optional<Cells>> cells_of(RowGroupQuery& group) const;
  Result<bool> add_cells(RowGroupQuery& group, Bound& bound);
  [[nodiscard]] uint32_t group_of_cell(const Cells& cells, uint64_t cell);
  // By the codes of the only key.
  [[nodiscard]] Result<bool> can_add_codes(RowGroupQuery& group, const BitmapWords& rows) const;
  Status add_codes(RowGroupQuery& group, const BitmapWords& rows);
  Status add_nulls(RowGroupQuery& group, const Array& array, BitmapWords& rows);
  void add_totals(const Accumulator::Needs& needs, uint32_t group, const plan::Total& total);
  [[nodiscard]] Status check_number_of_groups() const;
  void resize();

  std::span<const Column> columns_;
  GroupKeys keys_;
  std::vector<uint32_t> decoded_;  // columns: keys, and those of the aggregates
  std::vector<std::unique_ptr<Accumulator>> accumulators_;
  std::vector<Accumulator::Needs> needs_;  // of the accumulators, different ones
  bool sees_rows_ = false;                 // whether an accumulator needs each row
  uint64_t max_groups_;
};

}  // namespace bobbin::query
