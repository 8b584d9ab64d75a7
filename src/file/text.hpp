// SPDX-License-Identifier: Apache-2.0
// Names that come from outside: whether they are UTF-8, and how they stand in a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace bobbin::file {

// Well-formed UTF-8 without U+0000.
[[nodiscard]] bool is_valid_name(std::string_view name);

// The text with control bytes written as \xNN, so that it stays on its line and does not steer a terminal.
[[nodiscard]] std::string printable(std::string_view text);

// As printable, in double quotes; a long name is cut and ends in "...".
[[nodiscard]] std::string quoted(std::string_view name);

}  // namespace bobbin::file
