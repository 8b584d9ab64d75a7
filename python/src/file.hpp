// SPDX-License-Identifier: Apache-2.0
// Files and scans as the parts of the module share them.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bobbin/bobbin.hpp"

namespace bobbin::python {

namespace nb = nanobind;

struct File {
  std::shared_ptr<const Reader> reader;
};

// What a scan reads, and how much it has read.
struct Spec {
  arrow::TableScanOptions options;
  std::shared_ptr<std::atomic<uint64_t>> groups_read = std::make_shared<std::atomic<uint64_t>>(0);
  std::shared_ptr<std::atomic<uint64_t>> rows_returned = std::make_shared<std::atomic<uint64_t>>(0);

  // Some rows of row groups only: no aggregate applies.
  [[nodiscard]] bool is_range() const {
    return options.begin != 0 || options.num_rows != UINT64_MAX || options.limit != UINT64_MAX;
  }
  // A list of row groups or a part of the rows: aggregates over all rows of the file do not apply.
  [[nodiscard]] bool is_partial() const { return is_range() || options.row_groups.has_value(); }
};

[[nodiscard]] query::Query query_of(const Reader& reader, const arrow::TableScanOptions& options);
// Kinds, each with the name of a column or a formula.
using Aggregates = std::vector<std::pair<std::string, nb::object>>;
[[nodiscard]] std::vector<query::AggregateSpec> aggregates_from(const Aggregates& named);
// Empty text: no order. A term may be the title of an aggregate; there are no more titles than aggregates.
[[nodiscard]] std::vector<query::OrderTerm> order_from(const std::string& text,
                                                       std::span<const std::string> titles,
                                                       std::span<const query::AggregateSpec> aggregates);
// A list of tuples of values.
[[nodiscard]] nb::list rows_from(const query::ResultTable& table);

}  // namespace bobbin::python
