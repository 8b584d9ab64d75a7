// SPDX-License-Identifier: Apache-2.0
// bobbin compress: converts a raw array, strings or CSV to a .bob file, row group by row group.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "bobbin/csv.hpp"
#include "bobbin/encoding.hpp"
#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/csv.hpp"
#include "cli/format.hpp"
#include "cli/heap.hpp"
#include "cli/interrupt.hpp"
#include "cli/io.hpp"
#include "cli/progress.hpp"
#include "cli/python.hpp"
#include "cli/strings.hpp"
#include "cli/summary.hpp"
#include "cli/table_input.hpp"
#include "cli/where.hpp"

namespace bobbin::cli {
namespace {

constexpr uint64_t kMaxRowsPerGroup = uint64_t{1} << 24;
constexpr size_t kReadBytes = size_t{1} << 20;  // a multiple of every type's size
constexpr const char* kOutputSuffix = ".bob";
constexpr const char* kColumn = "value";

struct CompressArgs {
  CsvArgs csv;
  std::optional<Schema> schema;
  bool as_csv = false;
  std::string input;
  std::vector<std::string> more_inputs;
  std::string output;
  std::string type;
  std::vector<std::string> codecs;  // "CASCADE" or "COLUMN=CASCADE"
  std::string goal = "smallest";
  std::optional<double> slack;  // percent
  unsigned threads = 0;
  std::string backend = "auto";
  uint64_t rows_per_group = WriteOptions{}.rows_per_group;
  bool utf8 = false;
  bool allow_empty = false;
  bool force = false;
  bool quiet = false;
};

Goal::Kind goal_named(const std::string& name) {
  return name == "fastest"   ? Goal::Kind::fastest
         : name == "compact" ? Goal::Kind::compact
                             : Goal::Kind::smallest;
}

Result<WriteOptions> write_options(const CompressArgs& args) {
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  WriteOptions options{
      .rows_per_group = args.rows_per_group,
      .backend = backend,
      .goal = {.kind = goal_named(args.goal), .slack = args.slack ? *args.slack / 100 : Goal{}.slack},
      .overwrite = args.force,
      .threads = args.threads};
  for (const std::string& text : args.codecs) {
    if (const size_t equals = text.rfind('='); equals != std::string::npos) {
      options.column_codecs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    } else {
      options.codec = text;
    }
  }
  return options;
}

// An existing table is not replaced by the empty input of a failed command or a forgotten file name.
Status check_not_empty(const Input& input, uint64_t bytes, bool has_columns, const Target& target,
                       const CompressArgs& args) {
  BOBBIN_RETURN_IF((bytes == 0 || !has_columns) && target.exists && !args.allow_empty,
                   StatusCode::invalid_argument,
                   fmt::format("{}: {}; {} is kept (use --allow-empty to replace it with an empty table)",
                               input.name, bytes == 0 ? "is empty" : "has no table", target.name));
  return {};
}

// Returns the number of bytes read.
Result<uint64_t> copy_rows(const Input& input, DType type, Writer& writer, bool quiet) {
  Progress progress(input.name, quiet);
  std::vector<std::byte> block(kReadBytes);
  uint64_t total = 0;
  for (size_t size = block.size(); size == block.size();) {
    BOBBIN_ASSIGN(size, read_full(input, block));
    total += size;
    BOBBIN_TRY(writer.append({{type, block.data(), size / size_bytes(type)}}));
    progress.show(total, input.length.value_or(0));
  }
  BOBBIN_TRY(check_whole_values(input.name, total, type));
  return total;
}

Result<uint64_t> copy_strings(const Input& input, StringForm form, Writer& writer, bool quiet) {
  Progress progress(input.name, quiet);
  StringSource source(input, form);
  while (!source.ended()) {
    BOBBIN_ASSIGN(const StringsView strings, source.next());
    BOBBIN_TRY(writer.append({strings}));
    progress.show(source.bytes_read(), input.length.value_or(0));
  }
  BOBBIN_TRY(note_form(writer, form, source.unterminated()));
  return source.bytes_read();
}

// Returns the number of bytes read.
Result<uint64_t> copy_column(const Input& input, const Target& target, const CompressArgs& args,
                             uint64_t& written) {
  const std::optional<StringForm> form = parse_form(args.type);
  const DType type = form ? (args.utf8 ? DType::utf8 : DType::binary) : *parse_dtype(args.type);
  BOBBIN_ASSIGN(WriteOptions options, write_options(args));
  if (input.access.has_value()) {
    options.sources.push_back(*input.access);
  }
  const std::vector<Column> columns{{kColumn, type}};
  BOBBIN_ASSIGN(Writer writer,
                target.stream ? Writer::to_descriptor(target.descriptor.get(), target.name, columns, options)
                              : Writer::create(target.path, columns, options));
  BOBBIN_ASSIGN(const uint64_t raw_bytes, form ? copy_strings(input, *form, writer, args.quiet)
                                               : copy_rows(input, type, writer, args.quiet));
  BOBBIN_TRY(check_not_empty(input, raw_bytes, true, target, args));
  BOBBIN_TRY(writer.finish());
  written = writer.bytes_written();
  return raw_bytes;
}

Result<csv::Importer> open_importer(const Input& input, const CompressArgs& args) {
  std::vector<csv::Input> inputs{csv::Input::descriptor(input.descriptor.get(), input.name)};
  for (const std::string& path : args.more_inputs) {
    inputs.push_back(csv::Input::file(path));
  }
  csv::ReadOptions options = read_options(args.csv);
  options.schema = args.schema;
  BOBBIN_ASSIGN(csv::Importer importer, csv::Importer::open(std::move(inputs), options));
  if (!args.quiet && importer.sniffed().columns > 0) {
    print_notes(input.name, {csv::describe(importer.sniffed())});
  }
  return importer;
}

// Returns the number of bytes read.
Result<uint64_t> copy_table(const Input& input, const Target& target, const CompressArgs& args,
                            uint64_t& written) {
  use_large_pages(input.length.value_or(0));
  BOBBIN_ASSIGN(csv::Importer importer, open_importer(input, args));
  BOBBIN_ASSIGN(const WriteOptions options, write_options(args));
  csv::ImportResult result;
  {
    Progress progress(input.name, args.quiet);
    const auto visit = [&](const csv::ImportProgress& step) -> Status {
      progress.show(step.bytes_read, input.length.value_or(0));
      // Lines that are skipped, empty or comments are not a table.
      const bool has_columns = importer.sniffed().columns != 0;
      return step.finished ? check_not_empty(input, step.bytes_read, has_columns, target, args) : Status();
    };
    BOBBIN_ASSIGN(result, target.stream ? importer.write_to_descriptor(target.descriptor.get(), target.name,
                                                                       options, visit)
                                        : importer.write(target.path, options, visit));
  }
  written = result.bytes_written;
  if (!args.quiet) {
    print_notes(input.name, result.notes);
  }
  return result.bytes_read;
}

bool is_csv(const CompressArgs& args) {
  return args.as_csv || args.csv.given() || args.schema.has_value() ||
         (args.type.empty() && csv::delimiter_by_name(args.input).has_value());
}

// The percentage of the input, as zstd prints it, and the ratio that 'inspect', 'stats' and 'report' print.
Status print_summary(const std::string& input, uint64_t input_bytes, const Target& target, uint64_t bytes) {
  BOBBIN_ASSIGN(const Reader reader, Reader::open(target.path));
  const double share =
      input_bytes == 0 ? 0 : 100 * static_cast<double>(bytes) / static_cast<double>(input_bytes);
  std::fputs(fmt::format("{}: {} => {} ({}ratio {}), {}\n", printable(input), bench::human_bytes(input_bytes),
                         bench::human_bytes(bytes),
                         input_bytes == 0 ? "" : fmt::format("{:.2f} % of the input, ", share),
                         ratio_text(cli::raw_bytes(summarize(reader)), bytes), printable(target.name))
                 .c_str(),
             stderr);
  return {};
}

Status compress(const CompressArgs& args) {
  BOBBIN_ASSIGN(Input input, open_input(args.input));
  if (!is_csv(args) && !parse_form(args.type)) {
    BOBBIN_TRY(check_whole_values(input.name, input.length.value_or(0), *parse_dtype(args.type)));
  }
  const bool beside = args.output.empty() && !is_stdin(args.input);
  BOBBIN_ASSIGN(const Target target, open_target(beside ? args.input + kOutputSuffix : args.output,
                                                 args.force, input.descriptor.get()));
  for (const std::string& path : args.more_inputs) {
    BOBBIN_TRY(check_not_input(target, path));
  }
  if (!target.stream) {
    catch_interrupts();  // from here on there may be a temporary file to remove
  }
  uint64_t bytes = 0;
  BOBBIN_ASSIGN(const uint64_t raw_bytes, is_csv(args) ? copy_table(input, target, args, bytes)
                                                       : copy_column(input, target, args, bytes));
  return args.quiet || target.stream ? Status() : print_summary(input.name, raw_bytes, target, bytes);
}

bool is_foreign(const CompressArgs& args) {
  return args.type.empty() && !is_csv(args) && is_for_python(args.input);
}

// Parquet and Arrow files. Returns whether it succeeded; if not, the package has said why.
Result<bool> compress_foreign(const CompressArgs& args) {
  BOBBIN_ASSIGN(const Input input, open_input(args.input));
  BOBBIN_ASSIGN(const Target target,
                open_target(args.output.empty() ? args.input + kOutputSuffix : args.output, args.force,
                            input.descriptor.get()));
  std::vector<std::string> words = {"--goal",           args.goal,
                                    "--rows-per-group", std::to_string(args.rows_per_group),
                                    "--threads",        std::to_string(args.threads)};
  for (const std::string& codec : args.codecs) {
    words.insert(words.end(), {"--codec", codec});
  }
  if (args.force) {
    words.emplace_back("--overwrite");
  }
  words.insert(words.end(), {"--", args.input, target.path});
  const HeldInterrupts held;
  const Result<bool> done = convert_by_python(words);
  BOBBIN_TRY(done.error().in(input.name));
  if (*done && !args.quiet) {
    BOBBIN_ASSIGN(const Reader made, Reader::open(target.path));
    BOBBIN_TRY(print_summary(input.name, input.length.value_or(0), target, made.file_bytes()));
  }
  return *done;
}

int report_foreign(const Result<bool>& done) {
  return done.has_value() && !*done ? kFailure : report(done.error());
}

void check_no_more(const CompressArgs& args) {
  if (!args.more_inputs.empty()) {
    refuse("only CSV files can become one table; without -o, each file becomes a .bob file");
  }
}

void check_foreign(const CompressArgs& args) {
  check_no_more(args);
  if (is_stdout(args.output) && !args.output.empty()) {
    refuse("Parquet and Arrow files cannot be compressed to stdout");
  }
  if (args.utf8 || args.slack || args.backend != CompressArgs().backend) {
    refuse("--utf8, --slack and --backend are not for Parquet and Arrow files");
  }
}

// The column that a --codec is for; none: all.
std::string_view column_of(std::string_view codec) {
  const size_t equals = codec.rfind('=');
  return codec.substr(0, equals == std::string_view::npos ? 0 : equals);
}

void check_codecs(const CompressArgs& args) {
  std::set<std::string_view> columns;
  for (const std::string& codec : args.codecs) {
    const std::string_view column = column_of(codec);
    if (!columns.insert(column).second) {
      refuse(fmt::format("--codec is given twice for {}",
                         column.empty() ? "all columns" : fmt::format("column '{}'", printable(column))));
    }
  }
}

// Options that do not make sense together.
void check_usage(const CompressArgs& args) {
  check_codecs(args);
  if (args.slack && args.goal != "fastest" && !is_foreign(args)) {
    refuse("--slack requires --goal fastest");
  }
  if (const Status status = check_output_name(args.output); !status.ok()) {
    refuse(status.message());
  }
  if (is_csv(args)) {
    if (!args.type.empty() || args.utf8) {
      refuse("--type and --utf8 are not for CSV; use --schema");
    }
    return;
  }
  if (is_foreign(args)) {
    check_foreign(args);
    return;
  }
  check_no_more(args);
  if (args.type.empty() && !is_folder(args.input)) {
    if (const Status status = check_input_name(args.input); !status.ok()) {
      refuse(status.message());
    }
    refuse("--type is required, or --csv if the input is a table as text");
  }
  if (args.utf8 && !parse_form(args.type)) {
    refuse("--utf8 requires --type lines or --type strings");
  }
}

// One output for each input, as zstd has it, unless -o names one for all.
std::vector<CompressArgs> jobs_of(const CompressArgs& args) {
  if (args.more_inputs.empty() || !args.output.empty()) {
    return {args};
  }
  std::vector<CompressArgs> jobs(args.more_inputs.size() + 1, args);
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].input = i == 0 ? args.input : args.more_inputs[i - 1];
    jobs[i].more_inputs.clear();
  }
  return jobs;
}

