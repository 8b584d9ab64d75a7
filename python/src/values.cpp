// SPDX-License-Identifier: Apache-2.0
// Questions and their answers, from and to Python objects.
#include <algorithm>

#include "errors.hpp"
#include "expression.hpp"
#include "file.hpp"

namespace bobbin::python {
namespace {

using query::AggregateSpec;

constexpr std::pair<const char*, AggregateSpec::Kind> kAggregates[] = {
    {"count", AggregateSpec::Kind::count}, {"sum", AggregateSpec::Kind::sum},
    {"min", AggregateSpec::Kind::min},     {"max", AggregateSpec::Kind::max},
    {"avg", AggregateSpec::Kind::avg},     {"count_distinct", AggregateSpec::Kind::count_distinct}};

// Integers with a logical type are (integer, kind, unit or scale); strings are bytes.
nb::object object_of(const query::Value& value) {
  switch (value.kind) {
    case query::Value::Kind::null:
      return nb::none();
    case query::Value::Kind::real:
      return nb::float_(value.real);
    case query::Value::Kind::text:
      return nb::bytes(value.text.data(), value.text.size());
    case query::Value::Kind::integer:
      break;
  }
  const std::string digits = query::to_string(query::Value::of_integer(value.integer));
  const nb::object integer = nb::steal(PyLong_FromString(digits.c_str(), nullptr, 10));
  if (value.logical == Logical{}) {
    return integer;
  }
  constexpr const char* kKinds[] = {"plain", "bool", "date", "timestamp", "decimal", "time"};
  const bool is_decimal = value.logical.kind == Logical::Kind::decimal;
  return nb::make_tuple(integer, kKinds[static_cast<size_t>(value.logical.kind)],
                        is_decimal ? value.logical.scale : static_cast<uint8_t>(value.logical.unit));
}

}  // namespace

query::Query query_of(const Reader& reader, const arrow::TableScanOptions& options) {
  const query::Query query = query::from(reader).on(options.backend);
  return options.where.has_value() ? query.where(*options.where) : query;
}

std::vector<AggregateSpec> aggregates_from(const Aggregates& named) {
  std::vector<AggregateSpec> made;
  for (const auto& [kind, source] : named) {
    const auto* const found =
        std::ranges::find_if(kAggregates, [&](const auto& known) { return kind == known.first; });
    if (found == std::end(kAggregates)) {
      raise({StatusCode::invalid_argument, "unknown aggregate " + kind});
    }
    if (PyTuple_Check(source.ptr())) {
      made.push_back({found->second, {}, expression_from(source)});
    } else {
      made.push_back({found->second, text_from(source), {}});
    }
  }
  return made;
}

std::vector<query::OrderTerm> order_from(const std::string& text, std::span<const std::string> titles,
                                         std::span<const AggregateSpec> aggregates) {
  if (text.empty()) {
    return {};
  }
  std::vector<query::OrderTerm> order = take(query::parse_order(text));
  for (query::OrderTerm& term : order) {
    const auto title = std::ranges::find(titles, term.column);
    if (!term.aggregate.has_value() && title != titles.end()) {
      term.aggregate = aggregates[static_cast<size_t>(title - titles.begin())];
      term.column.clear();
    }
  }
  return order;
}

nb::list rows_from(const query::ResultTable& table) {
  nb::list rows;
  for (const auto& row : table.rows) {
    nb::list values;
    for (const query::Value& value : row) {
      values.append(object_of(value));
    }
    rows.append(nb::tuple(values));
  }
  return rows;
}

}  // namespace bobbin::python
