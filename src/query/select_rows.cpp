// SPDX-License-Identifier: Apache-2.0
#include "query/select_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <unordered_map>

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

uint64_t num_selected(const BitmapWords& words) {
  uint64_t rows = 0;
  for (const uint32_t word : words) {
    rows += static_cast<uint64_t>(std::popcount(word));
  }
  return rows;
}

Value value_at(const HostColumn& column, uint64_t row) {
  return column.is_null(row)             ? Value()
         : is_string(column.column.type) ? Value::of_text(std::string(column.string(row)))
                                         : to_value(column.column, column.number(row));
}

// The texts of a column's rows, each entry of a dictionary once.
class KeptTexts {
 public:
  explicit KeptTexts(const SelectedColumn& column) : column_(column) {}

  KeptValue operator()(size_t i) {
    const DecodedColumn& values = *column_.values;
    const uint64_t place = column_.place(i);
    if (values.is_null(place)) {
      return {};
    }
    if (values.entries() == nullptr) {
      return KeptValue(std::make_shared<const std::string>(values.text(place)));
    }
    auto& text = known_[values.entry(place)];
    if (text == nullptr) {
      text = std::make_shared<const std::string>(values.text(place));
    }
    return KeptValue(text);
  }

 private:
  SelectedColumn column_;
  std::unordered_map<uint32_t, std::shared_ptr<const std::string>> known_;
};

}  // namespace

Value KeptValue::value() const {
  switch (kind_) {
    case Value::Kind::integer:
      return Value::of_integer(number_.integer, logical_);
    case Value::Kind::real:
      return Value::of_real(number_.real);
    case Value::Kind::text:
      return Value::of_text(*text_);
    case Value::Kind::null:
      break;
  }
  return {};
}

int KeptValue::compare(const KeptValue& other) const {
  if (text_ != nullptr && text_ == other.text_) {
    return 0;
  }
  if (text_ != nullptr && other.text_ != nullptr) {
    const int sign = text_->compare(*other.text_);
    return (sign > 0) - (sign < 0);
  }
  return kind_ == Value::Kind::integer && other.kind_ == kind_
             ? (number_.integer > other.number_.integer) - (number_.integer < other.number_.integer)
             : compare_values(value(), other.value());
}

