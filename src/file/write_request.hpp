// SPDX-License-Identifier: Apache-2.0
// What a writer checks before it does anything: columns, options and what is appended.
#pragma once

#include <span>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "file/encode.hpp"

namespace bobbin::file {

// How to encode each column, if a file of these columns can be written with these options.
[[nodiscard]] Result<std::vector<Recipe>> check_request(std::span<const Column> columns,
                                                        const WriteOptions& options);
// Whether views are of a file's columns. A refused append leaves the writer as it was.
[[nodiscard]] Status check_views(std::span<const ColumnView> views, const std::vector<Column>& columns);

}  // namespace bobbin::file
