// SPDX-License-Identifier: Apache-2.0
// How a table's text is written, found from its first bytes: what cuts it into the same number of fields in
// most lines, and whether its first line is of other types than those after it.
#pragma once

#include <optional>

#include "csv/options.hpp"
#include "csv/source.hpp"

namespace bobbin::csv {

// What is known already, and need not be found.
struct Known {
  std::optional<char> delimiter{};
  std::optional<char> quote{};
  std::optional<bool> header{};
  bool skips = false;           // the options say how many lines to skip
  char likely_delimiter = ',';  // where several would do
};

// Reads the beginning of a source that can be read again. `options` has all else that is known.
[[nodiscard]] Result<Sniffed> sniff(Source& source, const Options& options, const Known& known);

}  // namespace bobbin::csv
