// SPDX-License-Identifier: Apache-2.0
// The verbs of `bobbin`. Each adds its options to the parser and, if chosen, sets the action to run. They do
// nothing else while arguments are parsed: no file is accessed before run().
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/types.hpp"

namespace bobbin::cli {

inline constexpr int kOk = 0;
inline constexpr int kFailure = 1;
inline constexpr int kUsage = 2;

// Returns the exit code.
using Action = std::function<int()>;

void add_compress(CLI::App& app, Action& action);
void add_decompress(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_stats(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);
void add_cat(CLI::App& app, Action& action);
void add_head(CLI::App& app, Action& action);
void add_grep(CLI::App& app, Action& action);
void add_query(CLI::App& app, Action& action);
void add_scan(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_zstd(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);
void add_man(CLI::App& app, Action& action);
void add_help(CLI::App& app, Action& action);

// The parser with all verbs.
class Command {
 public:
  Command();

  // Parses arguments, without the program's name. Throws CLI::ParseError, also for --help and --version.
  void parse(const std::vector<std::string>& arguments);
  // The verb's name, once parse() has found it.
  [[nodiscard]] const std::string& verb() const { return verb_; }
  // The action to run; empty if no verb was given.
  [[nodiscard]] const Action& action() const { return action_; }

  [[nodiscard]] CLI::App& app() { return app_; }

 private:
  CLI::App app_;
  std::string verb_;
  Action action_;
};

// Options that several verbs share, with the same help text.
CLI::Option* add_input(CLI::App& verb, std::string& path, const std::string& help);
CLI::Option* add_inputs(CLI::App& verb, std::vector<std::string>& paths, const std::string& help);
CLI::Option* add_output(CLI::App& verb, std::string& path, const std::string& help);
// An option that may be repeated, one value each time.
CLI::Option* add_repeated(CLI::App& verb, const std::string& names, std::vector<std::string>& values,
                          const std::string& help);
// The name of a column, which may be empty; no value if the option is not given.
CLI::Option* add_column(CLI::App& verb, std::optional<std::string>& name, const std::string& help);
CLI::Option* add_force(CLI::App& verb, bool& force);
CLI::Option* add_quiet(CLI::App& verb, bool& quiet);
CLI::Option* add_type_option(CLI::App& verb, std::string& type);
// The same with the forms of strings, "lines" and "strings".
CLI::Option* add_input_type_option(CLI::App& verb, std::string& type);
CLI::Option* add_backend_option(CLI::App& verb, std::string& backend);

// Accepts whole numbers from `least` to `most`. The message of CLI11's own check differs from version to
// version.
[[nodiscard]] CLI::Validator number_between(uint64_t least, uint64_t most);

// "auto": the GPU if there is one, else the CPU. Fails if a GPU is requested and there is none.
[[nodiscard]] Result<Backend> pick_backend(const std::string& name);

// One line on stderr for a failure; returns the exit code for the status.
int report(const Status& status);

}  // namespace bobbin::cli
