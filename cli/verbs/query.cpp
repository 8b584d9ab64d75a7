// SPDX-License-Identifier: Apache-2.0
// bobbin query: which rows of a file, and what of them, without decoding more than that takes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "bobbin/query.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/where.hpp"
#include "file/text.hpp"
#include "query/parse.hpp"
#include "query/text.hpp"

namespace bobbin::cli {
namespace {

using query::AggregateSpec;
using query::Value;

struct Args {
  std::string input;
  std::string where;
  std::string aggregates = "count()";
  std::string group;
  std::string backend = "auto";
  bool as_json = false;
  bool stats = false;
};

// Heads and lines, each of the same number of cells.
struct Answer {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> cells;
  std::vector<std::vector<Json>> json;
};

// A column's own values keep its type's digits: 3.1 of f32 is not shown as a double.
std::string text_of(const Value& value, std::optional<DType> type) {
  return value.kind == Value::Kind::real && type == DType::f32
             ? fmt::format("{}", static_cast<float>(value.real))
             : file::printable(query::to_string(value));
}

// Text as JSON escapes it. Bytes that are not UTF-8, which JSON cannot hold, become {"hex": "ff00"}, so that
// different values stay different.
Json json_of(const std::string& text) {
  if (file::is_utf8(text)) {
    return text;
  }
  std::string digits;
  for (const char c : text) {
    digits += fmt::format("{:02x}", static_cast<uint8_t>(c));
  }
  return {{"hex", digits}};
}

// Integers of more than 64 bits, infinities and NaN are texts: not every reader of JSON takes such numbers.
// So are decimals, whose digits doubles would not keep, dates and timestamps.
Json json_of(const Value& value, std::optional<DType> type) {
  switch (value.kind) {
    case Value::Kind::null:
      return nullptr;
    case Value::Kind::integer:
      if (value.logical.kind != Logical::Kind::plain) {
        return value.logical.kind == Logical::Kind::boolean ? Json(value.integer != 0)
                                                            : Json(query::to_string(value));
      }
      if (value.integer >= INT64_MIN && value.integer < 0) {
        return static_cast<int64_t>(value.integer);
      }
      if (value.integer >= 0 && value.integer <= UINT64_MAX) {
        return static_cast<uint64_t>(value.integer);
      }
      return query::to_text(value.integer);
    case Value::Kind::text:
      return json_of(value.text);
    case Value::Kind::real:
      break;
  }
  return std::isfinite(value.real) ? Json::parse(text_of(value, type)) : Json(text_of(value, type));
}

// The type of which a value is; none for sums and counts.
std::optional<DType> type_of(const Reader& reader, const AggregateSpec& aggregate) {
  const auto found = std::ranges::find(reader.columns(), aggregate.column, &Column::name);
  const bool own = aggregate.kind == AggregateSpec::Kind::min || aggregate.kind == AggregateSpec::Kind::max;
  return own && found != reader.columns().end() ? std::optional(found->type) : std::nullopt;
}

void add_line(Answer& answer, const std::vector<std::pair<Value, std::optional<DType>>>& values) {
  answer.cells.emplace_back();
  answer.json.emplace_back();
  for (const auto& [value, type] : values) {
    answer.cells.back().push_back(text_of(value, type));
    answer.json.back().push_back(json_of(value, type));
  }
}

Result<Answer> aggregate(const Reader& reader, const query::Scan& scan,
                         const std::vector<AggregateSpec>& aggregates, query::QueryStats& stats) {
  BOBBIN_ASSIGN(const std::vector<Value> values, scan.run(aggregates, &stats));
  Answer answer;
  std::vector<std::pair<Value, std::optional<DType>>> line;
  for (size_t i = 0; i < aggregates.size(); ++i) {
    answer.heads.push_back(query::to_text(aggregates[i]));
    line.emplace_back(values[i], type_of(reader, aggregates[i]));
  }
  add_line(answer, line);
  return answer;
}

Result<Answer> count_groups(const Reader& reader, const query::Scan& scan, const std::string& column,
                            query::QueryStats& stats) {
  BOBBIN_ASSIGN(const query::GroupCounts groups, scan.group_counts(column, &stats));
  Answer answer{.heads = {column, "count()"}, .cells = {}, .json = {}};
  const std::optional<DType> type = type_of(reader, query::min(column));
  for (const auto& [value, rows] : groups) {
    add_line(answer, {{value, type}, {Value::of_integer(rows), std::nullopt}});
  }
  return answer;
}

void print_json(const Answer& answer, const query::QueryStats& stats) {
  Json rows = Json::array();
  for (const auto& line : answer.json) {
    Json row;
    for (size_t c = 0; c < line.size(); ++c) {
      row[answer.heads[c]] = line[c];
    }
    rows.push_back(std::move(row));
  }
  print(bench::dump({{"rows", rows}, {"row_groups", stats.row_groups}, {"row_groups_read", stats.read}}) +
        "\n");
}

Status run_query(const Args& args) {
  BOBBIN_ASSIGN(const OpenReader file, open_reader(args.input));
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  BOBBIN_ASSIGN(const query::Scan scan, where(query::scan(file.reader).on(backend), args.where));
  BOBBIN_ASSIGN(const auto aggregates, query::parse_aggregates(args.aggregates));
  query::QueryStats stats;
  BOBBIN_ASSIGN(const Answer answer, args.group.empty() ? aggregate(file.reader, scan, aggregates, stats)
                                                        : count_groups(file.reader, scan, args.group, stats));
  if (args.as_json) {
    print_json(answer, stats);
    return {};
  }
  std::vector<std::string> heads;
  std::ranges::transform(answer.heads, std::back_inserter(heads), file::printable);
  print_table(heads, answer.cells);
  if (args.stats) {
    print(fmt::format("{}, {} read\n", count(stats.row_groups, "row group"), stats.read));
  }
  return {};
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("query", "Count, sum and compare rows without decoding the others");
  auto args = std::make_shared<Args>();
  verb->add_option("IN", args->input, "A .bob file; '-' for stdin")->type_name("")->required();
  add_where_option(*verb, args->where);
  CLI::Option* list =
      verb->add_option("--agg", args->aggregates, "What of them: count(), count(c), sum(c), min(c), max(c)")
          ->check(text_for(query::parse_aggregates))
          ->type_name("LIST")
          ->capture_default_str();
  verb->add_option("--group", args->group, "Count the rows for each value of this column instead")
      ->type_name("NAME")
      ->excludes(list);
  add_backend_option(*verb, args->backend);
  verb->add_flag("--json", args->as_json, "JSON for programs");
  verb->add_flag("--stats", args->stats, "Also tell how many row groups were read");
  verb->footer(
      "Tests: = != < <= > >= between in like is null, joined by and, or, not and parentheses. Strings stand\n"
      "in single quotes, names with blanks in double quotes. like knows 'x', 'x%' and '%x%'. Dates and\n"
      "timestamps are strings too: day >= '2014-08-08'. Booleans are true or false.\n"
      "Examples:\n"
      "  bobbin query orders.bob --where 'price < 3.5 and qty >= 2' --agg 'sum(price),count()'\n"
      "  bobbin query log.bob --where \"host in ('a', 'b') and not code = 200\"\n"
      "  bobbin query log.bob --group code");
  verb->callback([args, &action] { action = [args] { return report(run_query(*args)); }; });
}

}  // namespace bobbin::cli
