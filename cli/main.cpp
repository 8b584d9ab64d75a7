// SPDX-License-Identifier: Apache-2.0
// bobbin: the command. Parses, runs one verb, and turns errors into one line and an exit code.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "bobbin/version.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"

namespace bobbin::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  bobbin compress ids.bin --type u32        writes ids.bin.bob\n"
    "  bobbin inspect ids.bin.bob                shows encodings, sizes and ratios\n"
    "  bobbin decompress ids.bin.bob -o ids.raw  gives the same bytes back\n"
    "Exit status: 0 all went well, 1 something failed, 2 wrong usage.";

constexpr const char* kShortHelp =
    "usage: bobbin VERB [OPTIONS]\n"
    "  compress    turn a raw array, lines of text or CSV into a .bob file\n"
    "  decompress  turn it back\n"
    "  inspect     show what is in a .bob file\n"
    "  schema      show the columns of a .bob file and their types\n"
    "  stats       show its columns, a line each\n"
    "  report      make a page of HTML about it\n"
    "  verify      check .bob files\n"
    "  cat         print rows of a .bob file as CSV\n"
    "  grep        find strings in a .bob file\n"
    "  query       count and sum rows of a .bob file\n"
    "  scan        turn a raw array into its prefix scan\n"
    "  bench       measure sizes and speeds on your data\n"
    "  devices     list where work can run\n"
    "'bobbin --help' and 'bobbin VERB --help' say more.\n";

// Output to stdout may fail late: when the buffer goes out.
int flush_stdout(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return code;
  }
  return report(Status(StatusCode::io, std::string("stdout: ") + std::strerror(errno == 0 ? EIO : errno)));
}

int run(int argc, char** argv) {
  // A reader that goes away shows as an error of write().
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app(
      "Bobbin keeps columns of numbers and strings compressed, and decodes them at the speed of memory.",
      "bobbin");
  app.set_version_flag("--version", fmt::format("bobbin {} (format {})", BOBBIN_VERSION, kFormatVersion));
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  Action action;
  for (const auto& add : {add_compress, add_decompress, add_inspect, add_schema, add_stats, add_report,
                          add_verify, add_cat, add_grep, add_query, add_scan, add_bench, add_devices}) {
    add(app, action);
  }
  for (CLI::App* verb : app.get_subcommands(nullptr)) {
    verb->group("Verbs");
  }
  app.footer(kExamples);  // after the verbs, which would inherit it
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      return app.exit(error);  // prints help or the version
    }
    std::fputs(fmt::format("bobbin: {} (see 'bobbin --help')\n", error.what()).c_str(), stderr);
    return kUsage;
  }
  if (!action) {
    std::fputs(kShortHelp, stderr);
    return kUsage;
  }
  return action();
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
