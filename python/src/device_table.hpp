// SPDX-License-Identifier: Apache-2.0
// Columns in device memory as one table.
#pragma once

#include <span>
#include <vector>

#include "bobbin/bobbin.hpp"

namespace bobbin::python {

struct DeviceTable {
  std::vector<DeviceColumn> columns;
  std::vector<arrow::Field> fields;
  Metadata metadata;
  Backend backend;

  // Columns of the reader with these numbers, which are loaded.
  DeviceTable(const Reader& reader, std::span<const size_t> numbers, std::vector<DeviceColumn> loaded,
              Backend from);
  // Fails if one of the columns holds strings and the rows are of several row groups.
  static Status check_strings(const Reader& reader, std::span<const size_t> numbers, uint64_t begin,
                              uint64_t count);
};

}  // namespace bobbin::python
