// SPDX-License-Identifier: Apache-2.0
// bobbin decompress: a column of a .bob file, or some of its rows, becomes a raw array, or lines, again; or
// all columns become CSV.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/csv.hpp"
#include "cli/format.hpp"
#include "cli/interrupt.hpp"
#include "cli/io.hpp"
#include "cli/progress.hpp"
#include "cli/rows.hpp"
#include "cli/strings.hpp"
#include "file/output.hpp"
#include "file/text.hpp"

namespace bobbin::cli {
namespace {

constexpr std::string_view kSuffix = ".bob";

struct Args {
  std::string input;
  std::string output;
  std::optional<std::string> column;
  std::string rows;
  std::string form;
  std::string backend = "auto";
  CsvArgs csv;
  bool as_csv = false;
  bool force = false;
  bool quiet = false;
};

Result<std::string> output_path(const Args& args) {
  if (!args.output.empty() || is_standard(args.input)) {
    return args.output;
  }
  BOBBIN_RETURN_IF(!args.input.ends_with(kSuffix) || args.input.size() == kSuffix.size() ||
                       args.input[args.input.size() - kSuffix.size() - 1] == '/',
                   StatusCode::invalid_argument,
                   args.input + ": the name does not end in .bob: give the output's with -o");
  return args.input.substr(0, args.input.size() - kSuffix.size());
}

// Asked for; or the file was made from CSV, or the output's name says so, and no column was asked for.
bool wants_csv(const Args& args, const Reader& reader, const std::string& path) {
  return args.as_csv || args.csv.given() ||
         (!args.column && args.form.empty() &&
          (csv::noted_options(reader.metadata()).has_value() || is_csv_name(path)));
}

// What of a column goes where.
struct Job {
  const OpenReader& file;
  size_t column = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  Backend backend{};
  std::optional<Form> form;  // of strings
  file::Output& output;
  const std::string& output_name;
};

Status copy_numbers(const Job& job, uint64_t begin, uint64_t end) {
  std::vector<std::byte> block((end - begin) * size_bytes(job.file.reader.columns()[job.column].type));
  BOBBIN_TRY(job.file.reader.read(job.column, begin, end - begin, block, job.backend));
  return job.output.write(block).in(job.output_name);
}

Status copy_strings(const Job& job, uint64_t begin, uint64_t end) {
  const Reader& reader = job.file.reader;
  BOBBIN_ASSIGN(const Strings strings, reader.read_strings(job.column, begin, end - begin, job.backend));
  const bool leave_last_open =
      *job.form == Form::lines && end == reader.num_rows() && last_line_is_unterminated(reader);
  const Status status = write_strings(strings.view(), begin, *job.form, leave_last_open, job.output);
  // What the form cannot say is the file's matter, a full disk the output's.
  return status.in(status.code() == StatusCode::io ? job.output_name : job.file.name);
}

// Row group by row group, each read once.
Status copy_rows(const Job& job, bool quiet) {
  Progress progress(job.file.name, quiet);
  for (size_t group = 0; group < job.file.reader.num_row_groups(); ++group) {
    const RowGroupInfo info = job.file.reader.row_group(group);
    const uint64_t from = std::max(job.begin, info.first_row);
    const uint64_t to = std::min(job.end, info.first_row + info.num_rows);
    if (from >= to) {
      continue;
    }
    BOBBIN_TRY(job.form ? copy_strings(job, from, to) : copy_numbers(job, from, to));
    BOBBIN_TRY(check_interrupt().in(job.file.name));
    progress.show_share(static_cast<double>(to - job.begin) / static_cast<double>(job.end - job.begin));
  }
  return {};
}

// The form asked for, or the one the file was made from; none for numbers.
Result<std::optional<Form>> pick_form(const OpenReader& file, size_t column, const std::string& asked) {
  const Column& chosen = file.reader.columns()[column];
  if (is_string(chosen.type)) {
    return asked.empty() ? std::optional(noted_form(file.reader).value_or(Form::strings)) : parse_form(asked);
  }
  BOBBIN_RETURN_IF(!asked.empty(), StatusCode::invalid_argument,
                   fmt::format("{}: column '{}' holds {}: --as is for strings", file.name, chosen.name,
                               to_string(chosen.type)));
  return std::optional<Form>();
}

Status copy_column(const Args& args, const OpenReader& file, const RowRange& rows, Backend backend,
                   file::Output& output, const std::string& output_name) {
  BOBBIN_ASSIGN(const size_t column, find_column(file, args.column));
  BOBBIN_ASSIGN(const std::optional<Form> form, pick_form(file, column, args.form));
  return copy_rows({file, column, rows.begin, rows.end, backend, form, output, output_name}, args.quiet);
}

Status copy_table(const Args& args, const OpenReader& file, const RowRange& rows, Backend backend,
                  file::Output& output, const std::string& output_name) {
  const std::optional<csv::Options> noted = csv::noted_options(file.reader.metadata());
  BOBBIN_ASSIGN(const csv::Options options, csv_options(args.csv, noted, output_name));
  Progress progress(file.name, args.quiet);
  return copy_csv({.file = file,
                   .columns = all_columns(file.reader),
                   .rows = rows,
                   .backend = backend,
                   .output = output,
                   .output_name = output_name},
                  options, progress);
}

// What can be refused is, before there is an output.
Status check_column(const Args& args, const OpenReader& file) {
  BOBBIN_ASSIGN(const size_t column, find_column(file, args.column));
  const Result<std::optional<Form>> form = pick_form(file, column, args.form);
  return form.has_value() ? Status{} : form.error();
}

Status decompress(const Args& args) {
  BOBBIN_ASSIGN(const std::string path, output_path(args));
  BOBBIN_ASSIGN(const OpenReader file, open_reader(args.input));
  const bool csv = wants_csv(args, file.reader, path);
  if (!csv) {
    BOBBIN_TRY(check_column(args, file));
  }
  BOBBIN_ASSIGN(const RowRange rows, find_rows(file, args.rows));
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  BOBBIN_ASSIGN(const Target target, open_target(path, args.force, file.descriptor.get()));
  if (!target.stream) {
    catch_interrupts();  // from here on there is a temporary file to remove
  }
  BOBBIN_ASSIGN(file::Output output, open_output(target, args.force));
  BOBBIN_TRY((csv ? copy_table : copy_column)(args, file, rows, backend, output, target.name));
  BOBBIN_TRY(output.commit().in(target.name));
  if (!args.quiet && !target.stream) {
    std::fputs(fmt::format("{}: {} => {}\n", file::printable(file.name), count(output.position(), "byte"),
                           file::printable(target.name))
                   .c_str(),
               stderr);
  }
  return {};
}

}  // namespace

void add_decompress(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "decompress", "Turn a .bob file's column back into a raw array or lines, or all columns into CSV");
  auto args = std::make_shared<Args>();
  add_input(*verb, args->input, "A .bob file; '-' or nothing for stdin");
  add_output(*verb, args->output, "File to write, '-' for stdout [IN without .bob; stdout for stdin]");
  add_force(*verb, args->force);
  add_column(*verb, args->column, "Column to write (default: the only one)");
  add_rows_option(*verb, args->rows);
  const auto check_form = [](const std::string& text) -> std::string {
    return parse_form(text) ? "" : "'" + text + "' is no form of strings: lines, strings";
  };
  verb->add_option("--as", args->form, "Strings as lines or strings [as they were compressed]")
      ->check(CLI::Validator(check_form, "", "form"))
      ->type_name("FORM");
  verb->add_flag("--csv", args->as_csv,
                 "Write all columns as CSV [if the file was made from it, or OUT is .csv]");
  add_csv_options(*verb, args->csv);
  add_backend_option(*verb, args->backend);
  add_quiet(*verb, args->quiet);
  verb->footer(
      "The .bob file is kept. An output file appears only when all of it is right.\n"
      "Examples:\n"
      "  bobbin decompress ids.bin.bob                   writes ids.bin\n"
      "  bobbin decompress t.bob --column price --rows 1000:2000 -o - | od -t d4\n"
      "  bobbin decompress t.bob -o t.csv                writes all columns");
  verb->callback([args, &action] {
    if ((args->as_csv || args->csv.given()) && (args->column || !args->form.empty())) {
      throw CLI::ValidationError("CSV has all columns: --column and --as do not go with it");
    }
    action = [args] { return report(decompress(*args)); };
  });
}

}  // namespace bobbin::cli
