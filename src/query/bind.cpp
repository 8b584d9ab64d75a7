// SPDX-License-Identifier: Apache-2.0
#include "query/bind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "file/text.hpp"
#include "query/ranges.hpp"
#include "query/text.hpp"

namespace bobbin::query {
namespace {

constexpr size_t kMaxListed = 20;
constexpr int kMaxDepth = 500;

std::string list_columns(std::span<const Column> columns) {
  std::string names;
  for (size_t i = 0; i < std::min(columns.size(), kMaxListed); ++i) {
    names += (i == 0 ? "" : ", ") + quoted(columns[i].name);
  }
  return names + (columns.size() > kMaxListed ? ", ..." : "");
}

Status cannot(const Column& column, std::string_view what) {
  return {StatusCode::invalid_argument,
          fmt::format("column {} holds {}: {}", quoted(column.name), type_text(column), what)};
}

// Columns that stand for something else check their constants when they place them.
Status check_literals(const Column& column, const Predicate& predicate) {
  const bool plain = column.logical.kind == Logical::Kind::plain;
  for (const Literal& literal : predicate.literals) {
    const bool fits = kind_text(literal) == (is_string(column.type) ? "string" : "number");
    if (plain && !fits) {
      return cannot(
          column, fmt::format("it cannot be compared with the {} {}", kind_text(literal), to_text(literal)));
    }
  }
  const size_t wanted = predicate.kind == Predicate::Kind::is_null   ? 0
                        : predicate.kind == Predicate::Kind::between ? 2
                                                                     : 1;
  BOBBIN_RETURN_IF(predicate.kind != Predicate::Kind::in && predicate.literals.size() != wanted,
                   StatusCode::invalid_argument,
                   fmt::format("a test of column {} has {} constants instead of {}", quoted(column.name),
                               predicate.literals.size(), wanted));
  return {};
}

class Binder {
 public:
  explicit Binder(std::span<const Column> columns) : columns_(columns) {}

  Result<Bound> bind(const Predicate& predicate, bool negated, int depth) {
    BOBBIN_RETURN_IF(depth > kMaxDepth, StatusCode::invalid_argument,
                     fmt::format("the predicate is nested more than {} deep", kMaxDepth));
    switch (predicate.kind) {
      case Predicate::Kind::negation:
        BOBBIN_RETURN_IF(predicate.parts.size() != 1, StatusCode::invalid_argument,
                         "a negation that is not of one predicate");
        return bind(predicate.parts[0], !negated, depth + 1);
      case Predicate::Kind::both:
      case Predicate::Kind::either:
        return join(predicate, negated, depth);
      default:
        return leaf(predicate, negated);
    }
  }

 private:
  // "Not both" is "either not".
  Result<Bound> join(const Predicate& predicate, bool negated, int depth) {
    BOBBIN_RETURN_IF(predicate.parts.empty(), StatusCode::invalid_argument, "a predicate without its parts");
    const bool both = (predicate.kind == Predicate::Kind::both) != negated;
    Bound joined{.kind = both ? Bound::Kind::both : Bound::Kind::either};
    for (const Predicate& part : predicate.parts) {
      BOBBIN_ASSIGN(Bound bound, bind(part, negated, depth + 1));
      joined.parts.push_back(std::move(bound));
    }
    return joined;
  }

