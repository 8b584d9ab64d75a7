// SPDX-License-Identifier: Apache-2.0
#include "query/key_set.hpp"

#include <algorithm>

#include "core/bits.hpp"
#include "query/ranges.hpp"

namespace bobbin::query {
namespace {

using Interval = KeySet::Interval;

// A range goes at most once around the circle of all keys: it is one interval, or two if it wraps around. Its
// complement is such a range too.
void add_range(DType type, const ValueRange& range, std::vector<Interval>& intervals) {
  visit_type(type, [&]<class T>(std::type_identity<T>) {
    using Bits = BitsOf<T>;
    constexpr auto kLast = static_cast<Bits>(~Bits{0});
    const bool is_all = static_cast<Bits>(range.span) == kLast;
    if (is_all && range.negated) {
      return;
    }
    const Bits turn = set_key(T{0}) ^ range_key<T>(scalar_of(T{0}).bits);
    auto first = static_cast<Bits>(static_cast<Bits>(range.low) ^ turn);
    auto last = static_cast<Bits>(first + static_cast<Bits>(range.span));
    if (is_all) {
      first = 0;
      last = kLast;
    } else if (range.negated) {
      std::swap(first, last);
      ++first;
      --last;
    }
    if (first <= last) {
      intervals.push_back({first, last});
    } else {
      intervals.push_back({0, last});
      intervals.push_back({first, kLast});
    }
  });
}

}  // namespace

uint64_t KeySet::last_key() const {
  return low_mask<uint64_t>(size_bits(type_));
}

void KeySet::unite(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::first);
  intervals_.clear();
  for (const Interval& next : intervals) {
    if (!intervals_.empty() &&
        (intervals_.back().last >= next.first || intervals_.back().last + 1 == next.first)) {
      intervals_.back().last = std::max(intervals_.back().last, next.last);
    } else {
      intervals_.push_back(next);
    }
  }
}

KeySet KeySet::any_of(DType type, std::span<const ValueRange> ranges) {
  std::vector<Interval> intervals;
  for (const ValueRange& range : ranges) {
    add_range(type, range, intervals);
  }
  KeySet set(type);
  set.unite(std::move(intervals));
  return set;
}

// Being in all ranges means not being outside any.
KeySet KeySet::all_of(DType type, std::span<const ValueRange> ranges) {
  std::vector<Interval> outside;
  for (const ValueRange& range : ranges) {
    add_range(type, negated(range), outside);
  }
  KeySet set(type);
  set.unite(std::move(outside));
  return set.complement();
}

KeySet KeySet::complement() const {
  KeySet rest(type_);
  uint64_t next = 0;  // the first key above all intervals so far
  bool at_end = false;
  for (const Interval& interval : intervals_) {
    if (interval.first > next) {
      rest.intervals_.push_back({next, interval.first - 1});
    }
    at_end = interval.last == last_key();
    next = interval.last + 1;
  }
  if (!at_end) {
    rest.intervals_.push_back({next, last_key()});
  }
  return rest;
}

bool KeySet::holds(uint64_t key) const {
  return holds_any(key, key);
}

bool KeySet::holds_any(uint64_t first, uint64_t last) const {
  const auto after = std::ranges::upper_bound(intervals_, last, {}, &Interval::first);
  return after != intervals_.begin() && std::prev(after)->last >= first;
}

bool KeySet::holds_all(uint64_t first, uint64_t last) const {
  const auto after = std::ranges::upper_bound(intervals_, first, {}, &Interval::first);
  return after != intervals_.begin() && std::prev(after)->last >= last;
}

}  // namespace bobbin::query
