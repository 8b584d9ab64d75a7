// SPDX-License-Identifier: Apache-2.0
// bobbin query: filters, aggregates, groups and sorts the rows of a file.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bobbin/query.hpp"
#include "bobbin/schema.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/results.hpp"
#include "cli/table_input.hpp"
#include "cli/where.hpp"

namespace bobbin::cli {
namespace {

struct QueryArgs {
  std::vector<std::string> inputs;
  ImportArgs reading;
  std::optional<query::Predicate> where;
  std::vector<query::AggregateSpec> aggregates = {query::count()};
  std::vector<std::string> group;
  std::optional<std::vector<std::string>> select;
  query::ResultOptions result;
  std::string backend = "auto";
  bool as_csv = false;
  bool as_json = false;
  bool stats = false;
  bool explain = false;
};

// "*" means all columns, and gives an empty list.
Result<std::vector<std::string>> parse_selection(std::string_view text) {
  return text == "*" ? Result<std::vector<std::string>>(std::vector<std::string>()) : parse_names(text);
}

Result<std::vector<std::string>> selected_names(const Reader& reader, const std::vector<std::string>& asked) {
  for (const std::string& name : asked) {
    BOBBIN_RETURN_IF(
        !reader.find_column(name) && query::parse_aggregates(name).has_value(), StatusCode::invalid_argument,
        fmt::format("--select takes columns, and {} is not one: --agg computes aggregates", name));
  }
  if (!asked.empty()) {
    return asked;
  }
  std::vector<std::string> names;
  for (const Column& column : reader.columns()) {
    names.push_back(column.name);
  }
  return names;
}

// Prints nothing: for --explain.
class NoPrinter final : public ResultPrinter {
 public:
  Status add(std::span<const std::vector<query::Value>> /*rows*/) override { return {}; }
  Status finish(const query::QueryStats& /*stats*/) override { return {}; }
};

std::unique_ptr<ResultPrinter> make_printer(const QueryArgs& args, ResultColumns columns) {
  return args.explain   ? std::make_unique<NoPrinter>()
         : args.as_json ? make_json_printer(std::move(columns))
         : args.as_csv  ? make_csv_printer(std::move(columns))
                        : make_table_printer(std::move(columns), args.stats);
}

Status print_groups(const QueryArgs& args, const query::Query& query) {
  query::QueryStats stats;
  BOBBIN_ASSIGN(query::ResultTable result, query.group_by(args.group, args.aggregates, args.result, &stats));
  const auto printer = make_printer(args, std::move(result.columns));
  if (!result.rows.empty()) {
    BOBBIN_TRY(printer->add(result.rows));
  }
  return printer->finish(stats);
}

Status print_selected(const QueryArgs& args, const OpenReader& file, const query::Query& query) {
  BOBBIN_ASSIGN(const std::vector<std::string> names, selected_names(file.reader, *args.select));
  ResultColumns columns;
  for (const std::string& name : names) {
    columns.push_back({name, {}});
    if (const auto found = file.reader.find_column(name)) {  // otherwise the query fails
      const Column& column = file.reader.columns()[*found];
      columns.back().type = ColumnType{column.type, column.logical};
    }
  }
  const auto printer = make_printer(args, std::move(columns));
  query::QueryStats stats;
  const auto print = [&](std::span<const std::vector<query::Value>> rows) -> Status {
    return printer->add(rows);
  };
  BOBBIN_TRY(query.visit_selected(names, args.result, print, &stats));
  return printer->finish(stats);
}

Status run_query(const QueryArgs& args) {
  BOBBIN_ASSIGN(const OpenTable file, open_table(args.inputs.front(), args.reading));
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  query::Explanation explanation;
  query::Query all = query::from(file.reader).on(backend);
  BOBBIN_ASSIGN(const query::Query query, where(args.explain ? all.explained(explanation) : all, args.where));
  BOBBIN_TRY(args.select ? print_selected(args, file, query) : print_groups(args, query));
  if (args.explain) {
    print_explanation(explanation);
  }
  return {};
}

void add_result_options(const Verb& verb, QueryArgs& args) {
  add_parsed(verb, "--order", args.result.order, &query::parse_order,
             "Sort by columns or aggregates, such as 'count() desc, city' (default: group columns)")
      .type_name("LIST");
  verb.add_option("--limit", args.result.limit, "Print at most N rows").between(0, UINT64_MAX).type_name("N");
  verb.add_option("--max-groups", args.result.max_groups, "Fail if there are more than N groups")
      .between(1, UINT32_MAX)
      .type_name("N")
      .show_default();
  Option csv = verb.add_flag("--csv", args.as_csv, "Print CSV");
  Option json = verb.add_flag("--json", args.as_json, "Print JSON").excludes(csv);
  verb.add_flag("--stats", args.stats, "Also print how many row groups were read").excludes(csv);
  verb.add_flag("--explain", args.explain,
                "Run the query, but print which kernel answered each row group, and the source of each "
                "kernel compiled for it")
      .excludes(csv)
      .excludes(json);
}

}  // namespace

void add_query(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("query", "Filter, aggregate, group and sort rows");
  auto args = std::make_shared<QueryArgs>();
  add_inputs(verb, args->inputs, kTableHelp).required();
  add_where_option(verb, args->where);
  Option list = add_parsed(verb, "--agg", args->aggregates, &query::parse_aggregates,
                           "Aggregates to compute: count(), count(c), count(distinct c), sum(c), "
                           "avg(c), min(c), max(c), where c is a column or an expression")
                    .type_name("LIST")
                    .default_text("count()");
  Option group = add_parsed(verb, "--group", args->group, &parse_names,
                            "Compute the aggregates for each combination of these columns' values")
                     .type_name("A,B,...");
  Option select = add_parsed(verb, "--select", args->select, &parse_selection,
                             "Print these columns of the matching rows instead of aggregates; '*' for all")
                      .type_name("A,B,...");
  add_result_options(verb, *args);
  add_backend_option(verb, args->backend);
  add_import_options(verb, args->reading);
  verb.footer(
      "Tests: = != < <= > >= between in like ilike is null, joined by and, or, not and parentheses.\n"
      "Columns are compared with constants or with other columns. Quote strings with ' and names that\n"
      "contain special characters with \". In like, % matches any characters and _ one; ilike ignores\n"
      "case. Dates and timestamps are strings: day >= '2014-08-08'. Booleans are true or false.\n"
      "Expressions: columns and numbers with + - * and parentheses, in tests and aggregates. Integers and\n"
      "decimals are exact; with a float, the result is a double. Null if an operand is null.\n"
      "Examples:\n"
      "  bobbin query flights.csv --group carrier --agg 'count(),avg(delay)'\n"
      "  bobbin query orders.bob --where 'price < 3.5 and qty >= 2' --agg 'avg(price),count()'\n"
      "  bobbin query log.bob --where \"host in ('a', 'b') and not code = 200\"\n"
      "  bobbin query log.bob --group host,code --agg 'count(),max(time)' --order 'count() desc' --limit 10\n"
      "  bobbin query orders.bob --where '2 * qty > stock' --agg 'sum(price * (1 - discount))'\n"
      "  bobbin query orders.bob --select 'id,price' --order 'price desc' --limit 3");
  verb.callback([args, list, group, select, &action] {
    if (args->inputs.size() > 1) {
      refuse("query reads one table, and '" + args->inputs[1] +
             "' is a second one; CSV files become one table with 'bobbin compress A.csv B.csv -o ALL.bob'");
    }
    if (select.count() > 0 && group.count() > 0) {
      refuse(
          "--select prints rows, and --group one line per group, with its columns: use --agg instead of "
          "--select");
    }
    if (select.count() > 0 && list.count() > 0) {
      refuse(
          "--select prints rows, and --agg aggregates of them: use --group A,B to print columns beside "
          "aggregates");
    }
    action = [args] { return report(run_query(*args)); };
  });
}

}  // namespace bobbin::cli
