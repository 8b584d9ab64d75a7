// SPDX-License-Identifier: Apache-2.0
#include "query/bind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bobbin/schema.hpp"
#include "core/text.hpp"
#include "core/value_text.hpp"
#include "query/merge.hpp"
#include "query/ranges.hpp"
#include "query/text.hpp"

namespace bobbin::query {
namespace {

constexpr int kMaxPredicateDepth = 500;
constexpr std::string_view kNoOrder = "booleans support only =, !=, in and is null";

Status cannot(const Column& column, std::string_view what) {
  return {StatusCode::invalid_argument,
          fmt::format("column {} holds {}: {}", single_quoted(column.name), type_text(column), what)};
}

size_t num_literals(Predicate::Kind kind) {
  switch (kind) {
    case Predicate::Kind::is_null:
    case Predicate::Kind::compare_columns:
      return 0;
    case Predicate::Kind::between:
      return 2;
    default:
      return 1;
  }
}

// The constants of columns with a logical type are checked when they are placed.
Status check_literals(const Column& column, const Predicate& predicate) {
  const bool plain = column.logical.kind == Logical::Kind::plain;
  for (const Literal& literal : predicate.literals) {
    const bool fits = kind_text(literal) == (is_string(column.type) ? "string" : "number");
    if (plain && !fits) {
      return cannot(
          column, fmt::format("it cannot be compared with the {} {}", kind_text(literal), to_text(literal)));
    }
  }
  const size_t wanted = num_literals(predicate.kind);
  BOBBIN_RETURN_IF(predicate.kind != Predicate::Kind::in && predicate.literals.size() != wanted,
                   StatusCode::invalid_argument,
                   fmt::format("a test of column {} has {} constants instead of {}",
                               single_quoted(column.name), predicate.literals.size(), wanted));
  return {};
}

bool is_pattern(Predicate::Kind kind) {
  switch (kind) {
    case Predicate::Kind::starts_with:
    case Predicate::Kind::ends_with:
    case Predicate::Kind::contains:
    case Predicate::Kind::like:
    case Predicate::Kind::ilike:
      return true;
    default:
      return false;
  }
}

StringCondition::Kind pattern_kind(Predicate::Kind kind) {
  switch (kind) {
    case Predicate::Kind::starts_with:
      return StringCondition::Kind::starts_with;
    case Predicate::Kind::ends_with:
      return StringCondition::Kind::ends_with;
    case Predicate::Kind::contains:
      return StringCondition::Kind::contains;
    case Predicate::Kind::like:
      return StringCondition::Kind::like;
    default:
      return StringCondition::Kind::ilike;
  }
}

bool is_time(const Column& column) {
  return column.logical.kind == Logical::Kind::date || column.logical.kind == Logical::Kind::timestamp;
}

// Columns can be compared within the same class.
enum class ValueClass : uint8_t { number, string, time, time_of_day, boolean };

ValueClass class_of(const Column& column) {
  return is_string(column.type)                          ? ValueClass::string
         : is_time(column)                               ? ValueClass::time
         : column.logical.kind == Logical::Kind::time    ? ValueClass::time_of_day
         : column.logical.kind == Logical::Kind::boolean ? ValueClass::boolean
                                                         : ValueClass::number;
}

class Binder {
 public:
  Binder(const Reader& reader, const FindBounds& find)
      : reader_(reader), columns_(reader.columns()), find_(find) {}

  Result<Bound> bind(const Predicate& predicate, bool negated, int depth) {
    BOBBIN_RETURN_IF(depth > kMaxPredicateDepth, StatusCode::invalid_argument,
                     fmt::format("the predicate is nested more than {} deep", kMaxPredicateDepth));
    switch (predicate.kind) {
      case Predicate::Kind::negation:
        BOBBIN_RETURN_IF(predicate.parts.size() != 1, StatusCode::invalid_argument,
                         "a negation must have exactly one operand");
        return bind(predicate.parts[0], !negated, depth + 1);
      case Predicate::Kind::both:
      case Predicate::Kind::either:
        return join(predicate, negated, depth);
      case Predicate::Kind::compare_expressions: {
        BOBBIN_ASSIGN(BoundComparison bound, bind_comparison(reader_, predicate, negated, find_));
        return Bound{.kind = Bound::Kind::compare,
                     .comparison = std::make_shared<const BoundComparison>(std::move(bound))};
      }
      default:
        return leaf(predicate, negated);
    }
  }

