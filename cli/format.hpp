// SPDX-License-Identifier: Apache-2.0
// Values and counts as text and as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/types.hpp"
#include "measure/report.hpp"

namespace bobbin::cli {

using bench::Json;

// A value according to its logical type; a float as the shortest decimal that reads back as the same float of
// its type.
[[nodiscard]] std::string to_text(const ColumnType& type, Scalar scalar);
// A number, true or false; a string for infinity and NaN, which JSON's numbers lack, for decimals, whose
// digits doubles would not preserve, and for dates and timestamps.
[[nodiscard]] Json to_json(const ColumnType& type, Scalar scalar);

// "1 column", "2 columns"
[[nodiscard]] std::string count(uint64_t number, std::string_view noun);
// raw / stored; 0 if nothing is stored.
[[nodiscard]] double ratio(uint64_t raw_bytes, uint64_t stored_bytes);
// "4.00"; "-" if there is nothing to compare.
[[nodiscard]] std::string ratio_text(uint64_t raw_bytes, uint64_t stored_bytes);

// Does the same for each of several files: if one fails, the others are still processed. With `as_json`,
// prints what was added to the array: the single object for one file, otherwise the array. Returns the exit
// code.
int for_each_file(size_t files, bool as_json, const std::function<Status(size_t index, Json& json)>& each);

// The first `most` characters of UTF-8, with "..." in place of what is cut off.
[[nodiscard]] std::string clipped(std::string_view text, size_t most);

// Writes text to stdout; main checks stdout once, at the end.
void print(std::string_view text);

// A line of headings and lines with the same number of cells. Columns are as wide as their widest cell,
// separated by two blanks. `right` has an 'r' for each right-aligned column; the others are left-aligned.
void print_table(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& lines,
                 std::string_view right = "");
// The same with these widths, of the first columns only: longer cells are truncated.
void print_table(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& lines,
                 std::string_view right, std::span<const size_t> widths);

}  // namespace bobbin::cli
