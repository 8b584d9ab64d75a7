// SPDX-License-Identifier: Apache-2.0
#include "query/merge.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace bobbin::query {
namespace {

Bound range_test(uint32_t column, ValueRange range, bool negated) {
  range.negated = range.negated != negated;
  return {.kind = Bound::Kind::test, .column = column, .range = range};
}

Bound set_test(uint32_t column, KeySet set) {
  return {.kind = Bound::Kind::set, .column = column, .set = std::make_shared<const KeySet>(std::move(set))};
}

std::vector<Bound> flatten(Bound::Kind kind, std::vector<Bound> parts) {
  std::vector<Bound> flat;
  flat.reserve(parts.size());
  for (Bound& part : parts) {
    if (part.kind == kind) {
      std::ranges::move(part.parts, std::back_inserter(flat));
    } else {
      flat.push_back(std::move(part));
    }
  }
  return flat;
}

class Merger {
 public:
  Merger(std::span<const Column> columns, Bound::Kind kind) : columns_(columns), kind_(kind) {}

  Bound merge(std::vector<Bound> parts) {
    for (Bound& part : flatten(kind_, std::move(parts))) {
      take(std::move(part));
    }
    for (const auto& [column, ranges] : ranges_) {
      add_ranges(column, ranges);
    }
    for (auto& [column, conditions] : conditions_) {
      kept_.push_back({.kind = Bound::Kind::strings,
                       .column = column,
                       .negated = kind_ == Bound::Kind::both,
                       .tests = std::make_shared<const StringTests>(std::move(conditions))});
    }
    if (kept_.size() == 1) {
      return std::move(kept_[0]);
    }
    return {.kind = kind_, .parts = std::move(kept_)};
  }

 private:
  void take(Bound part) {
    if (part.kind == Bound::Kind::test) {
      ranges_[part.column].push_back(part.range);
    } else if (part.kind == Bound::Kind::strings && part.negated == (kind_ == Bound::Kind::both)) {
      auto& conditions = conditions_[part.column];
      conditions.insert(conditions.end(), part.tests->conditions().begin(), part.tests->conditions().end());
    } else if (!is_repeated(part)) {
      kept_.push_back(std::move(part));
    }
  }
  // A repeated null test of one column is redundant.
  bool is_repeated(const Bound& part) {
    return (part.kind == Bound::Kind::is_null || part.kind == Bound::Kind::not_null) &&
           !null_tests_.emplace(part.kind, part.column).second;
  }
  // A few ranges are tested on encoded values; a set requires decoding.
  void add_ranges(uint32_t column, const std::vector<ValueRange>& ranges) {
    if (ranges.size() > kMaxRanges) {
      const DType type = columns_[column].type;
      kept_.push_back(set_test(column, kind_ == Bound::Kind::either ? KeySet::any_of(type, ranges)
                                                                    : KeySet::all_of(type, ranges)));
      return;
    }
    for (const ValueRange& range : ranges) {
      kept_.push_back(range_test(column, range, false));
    }
  }

  std::span<const Column> columns_;
  Bound::Kind kind_;
  std::vector<Bound> kept_;
  std::map<uint32_t, std::vector<ValueRange>> ranges_;
  std::map<uint32_t, std::vector<StringCondition>> conditions_;
  std::set<std::pair<Bound::Kind, uint32_t>> null_tests_;
};

}  // namespace

Bound merge_parts(std::span<const Column> columns, Bound::Kind kind, std::vector<Bound> parts) {
  return Merger(columns, kind).merge(std::move(parts));
}

Bound any_range(std::span<const Column> columns, uint32_t column, std::span<const ValueRange> ranges,
                bool negated) {
  const DType type = columns[column].type;
  if (ranges.empty()) {
    return range_test(column, ValueRange::none(type), negated);
  }
  if (ranges.size() > kMaxRanges) {
    const KeySet set = KeySet::any_of(type, ranges);
    return set_test(column, negated ? set.complement() : set);
  }
  Bound joined{.kind = negated ? Bound::Kind::both : Bound::Kind::either};
  for (const ValueRange& range : ranges) {
    joined.parts.push_back(range_test(column, range, negated));
  }
  return joined;
}

}  // namespace bobbin::query
