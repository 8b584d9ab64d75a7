// SPDX-License-Identifier: Apache-2.0
#include "query/select_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/dispatch.hpp"
#include "core/lanes.hpp"
#include "core/scalar.hpp"
#include "query/prune.hpp"
#include "query/value.hpp"

namespace bobbin::query {
namespace {

constexpr uint64_t kMaxSorted = 65536;  // sorting more per row group takes longer than reading one
constexpr uint64_t kSampled = 32;       // one vector in this many is looked at before the others

// Values that come before one that is a number, or are equal to it. NaN is above all numbers, so that it is
// outside of a range that is not negated.
ValueRange range_before(const Column& column, const Value& last, bool descending, bool keeps_equal) {
  const Scalar value = visit_type(column.type, [&]<class T>(std::type_identity<T>) {
    return scalar_of(std::is_floating_point_v<T> ? static_cast<T>(last.real) : static_cast<T>(last.integer));
  });
  ValueRange range =
      ValueRange::of(column.type, keeps_equal != descending ? Compare::le : Compare::lt, value);
  range.negated = range.negated != descending;
  return range;
}

}  // namespace

Result<std::vector<uint32_t>> RowSelector::first_places(SelectedRows& rows) const {
  std::vector<uint32_t> places(rows.rows().size());
  std::iota(places.begin(), places.end(), 0U);
  if (order_.empty()) {
    places.resize(std::min<uint64_t>(places.size(), limit_ - kept_.size()));
    return places;
  }
  if (places.size() <= limit_) {
    return places;
  }
  std::vector<SelectedColumn> keys;
  for (const BoundOrder& term : order_) {
    BOBBIN_ASSIGN(const SelectedColumn key, rows.column(static_cast<uint32_t>(term.place)));
    keys.push_back(key);
  }
  sort_first(places, limit_, [&](uint32_t a, uint32_t b) {
    for (size_t k = 0; k < keys.size(); ++k) {
      const DecodedColumn& values = *keys[k].values;
      const uint64_t left = keys[k].place(a);
      const uint64_t right = keys[k].place(b);
      const int sign = order_[k].apply(compare_values(values, left, values, right), values.is_null(left),
                                       values.is_null(right));
      if (sign != 0) {
        return sign < 0;
      }
    }
    return a < b;
  });
  std::ranges::sort(places);
  return places;
}

Status RowSelector::keep(RowGroupQuery& group, SelectedRows& rows, std::span<const uint32_t> places) {
  std::vector<uint64_t> chosen;
  std::ranges::transform(places, std::back_inserter(chosen),
                         [&](uint32_t place) { return rows.rows()[place]; });
  const size_t first = kept_.size();
  for (const uint64_t row : chosen) {
    kept_.emplace_back();
    kept_.back().resize(order_.size() + 1 + wanted_.size());
    kept_.back()[order_.size()] = Value::of_integer(group.info().first_row + row);
  }
  SelectedRows kept(group, rows.first_row() / RowGroupQuery::kPieceRows, std::move(chosen));
  const auto fill = [&](size_t place, uint32_t index) -> Status {
    BOBBIN_ASSIGN(const SelectedColumn column, kept.column(index));
    for (size_t i = 0; i < places.size(); ++i) {
      kept_[first + i][place] = column.values->value(columns_[index], column.place(i));
    }
    return {};
  };
  for (size_t k = 0; k < order_.size(); ++k) {
    BOBBIN_TRY(fill(k, static_cast<uint32_t>(order_[k].place)));
  }
  for (size_t w = 0; w < wanted_.size(); ++w) {
    BOBBIN_TRY(fill(order_.size() + 1 + w, wanted_[w]));
  }
  return {};
}

void RowSelector::sort_kept() {
  std::vector<BoundOrder> terms = order_;
  for (size_t k = 0; k < terms.size(); ++k) {
    terms[k].place = k;
  }
  terms.push_back({.place = order_.size()});  // the row's number
  sort_first(kept_, limit_, [&](const auto& a, const auto& b) { return comes_before(terms, a, b); });
}

Status RowSelector::add_rows(RowGroupQuery& group, SelectedRows& rows) {
  BOBBIN_ASSIGN(const std::vector<uint32_t> places, first_places(rows));
  BOBBIN_RETURN_IF(std::min(limit_, kept_.size() + places.size()) > max_rows_, StatusCode::unsupported,
                   fmt::format("the result has more than {} rows: give a limit", max_rows_));
  BOBBIN_TRY(keep(group, rows, places));
  if (!order_.empty() && kept_.size() / 2 > limit_) {
    sort_kept();
  }
  return {};
}

bool RowSelector::can_matter(const RowGroupQuery& group) {
  if (order_.empty() || kept_.size() < limit_ || limit_ > kMaxSorted) {
    return true;
  }
  const BoundOrder& first = order_[0];
  const Column& column = columns_[first.place];
  const file::Chunk& chunk = group.chunk(static_cast<uint32_t>(first.place));
  if (is_string(column.type) || num_nulls(chunk) != 0) {
    return true;
  }
  const Value best = to_value(column, first.is_descending ? chunk.zone.max : chunk.zone.min);
  if (best.kind == Value::Kind::real && std::isinf(best.real)) {
    return true;  // there may be NaN
  }
  sort_kept();
  const Value& last = kept_.back()[0];
  const int sign = first.apply(compare_values(best, last), false, last.is_null());
  return sign < 0 || (sign == 0 && order_.size() > 1);  // of equal rows, earlier ones come first
}

std::optional<Bound> RowSelector::threshold(const RowGroupQuery& group, bool keeps_equal) {
  if (order_.empty() || kept_.size() < limit_ || limit_ > kMaxSorted) {
    return std::nullopt;
  }
  const BoundOrder& first = order_[0];
  const Column& column = columns_[first.place];
  const auto place = static_cast<uint32_t>(first.place);
  if (is_string(column.type)) {
    return std::nullopt;
  }
  sort_kept();
  const Value& last = kept_.back()[0];
  const bool has_nulls = num_nulls(group.chunk(place)) != 0;
  const bool nulls_first = first.apply(-1, true, false) < 0;  // a null is below all values
  if (last.is_null()) {
    const bool helps = has_nulls && (nulls_first || !keeps_equal);
    return helps ? std::optional(Bound{.kind = nulls_first ? Bound::Kind::is_null : Bound::Kind::not_null,
                                       .column = place})
                 : std::nullopt;
  }
  if (last.kind == Value::Kind::real && std::isnan(last.real)) {
    return std::nullopt;
  }
  Bound test{.kind = Bound::Kind::test,
             .column = place,
             .range = range_before(column, last, first.is_descending, keeps_equal)};
  if (!has_nulls || !nulls_first) {
    return test;
  }
  return Bound{.kind = Bound::Kind::either,
               .parts = {std::move(test), {.kind = Bound::Kind::is_null, .column = place}}};
}

Result<BitmapWords> RowSelector::add_sample(RowGroupQuery& group, BitmapWords words) {
  const bool is_large = group.info().num_rows >= 2 * kSampled * kVectorLength;
  if (order_.empty() || kept_.size() >= limit_ || limit_ > kMaxSorted || !is_large) {
    return words;
  }
  constexpr size_t kVectorWords = kVectorLength / 32;
  BitmapWords sample(words.size());
  for (size_t w = 0; w < words.size(); ++w) {
    if (w / kVectorWords % kSampled == 0) {
      std::swap(sample[w], words[w]);
    }
  }
  BOBBIN_TRY(for_each_piece(group, sample, [&](SelectedRows& rows) { return add_rows(group, rows); }));
  // Rows between those of the sample come before later ones that are equal.
  std::optional<Bound> test = threshold(group, true);
  if (!test.has_value()) {
    return words;
  }
  Bound others{.kind = Bound::Kind::rows, .bitmap = std::move(words)};
  return group.rows({.kind = Bound::Kind::both, .parts = {*std::move(test), std::move(others)}});
}

Result<bool> RowSelector::add(RowGroupQuery& group, const Bound& bound) {
  if (limit_ == 0) {
    return false;
  }
  if (!can_matter(group)) {
    return true;
  }
  Bound candidates = bound;
  // Earlier rows come before equal ones: with a single term, a row that equals the threshold is not needed.
  if (std::optional<Bound> test = threshold(group, order_.size() > 1); test.has_value()) {
    candidates = bound.kind == Bound::Kind::always
                     ? *std::move(test)
                     : Bound{.kind = Bound::Kind::both, .parts = {*test, bound}};
  }
  BOBBIN_ASSIGN(BitmapWords words, group.rows(std::move(candidates)));
  BOBBIN_ASSIGN(words, add_sample(group, std::move(words)));
  BOBBIN_TRY(for_each_piece(group, words, [&](SelectedRows& rows) { return add_rows(group, rows); }));
  return !order_.empty() || kept_.size() < limit_;
}

std::vector<std::vector<Value>> RowSelector::rows() && {
  sort_kept();
  for (std::vector<Value>& row : kept_) {
    row.erase(row.begin(), row.begin() + static_cast<ptrdiff_t>(order_.size() + 1));
  }
  return std::move(kept_);
}

}  // namespace bobbin::query
