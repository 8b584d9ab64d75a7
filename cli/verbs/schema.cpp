// SPDX-License-Identifier: Apache-2.0
// bobbin schema: a file's columns and their types, as text, for `compress --schema`, and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bobbin/schema.hpp"
#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/table_input.hpp"

namespace bobbin::cli {
namespace {

struct SchemaArgs {
  std::string input;
  ImportArgs reading;
  bool text = false;
  bool json = false;
};

std::string type_name(const Column& column) {
  return to_string(ColumnType{column.type, column.logical});
}

bool may_be_null(const Column& column) {
  return column.nullable || is_string(column.type);
}

void print_schema(const std::vector<Column>& columns) {
  size_t names = 0;
  size_t types = 0;
  for (const Column& column : columns) {
    names = std::max(names, printable(column.name).size());
    types = std::max(types, type_name(column).size());
  }
  for (const Column& column : columns) {
    const std::string name = printable(column.name);
    print(may_be_null(column) ? fmt::format("{:{}}  {:{}}  nullable\n", name, names, type_name(column), types)
                              : fmt::format("{:{}}  {}\n", name, names, type_name(column)));
  }
}

void print_json(const Reader& reader) {
  Json columns = Json::array();
  for (const Column& column : reader.columns()) {
    columns.push_back(
        {{"name", column.name}, {"type", type_name(column)}, {"nullable", may_be_null(column)}});
  }
  print(bench::dump({{"schema", schema_text(reader.columns())},
                     {"num_rows", reader.num_rows()},
                     {"columns", std::move(columns)}}) +
        "\n");
}

Status schema(const SchemaArgs& args) {
  BOBBIN_ASSIGN(const OpenTable file, open_table(args.input, args.reading));
  if (args.json) {
    print_json(file.reader);
  } else if (args.text) {
    print(schema_text(file.reader.columns()) + "\n");
  } else {
    print(fmt::format("{}: {}, {}\n", printable(file.name), count(file.reader.columns().size(), "column"),
                      count(file.reader.num_rows(), "row")));
    print_schema(file.reader.columns());
  }
  return {};
}

}  // namespace

void add_schema(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("schema", "Show the columns of a table and their types");
  auto args = std::make_shared<SchemaArgs>();
  add_input(verb, args->input, kTableHelp).required();
  verb.add_flag("--text", args->text, "Print one line, in the form of 'compress --schema'");
  verb.add_flag("--json", args->json, "Print JSON");
  add_import_options(verb, args->reading);
  verb.footer(
      "Example:\n"
      "  bobbin compress more.csv --schema \"$(bobbin schema table.bob --text)\"");
  verb.callback([args, &action] {
    if (args->text && args->json) {
      refuse("give one of --text and --json");
    }
    action = [args] { return report(schema(*args)); };
  });
}

}  // namespace bobbin::cli
