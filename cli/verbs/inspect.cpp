// SPDX-License-Identifier: Apache-2.0
// bobbin inspect: the contents of a .bob file and how it is encoded. Reads only the footer.
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
#include "cli/why.hpp"

namespace bobbin::cli {
namespace {

struct InspectArgs {
  std::vector<std::string> inputs;
  ImportArgs reading;
  bool json = false;
  bool row_groups = false;
  bool why = false;
};

std::string zone_text(const Column& column, const Zone& zone) {
  if (zone.rows == 0) {
    return "no rows";
  }
  const bool may_have_nulls = column.nullable || is_string(column.type);
  const std::string nulls = may_have_nulls ? count(zone.nulls, "null") : "";
  if (!zone.has_bounds()) {
    return nulls;
  }
  return fmt::format("min {}, max {}{}{}", min_text(column, zone), max_text(column, zone),
                     nulls.empty() ? "" : ", ", nulls);
}

// One line per node: its codec, the codec's description, the bytes of it and what is below, and the ratio.
void print_tree(const NodeInfo& node, uint64_t raw, size_t indent, const std::string& chunks) {
  const uint64_t bytes = tree_bytes(node);
  print(fmt::format("{:{}}{}: {}{}, {}, ratio {}{}{}\n", "", indent, node.codec, chunks, to_string(node.type),
                    count(bytes, "byte"), ratio_text(raw, bytes), node.detail.empty() ? "" : ", ",
                    printable(node.detail)));
  for (const NodeInfo& child : node.children) {
    print_tree(child, raw_bytes(child), indent + 2, "");
  }
}

void print_head(const OpenReader& file, const std::vector<ColumnSummary>& summaries) {
  const Reader& reader = file.reader;
  const uint64_t raw = raw_bytes(summaries);
  print(fmt::format("{}: format {}, {}, {}, {}\n", printable(file.name), reader.format_version(),
                    count(reader.columns().size(), "column"), count(reader.num_rows(), "row"),
                    count(reader.num_row_groups(), "row group")));
  print(fmt::format("total: {} raw, {} on disk, ratio {}\n", count(raw, "byte"),
                    count(reader.file_bytes(), "byte"), ratio_text(raw, reader.file_bytes())));
  for (const auto& [key, value] : reader.metadata()) {
    print(fmt::format("metadata {}: {}\n", printable(key), bobbin::quoted_text(value)));
  }
}

void print_columns(const Reader& reader, const std::vector<ColumnSummary>& summaries) {
  for (size_t i = 0; i < summaries.size(); ++i) {
    const Column& column = reader.columns()[i];
    const ColumnSummary& summary = summaries[i];
    print(fmt::format("\ncolumn {}: {}, {}\n", styled(printable(column.name), Style::bold, STDOUT_FILENO),
                      type_text(column), zone_text(column, summary.zone)));
    print(fmt::format("  {} raw, {} encoded, ratio {}\n", count(summary.raw, "byte"), summary.bytes,
                      ratio_text(summary.raw, summary.bytes)));
    for (const ColumnSummary::Encoding& encoding : summary.encodings) {
      print_tree(encoding.sum, encoding.raw, 2, count(encoding.chunks, "chunk") + " of ");
    }
  }
}

void print_row_groups(const Reader& reader) {
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const RowGroupInfo info = *reader.row_group(group);
    print(fmt::format("\nrow group {}: rows {}:{}\n", group, info.first_row, info.first_row + info.num_rows));
    for (size_t i = 0; i < info.chunks.size(); ++i) {
      const Column& column = reader.columns()[i];
      print(fmt::format("  column {}: {}\n", printable(column.name),
                        zone_text(column, zone_of(info, i, column.type))));
      print_tree(info.chunks[i].root, raw_bytes(info.chunks[i]), 4, "");
    }
  }
}

Json to_json(const NodeInfo& node, uint64_t raw) {
  Json children = Json::array();
  for (const NodeInfo& child : node.children) {
    children.push_back(to_json(child, raw_bytes(child)));
  }
  const uint64_t bytes = tree_bytes(node);
  return {{"codec", node.codec},
          {"detail", node.detail},
          {"type", to_string(node.type)},
          {"length", node.length},
          {"bytes", bytes},
          {"own_bytes", node.bytes},
          {"ratio", ratio(raw, bytes)},
          {"children", std::move(children)}};
}

void set_zone(Json& json, const Column& column, const Zone& zone) {
  json["min"] = min_json(column, zone);
  json["max"] = max_json(column, zone);
  if (column.nullable || is_string(column.type)) {
    json["nulls"] = zone.nulls;
  }
}

Json columns_json(const Reader& reader) {
  Json columns = Json::array();
  const std::vector<ColumnSummary> summaries = summarize(reader);
  for (size_t i = 0; i < summaries.size(); ++i) {
    const Column& column = reader.columns()[i];
    const ColumnSummary& summary = summaries[i];
    Json json{{"name", column.name},
              {"type", to_string(column.type)},
              {"raw_bytes", summary.raw},
              {"bytes", summary.bytes},
              {"ratio", ratio(summary.raw, summary.bytes)}};
    set_zone(json, column, summary.zone);
    if (column.nullable) {
      json["nullable"] = true;
    }
    if (column.logical.kind != Logical::Kind::plain) {
      json["logical"] = to_string(ColumnType{column.type, column.logical});
    }
    columns.push_back(std::move(json));
  }
  return columns;
}

Json row_groups_json(const Reader& reader) {
  Json groups = Json::array();
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const RowGroupInfo info = *reader.row_group(group);
    Json chunks = Json::array();
    for (size_t i = 0; i < info.chunks.size(); ++i) {
      Json chunk{{"column", reader.columns()[i].name}};
      const Column& column = reader.columns()[i];
      set_zone(chunk, column, zone_of(info, i, column.type));
      chunk["tree"] = to_json(info.chunks[i].root, raw_bytes(info.chunks[i]));
      chunks.push_back(std::move(chunk));
    }
    groups.push_back(
        {{"first_row", info.first_row}, {"num_rows", info.num_rows}, {"chunks", std::move(chunks)}});
  }
  return groups;
}

