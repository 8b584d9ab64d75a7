// SPDX-License-Identifier: Apache-2.0
#include "cli/summary.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bobbin/encoding.hpp"
#include "bobbin/text.hpp"

namespace bobbin::cli {
namespace {

bool same_tree(const NodeInfo& a, const NodeInfo& b) {
  return a.codec == b.codec && a.type == b.type &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(), &same_tree);
}

// Adds a tree of the same shape; a detail is kept only if all chunks agree on it.
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

ColumnType full_type(const Column& column) {
  return {column.type, column.logical};
}

}  // namespace

uint64_t raw_bytes(const NodeInfo& node) {
  return is_string(node.type) ? 0 : node.length * size_bytes(node.type);
}

uint64_t raw_bytes(const ChunkInfo& chunk) {
  return is_string(chunk.root.type) ? chunk.strings.num_bytes : raw_bytes(chunk.root);
}

uint64_t tree_bytes(const NodeInfo& node) {
  uint64_t bytes = node.bytes;
  for (const NodeInfo& child : node.children) {
    bytes += tree_bytes(child);
  }
  return bytes;
}

void Zone::add(DType type, const ChunkInfo& chunk, uint64_t num_rows) {
  if (is_string(type)) {
    add_strings(chunk.strings, num_rows);
  } else {
    add_numbers(type, chunk, num_rows);
  }
  rows += num_rows;
}

// An all-null chunk has no bounds.
void Zone::add_numbers(DType type, const ChunkInfo& chunk, uint64_t num_rows) {
  if (chunk.null_count < num_rows) {
    const bool first = !has_bounds();
    min = first || less(type, chunk.min, min) ? chunk.min : min;
    max = first || less(type, max, chunk.max) ? chunk.max : max;
  }
  nulls += chunk.null_count;
}

void Zone::add_strings(const StringZone& more, uint64_t num_rows) {
  if (more.null_count < num_rows) {
    const bool first = !has_bounds();
    strings.min = first ? more.min : std::min(strings.min, more.min);
    strings.max = first ? more.max : std::max(strings.max, more.max);
    strings.max_is_open = strings.max_is_open || more.max_is_open;
  }
  nulls += more.null_count;
  strings.null_count = nulls;
  strings.num_bytes += more.num_bytes;
}

Zone zone_of(const RowGroupInfo& group, size_t column, DType type) {
  Zone zone;
  zone.add(type, group.chunks[column], group.num_rows);
  return zone;
}

void ColumnSummary::add(DType type, const ChunkInfo& chunk, uint64_t num_rows) {
  zone.add(type, chunk, num_rows);
  raw += raw_bytes(chunk);
  bytes += tree_bytes(chunk.root);
  for (Encoding& encoding : encodings) {
    if (same_tree(encoding.sum, chunk.root)) {
      add_tree(encoding.sum, chunk.root);
      encoding.raw += raw_bytes(chunk);
      ++encoding.chunks;
      return;
    }
  }
  encodings.push_back({chunk.root, raw_bytes(chunk), 1});
}

std::vector<ColumnSummary> summarize(const Reader& reader) {
  std::vector<ColumnSummary> summaries(reader.columns().size());
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const RowGroupInfo info = *reader.row_group(group);
    for (size_t i = 0; i < info.chunks.size(); ++i) {
      summaries[i].add(reader.columns()[i].type, info.chunks[i], info.num_rows);
    }
  }
  return summaries;
}

uint64_t raw_bytes(const std::vector<ColumnSummary>& summaries) {
  uint64_t raw = 0;
  for (const ColumnSummary& summary : summaries) {
    raw += summary.raw;
  }
  return raw;
}

std::vector<CascadeTotal> cascades(const ColumnSummary& summary) {
  std::vector<CascadeTotal> totals;
  for (const ColumnSummary::Encoding& encoding : summary.encodings) {
    std::string text = to_string(cascade_of(encoding.sum));
    auto found = std::ranges::find(totals, text, &CascadeTotal::cascade);
    if (found == totals.end()) {
      found = totals.insert(totals.end(), {std::move(text), 0, 0});
    }
    found->bytes += tree_bytes(encoding.sum);
    found->chunks += encoding.chunks;
  }
  std::ranges::stable_sort(totals, std::ranges::greater{}, &CascadeTotal::bytes);
  return totals;
}

std::string type_text(const Column& column) {
  return (column.nullable ? "nullable " : "") + to_string(full_type(column));
}

std::string min_text(const Column& column, const Zone& zone) {
  if (!zone.has_bounds()) {
    return "-";
  }
  return is_string(column.type) ? bobbin::quoted_text(zone.strings.min)
                                : to_text(full_type(column), zone.min);
}

std::string max_text(const Column& column, const Zone& zone) {
  if (!zone.has_bounds()) {
    return "-";
  }
  if (!is_string(column.type)) {
    return to_text(full_type(column), zone.max);
  }
  return zone.strings.max_is_open ? "open" : bobbin::quoted_text(zone.strings.max);
}

// JSON has no byte strings: bytes that are not text are written as \xNN.
Json min_json(const Column& column, const Zone& zone) {
  if (!zone.has_bounds()) {
    return nullptr;
  }
  return is_string(column.type) ? Json(printable(zone.strings.min)) : to_json(full_type(column), zone.min);
}

Json max_json(const Column& column, const Zone& zone) {
  if (!zone.has_bounds() || (is_string(column.type) && zone.strings.max_is_open)) {
    return nullptr;
  }
  return is_string(column.type) ? Json(printable(zone.strings.max)) : to_json(full_type(column), zone.max);
}

}  // namespace bobbin::cli
