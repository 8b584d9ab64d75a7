// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/manual.hpp"

namespace bobbin::cli {
namespace {

// All names of an option, with their dashes.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  return names;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : std::string(between)) + word;
  }
  return text;
}

std::vector<CLI::Option*> named_options(CLI::App& app) {
  return app.get_options([](CLI::Option* option) { return !option->get_positional(); });
}

std::string option_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : named_options(app)) {
    for (const std::string& name : names_of(*option)) {
      names.push_back(name);
    }
  }
  return joined(names, " ");
}

std::string verb_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) {
    names.push_back(verb->get_name());
  }
  return joined(names, " ");
}

// Words that a verb's argument may be, such as the verbs for `help`.
std::vector<std::string> positional_choices(CLI::App& verb) {
  for (CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) {
      return choices_of(*option);
    }
  }
  return {};
}

// A name of several words needs quotes in a pattern.
std::string quoted(const std::string& path) {
  return path.find(' ') != std::string::npos ? "'" + path + "'" : path;
}

// The values of an option, if they are known. `path` is the verb with the verbs that it belongs to.
std::string bash_values(CLI::App& verb, const std::string& path) {
  std::string text;
  for (CLI::Option* option : named_options(verb)) {
    const std::vector<std::string> choices = choices_of(*option);
    if (!choices.empty()) {
      std::vector<std::string> patterns;
      for (const std::string& name : names_of(*option)) {
        patterns.push_back(quoted(path) + ":" + name);
      }
      text += fmt::format("    {}) words='{}' ;;\n", joined(patterns, "|"), joined(choices, " "));
    }
  }
  return text;
}

// Text in single quotes, in which colons and brackets have a meaning for zsh.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == ':' || c == '[' || c == ']' || c == '\\') {
      out += {'\\', c};
    } else {
      out += c;
    }
  }
  return out;
}

std::string zsh_option(CLI::Option& option) {
  const std::vector<std::string> names = names_of(option);
  std::string value;
  if (!is_flag(option)) {
    const std::vector<std::string> choices = choices_of(option);
    value = fmt::format(":{}:{}", zsh_text(option.get_type_name()),
                        choices.empty() ? "_files" : "(" + joined(choices, " ") + ")");
  }
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format(" \\\n          '({}){}[{}]{}'", joined(names, " "), name,
                        zsh_text(option.get_description()), value);
  }
  return text;
}

std::string zsh_verb(CLI::App& verb) {
  std::string text = fmt::format("        {})\n          _arguments -s", verb.get_name());
  for (CLI::Option* option : named_options(verb)) {
    text += zsh_option(*option);
  }
  const std::vector<std::string> choices = positional_choices(verb);
  text += choices.empty() ? " \\\n          '*:file:_files'"
                          : fmt::format(" \\\n          '1:word:({})'", joined(choices, " "));
  return text + "\n          ;;\n";
}

struct BashCases {
  std::string values;                // of options, by verb and option
  std::string options;               // of verbs
  std::vector<std::string> parents;  // verbs that have verbs
};

void add_bash_verb(CLI::App& verb, const std::string& path, BashCases& cases) {
  const std::string names = verb_names(verb);
  const std::string words = names.empty() ? joined(positional_choices(verb), " ") : names;
  cases.values += bash_values(verb, path);
  cases.options +=
      fmt::format("      {}) options='{}' words='{}' ;;\n", quoted(path), option_names(verb), words);
  if (!names.empty()) {
    cases.parents.push_back(quoted(path));
  }
  for (CLI::App* nested : verb.get_subcommands(nullptr)) {
    add_bash_verb(*nested, path + " " + nested->get_name(), cases);
  }
}

// The loop that finds the verb goes on after a verb that has verbs.
std::string bash_step(const std::vector<std::string>& parents) {
  return parents.empty() ? "      break\n"
                         : fmt::format("      case $verb in {}) ;; *) break ;; esac\n", joined(parents, "|"));
}

// A function for an app and those for its verbs that have verbs.
std::string zsh_function(CLI::App& app, const std::string& name) {
  std::string nested_functions;
  std::string descriptions;
  std::string cases;
  for (CLI::App* verb : app.get_subcommands(nullptr)) {
    descriptions += fmt::format("    '{}:{}'\n", verb->get_name(), zsh_text(verb->get_description()));
    if (verb->get_subcommands(nullptr).empty()) {
      cases += zsh_verb(*verb);
      continue;
    }
    const std::string nested = name + "_" + verb->get_name();
    nested_functions += zsh_function(*verb, nested);
    cases += fmt::format("        {})\n          {}\n          ;;\n", verb->get_name(), nested);
  }
  std::string options;
  for (CLI::Option* option : named_options(app)) {
    options += zsh_option(*option);
  }
  return nested_functions +
         fmt::format(
             "{}() {{\n"
             "  local curcontext=$curcontext state line\n"
             "  local -a verbs\n"
             "  verbs=(\n{}  )\n"
             "  _arguments -C{} \\\n          '1:verb:->verb' \\\n          '*::argument:->arguments'\n"
             "  case $state in\n"
             "    verb)\n      _describe -t verbs verb verbs\n      ;;\n"
             "    arguments)\n      case $words[1] in\n{}      esac\n      ;;\n"
             "  esac\n"
             "}}\n",
             name, descriptions, options, cases);
}

}  // namespace

std::string bash_completion(CLI::App& app) {
  BashCases cases;
  for (CLI::App* verb : app.get_subcommands(nullptr)) {
    add_bash_verb(*verb, verb->get_name(), cases);
  }
  return fmt::format(
      "# bash completion for bobbin, made by 'bobbin completion bash'.\n"
      "_bobbin() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  local verb='' options='' words='' i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    if [[ ${{COMP_WORDS[i]}} != -* ]]; then\n"
      "      verb=${{verb:+$verb }}${{COMP_WORDS[i]}}\n{}"
      "    fi\n"
      "  done\n"
      "  case $verb:$previous in\n{}  esac\n"
      "  if [[ -z $words ]]; then\n"
      "    case $verb in\n"
      "      '') options='{}' words='{}' ;;\n{}    esac\n"
      "    if [[ $current == -* ]]; then\n"
      "      words=$options\n"
      "    fi\n"
      "  fi\n"
      "  # Without words bash completes file names.\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "}}\n"
      "complete -o bashdefault -o default -F _bobbin bobbin\n",
      bash_step(cases.parents), cases.values, option_names(app), verb_names(app), cases.options);
}

std::string zsh_completion(CLI::App& app) {
  return "#compdef bobbin\n"
         "# zsh completion for bobbin, made by 'bobbin completion zsh'.\n" +
         zsh_function(app, "_bobbin") +
         "if [[ $funcstack[1] == _bobbin ]]; then\n"
         "  _bobbin \"$@\"\n"
         "else\n"
         "  compdef _bobbin bobbin\n"
         "fi\n";
}

}  // namespace bobbin::cli
