// SPDX-License-Identifier: Apache-2.0
// Rows of some columns, the first ones in an order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bobbin/query.hpp"
#include "query/bind.hpp"
#include "query/order.hpp"
#include "query/selected_rows.hpp"

namespace bobbin::query {

class RowSelector {
 public:
  // `order` refers to positions among the file's columns.
  RowSelector(std::span<const Column> columns, std::vector<uint32_t> wanted, std::vector<BoundOrder> order,
              const ResultOptions& options)
      : columns_(columns),
        wanted_(std::move(wanted)),
        order_(std::move(order)),
        limit_(options.limit),
        max_rows_(options.max_rows) {}

  // Row groups come in file order. Returns whether more rows could matter.
  Result<bool> add(RowGroupQuery& group, const Bound& bound);
  [[nodiscard]] std::vector<std::vector<Value>> rows() &&;

 private:
  Status add_rows(RowGroupQuery& group, SelectedRows& rows);
  // Positions in `rows` of candidates for the first rows, ascending.
  Result<std::vector<uint32_t>> first_places(SelectedRows& rows) const;
  Status keep(RowGroupQuery& group, SelectedRows& rows, std::span<const uint32_t> places);
  // Whether a row of it can be among the first, according to its zone maps.
  bool can_matter(const RowGroupQuery& group);
  // A test of the rows that can still be among the first, if it can be made from those that are kept.
  // `keeps_equal`: rows that are equal to the last by the first term may have to come before it.
  std::optional<Bound> threshold(const RowGroupQuery& group, bool keeps_equal);
  // The rows of a large row group before there is a threshold: some of them give one for the others.
  Result<BitmapWords> add_sample(RowGroupQuery& group, BitmapWords words);
  // Drops rows that are not among the first.
  void sort_kept();

  std::span<const Column> columns_;
  std::vector<uint32_t> wanted_;
  std::vector<BoundOrder> order_;
  uint64_t limit_;
  uint64_t max_rows_;
  // Values of the order columns, the row's number in the file, then values of the requested columns.
  std::vector<std::vector<Value>> kept_;
};

}  // namespace bobbin::query
