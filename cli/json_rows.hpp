// SPDX-License-Identifier: Apache-2.0
// Rows as strict JSON (RFC 8259).
//
//   integers, decimals, floats   numbers, with all their digits
//   NaN, infinities              the strings "nan", "inf", "-inf"
//   booleans                     true, false
//   dates, timestamps            strings
//   strings                      strings; if not UTF-8, {"base64": "..."}
//   nulls                        null
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/sink.hpp"

namespace bobbin::cli {

// Appends one value: a string, or the text of a value of another type.
void append_json_string(std::string& out, std::string_view bytes);
void append_json_text(std::string& out, Logical::Kind kind, std::string_view text);

// An array of objects, or one object per line.
[[nodiscard]] std::unique_ptr<RowSink> make_json_sink(file::Output& output,
                                                      const std::vector<Column>& columns, bool array);

}  // namespace bobbin::cli
