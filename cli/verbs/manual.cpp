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

void add_help(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("help", "Show what a verb does and its options");
  auto asked = std::make_shared<std::string>();
  std::vector<std::string> verbs;
  for (const CLI::App* other : app.get_subcommands(nullptr)) {
    verbs.push_back(other->get_name());
  }
  verb->add_option("VERB", *asked, "The verb (default: an overview of all)")
      ->type_name("")
      ->check(one_of("verb", verbs));
  verb->callback([asked, &action] { action = [asked] { return print_help(*asked); }; });
}

void add_completion(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("completion", "Print a script that completes arguments in a shell");
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash or zsh")
      ->type_name("")
      ->required()
      ->check(one_of("shell", {"bash", "zsh"}));
  verb->footer(
      "Examples:\n"
      "  source <(bobbin completion bash)                          in ~/.bashrc\n"
      "  bobbin completion zsh > ~/.zsh/completions/_bobbin        a folder of fpath");
  verb->callback(
      [shell, &app, &action] { action = [shell, &app] { return print_completion(app, *shell); }; });
}

void add_man(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("man", "Print the manual page");
  verb->footer(
      "Example:\n"
      "  bobbin man | man -l -");
  verb->callback([&app, &action] {
    action = [&app] {
      print(manual_page(app));
      return kOk;
    };
  });
}

}  // namespace bobbin::cli
