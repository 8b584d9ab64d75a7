// SPDX-License-Identifier: Apache-2.0
// Aggregates over rows that are not all in one place: row groups, files, processes or machines each make a
// Partial, and merging these gives the result of one query over all rows. Rows are never moved.
//
//   const std::vector<query::AggregateSpec> wanted = {query::count(), query::avg("price")};
//   BOBBIN_ASSIGN(query::Partial all, query::from(january).partial({"city"}, wanted));
//   BOBBIN_ASSIGN(const query::Partial more, query::from(february).partial({"city"}, wanted));
//   BOBBIN_TRY(all.merge(more));
//   BOBBIN_ASSIGN(const query::ResultTable table, all.finish({.limit = 10}));
//
// count() counts rows, also those with nulls. All other aggregates leave nulls out: sum, min, max and avg are
// null if no part has a value. Integers and decimals are exact however rows are divided. Sums and averages of
// floats add the parts' sums in the order of merging: the same division into parts gives the same bits, but
// another one may differ in the last digits. NaN makes a sum or an average NaN, is ignored by min and max,
// and counts as one value for keys and count_distinct; so do 0.0 and -0.0. The min of 0.0 and -0.0 is -0.0,
// and the max is 0.0.
//
// A Partial holds one row per group and, for each group, all distinct values that count_distinct counts.
//
// Threads: any number of threads may read a Partial at the same time, but a thread that changes one needs
// exclusive access to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/query.hpp"
#include "bobbin/status.hpp"

namespace bobbin::query {

// The most distinct values that a Partial may hold for each count_distinct.
inline constexpr uint64_t kMaxPartialDistinct = uint64_t{1} << 22;

class BOBBIN_API Partial {
 public:
  Partial(const Partial&);
  Partial(Partial&&) noexcept;
  Partial& operator=(const Partial&);
  Partial& operator=(Partial&&) noexcept;
  ~Partial();

  [[nodiscard]] const std::vector<std::string>& keys() const;
  [[nodiscard]] const std::vector<AggregateSpec>& aggregates() const;
  // The number of groups; 1 without keys.
  [[nodiscard]] uint64_t num_groups() const;

  // Adds the aggregates of other rows. Fails, and changes nothing, if `other` has different keys or
  // aggregates, or columns of different types. Exceeding a limit on groups or distinct values leaves this
  // Partial unusable.
  Status merge(const Partial& other, uint64_t max_groups = kMaxGroups);
  // The result, as Query::group_by() returns it. The order's terms must be keys or aggregates of this
  // Partial.
  [[nodiscard]] Result<ResultTable> finish(const ResultOptions& options = {}) const;

  // For other processes and machines. from_bytes() checks everything; the bytes may be hostile.
  [[nodiscard]] std::vector<std::byte> to_bytes() const;
  static Result<Partial> from_bytes(std::span<const std::byte> bytes);

 private:
  friend class Query;
  struct Impl;
  explicit Partial(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bobbin::query
