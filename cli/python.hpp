// SPDX-License-Identifier: Apache-2.0
// Formats that the Python package reads for the command.
#pragma once

#include <string>
#include <vector>

#include "bobbin/status.hpp"

namespace bobbin::cli {

// Whether the package reads such a file, by its name: .parquet, .pq, .arrow, .feather, .ipc.
[[nodiscard]] bool is_for_python(const std::string& path);

// Runs the package's `convert` with the arguments, by the interpreter $BOBBIN_PYTHON, or python3. Returns
// whether it succeeded; if not, it has said why. The caller has HeldInterrupts.
[[nodiscard]] Result<bool> convert_by_python(const std::vector<std::string>& arguments);

}  // namespace bobbin::cli
