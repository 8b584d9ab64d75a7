// SPDX-License-Identifier: Apache-2.0
// Parses the arguments and runs one verb.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "bobbin/text.hpp"
#include "cli/command.hpp"

namespace bobbin::cli {
namespace {

constexpr const char* kShortHelp =
    "usage: bobbin VERB [OPTIONS]\n"
    "  compress    compress a raw array, lines of text or CSV to a .bob file\n"
    "  decompress  convert it back\n"
    "  inspect     show how a table is encoded\n"
    "  schema      show the columns of a table and their types\n"
    "  stats       show one line per column\n"
    "  report      write an HTML page about it\n"
    "  verify      check .bob files\n"
    "  cat         print rows as a table, CSV or JSON\n"
    "  head        print the first rows\n"
    "  grep        find strings in a column\n"
    "  query       filter, aggregate, group and select rows\n"
    "  scan        compute the prefix scan of a raw array\n"
    "  zstd        compress and decompress standard .zst files\n"
    "  bench       measure sizes and speeds on your data\n"
    "  sim         simulate a GPU with assist warps\n"
    "  devices     list the available backends\n"
    "  completion  print completions for a shell\n"
    "  man         print the manual page\n"
    "  help        show what a verb does\n"
    "Tables are .bob files, CSV, Parquet or Arrow. 'bobbin help VERB' says more.\n";

// Reports what was wrong and where to read about it: the verb's help if there is a verb.
int report_usage(const Command& command, const CLI::ParseError& error) {
  const std::string verb = command.verb().empty() ? "" : " " + command.verb();
  std::fputs(fmt::format("bobbin: {} (see 'bobbin{} --help')\n", printable(error.what()), verb).c_str(),
             stderr);
  return kUsage;
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  Command command(arguments.empty() ? "" : arguments.front());
  try {
    command.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      return command.app().exit(error);  // prints help or the version
    }
    return report_usage(command, error);
  }
  if (!command.action()) {
    std::fputs(kShortHelp, stderr);
    return kUsage;
  }
  return command.action()();
}

}  // namespace bobbin::cli