Json metadata_json(const Reader& reader) {
  Json json = Json::object();
  for (const auto& [key, value] : reader.metadata()) {
    json[key] = printable(value);
  }
  return json;
}

Json to_json(const OpenReader& file) {
  return {{"file", file.name},
          {"format_version", file.reader.format_version()},
          {"file_bytes", file.reader.file_bytes()},
          {"num_rows", file.reader.num_rows()},
          {"metadata", metadata_json(file.reader)},
          {"columns", columns_json(file.reader)},
          {"row_groups", row_groups_json(file.reader)}};
}

Status inspect(const InspectArgs& args, size_t index, Json& json) {
  BOBBIN_ASSIGN(const OpenTable file, open_table(args.inputs[index], args.reading));
  if (args.json) {
    json.push_back(to_json(file));
    return {};
  }
  print(index == 0 ? "" : "\n");
  const std::vector<ColumnSummary> summaries = summarize(file.reader);
  print_head(file, summaries);
  print_columns(file.reader, summaries);
  if (args.row_groups) {
    print_row_groups(file.reader);
  }
  return args.why ? print_why(file) : Status();
}

}  // namespace

void add_inspect(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("inspect", "Show columns, encodings, sizes, ratios and zone maps");
  auto args = std::make_shared<InspectArgs>();
  add_inputs(verb, args->inputs, kTableHelp).required();
  verb.add_flag("--row-groups", args->row_groups, "Show each row group too");
  verb.add_flag("--json", args->json,
                "Print JSON, including row groups; an array if there are several files");
  verb.add_flag("--why", args->why,
                "List candidate cascades for each chunk, with estimated and actual sizes");
  add_import_options(verb, args->reading);
  verb.footer("Reads only the footer, except with --why; 'bobbin verify' checks the columns' bytes.");
  verb.callback([args, &action] {
    const auto each = [args](size_t i, Json& json) { return inspect(*args, i, json); };
    action = [args, each] { return for_each_file(args->inputs.size(), args->json, each); };
  });
}

}  // namespace bobbin::cli
