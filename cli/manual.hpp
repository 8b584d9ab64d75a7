// SPDX-License-Identifier: Apache-2.0
// The command's documentation, generated from the parser: a manual page, and completions for shells.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace bobbin::cli {

// bobbin(1), for man.
[[nodiscard]] std::string manual_page(CLI::App& app);
// A script that bash, or zsh, loads.
[[nodiscard]] std::string bash_completion(CLI::App& app);
[[nodiscard]] std::string zsh_completion(CLI::App& app);

}  // namespace bobbin::cli
