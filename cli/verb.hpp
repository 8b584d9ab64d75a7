// SPDX-License-Identifier: Apache-2.0
// How verbs declare their options. CLI11 parses them; its headers take seconds to compile, so only this class
// and the files that deal with whole command lines include them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bobbin/status.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
}  // namespace CLI

namespace bobbin::cli {

// Returns what is wrong with a value; nothing if it is fine.
using Check = std::function<std::string(const std::string& value)>;

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  // The name of the value in the help text.
  Option type_name(const std::string& name) const;
  Option description(const std::string& text) const;
  Option required() const;
  Option excludes(const Option& other) const;
  Option may_be_empty() const;
  // The help text shows the value that the variable has now.
  Option show_default() const;
  Option default_text(const std::string& text) const;
  // `what` names the check.
  Option check(const std::string& what, const Check& check) const;
  // Accepts one of some words: "unknown shell 'x'; expected bash or zsh".
  Option one_of(const std::string& noun, const std::vector<std::string>& words) const;
  // Accepts whole numbers from `least` to `most`. The message of CLI11's own check differs from version to
  // version.
  Option between(uint64_t least, uint64_t most) const;
  Option between_reals(double least, double most) const;
  // Takes all arguments that follow.
  Option allow_extra_args() const;
  // How often it was given.
  [[nodiscard]] size_t count() const;

 private:
  CLI::Option* option_;
};

class Verb {
 public:
  explicit Verb(CLI::App* app) : app_(app) {}

  // T is a string, a number, an optional number or a list of strings: see verb.cpp.
  template <class T>
  Option add_option(const std::string& names, T& value, const std::string& help) const;
  // `keep` takes the last value that was given, and refuses it with a message.
  Option add_parsed(const std::string& names, const std::function<Status(const std::string& text)>& keep,
                    const std::string& help) const;
  // The values as typed: CLI11's own conversion to a list gives "{}" and "%%" a meaning.
  Option add_list(const std::string& names, std::vector<std::string>& values, const std::string& help) const;
  Option add_flag(const std::string& names, bool& value, const std::string& help) const;
  Option add_flag_callback(const std::string& names, const std::function<void()>& given,
                           const std::string& help) const;
  // A verb of this verb, as `run` of `sim`.
  [[nodiscard]] Verb add_verb(const std::string& name, const std::string& description) const;
  // Printed after the options.
  void footer(const std::string& text) const;
  // Runs when the command line of this verb has been parsed.
  void callback(const std::function<void()>& parsed) const;
  // One that was added, by one of its names.
  [[nodiscard]] Option option(const std::string& name) const;

 private:
  CLI::App* app_;
};

class Parser {
 public:
  explicit Parser(CLI::App* app) : app_(app) {}

  [[nodiscard]] Verb add_verb(const std::string& name, const std::string& description) const;
  [[nodiscard]] std::vector<std::string> verb_names() const;
  [[nodiscard]] CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

// Usage errors, for callbacks: the command ends with the message and a hint at the verb's help.
[[noreturn]] void refuse(const std::string& message);
// "IN is required"
[[noreturn]] void refuse_without(const std::string& name);
// "IN requires --type"
[[noreturn]] void refuse_without(const std::string& name, const std::string& other);

}  // namespace bobbin::cli
