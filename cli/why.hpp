// SPDX-License-Identifier: Apache-2.0
// Why a chunk is encoded as it is: candidate cascades with estimated and actual sizes.
#pragma once

#include "cli/io.hpp"

namespace bobbin::cli {

// For each chunk of each column. Reads all of them and encodes them again.
[[nodiscard]] Status print_why(const OpenReader& file);

}  // namespace bobbin::cli
