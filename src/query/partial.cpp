// SPDX-License-Identifier: Apache-2.0
#include "bobbin/partial.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/byte_stream.hpp"
#include "core/scalar.hpp"
#include "file/access.hpp"
#include "file/checksum.hpp"
#include "query/average.hpp"
#include "query/bind.hpp"
#include "query/decoded.hpp"
#include "query/order.hpp"
#include "query/parse_expression.hpp"
#include "query/text.hpp"

namespace bobbin::query {
namespace {

using AggregateKind = AggregateSpec::Kind;
using Row = std::vector<Value>;

constexpr std::string_view kMagic = "BOBPAR\x01\n";
constexpr std::string_view kWhat = "partial aggregates";  // begins messages

// The aggregates that one is computed from; none for count_distinct, whose values are groups of their own.
std::vector<AggregateSpec> parts_of(const AggregateSpec& aggregate) {
  switch (aggregate.kind) {
    case AggregateKind::count_distinct:
      return {};
    case AggregateKind::avg:
      return {{AggregateKind::sum, aggregate.column, aggregate.expression},
              {AggregateKind::count, aggregate.column, aggregate.expression}};
    default:
      return {aggregate};
  }
}

Status mismatch(const std::string& reason) {
  return {StatusCode::invalid_argument, "partial aggregates cannot be merged: " + reason};
}

Status add_to(Value& into, const Value& more) {
  if (into.kind == Value::Kind::real) {
    into.real += more.real;
    return {};
  }
  const bool overflows = __builtin_add_overflow(into.integer, more.integer, &into.integer);
  return overflows || into.kind != Value::Kind::integer ? mismatch("a sum overflows") : Status();
}

// Whether a comes before b as min and max see it.
bool is_less(const Value& a, const Value& b) {
  return a.kind == Value::Kind::real ? order_key(a.real) < order_key(b.real) : compare_values(a, b) < 0;
}

Status merge_value(AggregateKind kind, Value& into, const Value& more) {
  if (more.is_null()) {
    return {};
  }
  if (into.is_null()) {
    into = more;
    return {};
  }
  if (into.kind != more.kind || into.logical != more.logical) {
    return mismatch("values have different types");
  }
  if (kind == AggregateKind::count || kind == AggregateKind::sum) {
    return add_to(into, more);
  }
  if (kind == AggregateKind::min ? is_less(more, into) : is_less(into, more)) {
    into = more;
  }
  return {};
}

// ---- Bytes ----

void put_value(std::vector<std::byte>& out, const Value& value) {
  put<uint8_t>(out, static_cast<uint8_t>(value.kind));
  switch (value.kind) {
    case Value::Kind::null:
      break;
    case Value::Kind::integer:
      put<uint8_t>(out, static_cast<uint8_t>(value.logical.kind));
      put<uint8_t>(out, static_cast<uint8_t>(value.logical.unit));
      put<uint8_t>(out, value.logical.scale);
      put<Int128>(out, value.integer);
      break;
    case Value::Kind::real:
      put<double>(out, value.real);
      break;
    case Value::Kind::text:
      put_text(out, value.text);
      break;
  }
}

Result<Value> read_integer(ByteInput& input) {
  BOBBIN_ASSIGN(const uint8_t kind, input.number<uint8_t>());
  BOBBIN_ASSIGN(const uint8_t unit, input.number<uint8_t>());
  BOBBIN_ASSIGN(const uint8_t scale, input.number<uint8_t>());
  BOBBIN_ASSIGN(const Int128 integer, input.number<Int128>());
  if (kind > static_cast<uint8_t>(Logical::Kind::time) ||
      unit > static_cast<uint8_t>(Logical::Unit::nanoseconds) || scale > Logical::kMaxScale) {
    return input.corrupt("a value has an unknown type");
  }
  const Logical logical{
      .kind = static_cast<Logical::Kind>(kind), .unit = static_cast<Logical::Unit>(unit), .scale = scale};
  return Value::of_integer(integer, logical);
}

Result<Value> read_value(ByteInput& input) {
  BOBBIN_ASSIGN(const uint8_t kind, input.number<uint8_t>());
  switch (static_cast<Value::Kind>(kind)) {
    case Value::Kind::null:
      return Value();
    case Value::Kind::integer:
      return read_integer(input);
    case Value::Kind::real: {
      BOBBIN_ASSIGN(const double real, input.number<double>());
      return Value::of_real(real);
    }
    case Value::Kind::text: {
      BOBBIN_ASSIGN(std::string text, input.text());
      return Value::of_text(std::move(text));
    }
  }
  return input.corrupt("a value has an unknown kind");
}

std::string bytes_of(std::span<const Value> values) {
  std::vector<std::byte> bytes;
  std::ranges::for_each(values, [&](const Value& value) { put_value(bytes, value); });
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Rows of keys and values, one per combination of the keys.
class Groups {
 public:
  explicit Groups(size_t num_keys) : num_keys_(num_keys) {}

  // The row's place, and whether it is new. Of a row that is known, only the keys count.
  std::pair<size_t, bool> add(const Row& row) {
    const auto [found, is_new] = places_.emplace(bytes_of(std::span(row).first(num_keys_)), rows_.size());
    if (is_new) {
      rows_.push_back(row);
    }
    return {found->second, is_new};
  }
  [[nodiscard]] Row& row(size_t place) { return rows_[place]; }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  size_t num_keys_;
  std::vector<Row> rows_;
  std::unordered_map<std::string, size_t> places_;
};

void put_groups(std::vector<std::byte>& out, const Groups& groups) {
  put<uint64_t>(out, groups.rows().size());
  for (const Row& row : groups.rows()) {
    std::ranges::for_each(row, [&](const Value& value) { put_value(out, value); });
  }
}

// What all values of a column of groups have in common, unless they are null. Values of several kinds would
// have no order.
struct ValueType {
  Value::Kind kind = Value::Kind::integer;
  Logical logical{};
  bool is_count = false;

  [[nodiscard]] bool holds(const Value& value) const {
    const bool in_range = !is_count || (value.integer >= 0 && value.integer <= Int128{INT64_MAX});
    return value.is_null() || (value.kind == kind && value.logical == logical && in_range);
  }
};

ValueType value_type(const ColumnType& column) {
  return is_string(column.type)  ? ValueType{.kind = Value::Kind::text}
         : is_float(column.type) ? ValueType{.kind = Value::Kind::real}
                                 : ValueType{.logical = column.logical};
}

ValueType value_type(AggregateKind part, const ColumnType& column) {
  if (part == AggregateKind::count) {
    return {.is_count = true};
  }
  ValueType type = value_type(column);
  if (part == AggregateKind::sum && type.logical.kind != Logical::Kind::decimal) {
    type.logical = {};
  }
  return type;
}

Status read_groups(ByteInput& input, std::span<const ValueType> types, Groups& groups) {
  const size_t width = types.size();
  // A row without keys and values takes no bytes; there is one at most.
  BOBBIN_ASSIGN(const uint64_t rows, width == 0 ? input.number<uint64_t>() : input.count(width));
  for (uint64_t i = 0; i < rows; ++i) {
    Row row;
    for (const ValueType& type : types) {
      BOBBIN_ASSIGN(Value value, read_value(input));
      if (!type.holds(value)) {
        return input.corrupt("a value does not have the type of its column");
      }
      row.push_back(std::move(value));
    }
    if (!groups.add(row).second) {
      return input.corrupt("a group is repeated");
    }
  }
  return {};
}

// A name, and the type of the column.
struct Source {
  std::string name;
  std::optional<ColumnType> type;  // nothing: no column

  friend bool operator==(const Source&, const Source&) = default;
};

// Aggregates of expressions have this bit in their kind, and the expression's text instead of a column.
constexpr uint8_t kComputed = 0x40;

Source source_of(const Reader& reader, const std::string& name) {
  const std::optional<size_t> found = reader.find_column(name);
  if (!found.has_value()) {
    return {name, {}};
  }
  const Column& column = reader.columns()[*found];
  return {name, ColumnType{column.type, column.logical}};
}

void put_type(std::vector<std::byte>& out, const std::optional<ColumnType>& type) {
  put_text(out, type.has_value() ? to_string(*type) : "");
}

Result<std::optional<ColumnType>> read_type(ByteInput& input) {
  BOBBIN_ASSIGN(const std::string text, input.text());
  const auto type = parse_column_type(text);
  if (!type.has_value() && !text.empty()) {
    return input.corrupt("a column has an unknown type");
  }
  return type;
}

// The content between the magic number and the checksum.
Result<ByteInput> checked_content(std::span<const std::byte> bytes) {
  const ByteInput all(kWhat, bytes);
  const auto magic = std::as_bytes(std::span(kMagic));
  if (bytes.size() < magic.size() + sizeof(uint64_t) ||
      !std::ranges::equal(bytes.first(magic.size()), magic)) {
    return all.corrupt("the magic number is missing");
  }
  const auto content = bytes.first(bytes.size() - sizeof(uint64_t));
  BOBBIN_ASSIGN(const uint64_t stored, ByteInput(kWhat, bytes.subspan(content.size())).number<uint64_t>());
  return stored == file::checksum(content)
             ? Result<ByteInput>(ByteInput(kWhat, content.subspan(magic.size())))
             : all.corrupt("the checksum is wrong");
}

Result<std::vector<std::string>> read_keys(ByteInput& input) {
  BOBBIN_ASSIGN(const uint64_t count, input.count(sizeof(uint64_t)));
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < count; ++i) {
    BOBBIN_ASSIGN(std::string name, input.text());
    keys.push_back(std::move(name));
  }
  return keys;
}

Result<std::vector<AggregateSpec>> read_aggregates(ByteInput& input) {
  BOBBIN_ASSIGN(const uint64_t count, input.count(1 + sizeof(uint64_t)));
  std::vector<AggregateSpec> aggregates;
  for (uint64_t i = 0; i < count; ++i) {
    BOBBIN_ASSIGN(const uint8_t kind, input.number<uint8_t>());
    BOBBIN_ASSIGN(std::string column, input.text());
    const bool computed = (kind & kComputed) != 0;
    const auto known = static_cast<uint8_t>(kind & ~kComputed);
    if (known > static_cast<uint8_t>(AggregateKind::count_distinct)) {
      return input.corrupt("an aggregate is unknown");
    }
    aggregates.push_back({.kind = static_cast<AggregateKind>(known)});
    if (!computed) {
      aggregates.back().column = std::move(column);
      continue;
    }
    auto parsed = parse_expression(column);
    if (!parsed.has_value() || aggregates.back().kind == AggregateKind::count_distinct) {
      return input.corrupt("an expression cannot be read");
    }
    aggregates.back().expression = std::move(*parsed);
  }
  return aggregates;
}

Value finished(const AggregateSpec& aggregate, std::span<const Value> parts, uint64_t num_distinct) {
  if (aggregate.kind == AggregateKind::count_distinct) {
    return Value::of_integer(num_distinct);
  }
  if (aggregate.kind != AggregateKind::avg) {
    return parts[0];
  }
  const Value& total = parts[0];
  // Hostile parts may add up to any count.
  if (total.is_null() || parts[1].integer <= 0 || parts[1].integer > Int128{UINT64_MAX}) {
    return {};
  }
  const auto number = static_cast<uint64_t>(parts[1].integer);
  return Value::of_real(total.kind == Value::Kind::real
                            ? total.real / static_cast<double>(number)
                            : average(total.integer, number, total.logical.scale));
}

}  // namespace

struct Partial::Impl {
  Impl(std::vector<std::string> key_names, std::vector<AggregateSpec> wanted)
      : keys(std::move(key_names)), aggregates(std::move(wanted)), groups(keys.size()) {
    for (const AggregateSpec& aggregate : aggregates) {
      for (AggregateSpec& part : parts_of(aggregate)) {
        parts.push_back(std::move(part));
      }
      if (aggregate.kind == AggregateKind::count_distinct) {
        distinct.emplace_back(keys.size() + 1);
      }
    }
  }

