// SPDX-License-Identifier: Apache-2.0
// What benchmark programs have in common: arguments, one core, and results as text and as JSON.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bobbin/status.hpp"
#include "measure/report.hpp"

namespace bobbin::bench {

// "--name value" pairs, names without a value, and files. A name that may precede a file although it has
// no value must be among the flags.
class Arguments {
 public:
  Arguments(int argc, char** argv, const std::set<std::string>& flags = {});

  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise = {}) const;
  [[nodiscard]] uint64_t number(const std::string& name, uint64_t otherwise) const;
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

 private:
  std::map<std::string, std::string> values_;
  std::vector<std::string> files_;
};

// Runs a benchmark; an error ends the program with a message.
int run_program(int argc, char** argv, const std::function<Status(const Arguments&)>& run,
                const std::set<std::string>& flags = {});

// All threads of the process share one core from now on.
void stay_on_one_core();

// Freed memory stays with the process, as in engines with a memory pool, so that page faults of the kernel
// are not measured.
void keep_freed_memory();

// Prints a table in Markdown under the machine's name; writes the rows to the file of --out, if it was given.
[[nodiscard]] Status publish(const std::string& table, const Json& rows, const Arguments& arguments);

// For a benchmark of files: measures each, and publishes the rows of all.
template <class Bench>
[[nodiscard]] Status measure_files(Bench& bench, const Arguments& arguments) {
  BOBBIN_RETURN_IF(arguments.files().empty(), StatusCode::invalid_argument, "name the files to measure");
  for (const std::string& file : arguments.files()) {
    BOBBIN_TRY(bench.measure(file));
  }
  return publish(bench.markdown(), bench.rows(), arguments);
}

}  // namespace bobbin::bench
