// SPDX-License-Identifier: Apache-2.0
// What the metadata of a file says about the Arrow table that it was written from.
#pragma once

#include <span>
#include <string>

#include "bobbin/arrow.hpp"

namespace bobbin::interop {

// One line per column whose type is not the default one: "3 tsu:UTC". Columns count from 0.
inline constexpr std::string_view kFormatsKey = "bobbin.arrow";

// With the number of a column: the metadata of its field, as pack_metadata() writes it.
inline constexpr std::string_view kFieldKey = "bobbin.arrow.";

[[nodiscard]] std::string formats_note(std::span<const arrow::Field> fields);

}  // namespace bobbin::interop