  Result<Bound> leaf(const Predicate& predicate, bool negated) {
    BOBBIN_ASSIGN(const uint32_t index, find_column(columns_, predicate.column));
    const Column& column = columns_[index];
    BOBBIN_TRY(check_literals(column, predicate));
    if (predicate.kind == Predicate::Kind::is_null) {
      return null_test(index, negated);
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

  Result<Bound> string_test(uint32_t index, const Predicate& predicate, bool negated) {
    Bound bound{.kind = Bound::Kind::strings, .column = index, .negated = negated};
    StringTest test = StringTest::equals;
    if (predicate.kind == Predicate::Kind::compare) {
      if (predicate.op != Compare::eq && predicate.op != Compare::ne) {
        return cannot(columns_[index], "strings are tested by =, !=, in, like and is null, not by order");
      }
      bound.negated = negated != (predicate.op == Compare::ne);
    } else if (predicate.kind == Predicate::Kind::between) {
      return cannot(columns_[index], "strings are tested by =, !=, in, like and is null, not by order");
    } else if (predicate.kind != Predicate::Kind::in) {
      test = predicate.kind == Predicate::Kind::contains ? StringTest::contains : StringTest::starts_with;
    }
    for (const Literal& literal : predicate.literals) {
      bound.tests.push_back({test, literal.text});
    }
    return bound;
  }

  Result<Bound> number_test(uint32_t index, const Predicate& predicate, bool negated) {
    const DType type = columns_[index].type;
    switch (predicate.kind) {
      case Predicate::Kind::compare:
        return test(index, range_of(type, predicate.op, predicate.literals[0]), negated);
      case Predicate::Kind::between:
        return test(index, range_between(type, predicate.literals[0], predicate.literals[1]), negated);
      default:
        return number_in(index, ranges_of(type, predicate.literals), negated);
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
        return number_in(index, ranges_of(column.type, places), negated);
    }
  }

  // Whether values of such a meaning are tested so.
  static Status check_test(const Column& column, const Predicate& predicate) {
    const bool ordered = predicate.kind == Predicate::Kind::between ||
                         (predicate.kind == Predicate::Kind::compare && predicate.op != Compare::eq &&
                          predicate.op != Compare::ne);
    if (column.logical.kind == Logical::Kind::boolean && ordered) {
      return cannot(column, "booleans are tested by =, !=, in and is null, not by order");
    }
    const bool pattern =
        predicate.kind == Predicate::Kind::starts_with || predicate.kind == Predicate::Kind::contains;
    return pattern ? cannot(column, "like is of strings") : Status();
  }

  static Bound test(uint32_t index, ValueRange range, bool negated) {
    range.negated = range.negated != negated;
    return {.kind = Bound::Kind::test, .column = index, .range = range};
  }

  [[nodiscard]] Bound number_in(uint32_t index, std::span<const ValueRange> ranges, bool negated) const {
    if (ranges.empty()) {
      return test(index, ValueRange::none(columns_[index].type), negated);
    }
    Bound joined{.kind = negated ? Bound::Kind::both : Bound::Kind::either};
    for (const ValueRange& range : ranges) {
      joined.parts.push_back(test(index, range, negated));
    }
    return joined;
  }

  std::span<const Column> columns_;
};

}  // namespace

Result<uint32_t> find_column(std::span<const Column> columns, const std::string& name) {
  const auto found = std::ranges::find(columns, name, &Column::name);
  BOBBIN_RETURN_IF(
      found == columns.end(), StatusCode::invalid_argument,
      fmt::format("column {} does not exist; there are {}", quoted(name), list_columns(columns)));
  return static_cast<uint32_t>(found - columns.begin());
}

Result<Bound> bind_predicate(std::span<const Column> columns, const Predicate& predicate) {
  return Binder(columns).bind(predicate, false, 0);
}

Result<BoundAggregate> bind_aggregate(std::span<const Column> columns, const AggregateSpec& aggregate) {
  if (aggregate.kind == AggregateSpec::Kind::count && aggregate.column.empty()) {
    return BoundAggregate{aggregate.kind, {}};
  }
  BOBBIN_ASSIGN(const uint32_t index, find_column(columns, aggregate.column));
  if (aggregate.kind != AggregateSpec::Kind::count && is_string(columns[index].type)) {
    return cannot(columns[index], fmt::format("{}() is of numbers", to_string(aggregate.kind)));
  }
  const Logical::Kind meaning = columns[index].logical.kind;
  if (aggregate.kind == AggregateSpec::Kind::sum &&
      (meaning == Logical::Kind::date || meaning == Logical::Kind::timestamp)) {
    return cannot(columns[index], "points in time have no sum");
  }
  return BoundAggregate{aggregate.kind, index};
}

}  // namespace bobbin::query
