// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "core/scalar.hpp"
#include "file/access.hpp"
#include "plan/pieces.hpp"
#include "query/bind.hpp"
#include "query/explain.hpp"
#include "query/fold.hpp"
#include "query/group_by.hpp"
#include "query/needs.hpp"
#include "query/order.hpp"
#include "query/prune.hpp"
#include "query/row_group.hpp"
#include "query/select_rows.hpp"
#include "query/text.hpp"
#include "table/read_ahead.hpp"

namespace bobbin::query {
namespace {

using file::ReaderAccess;

// The integers of a column, by the zone maps of all row groups.
plan::Bounds bounds_in(const Reader& reader, uint32_t column) {
  std::optional<plan::Bounds> all;
  for (const file::RowGroup& group : ReaderAccess::footer(reader).row_groups) {
    const file::Chunk& chunk = group.chunks[column];
    if (num_nulls(chunk) == group.num_rows) {
      continue;
    }
    visit_integer(reader.columns()[column].type, [&]<class T>(std::type_identity<T>) {
      const plan::Bounds here{value_of<T>(chunk.zone.min), value_of<T>(chunk.zone.max)};
      all = all.has_value()
                ? plan::Bounds{std::min(all->least, here.least), std::max(all->greatest, here.greatest)}
                : here;
    });
  }
  return all.value_or(plan::Bounds{});
}
FindBounds find_bounds(const Reader& reader) {
  return [&reader](uint32_t column) { return bounds_in(reader, column); };
}

Result<Bound> bind_all(const Reader& reader, std::span<const Predicate> predicates) {
  Bound bound;
  if (!predicates.empty()) {
    bound.kind = Bound::Kind::both;
  }
  for (const Predicate& predicate : predicates) {
    BOBBIN_ASSIGN(Bound part, bind_predicate(reader, predicate, find_bounds(reader)));
    bound.parts.push_back(std::move(part));
  }
  return bound;
}

// The CPU needs no stream.
Result<std::optional<Stream>> make_stream(Backend backend) {
  if (backend == Backend::cpu) {
    return std::optional<Stream>();
  }
  BOBBIN_ASSIGN(Stream stream, Stream::create(backend));
  return std::optional(std::move(stream));
}

// The first row group that has rows at or after `row`.
size_t group_at(const Reader& reader, uint64_t row) {
  const auto& groups = ReaderAccess::footer(reader).row_groups;
  const auto ends = [](const file::RowGroup& group) { return group.first_row + group.num_rows; };
  return static_cast<size_t>(std::ranges::upper_bound(groups, row, {}, ends) - groups.begin());
}

// Row groups begin .. end-1, as far as the file has them.
struct GroupRange {
  size_t begin = 0;
  size_t end = SIZE_MAX;
};

uint64_t num_rows_in(const Reader& reader, GroupRange range) {
  const auto& groups = ReaderAccess::footer(reader).row_groups;
  uint64_t rows = 0;
  for (size_t g = range.begin; g < std::min(range.end, groups.size()); ++g) {
    rows += groups[g].num_rows;
  }
  return rows;
}

// Where a query runs, and where it records how it is answered, if wanted.
struct Target {
  Backend backend{};
  Explanation* explanation = nullptr;
  const Needs* needs = nullptr;  // what to read ahead, for a device; null: nothing
};

// Starts to read what a query needs of the row groups that zone maps do not rule out. If that is not
// possible, row groups are read when it is their turn.
std::unique_ptr<table::ReadAhead> read_ahead(const Reader& reader, const Bound& bound, const Target& target,
                                             GroupRange range, StreamView stream) {
  if (stream.backend() == Backend::cpu || target.needs == nullptr) {
    return nullptr;
  }
  const auto& groups = ReaderAccess::footer(reader).row_groups;
  std::vector<table::Part> chunks;
  for (size_t g = range.begin; g < std::min(range.end, groups.size()); ++g) {
    const Bound pruned = prune(bound, reader.columns(), groups[g]);
    if (pruned.kind != Bound::Kind::never) {
      for (const uint32_t column : target.needs->columns(pruned, groups[g])) {
        chunks.push_back(table::whole_chunk(reader, g, column));
      }
    }
  }
  if (chunks.empty()) {
    return nullptr;
  }
  auto ahead = table::ReadAhead::start(reader, std::move(chunks), stream);
  return ahead.has_value() ? std::move(*ahead) : nullptr;
}

// The row groups with rows from `begin` to before `end`.
GroupRange groups_between(const Reader& reader, uint64_t begin, uint64_t end) {
  return {group_at(reader, begin), begin < end ? group_at(reader, end - 1) + 1 : 0};
}

Status nothing_to_finish() {
  return {};
}

// Calls f(group, predicate) for each row group of the range that its zone maps do not rule out, in file
// order, until it returns false; then finish(), which may wait for the device.
template <class F, class Finish = Status (*)()>
Result<QueryStats> for_each_group_until(const Reader& reader, const Bound& bound, Target target,
                                        GroupRange range, F&& f, Finish&& finish = &nothing_to_finish) {
  BOBBIN_ASSIGN(const std::optional<Stream> stream, make_stream(target.backend));
  const StreamView view = stream.has_value() ? stream->view() : StreamView(Backend::cpu, nullptr);
  const auto pieces =
      std::make_shared<plan::Pieces>(num_rows_in(reader, range), "file " + ReaderAccess::name(reader));
  Explainer explainer(target.explanation, *pieces);
  QueryStats stats{.row_groups = reader.num_row_groups(), .read = 0};
  const auto ahead = read_ahead(reader, bound, target, range, view);
  bool more = true;
  const size_t end = std::min(range.end, reader.num_row_groups());
  for (size_t g = range.begin; g < end && more; ++g) {
    RowGroupQuery group(reader, g, view, pieces, ahead.get());
    const Bound pruned = prune(bound, reader.columns(), group.info());
    if (pruned.kind != Bound::Kind::never) {
      BOBBIN_ASSIGN(more, f(group, pruned));
      explainer.add(group);
      if (ahead != nullptr) {
        ahead->release(g);
      }
    } else {
      explainer.add_skipped(g);
    }
    stats.read += group.was_read() ? 1 : 0;
  }
  BOBBIN_TRY(finish());
  return stats;
}

template <class F, class Finish = Status (*)()>
Result<QueryStats> for_each_group(const Reader& reader, const Bound& bound, Target target, GroupRange range,
                                  F&& f, Finish&& finish = &nothing_to_finish) {
  const auto take = [&](RowGroupQuery& group, const Bound& pruned) -> Result<bool> {
    BOBBIN_TRY(f(group, pruned));
    return true;
  };
  return for_each_group_until(reader, bound, target, range, take, finish);
}

// Passes on the matching rows of a row group, from `begin` to before `end`, counted from the start of the
// file. Returns whether to continue.
Result<bool> visit_group(RowGroupQuery& group, const Bound& bound, uint64_t begin, uint64_t end,
                         const RowVisitor& visit) {
  BOBBIN_ASSIGN(const BitmapWords words, group.rows(bound));
  const uint64_t first = group.info().first_row;
  const uint64_t last = std::min(end - std::min(end, first), group.info().num_rows);
  for (uint64_t from = begin - std::min(begin, first); from < last; from += kPieceRows) {
    std::vector<uint64_t> rows = rows_of(words, from, std::min(last, from + kPieceRows));
    std::ranges::for_each(rows, [&](uint64_t& row) { row += first; });
    if (!rows.empty()) {
      BOBBIN_ASSIGN(const bool more, visit(group.index(), rows));
      if (!more) {
        return false;
      }
    }
  }
  return true;
}

Result<std::vector<BoundAggregate>> bind_aggregates(const Reader& reader,
                                                    std::span<const AggregateSpec> aggregates) {
  std::vector<BoundAggregate> bound;
  for (const AggregateSpec& aggregate : aggregates) {
    BOBBIN_ASSIGN(const BoundAggregate one, bind_aggregate(reader, aggregate, find_bounds(reader)));
    bound.push_back(one);
  }
  return bound;
}

Result<std::vector<uint32_t>> find_columns(const Reader& reader, std::span<const std::string> names) {
  std::vector<uint32_t> found;
  for (const std::string& name : names) {
    BOBBIN_ASSIGN(const uint32_t column, find_column(reader, name));
    found.push_back(column);
  }
  return found;
}

// The type of an aggregate's values, if they are values of a column.
std::optional<ColumnType> type_of(const Reader& reader, const AggregateSpec& aggregate) {
  const bool own = aggregate.kind == AggregateSpec::Kind::min || aggregate.kind == AggregateSpec::Kind::max;
  if (!own || aggregate.expression.has_value()) {
    return std::nullopt;
  }
  const Column& column = reader.columns()[*reader.find_column(aggregate.column)];  // bound before
  return ColumnType{column.type, column.logical};
}

// Aggregates over all rows: those folded on encoded columns, and the others.
class Totals {
 public:
  Totals(std::span<const Column> columns, const std::vector<BoundAggregate>& aggregates)
      : folded_(split(columns, aggregates, true)),
        decoded_(split(columns, aggregates, false)),
        folded_totals_(columns, folded_),
        group_by_(columns, {}, decoded_, 1) {
    for (const BoundAggregate& aggregate : aggregates) {
      is_folded_.push_back(is_foldable(columns, aggregate));
    }
  }

