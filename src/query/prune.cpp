// SPDX-License-Identifier: Apache-2.0
#include "query/prune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/scalar.hpp"
#include "plan/decide.hpp"
#include "query/compare_columns.hpp"
#include "query/ranges.hpp"

namespace bobbin::query {
namespace {

using plan::negate;
using plan::Truth;

// Whether a chunk of floats may contain NaN: its zone map is then the widest possible.
bool may_have_nan(DType type, const file::ZoneMap& zone) {
  if (!is_float(type)) {
    return false;
  }
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T kInfinity = std::numeric_limits<T>::infinity();
      return value_of<T>(zone.min) == -kInfinity && value_of<T>(zone.max) == kInfinity;
    }
    return false;
  });
}

// Both the range and the zone count upwards from their first key, around the circle of all keys.
Truth test_zone(DType type, const ValueRange& range, const file::ZoneMap& zone) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    using Bits = BitsOf<T>;
    const auto low = static_cast<Bits>(range.low);
    const auto span = static_cast<Bits>(range.span);
    const auto zone_low = range_key<T>(zone.min.bits);
    const auto zone_span = static_cast<Bits>(range_key<T>(zone.max.bits) - zone_low);
    const auto from_low = static_cast<Bits>(zone_low - low);
    const bool inside = from_low <= span && zone_span <= static_cast<Bits>(span - from_low);
    const bool apart = from_low > span && static_cast<Bits>(low - zone_low) > zone_span;
    const Truth truth = inside ? Truth::all : apart ? Truth::none : Truth::some;
    return range.negated ? negate(truth) : truth;
  });
}

Truth test_zone(const KeySet& set, const file::ZoneMap& zone) {
  return visit_type(set.type(), [&]<class T>(std::type_identity<T>) {
    const uint64_t first = set_key(value_of<T>(zone.min));
    const uint64_t last = set_key(value_of<T>(zone.max));
    return set.holds_all(first, last) ? Truth::all : set.holds_any(first, last) ? Truth::some : Truth::none;
  });
}

// For non-null values; there is at least one.
Truth truth_of_values(const Bound& bound, DType type, const file::Chunk& chunk) {
  if (bound.kind == Bound::Kind::set) {
    return may_have_nan(type, chunk.zone) ? Truth::some : test_zone(*bound.set, chunk.zone);
  }
  if (is_everything(type, bound.range)) {
    return Truth::all;
  }
  if (is_nothing(type, bound.range)) {
    return Truth::none;
  }
  return may_have_nan(type, chunk.zone) ? Truth::some : test_zone(type, bound.range, chunk.zone);
}

Truth truth_of_strings(const Bound& bound, const file::Chunk& chunk, uint64_t rows) {
  const Truth truth = !bound.tests->may_match(chunk.strings, rows) ? Truth::none
                      : bound.tests->must_match(chunk.strings)     ? Truth::all
                                                                   : Truth::some;
  return bound.negated ? negate(truth) : truth;
}

Truth truth_of(const Bound& leaf, DType type, const file::Chunk& chunk, uint64_t rows) {
  const uint64_t nulls = num_nulls(chunk);
  const Truth null = nulls == 0 ? Truth::none : nulls == rows ? Truth::all : Truth::some;
  if (leaf.kind == Bound::Kind::is_null) {
    return null;
  }
  if (leaf.kind == Bound::Kind::not_null || null == Truth::all) {
    return negate(null);
  }
  const Truth truth = leaf.kind == Bound::Kind::strings ? truth_of_strings(leaf, chunk, rows)
                                                        : truth_of_values(leaf, type, chunk);
  return truth == Truth::all && null != Truth::none ? Truth::some : truth;
}

// A null satisfies no comparison. `find` says what holds for rows without nulls.
template <class F>
Truth truth_of_comparison(std::span<const uint32_t> compared, const file::RowGroup& group, F&& find) {
  const auto nulls = [&](uint32_t column) { return num_nulls(group.chunks[column]); };
  if (std::ranges::any_of(compared, [&](uint32_t column) { return nulls(column) == group.num_rows; })) {
    return Truth::none;
  }
  const Truth truth = find();
  const bool whole = std::ranges::all_of(compared, [&](uint32_t column) { return nulls(column) == 0; });
  return truth == Truth::all && !whole ? Truth::some : truth;
}

