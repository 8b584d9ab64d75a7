// SPDX-License-Identifier: Apache-2.0
// bobbin report: an HTML page that shows where a .bob file's bytes are and how they are encoded.
#include <fmt/format.h>

#include <cstdio>

#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/report/page.hpp"
#include "cli/table_input.hpp"

namespace bobbin::cli {
namespace {

struct ReportArgs {
  std::string input;
  ImportArgs reading;
  std::string output;
  bool force = false;
  bool no_peers = false;
  bool quiet = false;
};

Status write_report(const ReportArgs& args) {
  BOBBIN_ASSIGN(const OpenTable file, open_table(args.input, args.reading));
  BOBBIN_ASSIGN(const Target target, open_target(args.output, args.force, file.descriptor.get()));
  BOBBIN_ASSIGN(file::Output output, open_output(target, args.force, file.access));
  page::Model model = page::make_model(file);
  if (!args.no_peers) {
    BOBBIN_TRY(page::measure_peers(file, args.quiet, model));
  }
  const std::string html = page::make_page(model);
  BOBBIN_TRY(output.write(std::as_bytes(std::span(html))).in(target.name));
  BOBBIN_TRY(output.commit().in(target.name));
  if (!args.quiet && !target.stream) {
    std::fputs(fmt::format("{}: {} => {}\n", printable(file.name), count(html.size(), "byte"),
                           printable(target.name))
                   .c_str(),
               stderr);
  }
  return {};
}

}  // namespace

void add_report(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("report", "Write an HTML page about sizes, encodings and zone maps");
  auto args = std::make_shared<ReportArgs>();
  add_input(verb, args->input, kTableHelp).required();
  add_output(verb, args->output, "File to write, '-' for stdout").required();
  add_force(verb, args->force);
  verb.add_flag("--no-peers", args->no_peers, "Do not decode the columns to compare with zstd and lz4");
  add_quiet(verb, args->quiet);
  add_import_options(verb, args->reading);
  verb.footer(
      "The page is self-contained: no script, nothing from the network.\n"
      "Example:\n"
      "  bobbin report table.bob -o table.html");
  verb.callback([args, &action] { action = [args] { return report(write_report(*args)); }; });
}

}  // namespace bobbin::cli
