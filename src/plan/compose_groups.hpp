// SPDX-License-Identifier: Apache-2.0
// Writes the sink of a composed kernel that has groups: types of plan/stages/groups.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "plan/query_input.hpp"

namespace bobbin::plan {

// A fold of the query.
struct GroupFold {
  uint32_t fold = 0;  // its number
  Fold op{};
  uint32_t nulls = 0;  // a mask of columns: rows in which one is null do not count
  uint32_t slot = 0;
  const char* numbers = "";  // an item of Numbers
  std::string map{};         // for codes: the last argument of a sink, with the comma before it
  uint32_t bits = 64;        // of most values, with their sign
  uint32_t kind = 0;         // sums of slots of one kind can be added in one pass
};

struct WrittenGroups {
  std::string text;
  size_t shared_bytes = 0;  // without those of maps
};
[[nodiscard]] WrittenGroups write_groups(std::span<const GroupFold> folds,
                                         std::span<const uint32_t> key_slots, uint32_t cells);

}  // namespace bobbin::plan
