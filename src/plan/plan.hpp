// SPDX-License-Identifier: Apache-2.0
// Queries over encoded columns in device memory: from encoding trees to one launch.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/types.hpp"
#include "codecs/codec.hpp"
#include "core/bit_ranges.hpp"
#include "device/fetch.hpp"
#include "plan/column_plan.hpp"
#include "plan/compose.hpp"
#include "plan/expression.hpp"
#include "plan/pieces.hpp"
#include "plan/query_input.hpp"

namespace bobbin::plan {

// The filter, in postfix order; empty: every row matches.
struct Condition {
  enum class Kind : uint8_t {
    test,      // the value is in the range (which may be negated), or in one of `more`; false for a null
    member,    // `passes` has 1 at the value (a code), or at its last element for greater ones
    is_null,   // the row is null
    not_null,  // the row is not null
    compare,   // `comparison` holds; its columns are not null, and no step has 128 bits
    both,      // the two previous conditions
    either,
  };
  Kind kind{};
  uint32_t column = 0;
  ValueRange range{};
  std::vector<ValueRange> more{};
  std::vector<uint8_t> passes{};  // member: 1 or 0, at least one; values are unsigned, of up to 32 bits
  std::shared_ptr<const Comparison> comparison{};
};
using Filter = std::vector<Condition>;

// Over the matching rows; over the non-null ones if a column or an expression is given. Only `count` needs
// neither. Steps of the expression have at most 64 bits; its totals are of i64 or f64.
struct Aggregate {
  Fold fold{};
  std::optional<uint32_t> column;
  std::shared_ptr<const Expression> expression{};
};

// A column of integers that rows are grouped by: its values from `low` on, as many as `values`, at least one;
// greater ones are treated like the last. If there may be nulls, they are one value more.
struct KeyColumn {
  uint32_t column = 0;
  uint64_t low = 0;
  uint32_t values = 0;
  bool nulls = false;

  [[nodiscard]] uint32_t cells() const { return values + (nulls ? 1 : 0); }
};

// A column of dictionary codes: unsigned integers of up to 32 bits, for this many entries, at least one.
// Greater codes are treated like the last.
struct CodeColumn {
  uint32_t column = 0;
  uint64_t entries = 0;
};

struct Total {
  uint64_t count = 0;
  Int128 sum = 0;       // of integers, exact
  double real_sum = 0;  // of floats, added in the order that RealSum defines (plan/values.hpp)
  // Floats: NaN is ignored; absent if there is no other value.
  std::optional<Scalar> least;
  std::optional<Scalar> greatest;
};

// A column of a query: an encoded array, or precomputed results (one word per 32 rows, as many as whole
// vectors need).
struct Source {
  const Array* array = nullptr;
  const uint32_t* bitmap = nullptr;
  const Array* host = nullptr;  // the same array in host memory, if it is there too
  uint32_t column = 0;          // its number in the table (Pieces)
};

// The totals of a run that may not be over yet.
class PendingTotals {
 public:
  explicit PendingTotals(std::vector<Total> totals) : totals_(std::move(totals)) {}

  // Waits for the run. Call it once.
  [[nodiscard]] Result<std::vector<Total>> wait();

 private:
  friend class Prepared;

  // What the device sends: the words of each fold and cell, in the order of launches, and the sums of floats.
  struct Sent {
    explicit Sent(StreamView stream) : fetch(stream) {}

    std::vector<FoldStep> folds;
    std::vector<DType> types;  // of the folds' columns
    uint32_t cells = 1;
    size_t folds_per_launch = 1;
    std::vector<uint64_t> words;
    std::vector<double> sums;
    Fetch fetch;  // last member: it waits before the others are released

    // Where the words of a total are.
    [[nodiscard]] size_t place_of(uint32_t cell, size_t fold) const;
    [[nodiscard]] Total total_of(uint32_t cell, size_t fold) const;
  };

  std::vector<Total> totals_;
  std::unique_ptr<Sent> sent_;  // null: the totals are here
};

// A query that can be run repeatedly: everything it needs besides columns is made once. All columns have the
// same length; those whose offset differs from that of the first are decoded.
class Prepared {
 public:
  // Does not read the columns, which must stay in place. If a column has to be decoded, this happens here,
  // once. `pieces`: of a query that this is a piece of.
  static Result<Prepared> create(std::span<const Source> columns, const Filter& filter,
                                 std::span<const Aggregate> aggregates, StreamView stream,
                                 QueryPath path = QueryPath::automatic,
                                 std::shared_ptr<Pieces> pieces = nullptr);
  // Expressions, groups and marks exist in compiled kernels only: `unsupported` if there is none for these
  // columns, conditions and aggregates, here or when it is run.
  //
  // The same for each group of rows: up to kMaxKeys keys, which have up to kMaxCells cells together. Sums
  // are those of integers.
  static Result<Prepared> create_groups(std::span<const Source> columns, const Filter& filter,
                                        std::span<const Aggregate> aggregates,
                                        std::span<const KeyColumn> keys, StreamView stream,
                                        QueryPath path = QueryPath::automatic,
                                        std::shared_ptr<Pieces> pieces = nullptr);