Result<std::vector<uint32_t>> RowSelector::first_places(SelectedRows& rows) const {
  std::vector<uint32_t> places(rows.rows().size());
  std::iota(places.begin(), places.end(), 0U);
  if (order_.empty()) {
    places.resize(std::min<uint64_t>(places.size(), limit_ - passed_));
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
    kept_.back()[order_.size()] = KeptValue(Value::of_integer(group.info().first_row + row));
  }
  SelectedRows kept(group, rows.piece(), std::move(chosen));
  const auto fill = [&](size_t place, uint32_t index) -> Status {
    BOBBIN_ASSIGN(const SelectedColumn column, kept.column(index));
    KeptTexts texts(column);
    for (size_t i = 0; i < places.size(); ++i) {
      kept_[first + i][place] = is_string(columns_[index].type)
                                    ? texts(i)
                                    : KeptValue(column.values->value(columns_[index], column.place(i)));
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

template <class Fill>
Status RowSelector::pass_rows(size_t count, Fill&& fill) {
  constexpr size_t kMostRows = 1024;
  constexpr size_t kMostBytes = size_t{1} << 20;
  std::vector<std::vector<Value>> some;
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    fill(i, some.emplace_back());
    for (const Value& value : some.back()) {
      bytes += value.text.size();
    }
    if (some.size() == kMostRows || bytes >= kMostBytes || i + 1 == count) {
      passed_ += some.size();
      BOBBIN_TRY(take_(some));
      some.clear();
      bytes = 0;
    }
  }
  return {};
}

Status RowSelector::pass_decoded(RowGroupQuery& group, SelectedRows& rows, std::span<const uint32_t> places) {
  std::vector<uint64_t> chosen;
  std::ranges::transform(places, std::back_inserter(chosen),
                         [&](uint32_t place) { return rows.rows()[place]; });
  SelectedRows taken(group, rows.piece(), std::move(chosen));
  std::vector<SelectedColumn> columns;
  for (const uint32_t wanted : wanted_) {
    BOBBIN_ASSIGN(const SelectedColumn column, taken.column(wanted));
    columns.push_back(column);
  }
  return pass_rows(places.size(), [&](size_t i, std::vector<Value>& row) {
    for (size_t c = 0; c < columns.size(); ++c) {
      row.push_back(columns[c].values->value(columns_[wanted_[c]], columns[c].place(i)));
    }
  });
}

Status RowSelector::pass_few(RowGroupQuery& group, std::vector<uint64_t> rows) {
  BOBBIN_ASSIGN(table::GroupSlices slices, group.slices({wanted_.begin(), wanted_.end()}, std::move(rows)));
  while (true) {
    BOBBIN_ASSIGN(const auto slice, slices.next());
    if (!slice.has_value()) {
      return {};
    }
    BOBBIN_TRY(pass_rows(slice->rows, [&](size_t i, std::vector<Value>& row) {
      for (const HostColumn& column : slice->columns) {
        row.push_back(value_at(column, i));
      }
    }));
  }
}

Status RowSelector::pass(RowGroupQuery& group, const BitmapWords& words) {
  constexpr uint64_t kFew = 64;  // at most one row in 64 is selected
  const uint64_t left = limit_ - passed_;
  const uint64_t selected = std::min(left, num_selected(words));
  BOBBIN_RETURN_IF(std::min(limit_, passed_ + selected) > max_rows_, StatusCode::unsupported, too_many());
  if (selected != 0 && selected * kFew <= group.info().num_rows) {
    std::vector<uint64_t> rows;
    for (uint64_t begin = 0; rows.size() < selected && begin < group.info().num_rows; begin += kPieceRows) {
      const uint64_t end = std::min(begin + kPieceRows, group.info().num_rows);
      std::ranges::copy(rows_of(words, begin, end), std::back_inserter(rows));
    }
    rows.resize(selected);
    return pass_few(group, std::move(rows));
  }
  return for_each_piece(group, words, decoded_, [&](SelectedRows& rows) {
    BOBBIN_ASSIGN(const std::vector<uint32_t> places, first_places(rows));
    return places.empty() ? Status() : pass_decoded(group, rows, places);
  });
}

std::string RowSelector::too_many() const {
  return fmt::format("the result has more than {} rows: give a limit", max_rows_);
}

Status RowSelector::finish() {
  sort_kept();
  return pass_rows(kept_.size(), [&](size_t i, std::vector<Value>& row) {
    for (size_t c = order_.size() + 1; c < kept_[i].size(); ++c) {
      row.push_back(kept_[i][c].value());
    }
  });
}

void RowSelector::sort_kept() {
  const size_t number = order_.size();  // the row's, by which rows that are equal are ordered
  sort_first(kept_, limit_, [&](const auto& a, const auto& b) {
    for (size_t k = 0; k < order_.size(); ++k) {
      const int sign = order_[k].apply(a[k].compare(b[k]), a[k].is_null(), b[k].is_null());
      if (sign != 0) {
        return sign < 0;
      }
    }
    return a[number].compare(b[number]) < 0;
  });
}

Status RowSelector::add_rows(RowGroupQuery& group, SelectedRows& rows) {
  BOBBIN_ASSIGN(const std::vector<uint32_t> places, first_places(rows));
  BOBBIN_RETURN_IF(std::min(limit_, kept_.size() + places.size()) > max_rows_, StatusCode::unsupported,
                   too_many());
  BOBBIN_TRY(keep(group, rows, places));
  if (kept_.size() / 2 > limit_) {
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
  const Value last = kept_.back()[0].value();
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
  const Value last = kept_.back()[0].value();
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
  BOBBIN_TRY(
      for_each_piece(group, sample, decoded_, [&](SelectedRows& rows) { return add_rows(group, rows); }));
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
  if (order_.empty()) {
    BOBBIN_TRY(pass(group, words));
    return passed_ < limit_;
  }
  BOBBIN_ASSIGN(words, add_sample(group, std::move(words)));
  BOBBIN_TRY(
      for_each_piece(group, words, decoded_, [&](SelectedRows& rows) { return add_rows(group, rows); }));
  return true;
}

}  // namespace bobbin::query