// If one fails, the others are still compressed.
int compress_all(const std::vector<CompressArgs>& jobs) {
  int code = kOk;
  for (const CompressArgs& job : jobs) {
    const int result = is_foreign(job) ? report_foreign(compress_foreign(job)) : report(compress(job));
    code = result == kOk ? code : result;
  }
  return code;
}

// One codec's name that is not known gets a list of those that are.
std::string check_codec(const std::string& text) {
  const size_t equals = text.rfind('=');
  const std::string cascade = equals == std::string::npos ? text : text.substr(equals + 1);
  const std::vector<std::string> names = codec_names();
  const Result<Cascade> parsed = parse_cascade(cascade);
  if (parsed.has_value()) {
    return std::ranges::find(names, parsed->codec) == names.end()
               ? fmt::format("codec {} is for nulls and is applied automatically", parsed->codec)
               : "";
  }
  if (cascade.find_first_of("(,) ") != std::string::npos) {
    return parsed.error().message();
  }
  return fmt::format("unknown codec '{}'; expected one of {}", cascade, fmt::join(names, ", "));
}

}  // namespace

void add_compress(const Parser& parser, Action& action) {
  const Verb verb =
      parser.add_verb("compress", "Compress a raw little-endian array, strings or CSV to a .bob file");
  auto args = std::make_shared<CompressArgs>();
  add_input(verb, args->input, "Raw array, strings or CSV; '-' or nothing for stdin");
  verb.add_option("MORE", args->more_inputs,
                  "More files: one output for each, or with -o one table of CSV files")
      .type_name("");
  add_input_type_option(verb, args->type);
  verb.add_flag("--utf8", args->utf8, "The strings are UTF-8; fail if one is not");
  add_output(verb, args->output, "File to write, '-' for stdout (default: IN.bob; stdout for stdin)");
  add_force(verb, args->force);
  verb.add_flag("--allow-empty", args->allow_empty, "Replace an existing OUT even if the input is empty");
  verb.add_list(
          "--codec", args->codecs,
          "Codec, or cascade such as 'dict(bitpack, delta)', for all columns or for one; may be repeated "
          "(default: chosen for each chunk)")
      .check("codec", check_codec)
      .type_name("[COLUMN=]CODEC");
  verb.add_option("--goal", args->goal,
                  "What to optimise for: 'smallest' size at full speed, 'fastest' decoding on a GPU within "
                  "--slack, or 'compact': smaller still with zstd, slower to compress and decode")
      .one_of("goal", {"smallest", "fastest", "compact"})
      .type_name("GOAL")
      .show_default();
  verb.add_option("--slack", args->slack, "Largest allowed size over the smallest, in percent")
      .between_reals(0.0, 1e6)
      .type_name("PERCENT")
      .default_text(fmt::format("{:g}", 100 * Goal{}.slack));
  verb.add_option("--threads", args->threads, "Columns to encode in parallel (0: one per core)")
      .type_name("N")
      .show_default();
  verb.add_option("--rows-per-group", args->rows_per_group, "Rows per row group")
      .between(1, kMaxRowsPerGroup)
      .type_name("N")
      .show_default();
  verb.add_flag(
      "--csv", args->as_csv,
      "IN is CSV (default: if its name ends in .csv, .tsv or .tbl, optionally with .gz or .zst, and "
      "--type is not given)");
  add_csv_options(verb, args->csv);
  add_csv_input_options(verb, args->csv);
  add_schema_option(verb, args->schema);
  add_backend_option(verb, args->backend);
  add_quiet(verb, args->quiet);
  verb.footer(
      "The output has one column, named 'value', or the columns of the CSV. The input is kept. Of several\n"
      "files, each becomes a .bob file; with -o, CSV files with the same columns become one table.\n"
      "Examples:\n"
      "  bobbin compress ids.bin --type u32              writes ids.bin.bob\n"
      "  produce | bobbin compress --type i64 > out.bob\n"
      "  bobbin compress urls.txt --type lines --utf8    writes urls.txt.bob\n"
      "  bobbin compress table.csv --delimiter '|' -o table.bob\n"
      "  bobbin compress *.csv                           writes one .bob file for each\n"
      "  bobbin compress table.parquet -o table.bob      uses the Python package, if installed");
  verb.callback([args, &action] {
    if (!args->more_inputs.empty() &&
        (is_stdin(args->input) || std::ranges::any_of(args->more_inputs, &is_stdin))) {
      refuse("stdin cannot be one of several files");
    }
    const std::vector<CompressArgs> jobs = jobs_of(*args);
    std::ranges::for_each(jobs, &check_usage);
    action = [jobs] { return compress_all(jobs); };
  });
}

}  // namespace bobbin::cli
