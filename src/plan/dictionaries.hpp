// SPDX-License-Identifier: Apache-2.0
// Dictionaries of columns in device memory: decoded once, small relative to the rows, and read through the
// caches.
#pragma once

#include <span>
#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "plan/column_plan.hpp"

namespace bobbin::plan {

// Decodes the dictionaries that make_column() listed into memory that is added to `kept`. Asynchronous.
[[nodiscard]] Status decode_dictionaries(std::span<const Dictionary> dictionaries, ColumnPlan& column,
                                         std::vector<DeviceBuffer>& kept, StreamView stream);

// The entries of a packed column with look_up, in host memory. Waits for the stream.
[[nodiscard]] Result<std::vector<uint64_t>> entries_on_host(const ColumnPlan& column, StreamView stream);

}  // namespace bobbin::plan
