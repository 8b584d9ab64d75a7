// SPDX-License-Identifier: Apache-2.0
// Combines strings from parts: rows that wait for their row group to fill, and rows read from several row
// groups.
#pragma once

#include <cstdint>

#include "bobbin/status.hpp"
#include "bobbin/strings.hpp"

namespace bobbin::file {

// Appends strings begin .. begin+count-1. The bytes of nulls, if any, are omitted.
void append_strings(Strings& to, const StringsView& from, uint64_t begin, uint64_t count);

// Strings begin .. begin+count-1, as strings of a type. Not for a view with nulls, whose bits would have to
// be moved.
[[nodiscard]] StringsView sub_view(const StringsView& view, uint64_t begin, uint64_t count, DType type);

// Checks that all non-null strings are UTF-8; `first_row` is the number of the first one, for the message.
[[nodiscard]] Status check_utf8(const StringsView& strings, uint64_t first_row);

}  // namespace bobbin::file