  // The column of a key or an aggregate, keys first; or the expression.
  [[nodiscard]] std::string name_of(size_t index) const {
    if (index < keys.size()) {
      return keys[index];
    }
    const AggregateSpec& aggregate = aggregates[index - keys.size()];
    return aggregate.expression.has_value() ? to_string(*aggregate.expression) : aggregate.column;
  }
  [[nodiscard]] Status check_same(const Impl& other) const;
  Status read_sources(ByteInput& input);
  [[nodiscard]] std::vector<ValueType> key_types() const;
  Status read_all_groups(ByteInput& input);
  [[nodiscard]] std::vector<std::unordered_map<std::string, uint64_t>> distinct_counts() const;
  [[nodiscard]] Row finished_row(const Row& row,
                                 std::span<const std::unordered_map<std::string, uint64_t>> counts) const;

  std::vector<std::string> keys;
  std::vector<AggregateSpec> aggregates;
  std::vector<AggregateSpec> parts;  // what is computed for the aggregates
  std::vector<Source> sources{};     // of the keys, then of the aggregates
  Groups groups;                     // keys and parts
  std::vector<Groups> distinct{};    // for each count_distinct: keys and a value
};

Status Partial::Impl::check_same(const Impl& other) const {
  if (keys != other.keys || aggregates != other.aggregates) {
    return mismatch("they have different keys or aggregates");
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] != other.sources[i]) {
      return mismatch("column " + single_quoted(sources[i].name) + " has different types");
    }
  }
  return {};
}

