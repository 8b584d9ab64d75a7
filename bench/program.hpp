// SPDX-License-Identifier: Apache-2.0
// What benchmark programs have in common: arguments, one core, and results as text and as JSON.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bobbin/status.hpp"
#include "measure/report.hpp"

namespace bobbin::bench {

// "--name value" pairs, and names without a value.
class Arguments {
 public:
  Arguments(int argc, char** argv);

  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise = {}) const;
  [[nodiscard]] uint64_t number(const std::string& name, uint64_t otherwise) const;

 private:
  std::map<std::string, std::string> values_;
};

// Runs a benchmark; an error ends the program with a message.
int run_program(int argc, char** argv, const std::function<Status(const Arguments&)>& run);

// All threads of the process share one core from now on.
void stay_on_one_core();

// Freed memory stays with the process, as in engines with a memory pool, so that page faults of the kernel
// are not measured.
void keep_freed_memory();

// Prints a table in Markdown under the machine's name; writes the rows to the file of --out, if it was given.
[[nodiscard]] Status publish(const std::string& table, const Json& rows, const Arguments& arguments);

}  // namespace bobbin::bench
