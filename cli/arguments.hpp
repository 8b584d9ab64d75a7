// SPDX-License-Identifier: Apache-2.0
// The grammar of a command line, the same for every verb:
//
//   - An option takes its own value and nothing after it: the rest of its argument (--name=VALUE, -nVALUE),
//     or the next argument, whatever that looks like. `--name=` gives the empty value. A flag takes none.
//   - Options may come before and after files. After `--` everything is a file.
//   - A value or a file name may be empty only where the option says so.
//   - `-5` means `-n 5` for verbs that have -n.
//
// CLI11 alone reads `--name=` and options of several values differently, so arguments are brought into a form
// that it can read in one way only.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bobbin::cli {

// Marks an option, or a positional argument, whose value may be the empty text.
CLI::Option* may_be_empty(CLI::Option* option);
[[nodiscard]] bool can_be_empty(CLI::Option& option);

// Accepts one of some words: "unknown shell 'x'; expected bash or zsh".
[[nodiscard]] CLI::Validator one_of(const std::string& noun, const std::vector<std::string>& words);
// The words of an option's one_of(); none when it has no such check.
[[nodiscard]] std::vector<std::string> choices_of(CLI::Option& option);

// A flag: an option without a value.
[[nodiscard]] bool is_flag(const CLI::Option& option);

// The verb that the first argument names that is not an option; null when there is none. Throws
// CLI::ParseError for an unknown verb.
[[nodiscard]] CLI::App* find_verb(CLI::App& app, const std::vector<std::string>& arguments);

// The arguments (without the program's name) as CLI11 shall read them: the verb, its options, each followed
// by its value, then `--` and the files. Throws CLI::ParseError for what is not an option or a verb.
[[nodiscard]] std::vector<std::string> normalize(CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace bobbin::cli