  Status add(RowGroupQuery& group, const Bound& bound) {
    BOBBIN_TRY(folded_totals_.add(group, bound));
    return decoded_.empty() ? Status() : group_by_.add(group, bound);
  }
  Status finish() { return folded_totals_.finish(); }

  [[nodiscard]] std::vector<Value> values() const {
    const std::vector<Value> folded = folded_totals_.values();
    const std::vector<Value> decoded = group_by_.rows()[0];
    std::vector<Value> values;
    for (size_t i = 0, f = 0, d = 0; i < is_folded_.size(); ++i) {
      values.push_back(is_folded_[i] ? folded[f++] : decoded[d++]);
    }
    return values;
  }

 private:
  static std::vector<BoundAggregate> split(std::span<const Column> columns,
                                           const std::vector<BoundAggregate>& aggregates, bool foldable) {
    std::vector<BoundAggregate> some;
    std::ranges::copy_if(aggregates, std::back_inserter(some), [&](const BoundAggregate& aggregate) {
      return is_foldable(columns, aggregate) == foldable;
    });
    return some;
  }

  std::vector<BoundAggregate> folded_;
  std::vector<BoundAggregate> decoded_;
  FoldedTotals folded_totals_;
  GroupBy group_by_;
  std::vector<bool> is_folded_;
};

}  // namespace

Query Query::where(Predicate predicate) const {
  Query narrower = *this;
  narrower.predicates_.push_back(std::move(predicate));
  return narrower;
}

Query Query::on(Backend backend) const {
  Query moved = *this;
  moved.backend_ = backend;
  return moved;
}

Query Query::explained(Explanation& to) const {
  Query other = *this;
  other.explanation_ = &to;
  return other;
}

Query Query::row_groups(size_t begin, size_t end) const {
  Query narrower = *this;
  narrower.first_group_ = begin;
  narrower.end_group_ = end;
  return narrower;
}

Result<std::vector<size_t>> Query::candidates() const {
  const auto bound = bind_all(*reader_, predicates_);
  BOBBIN_TRY(bound.error().in(ReaderAccess::name(*reader_)));
  const auto& groups = ReaderAccess::footer(*reader_).row_groups;
  std::vector<size_t> found;
  for (size_t g = first_group_; g < std::min(end_group_, groups.size()); ++g) {
    if (prune(*bound, reader_->columns(), groups[g]).kind != Bound::Kind::never) {
      found.push_back(g);
    }
  }
  return found;
}

Result<std::vector<Value>> Query::run(const std::vector<AggregateSpec>& aggregates, QueryStats* stats) const {
  const std::string& name = ReaderAccess::name(*reader_);
  const auto bound = bind_all(*reader_, predicates_);
  BOBBIN_TRY(bound.error().in(name));
  const auto wanted = bind_aggregates(*reader_, aggregates);
  BOBBIN_TRY(wanted.error().in(name));
  Totals totals(reader_->columns(), *wanted);
  Needs needs;
  needs.add(*wanted);
  const auto found = for_each_group(
      *reader_, *bound, {backend_, explanation_, &needs}, {first_group_, end_group_},
      [&](RowGroupQuery& group, const Bound& pruned) { return totals.add(group, pruned); },
      [&] { return totals.finish(); });
  BOBBIN_TRY(found.error());
  if (stats != nullptr) {
    *stats = *found;
  }
  return totals.values();
}

Result<Value> Query::one(AggregateSpec aggregate) const {
  BOBBIN_ASSIGN(std::vector<Value> values, run({std::move(aggregate)}));
  return std::move(values[0]);
}

Result<uint64_t> Query::count() const {
  BOBBIN_ASSIGN(const Value value, one({}));
  return static_cast<uint64_t>(value.integer);
}

Result<Value> Query::sum(std::string column) const {
  return one(query::sum(std::move(column)));
}

Result<Value> Query::min(std::string column) const {
  return one(query::min(std::move(column)));
}

Result<Value> Query::max(std::string column) const {
  return one(query::max(std::move(column)));
}

Result<Value> Query::avg(std::string column) const {
  return one(query::avg(std::move(column)));
}

Result<uint64_t> Query::count_distinct(std::string column) const {
  BOBBIN_ASSIGN(const Value value, one(query::count_distinct(std::move(column))));
  return static_cast<uint64_t>(value.integer);
}

Result<ResultTable> Query::group_by(const std::vector<std::string>& keys,
                                    const std::vector<AggregateSpec>& aggregates,
                                    const ResultOptions& options, QueryStats* stats) const {
  const std::span<const Column> columns = reader_->columns();
  const std::string& name = ReaderAccess::name(*reader_);
  const auto found_keys = find_columns(*reader_, keys);
  BOBBIN_TRY(found_keys.error().in(name));
  // Order terms that were not requested are computed too, and removed at the end.
  std::vector<AggregateSpec> computed = aggregates;
  const auto order = bind_group_order(options.order, keys, computed);
  BOBBIN_TRY(order.error().in(name));
  ResultTable table;
  if (keys.empty()) {
    BOBBIN_ASSIGN(std::vector<Value> values, run(computed, stats));
    table.rows.push_back(std::move(values));
  } else {
    BOBBIN_ASSIGN(table.rows, group_rows(*found_keys, computed, options.max_groups, stats));
  }
  sort_first(table.rows, options.limit,
             [&](const auto& a, const auto& b) { return comes_before(*order, a, b); });
  for (const uint32_t key : *found_keys) {
    table.columns.push_back({columns[key].name, ColumnType{columns[key].type, columns[key].logical}});
  }
  for (const AggregateSpec& aggregate : aggregates) {
    table.columns.push_back({to_text(aggregate), type_of(*reader_, aggregate)});
  }
  for (std::vector<Value>& row : table.rows) {
    row.resize(table.columns.size());
  }
  return table;
}

Result<std::vector<std::vector<Value>>> Query::group_rows(const std::vector<uint32_t>& keys,
                                                          const std::vector<AggregateSpec>& aggregates,
                                                          uint64_t max_groups, QueryStats* stats) const {
  const std::string& name = ReaderAccess::name(*reader_);
  const auto bound = bind_all(*reader_, predicates_);
  BOBBIN_TRY(bound.error().in(name));
  const auto wanted = bind_aggregates(*reader_, aggregates);
  BOBBIN_TRY(wanted.error().in(name));
  GroupBy groups(reader_->columns(), keys, *wanted, max_groups);
  Needs needs;
  needs.add(*wanted);
  std::ranges::for_each(keys, [&](uint32_t key) { needs.add(key); });
  const auto found =
      for_each_group(*reader_, *bound, {backend_, explanation_, &needs}, {first_group_, end_group_},
                     [&](RowGroupQuery& group, const Bound& pruned) { return groups.add(group, pruned); });
  BOBBIN_TRY(found.error());
  if (stats != nullptr) {
    *stats = *found;
  }
  return groups.rows();
}

Status Query::select_rows(const std::vector<std::string>& columns, const ResultOptions& options,
                          const TakeRows& take, QueryStats* stats) const {
  const std::string& name = ReaderAccess::name(*reader_);
  const auto bound = bind_all(*reader_, predicates_);
  BOBBIN_TRY(bound.error().in(name));
  const auto wanted = find_columns(*reader_, columns);
  BOBBIN_TRY(wanted.error().in(name));
  const auto order = bind_row_order(options.order, *reader_);
  BOBBIN_TRY(order.error().in(name));
  RowSelector selector(reader_->columns(), *wanted, *order, options, take);
  // With a limit, most row groups may turn out not to be needed. Of columns that are only returned, rows that
  // match are read.
  const Needs predicate;
  const Needs* const needs = options.limit == UINT64_MAX ? &predicate : nullptr;
  BOBBIN_ASSIGN(const QueryStats found,
                for_each_group_until(
                    *reader_, *bound, {backend_, explanation_, needs}, {first_group_, end_group_},
                    [&](RowGroupQuery& group, const Bound& pruned) { return selector.add(group, pruned); }));
  if (stats != nullptr) {
    *stats = found;
  }
  return selector.finish();
}

Result<ResultTable> Query::select(const std::vector<std::string>& columns, const ResultOptions& options,
                                  QueryStats* stats) const {
  ResultTable table;
  const auto take = [&](std::vector<std::vector<Value>>& rows) -> Status {
    std::ranges::move(rows, std::back_inserter(table.rows));
    return {};
  };
  BOBBIN_TRY(select_rows(columns, options, take, stats));
  for (const std::string& name : columns) {
    const Column& column = reader_->columns()[*reader_->find_column(name)];
    table.columns.push_back({name, ColumnType{column.type, column.logical}});
  }
  return table;
}

Status Query::visit_selected(const std::vector<std::string>& columns, const ResultOptions& options,
                             const ResultVisitor& visit, QueryStats* stats) const {
  ResultOptions all = options;
  all.max_rows = UINT64_MAX;
  return select_rows(columns, all, visit, stats);
}

Result<GroupCounts> Query::group_counts(const std::string& column, QueryStats* stats) const {
  BOBBIN_ASSIGN(ResultTable table, group_by({column}, {query::count()}, {}, stats));
  GroupCounts counts;
  for (std::vector<Value>& row : table.rows) {
    counts.emplace_back(std::move(row[0]), static_cast<uint64_t>(row[1].integer));
  }
  return counts;
}

Status Query::check() const {
  return bind_all(*reader_, predicates_).error().in(ReaderAccess::name(*reader_));
}

Status Query::visit_rows(const RowVisitor& visit, uint64_t begin, uint64_t end, QueryStats* stats) const {
  const auto bound = bind_all(*reader_, predicates_);
  BOBBIN_TRY(bound.error().in(ReaderAccess::name(*reader_)));
  const auto take = [&](RowGroupQuery& group, const Bound& pruned) {
    return visit_group(group, pruned, begin, end, visit);
  };
  const GroupRange range = groups_between(*reader_, begin, end);
  const Needs predicate;
  BOBBIN_ASSIGN(
      const QueryStats found,
      for_each_group_until(*reader_, *bound, {backend_, explanation_, &predicate},
                           {std::max(first_group_, range.begin), std::min(end_group_, range.end)}, take));
  if (stats != nullptr) {
    *stats = found;
  }
  return {};
}

Result<std::vector<uint64_t>> Query::rows(uint64_t begin, uint64_t end) const {
  std::vector<uint64_t> all;
  BOBBIN_TRY(visit_rows(
      [&](size_t, std::span<const uint64_t> rows) -> Result<bool> {
        all.insert(all.end(), rows.begin(), rows.end());
        return true;
      },
      begin, end));
  return all;
}

}  // namespace bobbin::query
