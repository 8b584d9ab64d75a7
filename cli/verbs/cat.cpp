// SPDX-License-Identifier: Apache-2.0
// bobbin cat: rows of a .bob file as CSV on stdout.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/csv.hpp"
#include "cli/io.hpp"
#include "cli/rows.hpp"
#include "cli/where.hpp"

namespace bobbin::cli {
namespace {

struct Args {
  std::string input;
  std::string columns;
  std::string rows;
  std::string where;
  std::optional<uint64_t> limit;
  std::string backend = "auto";
  CsvArgs csv;
};

Result<std::vector<size_t>> find_columns(const OpenReader& file, const std::string& list) {
  if (list.empty()) {
    return all_columns(file.reader);
  }
  BOBBIN_ASSIGN(const std::vector<std::string> names, csv::parse_names(list));
  std::vector<size_t> columns;
  for (const std::string& name : names) {
    BOBBIN_ASSIGN(const size_t column, find_column(file, name));
    columns.push_back(column);
  }
  return columns;
}

Status cat(const Args& args) {
  BOBBIN_ASSIGN(const OpenReader file, open_reader(args.input));
  BOBBIN_ASSIGN(const csv::Options options,
                csv_options(args.csv, csv::noted_options(file.reader.metadata()), ""));
  BOBBIN_ASSIGN(RowRange rows, find_rows(file, args.rows));
  const uint64_t limit = std::min(args.limit.value_or(rows.end), rows.end);
  if (args.where.empty()) {
    rows.end = std::min(rows.end, rows.begin + limit);
  }
  BOBBIN_ASSIGN(const std::vector<size_t> columns, find_columns(file, args.columns));
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  std::optional<query::Scan> scan;
  if (!args.where.empty()) {
    BOBBIN_ASSIGN(scan, where(query::scan(file.reader).on(backend), args.where));
  }
  file::Output output = file::Output::borrow(STDOUT_FILENO);
  Progress progress(file.name, true);
  BOBBIN_TRY(copy_csv({.file = file,
                       .columns = columns,
                       .rows = rows,
                       .backend = backend,
                       .output = output,
                       .output_name = "stdout",
                       .where = scan,
                       .limit = limit},
                      options, progress));
  return output.commit().in("stdout");
}

}  // namespace

void add_cat(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("cat", "Print rows of a .bob file as CSV");
  auto args = std::make_shared<Args>();
  add_input(*verb, args->input, "A .bob file; '-' or nothing for stdin");
  verb->add_option("--columns", args->columns,
                   "These columns only, in this order; odd names in double quotes [all]")
      ->type_name("A,B,...");
  add_where_option(*verb, args->where);
  add_rows_option(*verb, args->rows);
  verb->add_option("--limit", args->limit, "At most so many rows")
      ->check(number_between(0, UINT64_MAX))
      ->type_name("N");
  add_csv_options(*verb, args->csv);
  add_backend_option(*verb, args->backend);
  verb->footer(
      "Delimiter, header and nulls are as in the CSV the file was made from, or with commas and a header.\n"
      "Examples:\n"
      "  bobbin cat table.bob --rows :10\n"
      "  bobbin cat table.bob --where \"price < 3.5 and day >= '2014-08-08'\" --limit 10\n"
      "  bobbin cat table.bob --columns name,price | sort");
  verb->callback([args, &action] { action = [args] { return report(cat(*args)); }; });
}

}  // namespace bobbin::cli
