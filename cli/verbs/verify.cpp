// SPDX-License-Identifier: Apache-2.0
// bobbin verify: checks every checksum and decodes every chunk.
#include <fmt/format.h>

#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/progress.hpp"

namespace bobbin::cli {
namespace {

struct VerifyArgs {
  std::vector<std::string> inputs;
  std::string backend = "auto";
  bool quiet = false;
};

Status verify_file(const std::string& path, Backend backend, bool quiet) {
  BOBBIN_ASSIGN(const OpenReader file, open_reader(path));
  {
    Progress progress(file.name, quiet);
    BOBBIN_TRY(file.reader.verify(backend, [&](double share) { progress.show_share(share); }));
  }
  if (!quiet) {
    print(fmt::format("{}: OK ({}, {}, {})\n", printable(file.name),
                      count(file.reader.columns().size(), "column"), count(file.reader.num_rows(), "row"),
                      count(file.reader.file_bytes(), "byte")));
  }
  return {};
}

int verify(const VerifyArgs& args) {
  const Result<Backend> backend = pick_backend(args.backend);
  if (!backend.has_value()) {
    return report(backend.error());
  }
  int code = kOk;
  for (const std::string& path : args.inputs) {
    const Status status = verify_file(path, *backend, args.quiet);
    code = status.ok() ? code : report(status);
  }
  return code;
}

}  // namespace

void add_verify(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("verify", "Check every checksum and decode every chunk");
  auto args = std::make_shared<VerifyArgs>();
  add_inputs(verb, args->inputs, "The .bob files; '-' for stdin").required();
  add_backend_option(verb, args->backend);
  verb.add_flag("-q,--quiet", args->quiet, "Do not report files without errors");
  verb.footer("If a file fails, the others are still checked.");
  verb.callback([args, &action] { action = [args] { return verify(*args); }; });
}

}  // namespace bobbin::cli
