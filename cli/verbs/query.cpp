// SPDX-License-Identifier: Apache-2.0
// bobbin query: filters, aggregates, groups and sorts the rows of a file.
#include <fmt/format.h>

#include <optional>

#include "bobbin/query.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/results.hpp"
#include "cli/where.hpp"
#include "csv/options.hpp"
#include "query/parse.hpp"

namespace bobbin::cli {
namespace {

struct Args {
  std::string input;
  std::string where;
  std::string aggregates = "count()";
  std::string group;
  std::string select;
  std::string order;
  uint64_t limit = UINT64_MAX;
  uint64_t max_groups = query::kMaxGroups;
  std::string backend = "auto";
  bool as_csv = false;
  bool as_json = false;
  bool stats = false;
};

Result<std::vector<std::string>> selected_names(const Reader& reader, const std::string& list) {
  if (list != "*") {
    return csv::parse_names(list);
  }
  std::vector<std::string> names;
  for (const Column& column : reader.columns()) {
    names.push_back(column.name);
  }
  return names;
}

Result<query::ResultTable> run(const Args& args, const Reader& reader, const query::Scan& scan,
                               query::QueryStats& stats) {
  query::ResultOptions options{.limit = args.limit, .max_groups = args.max_groups};
  if (!args.order.empty()) {
    BOBBIN_ASSIGN(options.order, query::parse_order(args.order));
  }
  if (!args.select.empty()) {
    BOBBIN_ASSIGN(const auto names, selected_names(reader, args.select));
    return scan.select(names, options, &stats);
  }
  std::vector<std::string> keys;
  if (!args.group.empty()) {
    BOBBIN_ASSIGN(keys, csv::parse_names(args.group));
  }
  BOBBIN_ASSIGN(const auto aggregates, query::parse_aggregates(args.aggregates));
  return scan.group_by(keys, aggregates, options, &stats);
}

Status run_query(const Args& args) {
  BOBBIN_ASSIGN(const OpenReader file, open_reader(args.input));
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  BOBBIN_ASSIGN(const query::Scan scan, where(query::scan(file.reader).on(backend), args.where));
  query::QueryStats stats;
  BOBBIN_ASSIGN(const query::ResultTable result, run(args, file.reader, scan, stats));
  if (args.as_json) {
    print_json(result, stats);
    return {};
  }
  if (args.as_csv) {
    return print_csv(result);
  }
  print_table(result);
  if (args.stats) {
    print(fmt::format("{}, {} read\n", count(stats.row_groups, "row group"), stats.read));
  }
  return {};
}

void add_result_options(CLI::App& verb, Args& args) {
  verb.add_option("--order", args.order,
                  "Sort by columns or aggregates, such as 'count() desc, city' (default: group columns)")
      ->check(text_for(query::parse_order))
      ->type_name("LIST");
  verb.add_option("--limit", args.limit, "Print at most N rows")
      ->check(number_between(0, UINT64_MAX))
      ->type_name("N");
  verb.add_option("--max-groups", args.max_groups, "Fail beyond N groups")
      ->check(number_between(1, UINT32_MAX))
      ->type_name("N")
      ->capture_default_str();
  CLI::Option* csv = verb.add_flag("--csv", args.as_csv, "Print CSV");
  verb.add_flag("--json", args.as_json, "Print JSON")->excludes(csv);
  verb.add_flag("--stats", args.stats, "Also print how many row groups were read")->excludes(csv);
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("query", "Filter, aggregate, group and sort rows");
  auto args = std::make_shared<Args>();
  verb->add_option("IN", args->input, "A .bob file; '-' for stdin")->type_name("")->required();
  add_where_option(*verb, args->where);
  CLI::Option* list = verb->add_option("--agg", args->aggregates,
                                       "Aggregates to compute: count(), count(c), count(distinct c), sum(c), "
                                       "avg(c), min(c), max(c)")
                          ->check(text_for(query::parse_aggregates))
                          ->type_name("LIST")
                          ->capture_default_str();
  CLI::Option* group =
      verb->add_option("--group", args->group, "Compute them for each combination of these columns' values")
          ->check(text_for(csv::parse_names))
          ->type_name("A,B,...");
  verb->add_option("--select", args->select, "Print these columns of the rows instead; '*' for all")
      ->check(text_for(csv::parse_names))
      ->type_name("A,B,...")
      ->excludes(list)
      ->excludes(group);
  add_result_options(*verb, *args);
  add_backend_option(*verb, args->backend);
  verb->footer(
      "Tests: = != < <= > >= between in like ilike is null, joined by and, or, not and parentheses. A column "
      "is\n"
      "compared with a constant or with another column. Quote strings with ' and names that contain special\n"
      "characters with \". In like, % stands for any characters and _ for one; ilike ignores case. Dates "
      "and\n"
      "timestamps are strings: day >= '2014-08-08'. Booleans are true or false.\n"
      "Examples:\n"
      "  bobbin query orders.bob --where 'price < 3.5 and qty >= 2' --agg 'avg(price),count()'\n"
      "  bobbin query log.bob --where \"host in ('a', 'b') and not code = 200\"\n"
      "  bobbin query log.bob --group host,code --agg 'count(),max(time)' --order 'count() desc' --limit 10\n"
      "  bobbin query orders.bob --select 'id,price' --order 'price desc' --limit 3");
  verb->callback([args, &action] { action = [args] { return report(run_query(*args)); }; });
}

}  // namespace bobbin::cli
