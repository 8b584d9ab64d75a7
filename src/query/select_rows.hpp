// SPDX-License-Identifier: Apache-2.0
// Rows of some columns, the first ones in an order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bobbin/query.hpp"
#include "query/bind.hpp"
#include "query/order.hpp"
#include "query/selected_rows.hpp"

namespace bobbin::query {

// A value of a row that may be among the first. Rows that have the same entry of a dictionary share its text.
class KeptValue {
 public:
  KeptValue() = default;
  explicit KeptValue(const Value& number) : kind_(number.kind), logical_(number.logical) {
    number_.integer = number.kind == Value::Kind::integer ? number.integer : 0;
    if (number.kind == Value::Kind::real) {
      number_.real = number.real;
    }
  }
  explicit KeptValue(std::shared_ptr<const std::string> text)
      : kind_(Value::Kind::text), text_(std::move(text)) {}

  [[nodiscard]] bool is_null() const { return kind_ == Value::Kind::null; }
  [[nodiscard]] Value value() const;
  // As compare_values().
  [[nodiscard]] int compare(const KeptValue& other) const;

 private:
  Value::Kind kind_ = Value::Kind::null;
  Logical logical_{};
  union {
    Int128 integer = 0;
    double real;
  } number_;
  std::shared_ptr<const std::string> text_;
};

// Receives rows of the result in their order, and may move them away.
using TakeRows = std::function<Status(std::vector<std::vector<Value>>& rows)>;

class RowSelector {
 public:
  // `order` refers to positions among the file's columns.
  RowSelector(std::span<const Column> columns, std::vector<uint32_t> wanted, std::vector<BoundOrder> order,
              const ResultOptions& options, TakeRows take)
      : columns_(columns),
        wanted_(std::move(wanted)),
        order_(std::move(order)),
        limit_(options.limit),
        max_rows_(options.max_rows),
        decoded_(wanted_),
        take_(std::move(take)) {
    for (const BoundOrder& term : order_) {
      decoded_.push_back(static_cast<uint32_t>(term.place));
    }
  }

  // Row groups come in file order. Returns whether more rows could matter. Without an order, rows are passed
  // on as they are found.
  Result<bool> add(RowGroupQuery& group, const Bound& bound);
  // Passes on the others.
  Status finish();

 private:
  Status add_rows(RowGroupQuery& group, SelectedRows& rows);
  // Positions in `rows` of candidates for the first rows, ascending.
  Result<std::vector<uint32_t>> first_places(SelectedRows& rows) const;
  Status keep(RowGroupQuery& group, SelectedRows& rows, std::span<const uint32_t> places);
  // Without an order.
  Status pass(RowGroupQuery& group, const BitmapWords& words);
  Status pass_decoded(RowGroupQuery& group, SelectedRows& rows, std::span<const uint32_t> places);
  Status pass_few(RowGroupQuery& group, std::vector<uint64_t> rows);
  [[nodiscard]] std::string too_many() const;  // rows, for messages
  // Whether a row of it can be among the first, according to its zone maps.
  bool can_matter(const RowGroupQuery& group);
  // A test of the rows that can still be among the first, if it can be made from those that are kept.
  // `keeps_equal`: rows that are equal to the last by the first term may have to come before it.
  std::optional<Bound> threshold(const RowGroupQuery& group, bool keeps_equal);
  // The rows of a large row group before there is a threshold: some of them give one for the others.
  Result<BitmapWords> add_sample(RowGroupQuery& group, BitmapWords words);
  // Passes on `count` rows from fill(i, row), which appends the values of row i; a few rows at a time, since
  // rows of one entry of a dictionary may have far more bytes than the entry.
  template <class Fill>
  Status pass_rows(size_t count, Fill&& fill);
  // Drops rows that are not among the first.
  void sort_kept();

  std::span<const Column> columns_;
  std::vector<uint32_t> wanted_;
  std::vector<BoundOrder> order_;
  uint64_t limit_;
  uint64_t max_rows_;
  std::vector<uint32_t> decoded_;  // columns: wanted ones, and those of the order
  TakeRows take_;
  uint64_t passed_ = 0;
  // Values of the order columns, the row's number in the file, then values of the requested columns.
  std::vector<std::vector<KeptValue>> kept_;
};

}  // namespace bobbin::query
