// SPDX-License-Identifier: Apache-2.0
// bobbin inspect: what a .bob file holds and how it is encoded. Reads the footer only.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "core/scalar.hpp"
#include "file/text.hpp"

namespace bobbin::cli {
namespace {

struct Args {
  std::string input;
  bool json = false;
  bool row_groups = false;
};

uint64_t raw_bytes(const NodeInfo& node) {
  return node.length * size_bytes(node.type);
}

uint64_t tree_bytes(const NodeInfo& node) {
  uint64_t bytes = node.bytes;
  for (const NodeInfo& child : node.children) {
    bytes += tree_bytes(child);
  }
  return bytes;
}

bool same_tree(const NodeInfo& a, const NodeInfo& b) {
  return a.codec == b.codec && a.type == b.type &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(), &same_tree);
}

// Adds a tree of the same make; a detail stays only when all chunks agree on it.
void add_tree(NodeInfo& sum, const NodeInfo& tree) {
  sum.length += tree.length;
  sum.bytes += tree.bytes;
  if (sum.detail != tree.detail) {
    sum.detail = "details vary";
  }
  for (size_t i = 0; i < sum.children.size(); ++i) {
    add_tree(sum.children[i], tree.children[i]);
  }
}

// All chunks of a column: the zone maps together, and the trees by their make.
struct ColumnSummary {
  struct Encoding {
    NodeInfo sum;
    uint64_t chunks = 0;
  };
  uint64_t rows = 0;
  uint64_t bytes = 0;
  Scalar min;
  Scalar max;
  std::vector<Encoding> encodings;

  void add(DType type, const ChunkInfo& chunk, uint64_t num_rows) {
    if (num_rows > 0) {
      min = rows == 0 || less(type, chunk.min, min) ? chunk.min : min;
      max = rows == 0 || less(type, max, chunk.max) ? chunk.max : max;
    }
    rows += num_rows;
    bytes += tree_bytes(chunk.root);
    for (Encoding& encoding : encodings) {
      if (same_tree(encoding.sum, chunk.root)) {
        add_tree(encoding.sum, chunk.root);
        ++encoding.chunks;
        return;
      }
    }
    encodings.push_back({chunk.root, 1});
  }
};

std::vector<ColumnSummary> summarize(const Reader& reader) {
  std::vector<ColumnSummary> summaries(reader.columns().size());
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const RowGroupInfo info = reader.row_group(group);
    for (size_t i = 0; i < info.chunks.size(); ++i) {
      summaries[i].add(reader.columns()[i].type, info.chunks[i], info.num_rows);
    }
  }
  return summaries;
}

std::string zone_text(DType type, uint64_t rows, Scalar min, Scalar max) {
  return rows == 0 ? "no rows" : fmt::format("min {}, max {}", to_text(type, min), to_text(type, max));
}

// One line a node: its codec, its own words, the bytes of it and what is below, and the ratio.
void print_tree(const NodeInfo& node, size_t indent, const std::string& chunks) {
  const uint64_t bytes = tree_bytes(node);
  print(fmt::format("{:{}}{}: {}{}, {}, ratio {}{}{}\n", "", indent, node.codec, chunks, to_string(node.type),
                    count(bytes, "byte"), ratio_text(raw_bytes(node), bytes), node.detail.empty() ? "" : ", ",
                    file::printable(node.detail)));
  for (const NodeInfo& child : node.children) {
    print_tree(child, indent + 2, "");
  }
}

void print_head(const OpenReader& file) {
  const Reader& reader = file.reader;
  uint64_t row_bytes = 0;
  for (const Column& column : reader.columns()) {
    row_bytes += size_bytes(column.type);
  }
  print(fmt::format("{}: format {}, {}, {}, {}\n", file::printable(file.name), reader.format_version(),
                    count(reader.columns().size(), "column"), count(reader.num_rows(), "row"),
                    count(reader.num_row_groups(), "row group")));
  print(fmt::format("total: {} raw, {} on disk, ratio {}\n", count(row_bytes * reader.num_rows(), "byte"),
                    count(reader.file_bytes(), "byte"),
                    ratio_text(row_bytes * reader.num_rows(), reader.file_bytes())));
}