  // Which codes the matching rows have, where the column is not null.
  static Result<Prepared> create_marks(std::span<const Source> columns, const Filter& filter,
                                       const CodeColumn& marked, StreamView stream,
                                       QueryPath path = QueryPath::automatic,
                                       std::shared_ptr<Pieces> pieces = nullptr);

  // Asynchronous.
  [[nodiscard]] Status run(StreamView stream) const;
  // Also writes which rows matched: one word per 32 rows, in whole vectors, from the start of the first
  // vector.
  [[nodiscard]] Status run(uint32_t* bitmap, StreamView stream) const;
  // The sources of kernels that are compiled for this query, without those that write a bitmap.
  [[nodiscard]] std::vector<std::string> sources() const;
  // The results of the last run, one per aggregate; with groups as many for each combination of the keys'
  // values, the first key's changing slowest. Waits for the stream.
  [[nodiscard]] Result<std::vector<Total>> totals(StreamView stream) const;
  // The same without waiting: the query may be released, and the stream used, before the totals are here.
  [[nodiscard]] Result<PendingTotals> send_totals(StreamView stream) const;
  // The same for marks: one bit per entry. Waits for the stream.
  [[nodiscard]] Result<BitmapWords> marks(StreamView stream) const;

 private:
  friend class Preparer;

  // Whether only a compiled kernel can run it.
  [[nodiscard]] bool needs_compiler() const;
  [[nodiscard]] size_t folds_per_launch() const { return needs_compiler() ? kMostFolds : kMaxFolds; }
  // The query with the folds from `first` on, as many as one launch has.
  [[nodiscard]] QueryInput part(size_t first, uint32_t* bitmap) const;
  // Decodes the columns that are not yet.
  [[nodiscard]] Result<std::vector<DeviceBuffer>> decode_columns(QueryInput& part, StreamView stream) const;
  // The kernel composed for a part, or null.
  [[nodiscard]] const Composed* composed_for(const QueryInput& part, size_t first) const;
  // Runs it in a kernel compiled for it, if there is one. `report.reason` says why there is none.
  [[nodiscard]] Result<bool> run_compiled(const QueryInput& part, const Composed* composed,
                                          LaunchReport& report, StreamView stream) const;
  // Runs it in no other kernel.
  [[nodiscard]] Status run_only_compiled(const QueryInput& part, size_t first, LaunchReport& report,
                                         StreamView stream) const;
  // Runs it over runs, if that is possible and the kernel is compiled.
  [[nodiscard]] Result<bool> run_on_runs(const QueryInput& part, size_t first, LaunchReport& report,
                                         StreamView stream) const;
  // Runs it in any kernel.
  [[nodiscard]] Status run_part(QueryInput& part, size_t first, LaunchReport& report,
                                StreamView stream) const;

  QueryInput query_;  // without folds
  QueryPath path_ = QueryPath::automatic;
  std::vector<FoldStep> folds_;
  Formulas formulas_;         // of the filter and of all folds
  std::vector<DType> types_;  // of the folds' columns
  // Kernels composed for each part: without and with a bitmap.
  std::vector<std::array<std::optional<Composed>, 2>> composed_;
  std::string not_composed_;  // why there are none
  bool waits_ = false;        // for the compiler
  std::shared_ptr<Pieces> pieces_;
  bool is_piece_ = false;
  // The same query of the values of a column of runs, if it has no other columns.
  std::unique_ptr<Prepared> on_runs_;
  // Columns that are decoded only if no compiled kernel answers.
  struct Undecoded {
    uint32_t column = 0;
    Array array;
  };
  std::vector<Undecoded> undecoded_;
  std::vector<DeviceBuffer> kept_;
  std::optional<DeviceBuffer> totals_;  // TotalWords for each fold
  std::optional<DeviceBuffer> marks_;   // one bit for each code
  std::optional<DeviceBuffer> reals_;   // a sum for each vector, for each fold
};

}  // namespace bobbin::plan