plan::Limits limits_of(DType type, const file::ZoneMap& zone) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    using Number = std::conditional_t<std::is_floating_point_v<T>, double, Int128>;
    return plan::Limits::of(static_cast<Number>(value_of<T>(zone.min)),
                            static_cast<Number>(value_of<T>(zone.max)));
  });
}

Truth truth_of_columns(const Bound& bound, std::span<const Column> columns, const file::RowGroup& group) {
  const Column& left = columns[bound.column];
  const Column& right = columns[bound.other];
  const bool reals = is_float(left.type);
  if (is_string(left.type) || is_float(right.type) != reals) {
    return Truth::some;
  }
  const auto limits = [&](const Column& column, uint32_t number) {
    plan::Limits found = limits_of(column.type, group.chunks[number].zone);
    const Int128 factor = factor_of(column);
    found.integers = {found.integers.least * factor, found.integers.greatest * factor};
    return found;
  };
  const Truth truth = plan::truth_of(bound.op, limits(left, bound.column), limits(right, bound.other), reals);
  return bound.negated ? negate(truth) : truth;
}

Truth truth_of_expressions(const plan::Comparison& comparison, std::span<const uint32_t> compared,
                           std::span<const Column> columns, const file::RowGroup& group) {
  std::vector<std::optional<plan::Limits>> limits(compared.back() + 1);
  for (const uint32_t column : compared) {
    limits[column] = limits_of(columns[column].type, group.chunks[column].zone);
  }
  return plan::truth_of(comparison, limits);
}

Truth truth_of(const Bound& leaf, std::span<const Column> columns, const file::RowGroup& group) {
  if (leaf.kind == Bound::Kind::compare) {
    const plan::Comparison& comparison = leaf.comparison->program;
    const std::vector<uint32_t> compared = comparison.columns();
    return truth_of_comparison(compared, group,
                               [&] { return truth_of_expressions(comparison, compared, columns, group); });
  }
  if (leaf.kind == Bound::Kind::columns) {
    const uint32_t compared[] = {leaf.column, leaf.other};
    return truth_of_comparison(compared, group, [&] { return truth_of_columns(leaf, columns, group); });
  }
  return truth_of(leaf, columns[leaf.column].type, group.chunks[leaf.column], group.num_rows);
}

Bound prune_parts(const Bound& bound, std::span<const Column> columns, const file::RowGroup& group) {
  const bool both = bound.kind == Bound::Kind::both;
  const Bound::Kind neutral = both ? Bound::Kind::always : Bound::Kind::never;
  const Bound::Kind final = both ? Bound::Kind::never : Bound::Kind::always;
  Bound kept{.kind = bound.kind};
  for (const Bound& part : bound.parts) {
    Bound pruned = prune(part, columns, group);
    if (pruned.kind == final) {
      return {.kind = final};
    }
    if (pruned.kind != neutral) {
      kept.parts.push_back(std::move(pruned));
    }
  }
  if (kept.parts.size() < 2) {
    return kept.parts.empty() ? Bound{.kind = neutral} : Bound(std::move(kept.parts[0]));
  }
  return kept;
}

}  // namespace

uint64_t num_nulls(const file::Chunk& chunk) {
  return chunk.strings.null_count + chunk.null_count;  // one of them is zero
}

Bound prune(const Bound& bound, std::span<const Column> columns, const file::RowGroup& group) {
  switch (bound.kind) {
    case Bound::Kind::always:
    case Bound::Kind::never:
    case Bound::Kind::rows:
      return bound;
    case Bound::Kind::both:
    case Bound::Kind::either:
      return prune_parts(bound, columns, group);
    default:
      break;
  }
  switch (truth_of(bound, columns, group)) {
    case Truth::none:
      return {.kind = Bound::Kind::never};
    case Truth::all:
      return {.kind = Bound::Kind::always};
    case Truth::some:
      break;
  }
  return bound;
}

}  // namespace bobbin::query
