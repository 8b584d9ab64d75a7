// SPDX-License-Identifier: Apache-2.0
// Files that the verbs of `bobbin sim` read and write as a whole.
#pragma once

#include <string>
#include <string_view>

#include "bobbin/status.hpp"

namespace bobbin::cli {

// A file, or stdin for "-".
[[nodiscard]] Result<std::string> read_text(const std::string& path);
// A file that appears complete or not at all, or stdout for "-". Nobody may read it who may not read the file
// `source`, if one is given.
[[nodiscard]] Status write_text(const std::string& path, bool force, std::string_view text,
                                const std::string& source = {});

}  // namespace bobbin::cli
