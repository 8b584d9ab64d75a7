// SPDX-License-Identifier: Apache-2.0
// Why a chunk is encoded as it is: the cascades that could do, what was expected of them, and what they take.
#pragma once

#include "cli/io.hpp"

namespace bobbin::cli {

// For each chunk of each column. Reads and encodes all of them anew.
[[nodiscard]] Status print_why(const OpenReader& file);

}  // namespace bobbin::cli
