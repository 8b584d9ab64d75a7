// SPDX-License-Identifier: Apache-2.0
// The verbs of `bobbin`. Each adds its options to the parser and, if chosen, sets the action to run. They do
// nothing else while arguments are parsed: no file is accessed before run().
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/types.hpp"
#include "cli/verb.hpp"

namespace bobbin::cli {

inline constexpr int kOk = 0;
inline constexpr int kFailure = 1;
inline constexpr int kUsage = 2;

// Returns the exit code.
using Action = std::function<int()>;

void add_compress(const Parser& parser, Action& action);
void add_decompress(const Parser& parser, Action& action);
void add_inspect(const Parser& parser, Action& action);
void add_stats(const Parser& parser, Action& action);
void add_report(const Parser& parser, Action& action);
void add_verify(const Parser& parser, Action& action);
void add_schema(const Parser& parser, Action& action);
void add_cat(const Parser& parser, Action& action);
void add_head(const Parser& parser, Action& action);
void add_grep(const Parser& parser, Action& action);
void add_query(const Parser& parser, Action& action);
void add_scan(const Parser& parser, Action& action);
void add_bench(const Parser& parser, Action& action);
void add_zstd(const Parser& parser, Action& action);
void add_sim(const Parser& parser, Action& action);
void add_devices(const Parser& parser, Action& action);
void add_completion(const Parser& parser, Action& action);
void add_man(const Parser& parser, Action& action);
void add_help(const Parser& parser, Action& action);

// The parser with all verbs, or with one of them: adding the options of all takes longer than most commands.
class Command {
 public:
  // If `only` is not the name of a verb, or the verb describes others, all are added.
  explicit Command(std::string_view only = {});
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Parses arguments, without the program's name. Throws CLI::ParseError, also for --help and --version.
  void parse(const std::vector<std::string>& arguments);
  // The verb's name ("sim run" for a verb of a verb), once parse() has found it.
  [[nodiscard]] const std::string& verb() const { return verb_; }
  // The action to run; empty if no verb was given.
  [[nodiscard]] const Action& action() const { return action_; }

  [[nodiscard]] CLI::App& app() { return *app_; }

 private:
  std::unique_ptr<CLI::App> app_;
  std::string verb_;
  Action action_;
};

// Parses the arguments, without the program's name, and runs the verb. Returns the exit code; says what was
// wrong with arguments that it does not understand.
int run(const std::vector<std::string>& arguments);

// Options that several verbs share, with the same help text.
Option add_input(const Verb& verb, std::string& path, const std::string& help);
Option add_inputs(const Verb& verb, std::vector<std::string>& paths, const std::string& help);
Option add_output(const Verb& verb, std::string& path, const std::string& help);
// The name of a column, which may be empty; no value if the option is not given.
Option add_column(const Verb& verb, std::optional<std::string>& name, const std::string& help);
Option add_force(const Verb& verb, bool& force);
Option add_quiet(const Verb& verb, bool& quiet);
Option add_type_option(const Verb& verb, std::string& type);
// The same with the forms of strings, "lines" and "strings".
Option add_input_type_option(const Verb& verb, std::string& type);
Option add_backend_option(const Verb& verb, std::string& backend);

// "auto": the GPU if there is one, else the CPU. Fails if a GPU is requested and there is none.
[[nodiscard]] Result<Backend> pick_backend(const std::string& name);

// One line on stderr for a failure, unless it has no message because another program has said what went
// wrong; returns the exit code for the status.
int report(const Status& status);

}  // namespace bobbin::cli
