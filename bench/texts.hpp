// SPDX-License-Identifier: Apache-2.0
// String columns: generated ones, the same on every machine, and lines of files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/strings.hpp"

namespace bobbin::bench {

// URLs like those in a web log: a scheme, one of 20 hosts, 10 paths, a number, 10 queries, 10 fragments.
// About 92 bytes each.
[[nodiscard]] Strings make_urls(uint64_t rows, uint64_t seed);

// A file's lines, repeated until there are about `bytes` of them; once if `bytes` is 0.
[[nodiscard]] Result<Strings> read_lines(const std::string& path, uint64_t bytes);

struct Text {
  std::string name;
  std::string path;  // empty: the generated URLs
};
// The generated URLs, and those files of `folder` that exist.
[[nodiscard]] std::vector<Text> all_texts(const std::string& folder);
[[nodiscard]] Result<Strings> load(const Text& text, uint64_t bytes);

}  // namespace bobbin::bench
