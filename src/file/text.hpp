// SPDX-License-Identifier: Apache-2.0
// Text that comes from outside: whether it is UTF-8, and how it appears in a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace bobbin::file {

// Well-formed UTF-8 (RFC 3629).
[[nodiscard]] bool is_utf8(std::string_view text);
// That, without U+0000.
[[nodiscard]] bool is_valid_name(std::string_view name);

// Bytes of the character at `at`; 1 for a byte that begins no well-formed one.
[[nodiscard]] size_t character_length(std::string_view text, size_t at);
// Where the character that holds byte `at` begins; text that is no UTF-8 gives some place before.
[[nodiscard]] size_t character_start(std::string_view text, size_t at);

// The text with control bytes written as \xNN, so that it stays on its line and does not steer a terminal.
[[nodiscard]] std::string printable(std::string_view text);

// As printable, in double quotes; a long name is cut and ends in "...".
[[nodiscard]] std::string quoted(std::string_view name);

}  // namespace bobbin::file
