// SPDX-License-Identifier: Apache-2.0
#include "bench/tables.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace bobbin::bench {

std::vector<std::filesystem::path> tables_in(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

TableText load_table(const std::filesystem::path& path, uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  TableText table{.name = path.filename().string(),
                  .once = {std::istreambuf_iterator<char>(file), {}},
                  .text = {},
                  .options = {.delimiter = '|', .header = false, .nulls = {"", "null"}}};
  if (!table.once.ends_with('\n')) {
    table.once += '\n';
  }
  while (table.text.size() < bytes) {
    table.text += table.once;
  }
  return table;
}

}  // namespace bobbin::bench
