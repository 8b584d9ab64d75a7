// SPDX-License-Identifier: Apache-2.0
// Text for people: values as text, and text from outside made safe to print.
//
// Threads: every function may be called from any thread at any time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "bobbin/export.h"
#include "bobbin/types.hpp"

namespace bobbin {

// The most characters that format_value() writes.
inline constexpr size_t kMaxValueText = 48;

// The text of a value of any type except strings, as CSV and queries print it. Reading the text gives the
// same value again (a NaN as some NaN).
//
//   integers      -12
//   decimals      -0.50, with exactly as many digits as the scale; no point at scale 0
//   booleans      true, false
//   dates         2014-08-08
//   timestamps    2014-08-08 18:00:00.250, with as many digits of a second as the unit has
//   times         18:00:00.250, likewise
//   floats        the shortest decimal that reads back as the same value; inf, -inf, nan
//
// Years outside 0 to 9999 have a sign and at least four digits: -0044-03-15, +12345-01-01. A time that is not
// within a day is printed as its integer.
[[nodiscard]] BOBBIN_API std::string value_text(const ColumnType& type, Scalar value);
// The same for loops: writes at most kMaxValueText characters to `out` and returns their end.
[[nodiscard]] BOBBIN_API char* format_value(const ColumnType& type, Scalar value, char* out);

// Well-formed UTF-8 (RFC 3629).
[[nodiscard]] BOBBIN_API bool is_utf8(std::string_view text);
// The text with control bytes and bytes that are not UTF-8 written as \xNN: it stays on one line and does not
// control a terminal.
[[nodiscard]] BOBBIN_API std::string printable(std::string_view text);
// As printable(), in double quotes; long text is cut and ends in "...".
[[nodiscard]] BOBBIN_API std::string quoted_text(std::string_view text);

// The closest of `words` to one that was mistyped; empty if none is close. Close means: at most one edit per
// three letters, which inserts, removes or replaces a letter, or swaps two adjacent ones; a word that begins
// with what was typed; or a name whose parts are like those that were typed. Capitals do not matter.
[[nodiscard]] BOBBIN_API std::string nearest(std::string_view typed, std::span<const std::string> words);
// "; did you mean 'compress'?", or empty.
[[nodiscard]] BOBBIN_API std::string did_you_mean(std::string_view typed, std::span<const std::string> words);

}  // namespace bobbin
