// SPDX-License-Identifier: Apache-2.0
// Rows counted by the value of a column: decoded on the backend, counted on the host.
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
  Status add_numbers(const Array& array, Words rows);
  Status add_strings(const Array& array, const Words& rows);
  [[nodiscard]] Status check_number_of_groups() const;

  Column column_;
  uint32_t index_;
  Backend backend_;
  uint64_t nulls_ = 0;
  std::unordered_map<uint64_t, uint64_t> numbers_;  // by their bits
  std::map<std::string, uint64_t, std::less<>> strings_;
};

}  // namespace bobbin::query
