// SPDX-License-Identifier: Apache-2.0
// Arbitrary arguments, one per line: they are either refused or parsed, and parsing accesses no file.
// Normalising them twice gives the same result as once.
// Covers: cli/arguments.cpp cli/command.cpp cli/verb.cpp
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"

namespace {

using Words = std::vector<std::string>;

Words split_lines(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

void check_normal_form(CLI::App& app, const Words& words) {
  const Words once = bobbin::cli::normalize(app, words);
  if (bobbin::cli::normalize(app, once) != once) {
    std::fprintf(stderr, "the normal form is not stable\n");
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Words words = split_lines({reinterpret_cast<const char*>(data), size});
  bobbin::cli::Command command;
  try {
    check_normal_form(command.app(), words);
    command.parse(words);
  } catch (const CLI::ParseError&) {
    // refused: bobbin prints the reason and exits with 2, or prints help
  }
  return 0;
}
