// SPDX-License-Identifier: Apache-2.0
// Strings put together from parts: rows that wait for their row group to fill, and rows read from several.
#pragma once

#include <cstdint>

#include "bobbin/status.hpp"
#include "bobbin/strings.hpp"

namespace bobbin::file {

// Puts strings begin .. begin+count-1 behind others. Bytes that a null may have are left out.
void append_strings(Strings& to, const StringsView& from, uint64_t begin, uint64_t count);

// Strings begin .. begin+count-1, as strings of a type. Not for a view with nulls: its bits would have to
// move.
[[nodiscard]] StringsView sub_view(const StringsView& view, uint64_t begin, uint64_t count, DType type);

// Whether all strings are UTF-8, nulls aside; `first_row` is the first one's number, for the message.
[[nodiscard]] Status check_utf8(const StringsView& strings, uint64_t first_row);

}  // namespace bobbin::file
