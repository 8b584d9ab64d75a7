// SPDX-License-Identifier: Apache-2.0
// bobbin stats: one line per column of a .bob file. Reads only the footer.
#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/summary.hpp"
#include "cli/table_input.hpp"
#include "cli/terminal.hpp"

namespace bobbin::cli {
namespace {

// Limits that keep a line short: JSON has the full values.
constexpr size_t kLongestName = 40;
constexpr size_t kLongestBound = 24;

struct StatsArgs {
  std::vector<std::string> inputs;
  ImportArgs reading;
  bool json = false;
};

std::string encodings_text(const ColumnSummary& summary) {
  std::string text;
  for (const CascadeTotal& total : cascades(summary)) {
    text += (text.empty() ? "" : ", ") + total.cascade;
  }
  return text.empty() ? "-" : text;
}

// Numbers and dates are never cut.
std::string bound_text(const Column& column, const std::string& text) {
  return is_string(column.type) ? clipped(text, kLongestBound) : text;
}

void print_column_stats(const Reader& reader, const std::vector<ColumnSummary>& summaries) {
  std::vector<std::vector<std::string>> lines;
  for (size_t i = 0; i < summaries.size(); ++i) {
    const Column& column = reader.columns()[i];
    const ColumnSummary& summary = summaries[i];
    lines.push_back(
        {clipped(printable(column.name), kLongestName), type_text(column), std::to_string(summary.zone.rows),
         std::to_string(summary.zone.nulls), bound_text(column, min_text(column, summary.zone)),
         bound_text(column, max_text(column, summary.zone)), std::to_string(summary.raw),
         std::to_string(summary.bytes), ratio_text(summary.raw, summary.bytes), encodings_text(summary)});
  }
  print_table({"name", "type", "rows", "nulls", "min", "max", "raw", "bytes", "ratio", "encodings"}, lines,
              "llrrrrrrrl");
}

Json to_json(const Column& column, const ColumnSummary& summary) {
  Json encodings = Json::array();
  for (const CascadeTotal& total : cascades(summary)) {
    encodings.push_back({{"cascade", total.cascade}, {"chunks", total.chunks}, {"bytes", total.bytes}});
  }
  return {{"name", column.name},
          {"type", to_string(ColumnType{column.type, column.logical})},
          {"nullable", column.nullable || is_string(column.type)},
          {"rows", summary.zone.rows},
          {"nulls", summary.zone.nulls},
          {"min", min_json(column, summary.zone)},
          {"max", max_json(column, summary.zone)},
          {"raw_bytes", summary.raw},
          {"bytes", summary.bytes},
          {"ratio", ratio(summary.raw, summary.bytes)},
          {"encodings", std::move(encodings)}};
}

Json to_json(const OpenReader& file, const std::vector<ColumnSummary>& summaries) {
  Json columns = Json::array();
  for (size_t i = 0; i < summaries.size(); ++i) {
    columns.push_back(to_json(file.reader.columns()[i], summaries[i]));
  }
  return {{"file", file.name},
          {"file_bytes", file.reader.file_bytes()},
          {"num_rows", file.reader.num_rows()},
          {"num_row_groups", file.reader.num_row_groups()},
          {"columns", std::move(columns)}};
}

Status stats(const StatsArgs& args, size_t index, Json& json) {
  BOBBIN_ASSIGN(const OpenTable file, open_table(args.inputs[index], args.reading));
  const std::vector<ColumnSummary> summaries = summarize(file.reader);
  if (args.json) {
    json.push_back(to_json(file, summaries));
    return {};
  }
  if (args.inputs.size() > 1) {
    print(fmt::format("{}{}:\n", index == 0 ? "" : "\n",
                      styled(printable(file.name), Style::bold, STDOUT_FILENO)));
  }
  print_column_stats(file.reader, summaries);
  return {};
}

}  // namespace

void add_stats(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("stats", "Show one line per column: type, bounds, sizes, encodings");
  auto args = std::make_shared<StatsArgs>();
  add_inputs(verb, args->inputs, kTableHelp).required();
  verb.add_flag("--json", args->json,
                "Print JSON, with full names and bounds; an array if there are several files");
  add_import_options(verb, args->reading);
  verb.footer("Reads only the footer: nothing is decoded. 'bobbin inspect' shows encodings in full.");
  verb.callback([args, &action] {
    const auto each = [args](size_t i, Json& json) { return stats(*args, i, json); };
    action = [args, each] { return for_each_file(args->inputs.size(), args->json, each); };
  });
}

}  // namespace bobbin::cli
