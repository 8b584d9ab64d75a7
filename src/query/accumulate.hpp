// SPDX-License-Identifier: Apache-2.0
// Aggregates of many groups at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bobbin/query.hpp"
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
};

// The number of rows. Also accepts rows that were counted elsewhere.
class RowCounter final : public Accumulator {
 public:
  void resize(size_t num_groups) override { counts_.resize(num_groups); }
  Status add(SelectedRows& rows, std::span<const uint32_t> groups) override;
  void add(uint32_t group, uint64_t rows);
  [[nodiscard]] Value value(uint32_t group) const override;

 private:
  std::vector<uint64_t> counts_;
};

[[nodiscard]] std::unique_ptr<Accumulator> make_accumulator(std::span<const Column> columns,
                                                            const BoundAggregate& aggregate);

}  // namespace bobbin::query