Status Partial::Impl::read_sources(ByteInput& input) {
  for (size_t i = 0; i < keys.size() + aggregates.size(); ++i) {
    BOBBIN_ASSIGN(std::optional<ColumnType> type, read_type(input));
    const bool is_key = i < keys.size();
    const AggregateKind kind = is_key ? AggregateKind::min : aggregates[i - keys.size()].kind;
    const bool adds = kind == AggregateKind::sum || kind == AggregateKind::avg;
    if (type.has_value() ? adds && is_string(type->type) : kind != AggregateKind::count) {
      return input.corrupt("an aggregate does not fit the type of its column");
    }
    sources.push_back({name_of(i), std::move(type)});
  }
  return {};
}

std::vector<ValueType> Partial::Impl::key_types() const {
  std::vector<ValueType> types;
  for (size_t i = 0; i < keys.size(); ++i) {
    types.push_back(value_type(*sources[i].type));
  }
  return types;
}

Status Partial::Impl::read_all_groups(ByteInput& input) {
  std::vector<ValueType> types = key_types();
  std::vector<std::vector<ValueType>> distinct_types;
  for (size_t i = 0; i < aggregates.size(); ++i) {
    const ColumnType column = sources[keys.size() + i].type.value_or(ColumnType());
    for (const AggregateSpec& part : parts_of(aggregates[i])) {
      types.push_back(value_type(part.kind, column));
    }
    if (aggregates[i].kind == AggregateKind::count_distinct) {
      distinct_types.push_back(key_types());
      distinct_types.back().push_back(value_type(column));
    }
  }
  BOBBIN_TRY(read_groups(input, types, groups));
  for (size_t i = 0; i < distinct.size(); ++i) {
    BOBBIN_TRY(read_groups(input, distinct_types[i], distinct[i]));
  }
  return {};
}

