// SPDX-License-Identifier: Apache-2.0
// bobbin compress: a raw array, strings or CSV become a .bob file, row group by row group.
#include <fmt/format.h>

#include <cstdio>
#include <limits>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/csv.hpp"
#include "cli/format.hpp"
#include "cli/interrupt.hpp"
#include "cli/io.hpp"
#include "cli/progress.hpp"
#include "cli/source_size.hpp"
#include "cli/strings.hpp"
#include "cli/summary.hpp"
#include "codecs/registry.hpp"
#include "csv/reader.hpp"
#include "file/text.hpp"
#include "select/cascade.hpp"

namespace bobbin::cli {
namespace {

constexpr uint64_t kMaxRowsPerGroup = uint64_t{1} << 24;
constexpr size_t kBlockBytes = size_t{1} << 20;  // a multiple of every type's size
constexpr const char* kSuffix = ".bob";
constexpr const char* kColumn = "value";

struct Args {
  CsvArgs csv;
  std::string schema;
  bool as_csv = false;
  std::string input;
  std::vector<std::string> more_inputs;
  std::string output;
  std::string type;
  std::vector<std::string> codecs;  // "CASCADE" or "COLUMN=CASCADE"
  std::string goal = "smallest";
  double slack = 100 * Goal{}.slack;
  unsigned threads = 0;
  std::string backend = "auto";
  uint64_t rows_per_group = WriteOptions{}.rows_per_group;
  bool utf8 = false;
  bool allow_empty = false;
  bool force = false;
  bool quiet = false;
};

Result<Writer> open_writer(const Target& target, const std::vector<Column>& columns, const Args& args) {
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  WriteOptions options{.rows_per_group = args.rows_per_group,
                       .backend = backend,
                       .goal = {.kind = args.goal == "fastest" ? Goal::Kind::fastest : Goal::Kind::smallest,
                                .slack = args.slack / 100},
                       .overwrite = args.force,
                       .threads = args.threads};
  for (const std::string& text : args.codecs) {
    if (const size_t equals = text.rfind('='); equals != std::string::npos) {
      options.column_codecs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    } else {
      options.codec = text;
    }
  }
  return target.stream ? Writer::to_descriptor(target.descriptor.get(), target.name, columns, options)
                       : Writer::create(target.path, columns, options);
}

// A table that exists is not replaced by the nothing that a failed command, or a forgotten file name, sends.
Status check_not_empty(const Input& input, uint64_t bytes, const Target& target, const Args& args) {
  BOBBIN_RETURN_IF(
      bytes == 0 && target.exists && !args.allow_empty, StatusCode::invalid_argument,
      fmt::format("{}: is empty; {} is kept (use --allow-empty to replace it with an empty table)",
                  input.name, target.name));
  return {};
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

// Returns the number of bytes read.
Result<uint64_t> copy_column(const Input& input, const Target& target, const Args& args, uint64_t& written) {
  const std::optional<Form> form = parse_form(args.type);
  const DType type = form ? (args.utf8 ? DType::utf8 : DType::binary) : *parse_dtype(args.type);
  BOBBIN_ASSIGN(Writer writer, open_writer(target, {{kColumn, type}}, args));
  BOBBIN_ASSIGN(const uint64_t raw_bytes, form ? copy_strings(input, *form, writer, args.quiet)
                                               : copy_rows(input, type, writer, args.quiet));
  BOBBIN_TRY(check_not_empty(input, raw_bytes, target, args));
  BOBBIN_TRY(writer.finish());
  written = writer.bytes_written();
  return raw_bytes;
}

// The rows from the first to the last. False: the types were not the right ones, and it must be done again.
Result<bool> append_table(csv::Reader& reader, const Input& input, Writer& writer, Progress& progress) {
  while (true) {
    BOBBIN_ASSIGN(const csv::Reader::Step step, reader.next());
    if (step != csv::Reader::Step::rows) {
      return step == csv::Reader::Step::end;
    }
    BOBBIN_TRY(writer.append(reader.batch().pointers(), reader.batch().rows));
    BOBBIN_TRY(check_interrupt().in(input.name));
    progress.show(reader.bytes_read(), input.length.value_or(0));
  }
}

// All inputs, the first one of which is open; they are written like it.
Result<csv::Options> open_sources(const Input& input, const Args& args, std::vector<csv::Source>& sources) {
  BOBBIN_ASSIGN(csv::Source first, csv::Source::keeping(input.descriptor.get(), input.name));
  BOBBIN_ASSIGN(const csv::Sniffed sniffed, sniff_options(args.csv, args.input, first));
  if (!args.quiet && sniffed.columns > 0) {
    print_notes(input.name, {csv::describe(sniffed)});
  }
  sources.push_back(std::move(first));
  for (const std::string& path : args.more_inputs) {
    BOBBIN_ASSIGN(csv::Source source, csv::Source::open(path));
    source.set_encoding(csv::parse_encoding(args.csv.encoding).value_or(csv::Encoding::utf8));
    sources.push_back(std::move(source));
  }
  return sniffed.options;
}

// Returns the number of bytes read.
Result<uint64_t> copy_table(Input& input, const Target& target, const Args& args, uint64_t& written) {
  std::vector<csv::Source> sources;
  BOBBIN_ASSIGN(csv::Options options, open_sources(input, args, sources));
  std::optional<csv::Schema> schema;
  if (!args.schema.empty()) {
    BOBBIN_ASSIGN(schema, csv::parse_schema(args.schema));
  }
  if (target.stream) {
    options.sample_bytes = std::numeric_limits<uint64_t>::max();  // what is written cannot be taken back
  }
  Progress progress(input.name, args.quiet);
  BOBBIN_ASSIGN(csv::Reader reader, csv::Reader::open(std::move(sources), options, schema));
  for (bool done = false; !done;) {
    BOBBIN_ASSIGN(Writer writer, open_writer(target, reader.columns(), args));
    BOBBIN_ASSIGN(done, append_table(reader, input, writer, progress));
    if (done) {
      BOBBIN_TRY(check_not_empty(input, reader.bytes_read(), target, args));
      BOBBIN_TRY(csv::note_options(writer, options));
      BOBBIN_TRY(note_source_bytes(writer, reader.bytes_read()));
      BOBBIN_TRY(csv::note_spellings(writer, reader.columns(), reader.spellings()));
      BOBBIN_TRY(writer.finish());
      written = writer.bytes_written();
    }
  }
  if (!args.quiet) {
    print_notes(input.name, reader.notes());
  }
  return reader.bytes_read();
}

bool is_csv(const Args& args) {
  return args.as_csv || args.csv.given() || !args.schema.empty() ||
         (args.type.empty() && is_csv_name(args.input));
}

// The share of the input, as zstd shows it, and the ratio that 'inspect', 'stats' and 'report' show.
Status print_summary(const std::string& input, uint64_t input_bytes, const Target& target, uint64_t bytes) {
  BOBBIN_ASSIGN(const Reader reader, Reader::open(target.path));
  const double share =
      input_bytes == 0 ? 0 : 100 * static_cast<double>(bytes) / static_cast<double>(input_bytes);
  std::fputs(fmt::format("{}: {} => {} ({}ratio {}), {}\n", file::printable(input),
                         bench::human_bytes(input_bytes), bench::human_bytes(bytes),
                         input_bytes == 0 ? "" : fmt::format("{:.2f} % of the input, ", share),
                         ratio_text(cli::raw_bytes(summarize(reader)), bytes), file::printable(target.name))
                 .c_str(),
             stderr);
  return {};
}

Status compress(const Args& args) {
  BOBBIN_ASSIGN(Input input, open_input(args.input));
  if (!is_csv(args) && !parse_form(args.type)) {
    BOBBIN_TRY(check_whole_values(input.name, input.length.value_or(0), *parse_dtype(args.type)));
  }
  const bool beside = args.output.empty() && !is_standard(args.input);
  BOBBIN_ASSIGN(const Target target,
                open_target(beside ? args.input + kSuffix : args.output, args.force, input.descriptor.get()));
  if (!target.stream) {
    catch_interrupts();  // from here on there may be a temporary file to remove
  }
  uint64_t bytes = 0;
  BOBBIN_ASSIGN(const uint64_t raw_bytes, is_csv(args) ? copy_table(input, target, args, bytes)
                                                       : copy_column(input, target, args, bytes));
  return args.quiet || target.stream ? Status() : print_summary(input.name, raw_bytes, target, bytes);
}

// Usage that makes no sense together.
void check_usage(const Args& args) {
  if (const Status status = check_output_name(args.output); !status.ok()) {
    throw CLI::ValidationError(status.message());
  }
  if (is_csv(args)) {
    if (!args.type.empty() || args.utf8) {
      throw CLI::ValidationError("--type and --utf8 are not for CSV; use --schema");
    }
    if (!args.more_inputs.empty() && args.output.empty()) {
      throw CLI::ValidationError("several files become one: name it with -o");
    }
    if (!args.schema.empty()) {
      if (const auto schema = csv::parse_schema(args.schema); !schema.has_value()) {
        throw CLI::ValidationError(schema.error().message());
      }
    }
    return;
  }
  if (!args.more_inputs.empty()) {
    throw CLI::ValidationError("only CSV can be read from several files");
  }
  if (args.type.empty()) {
    if (const Status status = check_input_name(args.input); !status.ok()) {
      throw CLI::ValidationError(status.message());
    }
    throw CLI::RequiredError("--type");
  }
  if (args.utf8 && !parse_form(args.type)) {
    throw CLI::ValidationError("--utf8 goes with --type lines or --type strings");
  }
}

std::string check_codec(const std::string& text) {
  const size_t equals = text.rfind('=');
  const std::string cascade = equals == std::string::npos ? text : text.substr(equals + 1);
  if (const auto parsed = select::parse_cascade(cascade); parsed.has_value()) {
    const Codec& codec = *find_codec(parsed->codec);
    return codec.has_nulls() ? fmt::format("codec {} is for nulls, which get it by themselves", codec.name)
                             : "";
  } else if (cascade.find_first_of("(,) ") != std::string::npos) {
    return parsed.error().message();
  }
  std::string names;
  for (const Codec* codec : all_codecs()) {
    if (!codec->has_nulls()) {
      names += (names.empty() ? "" : ", ") + std::string(codec->name);
    }
  }
  return "unknown codec '" + cascade + "'; expected one of " + names;
}

}  // namespace

void add_compress(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("compress", "Turn a raw little-endian array, strings or CSV into a .bob file");
  auto args = std::make_shared<Args>();
  add_input(*verb, args->input, "Raw array, strings or CSV; '-' or nothing for stdin");
  verb->add_option("MORE", args->more_inputs, "More CSV files with the same columns, for one table")
      ->type_name("");
  add_input_type_option(*verb, args->type);
  verb->add_flag("--utf8", args->utf8, "The strings are UTF-8; others are refused");
  add_output(*verb, args->output, "File to write, '-' for stdout (default: IN.bob; stdout for stdin)");
  add_force(*verb, args->force);
  verb->add_flag("--allow-empty", args->allow_empty, "Replace an existing OUT even if the input is empty");
  add_repeated(
      *verb, "--codec", args->codecs,
      "Codec, or cascade such as 'dict(bitpack, delta)', for all columns or for one; may be repeated "
      "(default: chosen for each chunk)")
      ->check(CLI::Validator(&check_codec, "", "codec"))
      ->type_name("[COLUMN=]CODEC");
  verb->add_option(
          "--goal", args->goal,
          "What the choice of codecs aims at: 'smallest', or 'fastest' to decode on a GPU within --slack")
      ->check(one_of("goal", {"smallest", "fastest"}))
      ->type_name("GOAL")
      ->capture_default_str();
  verb->add_option("--slack", args->slack, "Largest allowed size over the smallest, in percent")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("PERCENT")
      ->capture_default_str();
  verb->add_option("--threads", args->threads, "Columns to encode in parallel (0: one per core)")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--rows-per-group", args->rows_per_group, "Rows per row group")
      ->check(number_between(1, kMaxRowsPerGroup))
      ->type_name("N")
      ->capture_default_str();
  verb->add_flag("--csv", args->as_csv,
                 "IN is CSV (default: if its name ends in .csv, .tsv or .tbl, perhaps with .gz or .zst, and "
                 "--type is not given)");
  add_csv_options(*verb, args->csv);
  add_csv_input_options(*verb, args->csv);
  verb->add_option("--schema", args->schema,
                   "CSV column types, of all columns or some (default: inferred from all values)")
      ->type_name("NAME:TYPE,...");
  add_backend_option(*verb, args->backend);
  add_quiet(*verb, args->quiet);
  verb->footer(
      "The file has one column, named 'value', or those of the CSV. The input is kept.\n"
      "Examples:\n"
      "  bobbin compress ids.bin --type u32              writes ids.bin.bob\n"
      "  produce | bobbin compress --type i64 > out.bob\n"
      "  bobbin compress urls.txt --type lines --utf8    writes urls.txt.bob\n"
      "  bobbin compress table.csv --delimiter '|' -o table.bob");
  verb->callback([args, &action] {
    check_usage(*args);
    action = [args] { return report(compress(*args)); };
  });
}

}  // namespace bobbin::cli
