// SPDX-License-Identifier: Apache-2.0
// Aggregates of many groups at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bobbin/query.hpp"
#include "plan/plan.hpp"
#include "query/bind.hpp"
#include "query/selected_rows.hpp"

namespace bobbin::query {

class Accumulator {
 public:
  virtual ~Accumulator() = default;

  // The number of groups so far.
  virtual void resize(size_t num_groups) = 0;
  // groups[i] is the group of selected row i. Row groups come in file order.
  virtual Status add(SelectedRows& rows, std::span<const uint32_t> groups) = 0;
  [[nodiscard]] virtual Value value(uint32_t group) const = 0;

  // What is enough to know about a group's rows, for aggregates that need not see each row: the number of
  // rows, or of those where the column or the expression is not null, and the sum of its integers or its
  // extremes.
  struct Needs {
    std::optional<uint32_t> column;
    plan::Fold fold{};
    std::shared_ptr<const BoundExpression> expression{};  // instead of a column; no step has 128 bits

    friend bool operator==(const Needs& a, const Needs& b) {
      const bool same = a.expression == nullptr || b.expression == nullptr
                            ? a.expression == b.expression
                            : a.expression->program == b.expression->program;
      return a.column == b.column && a.fold == b.fold && same;
    }
  };
  [[nodiscard]] virtual std::optional<Needs> needs() const { return std::nullopt; }
  virtual void add_total(uint32_t /*group*/, const plan::Total& /*total*/) {}

  // The column for which it is enough to know which values rows have, and values that rows of a group have:
  // those that are marked, one bit each. For one row group there may be several calls.
  [[nodiscard]] virtual std::optional<uint32_t> distinct_column() const { return std::nullopt; }
  virtual Status add_marked(uint32_t /*group*/, const DecodedColumn& /*values*/,
                            const BitmapWords& /*marks*/) {
    return {};
  }
};

// The number of rows.
class RowCounter final : public Accumulator {
 public:
  void resize(size_t num_groups) override { counts_.resize(num_groups); }
  Status add(SelectedRows& rows, std::span<const uint32_t> groups) override;
  [[nodiscard]] std::optional<Needs> needs() const override { return Needs{}; }
  void add_total(uint32_t group, const plan::Total& total) override { counts_[group] += total.count; }
  [[nodiscard]] Value value(uint32_t group) const override;

 private:
  std::vector<uint64_t> counts_;
};

[[nodiscard]] std::unique_ptr<Accumulator> make_accumulator(std::span<const Column> columns,
                                                            const BoundAggregate& aggregate);

}  // namespace bobbin::query
