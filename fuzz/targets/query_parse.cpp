// SPDX-License-Identifier: Apache-2.0
// Any text is either refused, or is a predicate, a list of aggregates or an order that binds to columns or
// gives a reason why not; pruning a bound predicate leaves no test whose result is known in advance.
// Covers: src/query/parse.cpp src/query/parse_expression.cpp src/query/tokens.cpp
// Covers: src/query/bind.cpp src/query/prune.cpp
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bobbin/file.hpp"
#include "bobbin/io.hpp"
#include "bobbin/query.hpp"
#include "query/bind.hpp"
#include "query/order.hpp"
#include "query/prune.hpp"

namespace {

using namespace bobbin;

// Columns a to l, one of each type, then some with logical types, and a row group in which each has some
// values.
std::vector<Column> make_columns() {
  std::vector<Column> columns;
  for (uint8_t type = static_cast<uint8_t>(DType::u8); type <= static_cast<uint8_t>(DType::binary); ++type) {
    columns.push_back({std::string(1, static_cast<char>('a' + type - 1)), static_cast<DType>(type)});
  }
  for (const char* const type : {"bool", "date", "timestamp[ms]", "decimal(3)", "decimal(18) i32"}) {
    const ColumnType parsed = parse_column_type(type).value();
    columns.push_back(
        {std::string(1, static_cast<char>('a' + columns.size())), parsed.type, false, parsed.logical});
  }
  return columns;
}

// A table of these columns, without rows. Its file is open as long as the process runs.
Reader make_table(const std::vector<Column>& columns) {
  static const file::Descriptor file = file::nameless_file().value();
  Writer writer = Writer::to_descriptor(file.get(), "table", columns, {}).value();
  if (!writer.finish().ok()) {
    std::abort();
  }
  return Reader::from_descriptor(file.get(), "table").value();
}

file::RowGroup make_group(size_t columns) {
  file::RowGroup group{.first_row = 0, .num_rows = 10};
  const file::Chunk chunk{
      .root = {}, .zone = {{3}, {7}}, .strings = {.min = "b", .max = "d", .null_count = 2}};
  group.chunks.assign(columns, chunk);
  return group;
}

bool is_known(const query::Bound& bound) {
  return bound.kind == query::Bound::Kind::always || bound.kind == query::Bound::Kind::never;
}

bool has_known_parts(const query::Bound& bound) {
  return std::ranges::any_of(
      bound.parts, [](const query::Bound& part) { return is_known(part) || has_known_parts(part); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<Column> columns = make_columns();
  static const Reader table = make_table(columns);
  static const file::RowGroup group = make_group(columns.size());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto aggregates = query::parse_aggregates(text); aggregates.has_value()) {
    for (const query::AggregateSpec& aggregate : *aggregates) {
      (void)query::bind_aggregate(table, aggregate);
    }
  }
  if (const auto order = query::parse_order(text); order.has_value()) {
    (void)query::bind_row_order(*order, table);
    std::vector<query::AggregateSpec> aggregates;
    (void)query::bind_group_order(*order, {}, aggregates);
  }
  const auto predicate = query::parse_predicate(text);
  if (!predicate.has_value()) {
    return 0;
  }
  const auto bound = query::bind_predicate(table, *predicate);
  if (bound.has_value() && has_known_parts(query::prune(*bound, columns, group))) {
    std::fprintf(stderr, "pruning left a test that is known\n");
    std::abort();
  }
  return 0;
}
