// SPDX-License-Identifier: Apache-2.0
// Aggregates by the values of key columns. If rows are only counted, they are counted by dictionary codes, on
// the backend; otherwise columns are decoded and folded on the host.
#pragma once

#include <cstdint>
#include <memory>
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
  Status add(RowGroupQuery& group, const Bound& bound);
  // One row per group: the keys' values, then the aggregates'.
  [[nodiscard]] std::vector<std::vector<Value>> rows() const;

 private:
  Status add_rows(SelectedRows& rows);
  Status add_codes(RowGroupQuery& group, const Array& array, BitmapWords rows);
  void count(uint32_t group, uint64_t rows);
  [[nodiscard]] Status check_number_of_groups() const;
  void resize();

  std::span<const Column> columns_;
  GroupKeys keys_;
  std::vector<std::unique_ptr<Accumulator>> accumulators_;
  std::vector<RowCounter*> counters_;  // all of `accumulators_`, if they only count rows
  uint64_t max_groups_;
};

}  // namespace bobbin::query
