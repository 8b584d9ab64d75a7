// SPDX-License-Identifier: Apache-2.0
// The grammar of a command line, the same for every verb:
//
// - An option takes exactly one value: the rest of its argument (--name=VALUE, -nVALUE), or the next
// argument,
//   whatever that looks like. `--name=` gives the empty value. A flag takes none.
// - Options may come before and after files. After `--` everything is a file.
// - A value or a file name may be empty only if the option allows it.
// - `-5` means `-n 5` for verbs that have -n.
//
// CLI11 alone parses `--name=` and options with several values differently, so arguments are first converted
// to a form that it can parse in only one way.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bobbin::cli {

// Marks an option, or a positional argument, whose value may be empty.
CLI::Option* may_be_empty(CLI::Option* option);
[[nodiscard]] bool can_be_empty(CLI::Option& option);

// Accepts one of some words: "unknown shell 'x'; expected bash or zsh".
[[nodiscard]] CLI::Validator one_of(const std::string& noun, const std::vector<std::string>& words);
// The words of an option's one_of(); empty if it has no such check.
[[nodiscard]] std::vector<std::string> choices_of(CLI::Option& option);

// A flag: an option without a value.
[[nodiscard]] bool is_flag(const CLI::Option& option);

// The verb named by the first argument that is not an option, or the verb of a verb (`sim run`); null if
// there is none. Throws CLI::ParseError for an unknown verb.
[[nodiscard]] CLI::App* find_verb(CLI::App& app, const std::vector<std::string>& arguments);

// The arguments (without the program's name) in the form for CLI11: the verb, its options, each followed by
// its value, then `--` and the files. Throws CLI::ParseError for unknown options and verbs.
[[nodiscard]] std::vector<std::string> normalize(CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace bobbin::cli
