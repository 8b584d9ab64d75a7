// SPDX-License-Identifier: Apache-2.0
// What zone maps say about a predicate before any data is read.
#pragma once

#include <cstdint>
#include <span>

#include "bobbin/file.hpp"
#include "file/footer.hpp"
#include "query/bind.hpp"

namespace bobbin::query {

// The null rows of a chunk.
[[nodiscard]] uint64_t num_nulls(const file::Chunk& chunk);

// The predicate for the rows of one row group: tests that are true for all rows, or for none, are removed.
// The result is `always`, `never`, or contains neither.
[[nodiscard]] Bound prune(const Bound& bound, std::span<const Column> columns, const file::RowGroup& group);

}  // namespace bobbin::query
