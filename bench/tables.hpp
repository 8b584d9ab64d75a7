// SPDX-License-Identifier: Apache-2.0
// The tables of a folder, as text: '|' between fields, no header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "csv/options.hpp"

namespace bobbin::bench {

struct TableText {
  std::string name;
  std::string once;
  std::string text;  // repeated to at least some size; it ends in a line end
  csv::Options options;
};

[[nodiscard]] std::vector<std::filesystem::path> tables_in(const std::string& folder);
[[nodiscard]] TableText load_table(const std::filesystem::path& path, uint64_t bytes);

}  // namespace bobbin::bench
