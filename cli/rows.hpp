// SPDX-License-Identifier: Apache-2.0
// --rows A:B, shared by several verbs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/io.hpp"

namespace bobbin::cli {

struct RowRange {
  uint64_t begin = 0;
  uint64_t end = 0;  // the first row after
};

Option add_rows_option(const Verb& verb, std::string& rows);
// The end of the rows, if it does not depend on how many there are.
[[nodiscard]] std::optional<uint64_t> last_row(const std::string& rows);
// Checked against a file; an empty text means all rows.
[[nodiscard]] Result<RowRange> find_rows(const OpenReader& file, const std::string& rows);

}  // namespace bobbin::cli
