// SPDX-License-Identifier: Apache-2.0
// What a terminal can show: colours, and how much fits on a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bobbin::cli {

// Characters on a line of the terminal that stdout is; 0 when it is not a terminal.
[[nodiscard]] size_t terminal_width();

enum class Style : uint8_t { bold, dim, red, green };

// The text in a style, when `descriptor` is a terminal that shows styles and NO_COLOR is not set; else as it
// is.
[[nodiscard]] std::string styled(std::string_view text, Style style, int descriptor);

// Columns of a terminal that UTF-8 text takes: none for combining marks, two for wide characters such as
// those of Chinese.
[[nodiscard]] size_t display_width(std::string_view text);

// The text when it fits `most` columns, else its beginning and "..." in as many.
[[nodiscard]] std::string fitted(std::string_view text, size_t most);

}  // namespace bobbin::cli
