// SPDX-License-Identifier: Apache-2.0
// Capabilities of a terminal: colours, and how much fits on a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bobbin::cli {

// The line width of the terminal on stdout; 0 if it is not a terminal.
[[nodiscard]] size_t terminal_width();

enum class Style : uint8_t { bold, dim, red, green };

// The text in a style, if `descriptor` is a terminal that supports styles and NO_COLOR is not set; otherwise
// unchanged.
[[nodiscard]] std::string styled(std::string_view text, Style style, int descriptor);

// The number of terminal columns that UTF-8 text takes: none for combining marks, two for wide characters
// such as Chinese ones.
[[nodiscard]] size_t display_width(std::string_view text);

// The text if it fits `most` columns, otherwise its beginning followed by "...".
[[nodiscard]] std::string fitted(std::string_view text, size_t most);

}  // namespace bobbin::cli
