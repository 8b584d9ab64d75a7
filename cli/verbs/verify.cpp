// SPDX-License-Identifier: Apache-2.0
// bobbin verify: checks every checksum and decodes every chunk.
#include <fmt/format.h>

#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/progress.hpp"
#include "cli/table_input.hpp"

namespace bobbin::cli {
namespace {

struct VerifyArgs {
  std::vector<std::string> inputs;
  ImportArgs reading;
  std::string backend = "auto";
  bool quiet = false;
};

Status verify_file(const std::string& path, Backend backend, const VerifyArgs& args) {
  BOBBIN_ASSIGN(const OpenTable file, open_table(path, args.reading));
  const bool imported = file.origin != OpenTable::Origin::bob;
  {
    Progress progress(file.name, args.quiet);
    BOBBIN_TRY(file.reader.verify(backend, [&](double share) { progress.show_share(share); }));
  }
  if (!args.quiet) {
    print(fmt::format("{}: OK ({}{}, {}, {})\n", printable(file.name),
                      imported ? "not a .bob file, without checksums: " : "",
                      count(file.reader.columns().size(), "column"), count(file.reader.num_rows(), "row"),
                      count(imported ? file.source_bytes : file.reader.file_bytes(), "byte")));
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
    const Status status = verify_file(path, *backend, args);
    code = status.ok() ? code : report(status);
  }
  return code;
}

}  // namespace

void add_verify(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("verify", "Check every checksum and decode every chunk");
  auto args = std::make_shared<VerifyArgs>();
  add_inputs(verb, args->inputs, kTableHelp).required();
  add_backend_option(verb, args->backend);
  verb.add_flag("-q,--quiet", args->quiet, "Do not report files without errors");
  add_import_options(verb, args->reading);
  verb.footer(
      "If a file fails, the others are still checked. Other formats than .bob have no checksums: they are "
      "read, which\n"
      "finds records and values that do not fit.");
  verb.callback([args, &action] { action = [args] { return verify(*args); }; });
}

}  // namespace bobbin::cli
