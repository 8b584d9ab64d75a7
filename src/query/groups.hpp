// SPDX-License-Identifier: Apache-2.0
// Rows counted by the value of a column: by its codes where it has a dictionary, on the backend; otherwise
// decoded there, and counted on the host.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "bobbin/query.hpp"
#include "query/bind.hpp"
#include "query/group.hpp"

namespace bobbin::query {

class Counter {
 public:
  Counter(const Column& column, uint32_t index, Backend backend)
      : column_(column), index_(index), backend_(backend) {}

  Status add(Group& group, const Bound& bound);
  [[nodiscard]] GroupCounts counts() const;

 private:
  // Values of the rows that are set.
  Status add_numbers(const Array& array, const Words& rows);
  Status add_strings(const Array& array, const Words& rows);
  // Of a dictionary.
  Status add_codes(Group& group, const Array& dictionary, const Words& rows);
  Status add_number(Scalar value, uint64_t rows);
  Status add_string(const StringsView& strings, uint64_t index, uint64_t rows);
  [[nodiscard]] Status check_number_of_groups() const;

  Column column_;
  uint32_t index_;
  Backend backend_;
  uint64_t nulls_ = 0;
  std::unordered_map<uint64_t, uint64_t> numbers_;  // by their bits
  std::map<std::string, uint64_t, std::less<>> strings_;
};

}  // namespace bobbin::query
