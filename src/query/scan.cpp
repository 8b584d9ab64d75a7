// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <optional>

#include "core/scalar.hpp"
#include "file/access.hpp"
#include "query/bind.hpp"
#include "query/fold.hpp"
#include "query/group.hpp"
#include "query/groups.hpp"
#include "query/prune.hpp"

namespace bobbin::query {
namespace {

using file::ReaderAccess;

Result<Bound> bind_all(std::span<const Column> columns, std::span<const Predicate> predicates) {
  Bound bound;
  if (!predicates.empty()) {
    bound.kind = Bound::Kind::both;
  }
  for (const Predicate& predicate : predicates) {
    BOBBIN_ASSIGN(Bound part, bind_predicate(columns, predicate));
    bound.parts.push_back(std::move(part));
  }
  return bound;
}

// The CPU works without a stream.
Result<std::optional<Stream>> make_stream(Backend backend) {
  if (backend == Backend::cpu) {
    return std::optional<Stream>();
  }
  BOBBIN_ASSIGN(Stream stream, Stream::create(backend));
  return std::optional(std::move(stream));
}

// Calls f(group, predicate) for each row group that its zone maps do not rule out, in the file's order, until
// it returns false.
template <class F>
Result<QueryStats> for_each_group_until(const Reader& reader, const Bound& bound, Backend backend, F&& f) {
  BOBBIN_ASSIGN(const std::optional<Stream> stream, make_stream(backend));
  const StreamView view = stream.has_value() ? stream->view() : StreamView(Backend::cpu, nullptr);
  QueryStats stats{.row_groups = reader.num_row_groups(), .read = 0};
  bool more = true;
  for (size_t g = 0; g < reader.num_row_groups() && more; ++g) {
    Group group(reader, g, view);
    const Bound pruned = prune(bound, reader.columns(), group.info());
    if (pruned.kind != Bound::Kind::never) {
      BOBBIN_ASSIGN(more, f(group, pruned));
    }
    stats.read += group.was_read() ? 1 : 0;
  }
  return stats;
}

template <class F>
Result<QueryStats> for_each_group(const Reader& reader, const Bound& bound, Backend backend, F&& f) {
  return for_each_group_until(reader, bound, backend, [&](Group& group, const Bound& pruned) -> Result<bool> {
    BOBBIN_TRY(f(group, pruned));
    return true;
  });
}

// Rows of a group that pass, from `begin` to before `end`.
Result<std::vector<uint64_t>> rows_of(Group& group, const Bound& bound, uint64_t begin, uint64_t end) {
  BOBBIN_ASSIGN(const Words words, group.rows(bound));
  std::vector<uint64_t> rows;
  for (size_t w = 0; w < words.size(); ++w) {
    for (uint32_t bits = words[w]; bits != 0; bits &= bits - 1) {
      const uint64_t row = group.info().first_row + w * 32 + static_cast<uint32_t>(std::countr_zero(bits));
      if (row >= begin && row < end) {
        rows.push_back(row);
      }
    }
  }
  return rows;
}

}  // namespace

Scan Scan::where(Predicate predicate) const {
  Scan narrower = *this;
  narrower.predicates_.push_back(std::move(predicate));
  return narrower;
}

Scan Scan::on(Backend backend) const {
  Scan moved = *this;
  moved.backend_ = backend;
  return moved;
}

Result<std::vector<Value>> Scan::run(const std::vector<AggregateSpec>& aggregates, QueryStats* stats) const {
  const std::string& name = ReaderAccess::name(*reader_);
  const auto bound = bind_all(reader_->columns(), predicates_);
  BOBBIN_TRY(bound.error().in(name));
  std::vector<BoundAggregate> wanted;
  for (const AggregateSpec& aggregate : aggregates) {
    const auto one = bind_aggregate(reader_->columns(), aggregate);
    BOBBIN_TRY(one.error().in(name));
    wanted.push_back(*one);
  }
  Folder folder(reader_->columns(), wanted);
  const auto found = for_each_group(*reader_, *bound, backend_, [&](Group& group, const Bound& pruned) {
    return folder.add(group, pruned);
  });
  BOBBIN_TRY(found.error());
  if (stats != nullptr) {
    *stats = *found;
  }
  return folder.values();
}

Result<Value> Scan::one(AggregateSpec aggregate) const {
  BOBBIN_ASSIGN(std::vector<Value> values, run({std::move(aggregate)}));
  return std::move(values[0]);
}

Result<uint64_t> Scan::count() const {
  BOBBIN_ASSIGN(const Value value, one({}));
  return static_cast<uint64_t>(value.integer);
}

Result<Value> Scan::sum(std::string column) const {
  return one(query::sum(std::move(column)));
}

Result<Value> Scan::min(std::string column) const {
  return one(query::min(std::move(column)));
}

Result<Value> Scan::max(std::string column) const {
  return one(query::max(std::move(column)));
}

Result<GroupCounts> Scan::group_counts(const std::string& column, QueryStats* stats) const {
  const std::string& name = ReaderAccess::name(*reader_);
  const auto bound = bind_all(reader_->columns(), predicates_);
  BOBBIN_TRY(bound.error().in(name));
  const auto index = find_column(reader_->columns(), column);
  BOBBIN_TRY(index.error().in(name));
  Counter counter(reader_->columns()[*index], *index, backend_);
  const auto found = for_each_group(*reader_, *bound, backend_, [&](Group& group, const Bound& pruned) {
    return counter.add(group, pruned);
  });
  BOBBIN_TRY(found.error());
  if (stats != nullptr) {
    *stats = *found;
  }
  return counter.counts();
}

Status Scan::visit_rows(const RowVisitor& visit, uint64_t begin, uint64_t end, QueryStats* stats) const {
  const auto bound = bind_all(reader_->columns(), predicates_);
  BOBBIN_TRY(bound.error().in(ReaderAccess::name(*reader_)));
  const auto take = [&](Group& group, const Bound& pruned) -> Result<bool> {
    const uint64_t first = group.info().first_row;
    if (first + group.info().num_rows <= begin || first >= end) {
      return first < end;
    }
    BOBBIN_ASSIGN(const std::vector<uint64_t> rows, rows_of(group, pruned, begin, end));
    return rows.empty() ? Result<bool>(true) : visit(group.index(), rows);
  };
  BOBBIN_ASSIGN(const QueryStats found, for_each_group_until(*reader_, *bound, backend_, take));
  if (stats != nullptr) {
    *stats = found;
  }
  return {};
}

Result<std::vector<uint64_t>> Scan::rows(uint64_t begin, uint64_t end) const {
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
