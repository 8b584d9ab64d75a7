// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "bobbin/text.hpp"

namespace bobbin::cli {
namespace {

constexpr const char* kMayBeEmpty = "may be empty";
constexpr size_t kMostListed = 12;              // words in a message
constexpr std::string_view kOneOf = "one of:";  // followed by the words, each with a comma

[[noreturn]] void fail(const std::string& message) {
  throw CLI::ValidationError(message);
}

bool is_option(std::string_view argument) {
  return argument.size() > 1 && argument.front() == '-';
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

CLI::Option* find_long(CLI::App& app, const std::string& name) {
  const auto options = app.get_options([&](CLI::Option* option) { return option->check_lname(name); });
  return options.empty() ? nullptr : options.front();
}

CLI::Option* find_short(CLI::App& app, char letter) {
  const std::string name(1, letter);
  const auto options = app.get_options([&](CLI::Option* option) { return option->check_sname(name); });
  return options.empty() ? nullptr : options.front();
}

// Sorts the arguments of one verb into options and files.
class Line {
 public:
  Line(CLI::App& app, std::span<const std::string> rest) : app_(app), rest_(rest) {}

  std::vector<std::string> sort() {
    while (!rest_.empty()) {
      take(next());
    }
    if (!files_.empty()) {
      sorted_.emplace_back("--");
      sorted_.insert(sorted_.end(), files_.begin(), files_.end());
    }
    return sorted_;
  }

 private:
  const std::string& next() {
    const std::string& argument = rest_.front();
    rest_ = rest_.subspan(1);
    return argument;
  }

  void take(const std::string& argument) {
    if (only_files_ || !is_option(argument)) {
      take_file(argument);
    } else if (argument == "--") {
      only_files_ = true;
    } else if (argument.starts_with("--")) {
      take_long(argument);
    } else {
      take_letters(argument);
    }
  }

  void take_long(const std::string& argument) {
    const size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, equals);
    CLI::Option* option = find_long(app_, name.substr(2));
    if (option == nullptr) {
      fail("unknown option '" + name + "'" + did_you_mean(name, long_names(app_)));
    }
    const bool has_value = equals < argument.size();
    if (is_flag(*option)) {
      if (has_value) {
        fail(name + " takes no value");
      }
      sorted_.push_back(name);
      return;
    }
    add(*option, name, has_value ? argument.substr(equals + 1) : value_after(*option, name));
  }

  // -f, -fq, -oOUT, -fo OUT, -5
  void take_letters(const std::string& argument) {
    if (is_number(argument.substr(1)) && find_short(app_, 'n') != nullptr) {
      add(*find_short(app_, 'n'), "-n", argument.substr(1));
      return;
    }
    for (size_t i = 1; i < argument.size(); ++i) {
      const std::string name = {'-', argument[i]};
      CLI::Option* option = find_short(app_, argument[i]);
      if (option == nullptr) {
        fail("unknown option '" + (argument.size() == 2 ? name : name + "' in '" + argument) + "'");
      }
      if (!is_flag(*option)) {
        add(*option, name, i + 1 < argument.size() ? argument.substr(i + 1) : value_after(*option, name));
        return;
      }
      sorted_.push_back(name);
    }
  }

  std::string value_after(const CLI::Option& option, const std::string& name) {
    if (rest_.empty()) {
      fail(name + " needs a value: " + option.get_type_name());
    }
    return next();
  }

  void add(CLI::Option& option, const std::string& name, const std::string& value) {
    if (value.empty() && !can_be_empty(option)) {
      fail(name + " needs a value: " + option.get_type_name() + " is empty");
    }
    sorted_.push_back(name);
    sorted_.push_back(value);
  }

  void take_file(const std::string& argument) {
    const auto places = app_.get_options([](CLI::Option* option) { return option->get_positional(); });
    const bool is_list = !places.empty() && places.back()->get_allow_extra_args();
    if (files_.size() >= places.size() && !is_list) {
      fail("unexpected argument '" + argument + "'");
    }
    CLI::Option& place = *places[std::min(files_.size(), places.size() - 1)];
    if (argument.empty() && !can_be_empty(place)) {
      fail("a file name is empty");
    }
    // CLI11 would split "[a,b]" in a list of files.
    files_.push_back((place.get_allow_extra_args() && argument.starts_with('[') ? "./" : "") + argument);
  }

  CLI::App& app_;
  std::span<const std::string> rest_;
  bool only_files_ = false;
  std::vector<std::string> sorted_;
  std::vector<std::string> files_;
};

size_t verb_index(std::span<const std::string> arguments) {
  return static_cast<size_t>(std::ranges::find_if_not(arguments, &is_option) - arguments.begin());
}

// The verb of `app` that the arguments name; null if they name none, or if `app` has no verbs.
CLI::App* next_verb(CLI::App& app, std::span<const std::string> arguments) {
  const std::vector<CLI::App*> verbs = app.get_subcommands(nullptr);
  const size_t index = verb_index(arguments);
  if (index == arguments.size() || verbs.empty()) {
    return nullptr;
  }
  std::vector<std::string> names;
  for (CLI::App* verb : verbs) {
    if (verb->check_name(arguments[index])) {
      return verb;
    }
    names.push_back(verb->get_name());
  }
  fail("unknown verb '" + arguments[index] + "'" + did_you_mean(arguments[index], names));
}

void append_sorted(CLI::App& app, std::span<const std::string> arguments, std::vector<std::string>& sorted) {
  CLI::App* verb = next_verb(app, arguments);
  const size_t own = verb == nullptr ? arguments.size() : verb_index(arguments);
  const std::vector<std::string> line = Line(app, arguments.first(own)).sort();
  sorted.insert(sorted.end(), line.begin(), line.end());
  if (verb != nullptr) {
    sorted.push_back(verb->get_name());
    append_sorted(*verb, arguments.subspan(own + 1), sorted);
  }
}

}  // namespace

CLI::Option* may_be_empty(CLI::Option* option) {
  return option->check(CLI::Validator([](std::string&) { return std::string(); }, "", kMayBeEmpty));
}

bool can_be_empty(CLI::Option& option) {
  try {
    return option.get_validator(kMayBeEmpty) != nullptr;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

CLI::Validator one_of(const std::string& noun, const std::vector<std::string>& words) {
  std::string name(kOneOf);
  std::string list;
  for (size_t i = 0; i < words.size(); ++i) {
    name += words[i] + ",";
    list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  const auto check = [=](const std::string& word) -> std::string {
    return std::ranges::find(words, word) != words.end()
               ? ""
               : "unknown " + noun + " '" + word + "'" +
                     (words.size() > kMostListed ? did_you_mean(word, words) : "; expected " + list);
  };
  return {check, "", name};
}

std::vector<std::string> choices_of(CLI::Option& option) {
  std::vector<std::string> words;
  try {
    for (int i = 0;; ++i) {
      std::string_view name = option.get_validator(i)->get_name();
      if (name.starts_with(kOneOf)) {
        for (name.remove_prefix(kOneOf.size()); !name.empty(); name.remove_prefix(name.find(',') + 1)) {
          words.emplace_back(name.substr(0, name.find(',')));
        }
      }
    }
  } catch (const CLI::OptionNotFound&) {
    return words;  // there are no more checks
  }
}

bool is_flag(const CLI::Option& option) {
  return option.get_items_expected_max() == 0;
}

CLI::App* find_verb(CLI::App& app, const std::vector<std::string>& arguments) {
  CLI::App* found = nullptr;
  std::span<const std::string> rest(arguments);
  for (CLI::App* verb = next_verb(app, rest); verb != nullptr; verb = next_verb(*verb, rest)) {
    found = verb;
    rest = rest.subspan(verb_index(rest) + 1);
  }
  return found;
}

std::vector<std::string> normalize(CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> sorted;
  append_sorted(app, arguments, sorted);
  return sorted;
}

}  // namespace bobbin::cli
