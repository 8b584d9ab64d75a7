// SPDX-License-Identifier: Apache-2.0
// The verbs of `bobbin`. Each adds its options to the parser and, when chosen, sets the action to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

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
void add_grep(CLI::App& app, Action& action);
void add_query(CLI::App& app, Action& action);
void add_scan(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);

// Options that several verbs share, with the same words.
CLI::Option* add_type_option(CLI::App& verb, std::string& type);
// The same with the forms of strings, "lines" and "strings".
CLI::Option* add_input_type_option(CLI::App& verb, std::string& type);
CLI::Option* add_backend_option(CLI::App& verb, std::string& backend);

// Accepts whole numbers from `least` to `most`. CLI11's own check words its message differently from version
// to version.
[[nodiscard]] CLI::Validator number_between(uint64_t least, uint64_t most);

// "auto": the GPU when there is one, else the CPU. Fails when a GPU is asked for and there is none.
[[nodiscard]] Result<Backend> pick_backend(const std::string& name);

// One line on stderr for a failure; returns the exit code for the status.
int report(const Status& status);

}  // namespace bobbin::cli
