// SPDX-License-Identifier: Apache-2.0
#include "cli/verb.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <optional>

#include "cli/arguments.hpp"

namespace bobbin::cli {

Option Option::type_name(const std::string& name) const {
  return Option(option_->type_name(name));
}
Option Option::description(const std::string& text) const {
  return Option(option_->description(text));
}
Option Option::required() const {
  return Option(option_->required());
}
Option Option::excludes(const Option& other) const {
  return Option(option_->excludes(other.option_));
}
Option Option::may_be_empty() const {
  return Option(cli::may_be_empty(option_));
}
Option Option::show_default() const {
  return Option(option_->capture_default_str());
}
Option Option::default_text(const std::string& text) const {
  return Option(option_->default_str(text));
}
Option Option::allow_extra_args() const {
  return Option(option_->allow_extra_args());
}
size_t Option::count() const {
  return option_->count();
}
Option Option::check(const std::string& what, const Check& check) const {
  return Option(option_->check(CLI::Validator(check, "", what)));
}
Option Option::one_of(const std::string& noun, const std::vector<std::string>& words) const {
  return Option(option_->check(cli::one_of(noun, words)));
}
// CLI11's own check accepts nan.
Option Option::between_reals(double least, double most) const {
  return check("number", [least, most](const std::string& text) -> std::string {
    double number = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    const bool fine = error == std::errc{} && end == last && number >= least && number <= most;
    return fine ? "" : fmt::format("'{}' is not a number from {} to {}", text, least, most);
  });
}

Option Option::between(uint64_t least, uint64_t most) const {
  return check("number", [least, most](const std::string& text) -> std::string {
    uint64_t number = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    // CLI11 reads numbers with a leading zero as octal.
    const bool octal = text.size() > 1 && text.front() == '0';
    const bool fine = error == std::errc{} && end == last && !octal && number >= least && number <= most;
    return fine ? "" : fmt::format("'{}' is not a number from {} to {}", text, least, most);
  });
}

template <class T>
Option Verb::add_option(const std::string& names, T& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}
template Option Verb::add_option(const std::string&, std::string&, const std::string&) const;
template Option Verb::add_option(const std::string&, int&, const std::string&) const;
template Option Verb::add_option(const std::string&, uint32_t&, const std::string&) const;
template Option Verb::add_option(const std::string&, uint64_t&, const std::string&) const;
template Option Verb::add_option(const std::string&, std::optional<uint64_t>&, const std::string&) const;
template Option Verb::add_option(const std::string&, std::optional<double>&, const std::string&) const;
template Option Verb::add_option(const std::string&, std::vector<std::string>&, const std::string&) const;

Option Verb::add_parsed(const std::string& names, const std::function<Status(const std::string&)>& keep,
                        const std::string& help) const {
  const CLI::callback_t parse = [names, keep](const CLI::results_t& results) {
    if (const Status status = keep(results.back()); !status.ok()) {
      throw CLI::ValidationError(names, status.message());
    }
    return true;
  };
  return Option(app_->add_option(names, parse, help));
}

Option Verb::add_list(const std::string& names, std::vector<std::string>& values,
                      const std::string& help) const {
  const CLI::callback_t keep = [&values](const CLI::results_t& results) {
    values = results;
    return true;
  };
  return Option(app_->add_option(names, keep, help)->take_all());
}

Option Verb::add_flag(const std::string& names, bool& value, const std::string& help) const {
  return Option(app_->add_flag(names, value, help));
}
Option Verb::add_flag_callback(const std::string& names, const std::function<void()>& given,
                               const std::string& help) const {
  return Option(app_->add_flag_callback(names, given, help));
}
Verb Verb::add_verb(const std::string& name, const std::string& description) const {
  app_->require_subcommand(0, 1);  // a file may have the name of a verb
  return Verb(app_->add_subcommand(name, description)->group("Verbs"));
}
void Verb::footer(const std::string& text) const {
  app_->footer(text);
}
void Verb::callback(const std::function<void()>& parsed) const {
  app_->callback(parsed);
}
Option Verb::option(const std::string& name) const {
  return Option(app_->get_option(name));
}

Verb Parser::add_verb(const std::string& name, const std::string& description) const {
  return Verb(app_->add_subcommand(name, description));
}

std::vector<std::string> Parser::verb_names() const {
  std::vector<std::string> names;
  for (const CLI::App* verb : app_->get_subcommands(nullptr)) {
    names.push_back(verb->get_name());
  }
  return names;
}

void refuse(const std::string& message) {
  throw CLI::ValidationError(message);
}
void refuse_without(const std::string& name) {
  throw CLI::RequiredError(name);
}
void refuse_without(const std::string& name, const std::string& other) {
  throw CLI::RequiresError(name, other);
}

}  // namespace bobbin::cli
