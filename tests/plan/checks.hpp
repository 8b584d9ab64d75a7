// SPDX-License-Identifier: Apache-2.0
// Queries over arrays of any cascade, compared with the same on decoded values.
#pragma once

#include <string>

#include "bobbin/types.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Generates columns, takes a slice of them, generates a filter and aggregates, and runs this on every path.
// Empty if everything is correct.
[[nodiscard]] std::string check_query(Backend backend, Random& random);

// The same with columns of many vectors, made by encoders.
[[nodiscard]] std::string check_long_query(Backend backend, Random& random);

// A drawn query in kernels that are compiled for it; nothing happens if none can be. `compares`: otherwise it
// only runs.
[[nodiscard]] std::string check_compiled(Backend backend, Random& random, bool compares = true);

// The same for one of the common encodings, `kind` modulo kKinds: a test and a sum; if the quotient is odd,
// with a second column.
inline constexpr uint32_t kKinds = 26;
[[nodiscard]] std::string check_compiled_kind(Backend backend, uint32_t kind, Random& random,
                                              bool compares = true);

// The same for a test and a sum of a dictionary whose matching entries a large block may hold: kinds 0 to
// kHeldKinds - 1.
inline constexpr uint32_t kHeldKinds = 4;
[[nodiscard]] std::string check_held(Backend backend, uint32_t kind, Random& random, bool compares = true);

// The same for tests and sums of columns that have one width, of 4 or 8 bits.
[[nodiscard]] std::string check_alike(Backend backend, uint32_t kind, Random& random, bool compares = true);

// The same for packed integers and tests that leave none, one, few or many rows of a vector.
[[nodiscard]] std::string check_few_rows(Backend backend, Random& random, bool compares = true);

// The same for columns of runs, and of few values that differ from the others.
[[nodiscard]] std::string check_runs(Backend backend, Random& random, bool compares = true);
// The same on all other paths.
[[nodiscard]] std::string check_runs_without_compiler(Backend backend, Random& random);

// The same for groups of one or two drawn keys.
[[nodiscard]] std::string check_groups(Backend backend, Random& random, bool compares = true);

// The same for marks of drawn codes.
[[nodiscard]] std::string check_marks(Backend backend, Random& random, bool compares = true);

// Groups of more rows than a thread can add to its words, if there is one block.
[[nodiscard]] std::string check_long_groups(Backend backend, bool compares = true);

// Sums of the greatest and the least integers.
[[nodiscard]] std::string check_wide_groups(Backend backend);

// Groups of a file with several row groups, compared with those on the CPU.
[[nodiscard]] std::string check_grouped_file(Backend backend, bool compares = true);

// The same at one offset in the first vector, with columns of about two vectors.
[[nodiscard]] std::string check_query_at(Backend backend, uint64_t offset, Random& random);

// A test and a sum of one column, which the CPU does in one pass for some encodings.
[[nodiscard]] std::string check_test_and_sum(Backend backend, Random& random);

// A test and a sum of one column of this many bits, of every kind of type, composed, compared with the same
// on decoded values and on the host.
[[nodiscard]] std::string check_joined(Backend backend, uint32_t width, uint64_t most_rows, Random& random);

// Takes and filters rows of a column, generated as above, on every path.
[[nodiscard]] std::string check_gather(Backend backend, Random& random);

// Counts the codes of rows, some of which are past the last entry.
[[nodiscard]] std::string check_counts(Backend backend, Random& random);

}  // namespace bobbin::testing