void print_columns(const Reader& reader) {
  const std::vector<ColumnSummary> summaries = summarize(reader);
  for (size_t i = 0; i < summaries.size(); ++i) {
    const Column& column = reader.columns()[i];
    const ColumnSummary& summary = summaries[i];
    const uint64_t raw = summary.rows * size_bytes(column.type);
    print(fmt::format("\ncolumn {}: {}, {}\n", file::printable(column.name), to_string(column.type),
                      zone_text(column.type, summary.rows, summary.min, summary.max)));
    print(fmt::format("  {} raw, {} encoded, ratio {}\n", count(raw, "byte"), summary.bytes,
                      ratio_text(raw, summary.bytes)));
    for (const ColumnSummary::Encoding& encoding : summary.encodings) {
      print_tree(encoding.sum, 2, count(encoding.chunks, "chunk") + " of ");
    }
  }
}

void print_row_groups(const Reader& reader) {
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const RowGroupInfo info = reader.row_group(group);
    print(fmt::format("\nrow group {}: rows {}:{}\n", group, info.first_row, info.first_row + info.num_rows));
    for (size_t i = 0; i < info.chunks.size(); ++i) {
      const Column& column = reader.columns()[i];
      print(fmt::format("  column {}: {}\n", file::printable(column.name),
                        zone_text(column.type, info.num_rows, info.chunks[i].min, info.chunks[i].max)));
      print_tree(info.chunks[i].root, 4, "");
    }
  }
}

Json to_json(const NodeInfo& node) {
  Json children = Json::array();
  for (const NodeInfo& child : node.children) {
    children.push_back(to_json(child));
  }
  const uint64_t bytes = tree_bytes(node);
  return {{"codec", node.codec},
          {"detail", node.detail},
          {"type", to_string(node.type)},
          {"length", node.length},
          {"bytes", bytes},
          {"own_bytes", node.bytes},
          {"ratio", ratio(raw_bytes(node), bytes)},
          {"children", std::move(children)}};
}

void set_zone(Json& json, DType type, uint64_t rows, Scalar min, Scalar max) {
  json["min"] = rows == 0 ? Json(nullptr) : cli::to_json(type, min);
  json["max"] = rows == 0 ? Json(nullptr) : cli::to_json(type, max);
}

Json columns_json(const Reader& reader) {
  Json columns = Json::array();
  const std::vector<ColumnSummary> summaries = summarize(reader);
  for (size_t i = 0; i < summaries.size(); ++i) {
    const Column& column = reader.columns()[i];
    const ColumnSummary& summary = summaries[i];
    const uint64_t raw = summary.rows * size_bytes(column.type);
    Json json{{"name", column.name},
              {"type", to_string(column.type)},
              {"raw_bytes", raw},
              {"bytes", summary.bytes},
              {"ratio", ratio(raw, summary.bytes)}};
    set_zone(json, column.type, summary.rows, summary.min, summary.max);
    columns.push_back(std::move(json));
  }
  return columns;
}

Json row_groups_json(const Reader& reader) {
  Json groups = Json::array();
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const RowGroupInfo info = reader.row_group(group);
    Json chunks = Json::array();
    for (size_t i = 0; i < info.chunks.size(); ++i) {
      Json chunk{{"column", reader.columns()[i].name}};
      set_zone(chunk, reader.columns()[i].type, info.num_rows, info.chunks[i].min, info.chunks[i].max);
      chunk["tree"] = to_json(info.chunks[i].root);
      chunks.push_back(std::move(chunk));
    }
    groups.push_back(
        {{"first_row", info.first_row}, {"num_rows", info.num_rows}, {"chunks", std::move(chunks)}});
  }
  return groups;
}

Status inspect(const Args& args) {
  BOBBIN_ASSIGN(const OpenReader file, open_reader(args.input));
  if (args.json) {
    const Json json{{"file", file.name},
                    {"format_version", file.reader.format_version()},
                    {"file_bytes", file.reader.file_bytes()},
                    {"num_rows", file.reader.num_rows()},
                    {"columns", columns_json(file.reader)},
                    {"row_groups", row_groups_json(file.reader)}};
    print(bench::dump(json) + "\n");
    return {};
  }
  print_head(file);
  print_columns(file.reader);
  if (args.row_groups) {
    print_row_groups(file.reader);
  }
  return {};
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("inspect", "Show columns, encodings, sizes, ratios and zone maps");
  auto args = std::make_shared<Args>();
  verb->add_option("IN", args->input, "A .bob file; '-' for stdin")->type_name("")->required();
  verb->add_flag("--row-groups", args->row_groups, "Show each row group too");
  verb->add_flag("--json", args->json, "JSON for programs, row groups included");
  verb->footer("Reads the footer only: the bytes of columns are checked by 'bobbin verify'.");
  verb->callback([args, &action] { action = [args] { return report(inspect(*args)); }; });
}

}  // namespace bobbin::cli
