// SPDX-License-Identifier: Apache-2.0
// bobbin: the command. Parses, runs one verb, and turns errors into one line and an exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"

namespace bobbin::cli {
namespace {

constexpr const char* kShortHelp =
    "usage: bobbin VERB [OPTIONS]\n"
    "  compress    compress a raw array, lines of text or CSV to a .bob file\n"
    "  decompress  convert it back\n"
    "  inspect     show what is in a .bob file\n"
    "  schema      show the columns of a .bob file and their types\n"
    "  stats       show one line per column\n"
    "  report      write an HTML page about it\n"
    "  verify      check .bob files\n"
    "  cat         print rows of a .bob file as a table, CSV or JSON\n"
    "  head        print the first rows\n"
    "  grep        find strings in a .bob file\n"
    "  query       filter, aggregate and select rows of a .bob file\n"
    "  scan        compute the prefix scan of a raw array\n"
    "  zstd        compress and decompress standard .zst files\n"
    "  bench       measure sizes and speeds on your data\n"
    "  sim         simulate a GPU with assist warps\n"
    "  devices     list the available backends\n"
    "  completion  print completions for a shell\n"
    "  man         print the manual page\n"
    "  help        show what a verb does\n"
    "'bobbin help VERB' says more.\n";

// Output to stdout may fail late: when the buffer is flushed.
int flush_stdout(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return code;
  }
  return report(Status(StatusCode::io, std::string("stdout: ") + std::strerror(errno == 0 ? EIO : errno)));
}

// Reports what was wrong and where to read about it: the verb's help if there is a verb.
int report_usage(const Command& command, const CLI::ParseError& error) {
  const std::string verb = command.verb().empty() ? "" : " " + command.verb();
  std::fputs(fmt::format("bobbin: {} (see 'bobbin{} --help')\n", printable(error.what()), verb).c_str(),
             stderr);
  return kUsage;
}

int run(int argc, char** argv) {
  Command command(argc > 1 ? argv[1] : "");
  try {
    command.parse({argv + 1, argv + std::max(argc, 1)});
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

}  // namespace
}  // namespace bobbin::cli

int main(int argc, char** argv) {
  int code = bobbin::cli::kFailure;
  try {
    code = bobbin::cli::flush_stdout(bobbin::cli::run(argc, argv));
  } catch (const std::bad_alloc&) {
    code = bobbin::cli::report({bobbin::StatusCode::out_of_memory, "out of memory"});
  } catch (const std::exception& error) {
    code = bobbin::cli::report({bobbin::StatusCode::invalid_argument, error.what()});
  }
  bobbin::cli::raise_interrupt();
  return code;
}
