// SPDX-License-Identifier: Apache-2.0
// Text, names and numbers as HTML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bobbin::cli::page {

// A whole page. `title` is HTML; `style` and `body` are inserted as they are.
[[nodiscard]] std::string document_html(std::string_view title, std::string_view style,
                                        std::string_view body);

// Any bytes as text of an element or of a quoted attribute: control bytes become \xNN, and characters with a
// meaning in HTML are escaped.
[[nodiscard]] std::string escaped(std::string_view text);
// The same for text of several lines; newlines are kept.
[[nodiscard]] std::string escaped_lines(std::string_view text);
// A column's name as text: truncated if long, and isolated, so that it cannot change the direction of the
// text around it.
[[nodiscard]] std::string name_html(std::string_view name);
// "12.3 MiB", with the exact number as a tooltip.
[[nodiscard]] std::string bytes_html(uint64_t bytes);
// 1234567 as "1 234 567", with narrow blanks.
[[nodiscard]] std::string number_html(uint64_t number);
// "12.3 %"; "<0.1 %" for less, "-" if the total is zero.
[[nodiscard]] std::string share_html(uint64_t part, uint64_t whole);

}  // namespace bobbin::cli::page
