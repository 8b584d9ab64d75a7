// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "bobbin/stream.hpp"
#include "bobbin/text.hpp"
#include "bobbin/version.hpp"
#include "cli/arguments.hpp"
#include "cli/strings.hpp"
#include "cli/terminal.hpp"

namespace bobbin::cli {

namespace {

const std::vector<std::string> kNumbers = {"u8",  "u16", "u32", "u64", "i8",
                                           "i16", "i32", "i64", "f32", "f64"};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

constexpr const char* kExamples =
    "Examples:\n"
    "  bobbin compress ids.bin --type u32        writes ids.bin.bob\n"
    "  bobbin inspect ids.bin.bob                shows encodings, sizes and ratios\n"
    "  bobbin decompress ids.bin.bob -o ids.raw  writes the original bytes\n"
    "Exit status: 0 success, 1 failure, 2 wrong usage.";

struct VerbName {
  std::string_view name;
  void (*add)(const Parser& parser, Action& action);
  bool describes_all = false;  // it names all verbs or their options
};
constexpr VerbName kVerbs[] = {{"compress", add_compress},
                               {"decompress", add_decompress},
                               {"inspect", add_inspect},
                               {"schema", add_schema},
                               {"stats", add_stats},
                               {"report", add_report},
                               {"verify", add_verify},
                               {"cat", add_cat},
                               {"head", add_head},
                               {"grep", add_grep},
                               {"query", add_query},
                               {"scan", add_scan},
                               {"zstd", add_zstd},
                               {"bench", add_bench},
                               {"sim", add_sim},
                               {"devices", add_devices},
                               {"completion", add_completion, true},
                               {"man", add_man, true},
                               {"help", add_help, true}};

}  // namespace

Command::Command(std::string_view only)
    : app_(std::make_unique<CLI::App>(
          "Bobbin keeps columns of numbers and strings compressed, and decodes them at the speed of memory.",
          "bobbin")) {
  app_->set_version_flag("-V,--version",
                         fmt::format("bobbin {} (format {})", BOBBIN_VERSION, kFormatVersion));
  app_->get_formatter()->label("SUBCOMMAND", "VERB");
  const auto* const found = std::ranges::find(kVerbs, only, &VerbName::name);
  const bool is_alone = found != std::end(kVerbs) && !found->describes_all;
  for (const VerbName& verb : kVerbs) {
    if (!is_alone || &verb == found) {
      verb.add(Parser(app_.get()), action_);
    }
  }
  for (CLI::App* verb : app_->get_subcommands(nullptr)) {
    verb->group("Verbs");
  }
  app_->require_subcommand(0, 1);  // a file may have the name of a verb
  app_->footer(kExamples);         // after the verbs, which would inherit it
}

Command::~Command() = default;

void Command::parse(const std::vector<std::string>& arguments) {
  verb_.clear();
  for (const CLI::App* verb = find_verb(*app_, arguments); verb != nullptr && verb != app_.get();
       verb = verb->get_parent()) {
    verb_ = verb->get_name() + (verb_.empty() ? "" : " ") + verb_;
  }
  std::vector<std::string> sorted = normalize(*app_, arguments);
  std::ranges::reverse(sorted);  // CLI11 takes arguments from the back
  app_->parse(std::move(sorted));
}

Option add_input(const Verb& verb, std::string& path, const std::string& help) {
  return verb.add_option("IN", path, help).type_name("");
}

Option add_inputs(const Verb& verb, std::vector<std::string>& paths, const std::string& help) {
  return verb.add_list("IN", paths, help).allow_extra_args().type_name("");
}

Option add_output(const Verb& verb, std::string& path, const std::string& help) {
  return verb.add_option("-o,--output", path, help).type_name("OUT");
}

Option add_column(const Verb& verb, std::optional<std::string>& name, const std::string& help) {
  const auto keep = [&name](const std::string& text) -> Status {
    name = text;
    return {};
  };
  return verb.add_parsed("--column", keep, help).may_be_empty().type_name("NAME");
}

Option add_force(const Verb& verb, bool& force) {
  return verb.add_flag("-f,--force", force, "Overwrite OUT; allow output to a terminal");
}

Option add_quiet(const Verb& verb, bool& quiet) {
  return verb.add_flag("-q,--quiet", quiet, "Print no progress and no summary");
}

Option add_type_option(const Verb& verb, std::string& type) {
  return verb.add_option("-t,--type", type, "Type of the values: " + joined(kNumbers))
      .one_of("numeric type", kNumbers)
      .type_name("TYPE");
}

Option add_input_type_option(const Verb& verb, std::string& type) {
  std::vector<std::string> types = kNumbers;
  for (const StringForm form : {StringForm::lines, StringForm::strings}) {
    types.emplace_back(to_string(form));
  }
  return verb
      .add_option("-t,--type", type,
                  "Type of the values: " + joined(kNumbers) +
                      "; lines (one string per line, any bytes), strings (each a u32 length, then bytes)")
      .one_of("type", types)
      .type_name("TYPE");
}

Option add_backend_option(const Verb& verb, std::string& backend) {
  return verb
      .add_option("--backend", backend, "Where to run: auto (the GPU if there is one), cpu, cuda or emulator")
      .one_of("backend", {"auto", "cpu", "cuda", "emulator"})
      .type_name("WHERE")
      .show_default();
}

Result<Backend> pick_backend(const std::string& name) {
  const std::optional<Backend> asked = parse_backend(name);
  if (asked == Backend::emulator) {
    BOBBIN_ASSIGN(const Stream emulator, Stream::create(Backend::emulator));
    return emulator.view().backend();
  }
  if (asked == Backend::cpu) {
    return Backend::cpu;
  }
  const Result<std::vector<GpuInfo>> gpus = list_gpus();
  const bool there = gpus.has_value() && !gpus->empty();
  if (!asked) {
    return there ? Backend::cuda : Backend::cpu;
  }
  BOBBIN_RETURN_IF(!there, StatusCode::unavailable,
                   gpus.has_value() ? "cuda: no GPU found" : gpus.error().message());
  return Backend::cuda;
}

int report(const Status& status) {
  if (status.ok() || status.message().empty()) {
    return status.ok() ? kOk : kFailure;
  }
  // Names come from files: whatever they contain, the message stays one line.
  std::fputs(fmt::format("{} {}\n", styled("bobbin:", Style::red, STDERR_FILENO), printable(status.message()))
                 .c_str(),
             stderr);
  return kFailure;
}

}  // namespace bobbin::cli
