// SPDX-License-Identifier: Apache-2.0
// bobbin help, completion and man: the command's documentation.
#include "cli/manual.hpp"

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"

namespace bobbin::cli {
namespace {

// Like `bobbin VERB --help`, for which a parser that has read `help` would print the help of `help`.
int print_help(const std::string& verb) {
  Command command;
  try {
    command.parse(verb.empty() ? std::vector<std::string>{"--help"}
                               : std::vector<std::string>{verb, "--help"});
  } catch (const CLI::ParseError& error) {
    return command.app().exit(error);
  }
  return kFailure;
}

int print_completion(CLI::App& app, const std::string& shell) {
  print(shell == "bash" ? bash_completion(app) : zsh_completion(app));
  return kOk;
}

}  // namespace

void add_help(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("help", "Show what a verb does and its options");
  auto asked = std::make_shared<std::string>();
  verb.add_option("VERB", *asked, "The verb (default: an overview of all)")
      .type_name("")
      .one_of("verb", parser.verb_names());
  verb.callback([asked, &action] { action = [asked] { return print_help(*asked); }; });
}

void add_completion(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("completion", "Print a script that completes arguments in a shell");
  auto shell = std::make_shared<std::string>();
  verb.add_option("SHELL", *shell, "bash or zsh").type_name("").required().one_of("shell", {"bash", "zsh"});
  verb.footer(
      "Examples:\n"
      "  source <(bobbin completion bash)                          in ~/.bashrc\n"
      "  bobbin completion zsh > ~/.zsh/completions/_bobbin        in a folder listed in fpath");
  verb.callback([shell, parser, &action] {
    action = [shell, parser] { return print_completion(parser.app(), *shell); };
  });
}

void add_man(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("man", "Print the manual page");
  verb.footer(
      "Example:\n"
      "  bobbin man | man -l -");
  verb.callback([parser, &action] {
    action = [parser] {
      print(manual_page(parser.app()));
      return kOk;
    };
  });
}

}  // namespace bobbin::cli
