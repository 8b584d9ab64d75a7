// SPDX-License-Identifier: Apache-2.0
// Columns of strings: generated ones, the same on every machine, and lines of files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/strings.hpp"

namespace bobbin::bench {

// Addresses like those of a web log: a scheme, one of 20 hosts, 10 paths, a number, 10 queries, 10 fragments.
// About 92 bytes each.
[[nodiscard]] Strings make_urls(uint64_t rows, uint64_t seed);

// A file's lines, over and over, until there are about `bytes` of them; once when `bytes` is 0.
[[nodiscard]] Result<Strings> read_lines(const std::string& path, uint64_t bytes);

struct Text {
  std::string name;
  std::string path;  // empty: the generated addresses
};
// The addresses, and the files of `folder` that are there.
[[nodiscard]] std::vector<Text> all_texts(const std::string& folder);
[[nodiscard]] Result<Strings> load(const Text& text, uint64_t bytes);

}  // namespace bobbin::bench
