// SPDX-License-Identifier: Apache-2.0
// Text, names and numbers as HTML has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bobbin::cli::page {

// Any bytes as text of an element or of a quoted attribute: control bytes become \xNN, and what HTML would
// take for its own is escaped.
[[nodiscard]] std::string escaped(std::string_view text);
// That for text of several lines, whose newlines stay.
[[nodiscard]] std::string escaped_lines(std::string_view text);
// A column's name as text: cut when long, and kept from turning round the text beside it.
[[nodiscard]] std::string name_html(std::string_view name);
// "12.3 MiB", with the exact number on demand.
[[nodiscard]] std::string bytes_html(uint64_t bytes);
// 1234567 as "1 234 567", the blanks being narrow ones.
[[nodiscard]] std::string number_html(uint64_t number);
// "12.3 %"
[[nodiscard]] std::string share_text(uint64_t part, uint64_t whole);

}  // namespace bobbin::cli::page