 private:
  // "Not both" becomes "either not".
  Result<Bound> join(const Predicate& predicate, bool negated, int depth) {
    BOBBIN_RETURN_IF(predicate.parts.empty(), StatusCode::invalid_argument, "a predicate lacks its operands");
    const bool both = (predicate.kind == Predicate::Kind::both) != negated;
    std::vector<Bound> parts;
    parts.reserve(predicate.parts.size());
    for (const Predicate& part : predicate.parts) {
      BOBBIN_ASSIGN(Bound bound, bind(part, negated, depth + 1));
      parts.push_back(std::move(bound));
    }
    return merge_parts(columns_, both ? Bound::Kind::both : Bound::Kind::either, std::move(parts));
  }

  Result<Bound> leaf(const Predicate& predicate, bool negated) {
    BOBBIN_ASSIGN(const uint32_t index, find_column(reader_, predicate.column));
    const Column& column = columns_[index];
    BOBBIN_TRY(check_literals(column, predicate));
    if (predicate.kind == Predicate::Kind::is_null) {
      return null_test(index, negated);
    }
    if (predicate.kind == Predicate::Kind::compare_columns) {
      return column_test(index, predicate, negated);
    }
    if (is_string(column.type)) {
      return string_test(index, predicate, negated);
    }
    return column.logical.kind == Logical::Kind::plain ? number_test(index, predicate, negated)
                                                       : logical_test(index, predicate, negated);
  }

  [[nodiscard]] Bound null_test(uint32_t index, bool negated) const {
    if (is_string(columns_[index].type) || columns_[index].nullable) {
      return {.kind = negated ? Bound::Kind::not_null : Bound::Kind::is_null, .column = index};
    }
    return {.kind = negated ? Bound::Kind::always : Bound::Kind::never};
  }

  // A name that no column has may be a string that lacks its quotes.
  static Status without_quotes(const Column& column, const std::string& name, const Status& error) {
    const bool quoted = is_string(column.type) || is_time(column);
    return quoted ? Status(error.code(), fmt::format("{}; strings are written in single quotes: {}",
                                                     error.message(), single_quoted(name)))
                  : error;
  }

  Result<Bound> column_test(uint32_t index, const Predicate& predicate, bool negated) const {
    const Result<uint32_t> found = find_column(reader_, predicate.other);
    if (!found.has_value()) {
      return without_quotes(columns_[index], predicate.other, found.error());
    }
    const uint32_t other = *found;
    const ValueClass values = class_of(columns_[index]);
    if (class_of(columns_[other]) != values) {
      return cannot(columns_[index],
                    fmt::format("it cannot be compared with column {}, which holds {}",
                                single_quoted(columns_[other].name), type_text(columns_[other])));
    }
    if (values == ValueClass::boolean && predicate.op != Compare::eq && predicate.op != Compare::ne) {
      return cannot(columns_[index], kNoOrder);
    }
    return Bound{.kind = Bound::Kind::columns,
                 .column = index,
                 .other = other,
                 .op = predicate.op,
                 .negated = negated};
  }

  static Bound string_bound(uint32_t index, StringCondition::Kind kind, std::span<const Literal> literals,
                            bool negated) {
    std::vector<StringCondition> conditions;
    for (const Literal& literal : literals) {
      conditions.push_back({kind, literal.text});
    }
    return {.kind = Bound::Kind::strings,
            .column = index,
            .negated = negated,
            .tests = std::make_shared<const StringTests>(std::move(conditions))};
  }

  Result<Bound> string_test(uint32_t index, const Predicate& predicate, bool negated) const {
    using Kind = StringCondition::Kind;
    const std::span<const Literal> literals = predicate.literals;
    switch (predicate.kind) {
      case Predicate::Kind::compare:
        return string_compare(index, predicate.op, literals, negated);
      case Predicate::Kind::between:
        return merge_parts(columns_, negated ? Bound::Kind::either : Bound::Kind::both,
                           {string_bound(index, Kind::below, literals.first(1), !negated),
                            string_bound(index, Kind::not_above, literals.last(1), negated)});
      case Predicate::Kind::in:
        return string_bound(index, Kind::equals, literals, negated);
      default:
        return string_bound(index, pattern_kind(predicate.kind), literals, negated);
    }
  }

