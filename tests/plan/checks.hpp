// SPDX-License-Identifier: Apache-2.0
// Queries over arrays of any cascade, against the same on decoded values.
#pragma once

#include <string>

#include "bobbin/types.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Draws columns, cuts a slice out of them, draws a filter and aggregates, and runs that on every path there
// is. Empty when all is well.
[[nodiscard]] std::string check_query(Backend backend, Random& random);

// The same with columns of many vectors, as encoders make them.
[[nodiscard]] std::string check_long_query(Backend backend, Random& random);

// The same at one offset in the first vector, with columns of about two vectors.
[[nodiscard]] std::string check_query_at(Backend backend, uint64_t offset, Random& random);

// A test and a sum of one column of so many bits, of every kind of type, composed, against the same on
// decoded values and on the host.
[[nodiscard]] std::string check_joined(Backend backend, uint32_t width, uint64_t most_rows, Random& random);

// Takes and filters rows of a column, drawn as above, on every path there is.
[[nodiscard]] std::string check_gather(Backend backend, Random& random);

// Counts the codes of rows, of which some are past the last entry.
[[nodiscard]] std::string check_counts(Backend backend, Random& random);

}  // namespace bobbin::testing
