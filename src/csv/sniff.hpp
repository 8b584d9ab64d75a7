// SPDX-License-Identifier: Apache-2.0
// Detects the dialect of a table's text from its first bytes: what splits most lines into the same number of
// fields, and whether the types of the first line differ from those of the lines after it.
#pragma once

#include <optional>

#include "csv/options.hpp"
#include "csv/source.hpp"

namespace bobbin::csv {

// What is known already, and need not be detected.
struct Known {
  std::optional<char> delimiter{};
  std::optional<char> quote{};
  std::optional<char> escape{};
  std::optional<bool> header{};
  bool skips = false;           // the options say how many lines to skip
  char likely_delimiter = ',';  // preferred if several fit
};

// Reads the beginning of a source that can be read again. `options` has everything else that is known.
[[nodiscard]] Result<Sniffed> sniff(Source& source, const Options& options, const Known& known);

}  // namespace bobbin::csv
