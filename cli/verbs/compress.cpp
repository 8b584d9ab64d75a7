// SPDX-License-Identifier: Apache-2.0
// bobbin compress: a raw array, or strings, become a .bob file, row group by row group.
#include <fmt/format.h>

#include <cstdio>

#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/interrupt.hpp"
#include "cli/io.hpp"
#include "cli/progress.hpp"
#include "cli/strings.hpp"
#include "codecs/registry.hpp"
#include "file/text.hpp"

namespace bobbin::cli {
namespace {

constexpr uint64_t kMaxRowsPerGroup = uint64_t{1} << 24;
constexpr size_t kBlockBytes = size_t{1} << 20;  // a multiple of every type's size
constexpr const char* kSuffix = ".bob";
constexpr const char* kColumn = "value";

struct Args {
  std::string input;
  std::string output;
  std::string type;
  std::string codec;
  std::string backend = "auto";
  uint64_t rows_per_group = WriteOptions{}.rows_per_group;
  bool utf8 = false;
  bool force = false;
  bool quiet = false;
};

Result<Writer> open_writer(const Target& target, DType type, const Args& args) {
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  const WriteOptions options{.rows_per_group = args.rows_per_group,
                             .backend = backend,
                             .codec = args.codec,
                             .overwrite = args.force};
  const std::vector<Column> columns{{kColumn, type}};
  return target.stream ? Writer::to_descriptor(target.descriptor.get(), target.name, columns, options)
                       : Writer::create(target.path, columns, options);
}

// Returns the number of bytes read.
Result<uint64_t> copy_rows(const Input& input, DType type, Writer& writer, bool quiet) {
  Progress progress(input.name, quiet);
  std::vector<std::byte> block(kBlockBytes);
  uint64_t total = 0;
  for (size_t size = block.size(); size == block.size();) {
    BOBBIN_ASSIGN(size, read_full(input, block));
    total += size;
    const void* const columns[] = {block.data()};
    BOBBIN_TRY(writer.append(columns, size / size_bytes(type)));
    BOBBIN_TRY(check_interrupt().in(input.name));
    progress.show(total, input.length.value_or(0));
  }
  BOBBIN_TRY(check_whole_values(input.name, total, type));
  return total;
}

Result<uint64_t> copy_strings(const Input& input, Form form, Writer& writer, bool quiet) {
  Progress progress(input.name, quiet);
  StringSource source(input, form);
  while (!source.ended()) {
    BOBBIN_ASSIGN(const StringsView strings, source.next());
    const void* const columns[] = {&strings};
    BOBBIN_TRY(writer.append(columns, strings.length));
    BOBBIN_TRY(check_interrupt().in(input.name));
    progress.show(source.bytes_read(), input.length.value_or(0));
  }
  BOBBIN_TRY(note_form(writer, form, source.unterminated()));
  return source.bytes_read();
}

Status compress(const Args& args) {
  const std::optional<Form> form = parse_form(args.type);
  const DType type = form ? (args.utf8 ? DType::utf8 : DType::binary) : *parse_dtype(args.type);
  BOBBIN_ASSIGN(const Input input, open_input(args.input));
  if (!form) {
    BOBBIN_TRY(check_whole_values(input.name, input.length.value_or(0), type));
  }
  const bool beside = args.output.empty() && !is_standard(args.input);
  BOBBIN_ASSIGN(const Target target,
                open_target(beside ? args.input + kSuffix : args.output, args.force, input.descriptor.get()));
  if (!target.stream) {
    catch_interrupts();  // from here on there may be a temporary file to remove
  }
  BOBBIN_ASSIGN(Writer writer, open_writer(target, type, args));
  BOBBIN_ASSIGN(const uint64_t raw_bytes, form ? copy_strings(input, *form, writer, args.quiet)
                                               : copy_rows(input, type, writer, args.quiet));
  BOBBIN_TRY(writer.finish());
  if (!args.quiet && !target.stream) {
    const uint64_t bytes = writer.bytes_written();
    std::fputs(fmt::format("{}: {} => {} (ratio {}), {}\n", file::printable(input.name),
                           bench::human_bytes(raw_bytes), bench::human_bytes(bytes),
                           ratio_text(raw_bytes, bytes), file::printable(target.name))
                   .c_str(),
               stderr);
  }
  return {};
}

std::string check_codec(const std::string& name) {
  std::string names;
  for (const Codec* codec : all_codecs()) {
    if (codec->has_nulls()) {
      continue;  // the input has none
    }
    if (codec->name == name) {
      return "";
    }
    names += (names.empty() ? "" : ", ") + std::string(codec->name);
  }
  return "'" + name + "' is no codec: " + names;
}

}  // namespace

void add_compress(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("compress", "Turn a raw little-endian array, or strings, into a .bob file");
  auto args = std::make_shared<Args>();
  verb->add_option("IN", args->input, "Raw array or strings; '-' or nothing for stdin")->type_name("");
  add_input_type_option(*verb, args->type)->required();
  verb->add_flag("--utf8", args->utf8, "The strings are UTF-8; others are refused");
  verb->add_option("-o,--output", args->output, "File to write, '-' for stdout [IN.bob; stdout for stdin]")
      ->type_name("OUT");
  verb->add_flag("-f,--force", args->force, "Overwrite OUT; write to a terminal");
  verb->add_option("--codec", args->codec, "Use this codec everywhere [the smallest for each chunk]")
      ->check(CLI::Validator(&check_codec, "", "codec"))
      ->type_name("CODEC");
  verb->add_option("--rows-per-group", args->rows_per_group, "Rows of a row group")
      ->check(number_between(1, kMaxRowsPerGroup))
      ->type_name("N")
      ->capture_default_str();
  add_backend_option(*verb, args->backend);
  verb->add_flag("-q,--quiet", args->quiet, "No progress, no summary");
  verb->footer(
      "The file has one column, named 'value'. The input is kept.\n"
      "Examples:\n"
      "  bobbin compress ids.bin --type u32              writes ids.bin.bob\n"
      "  produce | bobbin compress --type i64 > out.bob\n"
      "  bobbin compress urls.txt --type lines --utf8    writes urls.txt.bob");
  verb->callback([args, &action] {
    if (args->utf8 && !parse_form(args->type)) {
      throw CLI::ValidationError("--utf8 goes with --type lines or --type strings");
    }
    action = [args] { return report(compress(*args)); };
  });
}

}  // namespace bobbin::cli
