// SPDX-License-Identifier: Apache-2.0
// What zone maps tell of a predicate before any data is read.
#pragma once

#include <cstdint>
#include <span>

#include "bobbin/file.hpp"
#include "file/footer.hpp"
#include "query/bind.hpp"

namespace bobbin::query {

// Rows of a chunk that have no value.
[[nodiscard]] uint64_t num_nulls(const file::Chunk& chunk);

// The predicate as it is for the rows of one group: tests that hold for all of them, or for none, are gone.
// What is left is `always`, `never`, or has neither in it.
[[nodiscard]] Bound prune(const Bound& bound, std::span<const Column> columns, const file::RowGroup& group);

}  // namespace bobbin::query
