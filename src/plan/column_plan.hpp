// SPDX-License-Identifier: Apache-2.0
// From an encoding tree to the steps that decode one vector.
#pragma once

#include <cstdint>
#include <vector>

#include "codecs/codec.hpp"
#include "plan/column_input.hpp"

namespace bobbin::plan {

// How values should reach a kernel; tests force each path in turn.
enum class QueryPath : uint8_t {
  automatic,    // the first of these that is possible, for each column and for the query
  compiled,     // in a kernel composed for this query, compiled at run time
  interpreted,  // decoded vector by vector in shared memory
  decoded,      // decoded first, to memory
};

// The values of an array without their nulls, and its validity; a null pointer if there are no nulls.
[[nodiscard]] const Array& values_of(const Array& array);
[[nodiscard]] const Array* validity_of(const Array& array);

// A dictionary whose entries a node needs in memory.
struct Dictionary {
  uint32_t node = 0;
  const Array* entries = nullptr;
};

// The column for the values of a device array, on the given path; false if that is not possible. `decoded`
// always fails here: it needs memory, so the caller decodes and uses plain_column(). The same applies to
// dictionaries: the caller decodes those that are listed here (decode_dictionaries()).
[[nodiscard]] bool make_column(const Array& values, QueryPath path, ColumnPlan& column,
                               std::vector<Dictionary>& dictionaries);
// Validity in packed words; false if it must be decoded.
[[nodiscard]] bool make_validity(const Array& words, Validity& validity);
[[nodiscard]] Validity plain_validity(uint64_t count, const uint32_t* words);
[[nodiscard]] ColumnPlan plain_column(DType type, uint64_t length, const void* values);
[[nodiscard]] ColumnPlan bitmap_column(uint64_t words, const uint32_t* bitmap);

}  // namespace bobbin::plan
