// SPDX-License-Identifier: Apache-2.0
#include "query/prune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/scalar.hpp"
#include "query/ranges.hpp"

namespace bobbin::query {
namespace {

enum class Truth : uint8_t { none, some, all };

Truth negate(Truth truth) {
  return truth == Truth::some ? truth : truth == Truth::all ? Truth::none : Truth::all;
}

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

// Nothing is known except that a null satisfies no comparison.
bool is_null_throughout(const Bound& comparison, const file::RowGroup& group) {
  return num_nulls(group.chunks[comparison.column]) == group.num_rows ||
         num_nulls(group.chunks[comparison.other]) == group.num_rows;
}

bool is_null_throughout(const BoundComparison& comparison, const file::RowGroup& group) {
  return std::ranges::any_of(comparison.program.columns(), [&](uint32_t column) {
    return num_nulls(group.chunks[column]) == group.num_rows;
  });
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
    case Bound::Kind::compare:
      return is_null_throughout(*bound.comparison, group) ? Bound{.kind = Bound::Kind::never} : bound;
    case Bound::Kind::columns:
      return is_null_throughout(bound, group) ? Bound{.kind = Bound::Kind::never} : bound;
    default:
      break;
  }
  switch (truth_of(bound, columns[bound.column].type, group.chunks[bound.column], group.num_rows)) {
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