std::vector<std::unordered_map<std::string, uint64_t>> Partial::Impl::distinct_counts() const {
  std::vector<std::unordered_map<std::string, uint64_t>> counts;
  for (const Groups& values : distinct) {
    auto& found = counts.emplace_back();
    for (const Row& row : values.rows()) {
      found[bytes_of(std::span(row).first(keys.size()))] += row.back().is_null() ? 0 : 1;
    }
  }
  return counts;
}

Row Partial::Impl::finished_row(const Row& row,
                                std::span<const std::unordered_map<std::string, uint64_t>> counts) const {
  Row made(row.begin(), row.begin() + static_cast<ptrdiff_t>(keys.size()));
  const std::string group = counts.empty() ? std::string() : bytes_of(made);
  size_t part = keys.size();
  size_t next_count = 0;
  for (const AggregateSpec& aggregate : aggregates) {
    uint64_t num_distinct = 0;
    if (aggregate.kind == AggregateKind::count_distinct) {
      const auto& known = counts[next_count++];
      const auto found = known.find(group);
      num_distinct = found == known.end() ? 0 : found->second;
    }
    const size_t width = parts_of(aggregate).size();
    made.push_back(finished(aggregate, std::span(row).subspan(part, width), num_distinct));
    part += width;
  }
  return made;
}