  // All orders are expressed as "below" and "not above", and their negations.
  static Bound string_compare(uint32_t index, Compare op, std::span<const Literal> literals, bool negated) {
    using Kind = StringCondition::Kind;
    switch (op) {
      case Compare::eq:
      case Compare::ne:
        return string_bound(index, Kind::equals, literals, negated != (op == Compare::ne));
      case Compare::lt:
      case Compare::ge:
        return string_bound(index, Kind::below, literals, negated != (op == Compare::ge));
      case Compare::le:
      case Compare::gt:
        break;
    }
    return string_bound(index, Kind::not_above, literals, negated != (op == Compare::gt));
  }

  Result<Bound> number_test(uint32_t index, const Predicate& predicate, bool negated) const {
    const DType type = columns_[index].type;
    switch (predicate.kind) {
      case Predicate::Kind::compare:
        return test(index, range_of(type, predicate.op, predicate.literals[0]), negated);
      case Predicate::Kind::between:
        return test(index, range_between(type, predicate.literals[0], predicate.literals[1]), negated);
      default:
        return any_range(columns_, index, ranges_of(type, predicate.literals), negated);
    }
  }

  Result<Bound> logical_test(uint32_t index, const Predicate& predicate, bool negated) {
    const Column& column = columns_[index];
    BOBBIN_TRY(check_test(column, predicate));
    std::vector<Place> places;
    for (const Literal& literal : predicate.literals) {
      BOBBIN_ASSIGN(const Place place, place_in(column, literal));
      places.push_back(place);
    }
    switch (predicate.kind) {
      case Predicate::Kind::compare:
        return test(index, range_of(column.type, predicate.op, places[0]), negated);
      case Predicate::Kind::between:
        return test(index, range_between(column.type, places[0], places[1]), negated);
      default:
        return any_range(columns_, index, ranges_of(column.type, places), negated);
    }
  }

  // Whether values of this logical type can be tested with it.
  static Status check_test(const Column& column, const Predicate& predicate) {
    const bool ordered = predicate.kind == Predicate::Kind::between ||
                         (predicate.kind == Predicate::Kind::compare && predicate.op != Compare::eq &&
                          predicate.op != Compare::ne);
    if (column.logical.kind == Logical::Kind::boolean && ordered) {
      return cannot(column, kNoOrder);
    }
    return is_pattern(predicate.kind) ? cannot(column, "like requires a string column") : Status();
  }

  static Bound test(uint32_t index, ValueRange range, bool negated) {
    range.negated = range.negated != negated;
    return {.kind = Bound::Kind::test, .column = index, .range = range};
  }

  const Reader& reader_;
  std::span<const Column> columns_;
  const FindBounds& find_;
};

}  // namespace

Result<uint32_t> find_column(const Reader& reader, const std::string& name) {
  const std::optional<size_t> found = reader.find_column(name);
  if (!found.has_value()) {
    return no_such_column(reader.columns(), name);
  }
  return static_cast<uint32_t>(*found);
}

Result<Bound> bind_predicate(const Reader& reader, const Predicate& predicate, const FindBounds& find) {
  return Binder(reader, find).bind(predicate, false, 0);
}

Result<BoundAggregate> bind_aggregate(const Reader& reader, const AggregateSpec& aggregate,
                                      const FindBounds& find) {
  if (aggregate.expression.has_value()) {
    BOBBIN_RETURN_IF(aggregate.kind == AggregateSpec::Kind::count_distinct || !aggregate.column.empty(),
                     StatusCode::invalid_argument, fmt::format("{} requires a column", to_text(aggregate)));
    BOBBIN_ASSIGN(BoundExpression bound, bind_expression(reader, *aggregate.expression, find));
    return BoundAggregate{aggregate.kind, {}, std::make_shared<const BoundExpression>(std::move(bound))};
  }
  if (aggregate.kind == AggregateSpec::Kind::count && aggregate.column.empty()) {
    return BoundAggregate{aggregate.kind, {}, {}};
  }
  BOBBIN_ASSIGN(const uint32_t index, find_column(reader, aggregate.column));
  const std::span<const Column> columns = reader.columns();
  using Kind = AggregateSpec::Kind;
  const bool adds = aggregate.kind == Kind::sum || aggregate.kind == Kind::avg;
  if (adds && is_string(columns[index].type)) {
    return cannot(columns[index], fmt::format("{}() requires a numeric column", to_string(aggregate.kind)));
  }
  if (adds && (is_time(columns[index]) || columns[index].logical.kind == Logical::Kind::time)) {
    return cannot(columns[index],
                  fmt::format("{}() is not defined for dates and times", to_string(aggregate.kind)));
  }
  return BoundAggregate{aggregate.kind, index, {}};
}

}  // namespace bobbin::query
