// SPDX-License-Identifier: Apache-2.0
// bobbin decompress: converts a column of a .bob file, or some of its rows, back to a raw array or lines; or
// columns to CSV or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "bobbin/io.hpp"
#include "bobbin/table.hpp"
#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/csv.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/progress.hpp"
#include "cli/rows.hpp"
#include "cli/strings.hpp"
#include "cli/table_input.hpp"

namespace bobbin::cli {
namespace {

constexpr std::string_view kInputSuffix = ".bob";

struct DecompressArgs {
  std::string input;
  std::string output;
  std::optional<std::string> column;
  std::string rows;
  std::string as;
  std::optional<Format> format;
  std::string backend = "auto";
  ImportArgs reading{.writes_text = true};
  bool as_csv = false;
  bool force = false;
  bool quiet = false;
};

Result<std::string> output_path(const DecompressArgs& args) {
  if (!args.output.empty() || is_stdin(args.input)) {
    return args.output;
  }
  BOBBIN_RETURN_IF(!args.input.ends_with(kInputSuffix) || args.input.size() == kInputSuffix.size() ||
                       args.input[args.input.size() - kInputSuffix.size() - 1] == '/',
                   StatusCode::invalid_argument,
                   args.input + ": the name does not end in .bob; name the output with -o");
  return args.input.substr(0, args.input.size() - kInputSuffix.size());
}

// The form in which one column's values are written.
enum class As : uint8_t {
  raw,     // an array of numbers
  lines,   // one value per line
  strings  // each a u32 length, then bytes
};

std::optional<As> parse_as(std::string_view name) {
  return name == "raw"       ? std::optional(As::raw)
         : name == "lines"   ? std::optional(As::lines)
         : name == "strings" ? std::optional(As::strings)
                             : std::nullopt;
}

// The format of a table, if one is requested: by an option, by the output's name, or because the file was
// made from CSV and neither a column nor a form is given.
std::optional<Format> pick_format(const DecompressArgs& args, const OpenTable& file) {
  if (args.format) {
    return args.format;
  }
  if (args.as_csv || (args.reading.csv.given_for_output() && file.origin != OpenTable::Origin::text)) {
    return Format::csv;
  }
  if (!args.as.empty()) {
    return std::nullopt;
  }
  if (const auto named = format_of_name(args.output)) {
    return named;
  }
  const bool from_csv = csv::noted_options(file.reader.metadata()).has_value();
  return from_csv && !args.column ? std::optional(Format::csv) : std::nullopt;
}

// What of a column goes where.
struct Job {
  const OpenReader& file;
  size_t column = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  Backend backend{};
  As as{};
  file::Output& output;
  const std::string& output_name;
};

Status copy_numbers(const Job& job, uint64_t begin, uint64_t end) {
  const auto write = [&](std::span<const HostColumn> columns, uint64_t rows) {
    const HostColumn& numbers = columns.front();
    const std::span<const std::byte> values(numbers.values.get(), rows * size_bytes(numbers.column.type));
    return job.output.write(values).in(job.output_name);
  };
  return visit_slices(job.file.reader, std::span(&job.column, 1), begin, end - begin, write, job.backend);
}

// One value per line, as in CSV; an empty line for a null.
std::string lines_of(const HostColumn& column) {
  std::string lines;
  for (uint64_t row = 0; row < column.length; ++row) {
    if (!column.is_null(row)) {
      char text[kMaxValueText];
      lines.append(text, format_value(column.type(), column.number(row), text));
    }
    lines += '\n';
  }
  return lines;
}

Status copy_number_lines(const Job& job, uint64_t begin, uint64_t end) {
  const auto write = [&](std::span<const HostColumn> columns, uint64_t) {
    const std::string lines = lines_of(columns.front());
    return job.output.write(std::as_bytes(std::span(lines))).in(job.output_name);
  };
  return visit_slices(job.file.reader, std::span(&job.column, 1), begin, end - begin, write, job.backend);
}

Status copy_strings(const Job& job, uint64_t begin, uint64_t end) {
  const Reader& reader = job.file.reader;
  const bool leave_last_open =
      job.as == As::lines && end == reader.num_rows() && last_line_is_unterminated(reader);
  const StringForm form = job.as == As::lines ? StringForm::lines : StringForm::strings;
  uint64_t row = begin;
  const auto write = [&](std::span<const HostColumn> columns, uint64_t rows) {
    const bool open = leave_last_open && row + rows == end;
    const Status status =
        write_strings(columns.front().strings.view(), std::exchange(row, row + rows), form, open, job.output);
    // A value that the form cannot represent is an error of the file, a full disk one of the output.
    return status.in(status.code() == StatusCode::io ? job.output_name : job.file.name);
  };
  return visit_slices(reader, std::span(&job.column, 1), begin, end - begin, write, job.backend);
}

Status copy_part(const Job& job, uint64_t begin, uint64_t end) {
  if (is_string(job.file.reader.columns()[job.column].type)) {
    return copy_strings(job, begin, end);
  }
  return job.as == As::raw ? copy_numbers(job, begin, end) : copy_number_lines(job, begin, end);
}

// Row group by row group, each read once.
Status copy_rows(const Job& job, bool quiet) {
  Progress progress(job.file.name, quiet);
  for (size_t group = 0; group < job.file.reader.num_row_groups(); ++group) {
    const RowGroupInfo info = *job.file.reader.row_group(group);
    const uint64_t from = std::max(job.begin, info.first_row);
    const uint64_t to = std::min(job.end, info.first_row + info.num_rows);
    if (from >= to) {
      continue;
    }
    BOBBIN_TRY(copy_part(job, from, to));
    progress.show_share(static_cast<double>(to - job.begin) / static_cast<double>(job.end - job.begin));
  }
  return {};
}

// The requested form. Otherwise strings are written in the form they were compressed from, or as lines;
// numbers as raw arrays, unless their logical type, such as a decimal's point, would be lost.
Result<As> pick_as(const OpenReader& file, size_t column, const std::string& asked) {
  const Column& chosen = file.reader.columns()[column];
  if (is_string(chosen.type)) {
    BOBBIN_RETURN_IF(asked == "raw", StatusCode::invalid_argument,
                     fmt::format("{}: column '{}' holds {}: use --as lines or --as strings", file.name,
                                 chosen.name, to_string(chosen.type)));
    return noted_form(file.reader) == StringForm::strings ? parse_as(asked).value_or(As::strings)
                                                          : parse_as(asked).value_or(As::lines);
  }
  BOBBIN_RETURN_IF(asked == "strings", StatusCode::invalid_argument,
                   fmt::format("{}: column '{}' holds {}: use --as raw or --as lines", file.name, chosen.name,
                               to_string(ColumnType{chosen.type, chosen.logical})));
  return parse_as(asked).value_or(chosen.logical.kind == Logical::Kind::plain ? As::raw : As::lines);
}

Status copy_column(const DecompressArgs& args, const OpenReader& file, const RowRange& rows, Backend backend,
                   file::Output& output, const std::string& output_name) {
  BOBBIN_ASSIGN(const size_t column, find_column(file, args.column));
  BOBBIN_ASSIGN(const As as, pick_as(file, column, args.as));
  return copy_rows({file, column, rows.begin, rows.end, backend, as, output, output_name}, args.quiet);
}

Status copy_table(const DecompressArgs& args, const OpenTable& file, const RowRange& rows, Backend backend,
                  Format format, file::Output& output, const std::string& output_name) {
  const std::optional<csv::Options> noted = csv::noted_options(file.reader.metadata());
  // The lines of one column have no delimiters: another one than when they were read could only add quotes.
  const bool is_bare = noted.has_value() && file.reader.columns().size() == 1;
  const bool keeps_tabs = args.output.ends_with(".csv") && csv::has_tabs_in_csv(file.reader.metadata());
  const std::string name = format == Format::tsv ? ".tsv" : is_bare || keeps_tabs ? "" : args.output;
  const CsvArgs& given = file.origin == OpenTable::Origin::text ? CsvArgs() : args.reading.csv;
  BOBBIN_ASSIGN(const csv::Options options, csv_options(given, noted, name));
  std::vector<size_t> columns = all_columns(file.reader);
  if (args.column) {
    BOBBIN_ASSIGN(const size_t column, find_column(file, args.column));
    columns = {column};
  }
  Progress progress(file.name, args.quiet);
  return write_rows({.file = file,
                     .columns = columns,
                     .rows = rows,
                     .backend = backend,
                     .format = format,
                     .output = output,
                     .output_name = output_name},
                    options, progress);
}

// Everything that can be refused is, before there is an output.
Status check_column(const DecompressArgs& args, const OpenReader& file, bool table) {
  if (table && !args.column) {
    return {};
  }
  BOBBIN_ASSIGN(const size_t column, find_column(file, args.column));
  const Result<As> as = table ? As::raw : pick_as(file, column, args.as);
  return as.has_value() ? Status{} : as.error();
}

Status decompress(const DecompressArgs& args) {
  BOBBIN_ASSIGN(std::string path, output_path(args));
  BOBBIN_TRY(check_output_name(path));
  BOBBIN_ASSIGN(const OpenTable file, open_table(args.input, args.reading));
  const std::optional<Format> format = pick_format(args, file);
  if (file.origin != OpenTable::Origin::text) {
    const bool named = !args.format && !args.as_csv;
    BOBBIN_TRY(check_csv_options(args.reading.csv, named ? format_of_name(args.output) : args.format));
  }
  if (format) {
    path = args.output.empty() ? unpacked_name(path) : path;  // table.csv.gz.bob becomes table.csv
    BOBBIN_TRY(check_text_name(path));
  }
  BOBBIN_TRY(check_column(args, file, format.has_value()));
  BOBBIN_ASSIGN(const RowRange rows, find_rows(file, args.rows));
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  BOBBIN_ASSIGN(const Target target, open_target(path, args.force, file.descriptor.get()));
  BOBBIN_ASSIGN(file::Output output, open_output(target, args.force, file.access));
  BOBBIN_TRY(format ? copy_table(args, file, rows, backend, *format, output, target.name)
                    : copy_column(args, file, rows, backend, output, target.name));
  BOBBIN_TRY(output.commit().in(target.name));
  if (!args.quiet && !target.stream) {
    std::fputs(fmt::format("{}: {} => {}\n", printable(file.name), count(output.position(), "byte"),
                           printable(target.name))
                   .c_str(),
               stderr);
  }
  return {};
}

}  // namespace

void add_decompress(const Parser& parser, Action& action) {
  const Verb verb =
      parser.add_verb("decompress", "Convert a .bob file back to a raw array, lines, CSV or JSON");
  auto args = std::make_shared<DecompressArgs>();
  add_input(verb, args->input, std::string(kTableHelp) + " (default)");
  add_output(verb, args->output,
             "File to write, '-' for stdout (default: IN without .bob; stdout for stdin)");
  add_force(verb, args->force);
  add_column(verb, args->column, "Column to write (default: the only one)");
  add_rows_option(verb, args->rows);
  Option as =
      verb.add_option("--as", args->as,
                      "One column as raw (an array of numbers), lines (text, one value per line) or strings "
                      "(each a u32 length, then bytes) (default: as compressed; decimals, dates, timestamps "
                      "and booleans as lines)")
          .one_of("form", {"raw", "lines", "strings"})
          .type_name("FORM");
  Option format = add_format_option(verb, args->format,
                                    "Columns as csv, tsv, json, ndjson or table (default: by OUT's "
                                    "name; csv if the file was made from CSV)");
  format.excludes(as);
  verb.add_flag("--csv", args->as_csv, "The same as --format csv").excludes(format).excludes(as);
  add_import_options(verb, args->reading);
  add_backend_option(verb, args->backend);
  add_quiet(verb, args->quiet);
  verb.footer(
      "The .bob file is kept. An output file appears only once it is complete.\n"
      "Examples:\n"
      "  bobbin decompress ids.bin.bob                   writes ids.bin\n"
      "  bobbin decompress t.bob --column price --rows 1000:2000 -o - | od -t d4\n"
      "  bobbin decompress t.bob -o t.ndjson             writes all columns: .csv, .tsv, .json, .ndjson");
  verb.callback([args, &action] {
    if (args->reading.csv.given_for_output() && !args->as.empty()) {
      refuse("--as is for one column without CSV: it excludes CSV options");
    }
    action = [args] { return report(decompress(*args)); };
  });
}

}  // namespace bobbin::cli
