// SPDX-License-Identifier: Apache-2.0
// bobbin cat and head: rows of a .bob file on stdout, as a table, CSV or JSON.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/csv.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/rows.hpp"
#include "cli/table_input.hpp"
#include "cli/terminal.hpp"
#include "cli/where.hpp"

namespace bobbin::cli {
namespace {

constexpr uint64_t kHeadRows = 10;
constexpr uint64_t kTerminalRows = 40;  // unless rows are requested

struct CatArgs {
  std::string input;
  std::optional<std::vector<std::string>> columns;
  std::string rows;
  std::optional<query::Predicate> where;
  std::optional<uint64_t> limit;
  std::optional<Format> format;
  bool json = false;
  bool head = false;
  std::string backend = "auto";
  ImportArgs reading{.writes_text = true};
};

Result<std::vector<size_t>> find_columns(const OpenReader& file,
                                         const std::optional<std::vector<std::string>>& names) {
  if (!names) {
    return all_columns(file.reader);
  }
  std::vector<size_t> columns;
  for (const std::string& name : *names) {
    BOBBIN_ASSIGN(const size_t column, find_column(file, name));
    columns.push_back(column);
  }
  return columns;
}

// A table on a terminal, otherwise CSV.
Format pick_format(const CatArgs& args, bool for_output) {
  if (args.json || args.format) {
    return args.json ? Format::json : *args.format;
  }
  return isatty(STDOUT_FILENO) != 0 && !for_output ? Format::table : Format::csv;
}

// How many rows are printed, and whether this is only because a terminal has little room.
struct Limit {
  uint64_t rows = 0;
  bool by_terminal = false;
};
Limit pick_limit(const CatArgs& args, uint64_t rows) {
  if (args.limit || args.head) {
    return {args.limit.value_or(kHeadRows)};
  }
  const bool by_terminal = isatty(STDOUT_FILENO) != 0 && args.rows.empty() && !args.where;
  return {by_terminal ? kTerminalRows : rows, by_terminal && rows > kTerminalRows};
}

// How many rows of a file that must be imported are needed: one more than a terminal shows, so that it can
// say that there are more.
uint64_t rows_needed(const CatArgs& args) {
  if (args.where || (!args.rows.empty() && !last_row(args.rows))) {
    return UINT64_MAX;
  }
  const uint64_t end = args.rows.empty() ? UINT64_MAX : *last_row(args.rows);
  const Limit limit = pick_limit(args, UINT64_MAX);
  return args.rows.empty() ? limit.rows + (limit.by_terminal ? 1 : 0) : end;
}

// The options describe text that is read, or else text that is written.
Status check_output_options(const CatArgs& args, const OpenTable& file) {
  return file.origin == OpenTable::Origin::text
             ? Status()
             : check_csv_options(args.reading.csv, args.json ? Format::json : args.format);
}

void print_rest(const CatArgs& args, const OpenTable& file, const Limit& limit) {
  const bool all = rows_needed(args) == UINT64_MAX || file.origin != OpenTable::Origin::text;
  const std::string shown = all ? fmt::format("{} of {} rows", limit.rows, file.reader.num_rows())
                                : fmt::format("the first {} rows", limit.rows);
  print(styled(shown + "; -n N shows N", Style::dim, STDOUT_FILENO) + "\n");
}

Status cat(const CatArgs& args) {
  ImportArgs reading = args.reading;
  reading.max_rows = rows_needed(args);
  BOBBIN_ASSIGN(const OpenTable file, open_table(args.input, reading));
  BOBBIN_TRY(check_output_options(args, file));
  const bool from_text = file.origin == OpenTable::Origin::text;
  const Format format = pick_format(args, args.reading.csv.given_for_output() && !from_text);
  BOBBIN_ASSIGN(csv::Options options,
                csv_options(from_text ? CsvArgs() : args.reading.csv,
                            csv::noted_options(file.reader.metadata()), format == Format::tsv ? ".tsv" : ""));
  options.encoding = csv::Encoding::utf8;  // for terminals and other programs
  // The first rows are for people, who need names; 'cat', or a format that is asked for, gives the text back.
  if (args.head && !args.format && !args.reading.csv.no_header) {
    options.header = true;
    options.row_names = false;
  }
  BOBBIN_ASSIGN(RowRange rows, find_rows(file, args.rows));
  const Limit limit = pick_limit(args, file.reader.num_rows());
  if (!args.where) {
    rows.end = rows.begin + std::min(rows.end - rows.begin, limit.rows);
  }
  BOBBIN_ASSIGN(const std::vector<size_t> columns, find_columns(file, args.columns));
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  std::optional<query::Query> query;
  if (args.where) {
    BOBBIN_ASSIGN(query, where(query::from(file.reader).on(backend), args.where));
  }
  file::Output output = file::Output::borrow(STDOUT_FILENO);
  Progress progress(file.name, true);
  BOBBIN_TRY(write_rows({.file = file,
                         .columns = columns,
                         .rows = rows,
                         .backend = backend,
                         .format = format,
                         .output = output,
                         .output_name = "stdout",
                         .where = query,
                         .limit = limit.rows},
                        options, progress));
  BOBBIN_TRY(output.commit().in("stdout"));
  if (limit.by_terminal) {
    print_rest(args, file, limit);
  }
  return {};
}

std::shared_ptr<CatArgs> add_options(const Verb& verb, Action& action) {
  auto args = std::make_shared<CatArgs>();
  add_input(verb, args->input, std::string(kTableHelp) + " (default)");
  add_parsed(verb, "--columns", args->columns, &parse_names,
             "Columns to print, in this order; quote names that contain special characters (default: all)")
      .type_name("A,B,...");
  add_where_option(verb, args->where);
  add_rows_option(verb, args->rows);
  Option format = add_format_option(
      verb, args->format, "table, csv, tsv, json or ndjson (default: table on a terminal, else csv)");
  verb.add_flag("--json", args->json, "The same as --format json").excludes(format);
  add_import_options(verb, args->reading);
  add_backend_option(verb, args->backend);
  verb.callback([args, &action] { action = [args] { return report(cat(*args)); }; });
  return args;
}

void add_limit(const Verb& verb, CatArgs& args, const std::string& help) {
  verb.add_option("-n,--limit", args.limit, help).between(0, UINT64_MAX).type_name("N");
}

}  // namespace

void add_cat(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("cat", "Print rows as a table, CSV or JSON");
  const auto args = add_options(verb, action);
  add_limit(verb, *args, "Print at most N rows (default: all; 40 on a terminal)");
  verb.footer(
      "CSV has the delimiter, header row and nulls of the CSV the file was made from, or commas and a header "
      "row.\n"
      "CSV options describe IN if that is CSV, otherwise the output.\n"
      "Examples:\n"
      "  bobbin cat table.bob --rows -10:                the last ten rows\n"
      "  bobbin cat table.bob --where \"price < 3.5 and day >= '2014-08-08'\" -n 10\n"
      "  bobbin cat table.bob --columns name,price --format ndjson | jq .price");
}

void add_head(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("head", "Print the first rows");
  const auto args = add_options(verb, action);
  args->head = true;
  add_limit(verb, *args, "Print at most N rows (default: 10)");
  verb.footer(
      "Like 'bobbin cat', with fewer rows.\n"
      "Example:\n"
      "  bobbin head -5 table.bob");
}

}  // namespace bobbin::cli