Partial::Partial(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Partial::Partial(const Partial& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Partial::Partial(Partial&&) noexcept = default;
Partial& Partial::operator=(const Partial& other) {
  if (this != &other) {
    impl_ = std::make_unique<Impl>(*other.impl_);
  }
  return *this;
}
Partial& Partial::operator=(Partial&&) noexcept = default;
Partial::~Partial() = default;

const std::vector<std::string>& Partial::keys() const {
  return impl_->keys;
}
const std::vector<AggregateSpec>& Partial::aggregates() const {
  return impl_->aggregates;
}
uint64_t Partial::num_groups() const {
  return impl_->groups.rows().size();
}

Result<Partial> Query::partial(const std::vector<std::string>& keys,
                               const std::vector<AggregateSpec>& aggregates, uint64_t max_groups,
                               QueryStats* stats) const {
  std::vector<BoundAggregate> wanted;
  for (const AggregateSpec& aggregate : aggregates) {
    auto bound = bind_aggregate(*reader_, aggregate);
    BOBBIN_TRY(bound.error().in(file::ReaderAccess::name(*reader_)));
    wanted.push_back(std::move(*bound));
  }
  auto impl = std::make_unique<Partial::Impl>(keys, aggregates);
  BOBBIN_ASSIGN(const ResultTable table, group_by(keys, impl->parts, {.max_groups = max_groups}, stats));
  for (const Row& row : table.rows) {
    impl->groups.add(row);
  }
  for (size_t i = 0; i < keys.size() + aggregates.size(); ++i) {
    const auto* const computed = i < keys.size() ? nullptr : wanted[i - keys.size()].expression.get();
    impl->sources.push_back(computed != nullptr ? Source{impl->name_of(i), computed->type}
                                                : source_of(*reader_, impl->name_of(i)));
  }
  size_t next = 0;
  for (const AggregateSpec& aggregate : aggregates) {
    if (aggregate.kind == AggregateKind::count_distinct) {
      std::vector<std::string> all = keys;
      all.push_back(aggregate.column);
      BOBBIN_ASSIGN(const ResultTable values, group_by(all, {}, {.max_groups = kMaxPartialDistinct}));
      std::ranges::for_each(values.rows, [&](const Row& row) { impl->distinct[next].add(row); });
      ++next;
    }
  }
  return Partial(std::move(impl));
}

Status Partial::merge(const Partial& other, uint64_t max_groups) {
  BOBBIN_TRY(impl_->check_same(*other.impl_));
  const size_t num_keys = impl_->keys.size();
  for (const Row& row : other.impl_->groups.rows()) {
    const auto [place, is_new] = impl_->groups.add(row);
    for (size_t i = num_keys; i < row.size() && !is_new; ++i) {
      BOBBIN_TRY(merge_value(impl_->parts[i - num_keys].kind, impl_->groups.row(place)[i], row[i]));
    }
  }
  BOBBIN_RETURN_IF(num_groups() > max_groups, StatusCode::unsupported,
                   "merging makes more than " + std::to_string(max_groups) + " groups");
  for (size_t i = 0; i < impl_->distinct.size(); ++i) {
    std::ranges::for_each(other.impl_->distinct[i].rows(),
                          [&](const Row& row) { impl_->distinct[i].add(row); });
    BOBBIN_RETURN_IF(impl_->distinct[i].rows().size() > kMaxPartialDistinct, StatusCode::unsupported,
                     "count(distinct) exceeds " + std::to_string(kMaxPartialDistinct) + " values");
  }
  return {};
}

Result<ResultTable> Partial::finish(const ResultOptions& options) const {
  std::vector<AggregateSpec> computed = impl_->aggregates;
  BOBBIN_ASSIGN(const std::vector<BoundOrder> order, bind_group_order(options.order, impl_->keys, computed));
  BOBBIN_RETURN_IF(computed.size() != impl_->aggregates.size(), StatusCode::invalid_argument,
                   to_text(computed.back()) + " cannot order groups: it was not computed");
  ResultTable table;
  for (size_t i = 0; i < impl_->sources.size(); ++i) {
    const bool is_key = i < impl_->keys.size();
    const AggregateSpec aggregate = is_key ? AggregateSpec() : computed[i - impl_->keys.size()];
    const bool is_value =
        is_key || aggregate.kind == AggregateKind::min || aggregate.kind == AggregateKind::max;
    const bool is_column = is_value && !aggregate.expression.has_value();
    table.columns.push_back(
        {is_key ? impl_->keys[i] : to_text(aggregate), is_column ? impl_->sources[i].type : std::nullopt});
  }
  const auto counts = impl_->distinct_counts();
  for (const Row& row : impl_->groups.rows()) {
    table.rows.push_back(impl_->finished_row(row, counts));
  }
  sort_first(table.rows, options.limit,
             [&](const Row& a, const Row& b) { return comes_before(order, a, b); });
  return table;
}

std::vector<std::byte> Partial::to_bytes() const {
  std::vector<std::byte> out;
  const auto magic = std::as_bytes(std::span(kMagic));
  out.insert(out.end(), magic.begin(), magic.end());
  put<uint64_t>(out, impl_->keys.size());
  std::ranges::for_each(impl_->keys, [&](const std::string& key) { put_text(out, key); });
  put<uint64_t>(out, impl_->aggregates.size());
  for (const AggregateSpec& aggregate : impl_->aggregates) {
    const bool computed = aggregate.expression.has_value();
    put<uint8_t>(out,
                 static_cast<uint8_t>(static_cast<uint8_t>(aggregate.kind) | (computed ? kComputed : 0)));
    put_text(out, computed ? to_string(*aggregate.expression) : aggregate.column);
  }
  std::ranges::for_each(impl_->sources, [&](const Source& source) { put_type(out, source.type); });
  put_groups(out, impl_->groups);
  std::ranges::for_each(impl_->distinct, [&](const Groups& groups) { put_groups(out, groups); });
  put<uint64_t>(out, file::checksum(out));
  return out;
}

Result<Partial> Partial::from_bytes(std::span<const std::byte> bytes) {
  BOBBIN_ASSIGN(ByteInput input, checked_content(bytes));
  BOBBIN_ASSIGN(std::vector<std::string> keys, read_keys(input));
  BOBBIN_ASSIGN(std::vector<AggregateSpec> aggregates, read_aggregates(input));
  auto impl = std::make_unique<Impl>(std::move(keys), std::move(aggregates));
  BOBBIN_TRY(impl->read_sources(input));
  BOBBIN_TRY(impl->read_all_groups(input));
  const bool has_one_group = impl->groups.rows().size() == 1;
  if (!input.at_end() || (impl->keys.empty() && !has_one_group)) {
    return input.corrupt("the groups are incomplete");
  }
  return Partial(std::move(impl));
}

}  // namespace bobbin::query
