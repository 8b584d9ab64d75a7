// SPDX-License-Identifier: Apache-2.0
// A query with its names resolved: columns of the file, ranges of their types. Negations are pushed down to
// the tests, so that a row either matches or does not; a null satisfies neither a test nor its negation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/query.hpp"
#include "codecs/codec.hpp"
#include "core/bit_ranges.hpp"
#include "query/expression.hpp"
#include "query/key_set.hpp"
#include "query/string_tests.hpp"

namespace bobbin::query {

struct Bound {
  enum class Kind : uint8_t {
    always,
    never,
    test,     // numbers: the value is in the range
    set,      // numbers: the value is in the set
    strings,  // one of `tests` holds; negated: none does, and the string is not null
    columns,  // the value compares with that of the column `other`, by `op`; negated: it does not
    is_null,
    not_null,
    both,  // all parts; there is at least one
    either,
    rows,     // those of `bitmap`: precomputed during execution
    compare,  // `comparison` holds
    codes,    // those whose code in the column's dictionary has 1 in `passes`: precomputed too
  };

  Kind kind = Kind::always;
  uint32_t column = 0;
  uint32_t other = 0;
  Compare op{};
  bool negated = false;
  ValueRange range{};
  // Shared: a predicate is copied for each row group.
  std::shared_ptr<const KeySet> set{};
  std::shared_ptr<const StringTests> tests{};
  std::vector<Bound> parts{};
  BitmapWords bitmap{};
  std::vector<uint8_t> passes{};
  std::shared_ptr<const BoundComparison> comparison{};
};

struct BoundAggregate {
  AggregateSpec::Kind kind{};
  std::optional<uint32_t> column;
  std::shared_ptr<const BoundExpression> expression{};  // instead of a column
};

// Errors name the column and its type.
[[nodiscard]] Result<uint32_t> find_column(const Reader& reader, const std::string& name);
// `find`, if given, bounds the integers of columns in expressions.
[[nodiscard]] Result<Bound> bind_predicate(const Reader& reader, const Predicate& predicate,
                                           const FindBounds& find = {});
[[nodiscard]] Result<BoundAggregate> bind_aggregate(const Reader& reader, const AggregateSpec& aggregate,
                                                    const FindBounds& find = {});

}  // namespace bobbin::query
