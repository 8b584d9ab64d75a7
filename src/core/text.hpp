// SPDX-License-Identifier: Apache-2.0
// UTF-8 and names, beyond what bobbin/text.hpp offers.
#pragma once

#include <cstddef>
#include <string_view>

#include "bobbin/text.hpp"

namespace bobbin {

// Well-formed UTF-8 without U+0000.
[[nodiscard]] bool is_valid_name(std::string_view name);

// Bytes of the character at `at`; 1 for a byte that does not begin a well-formed one.
[[nodiscard]] size_t character_length(std::string_view text, size_t at);
// Where the character that contains byte `at` begins. In text that is not UTF-8: some position before `at`.
[[nodiscard]] size_t character_start(std::string_view text, size_t at);

}  // namespace bobbin
