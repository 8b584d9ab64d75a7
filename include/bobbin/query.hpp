// SPDX-License-Identifier: Apache-2.0
// Queries over a file: which rows, and what to compute from them.
//
//   using namespace bobbin;
//   const Result<query::Value> total = query::from(reader).where(query::col("a") < 10).sum("b");
//   const Result<query::ResultTable> top = query::from(reader).group_by(
//       {"city"}, {query::count(), query::avg("price")}, {.order = {query::descending(query::count())},
//       .limit = 10});
//
// Columns are tested and folded in encoded form, row group by row group; row groups in which zone maps rule
// out all rows are not read. Every backend gives the same answers, to the bit.
//
// Nulls mean what they mean in SQL: a null passes neither a test nor its negation, and no aggregate counts
// it. Numbers compare by value and exactly: for an integer column `qty < 2.5` holds for 2, and all digits of
// a constant count. Float columns compare exactly with integers; other constants are first rounded to the
// column's type, so that `price == 3.1` finds 3.1f. NaN compares as IEEE 754 says: != is true, all else
// false. Strings compare byte by byte, which for UTF-8 is the order of code points.
//
// Columns with a logical type compare exactly, by what they represent:
//
//   decimals    with numbers: for decimal(2), `price < 3.505` holds for 3.50 but not for 3.51, and `== 3.505`
//               for nothing. A double means the shortest decimal that reads back as that double: 3.1 is 3.1.
//   dates       with texts: `day >= "2014-08-08"`. A timestamp lies between its day and the next.
//   timestamps  with texts: `time < "2014-08-08 18:00:00.25"`; a date is its midnight.
//   booleans    with true and false, or 1 and 0, by ==, != and in().
//
// Columns compare with columns in the same way: numbers of any two types exactly (a decimal compared with a
// float column is first rounded to that float type), strings with strings, dates and timestamps with each
// other, booleans with booleans.
//
// Threads: queries only read the file, so any number of threads may run queries over one Reader, and share a
// Query. Everything else here is plain data.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/expression.hpp"
#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "bobbin/types.hpp"

namespace bobbin::query {

// Which rows pass: a tree of tests. Made by col(), by parse_predicate() or by hand. Whether the columns exist
// and the types fit is checked when a query runs.
struct Predicate {
  enum class Kind : uint8_t {
    compare,          // the column with literals[0], by `op`
    compare_columns,  // the column with the column `other`, by `op`
    between,          // from literals[0] to literals[1], inclusive
    in,               // one of the literals
    is_null,
    starts_with,  // a string begins with literals[0]
    ends_with,
    contains,
    like,   // a string matches the pattern literals[0]: % matches any characters, _ matches one
    ilike,  // the same, ignoring case
    both,   // all of `parts`
    either,
    negation,             // not parts[0]
    compare_expressions,  // expressions[0] with expressions[1], by `op`
  };

  Kind kind{};
  Compare op{};
  std::string column{};
  std::string other{};  // for compare_columns
  std::vector<Literal> literals{};
  std::vector<Predicate> parts{};
  std::vector<Expression> expressions{};

  friend bool operator==(const Predicate&, const Predicate&) = default;
};

// `a && b && c` is one node of three parts.
[[nodiscard]] BOBBIN_API Predicate operator&&(Predicate a, Predicate b);
[[nodiscard]] BOBBIN_API Predicate operator||(Predicate a, Predicate b);
[[nodiscard]] BOBBIN_API Predicate operator!(Predicate a);

// A column name, used to build tests.
class BOBBIN_API ColumnName {
 public:
  explicit ColumnName(std::string name) : name_(std::move(name)) {}

  operator Formula() const { return Expression{.kind = Expression::Kind::column, .column = name_}; }

  [[nodiscard]] Predicate compare(Compare op, Literal literal) const;
  [[nodiscard]] Predicate compare(Compare op, const ColumnName& other) const;
  [[nodiscard]] Predicate between(Literal least, Literal greatest) const;
  [[nodiscard]] Predicate in(std::vector<Literal> literals) const;
  [[nodiscard]] Predicate is_null() const;
  [[nodiscard]] Predicate starts_with(std::string text) const;
  [[nodiscard]] Predicate ends_with(std::string text) const;
  [[nodiscard]] Predicate contains(std::string text) const;
  // As in SQL, without an escape character.
  [[nodiscard]] Predicate like(std::string pattern) const;
  [[nodiscard]] Predicate ilike(std::string pattern) const;

  friend Predicate operator==(const ColumnName& column, Literal literal) {
    return column.compare(Compare::eq, std::move(literal));
  }
  friend Predicate operator!=(const ColumnName& column, Literal literal) {
    return column.compare(Compare::ne, std::move(literal));
  }
  friend Predicate operator<(const ColumnName& column, Literal literal) {
    return column.compare(Compare::lt, std::move(literal));
  }
  friend Predicate operator<=(const ColumnName& column, Literal literal) {
    return column.compare(Compare::le, std::move(literal));
  }
  friend Predicate operator>(const ColumnName& column, Literal literal) {
    return column.compare(Compare::gt, std::move(literal));
  }
  friend Predicate operator>=(const ColumnName& column, Literal literal) {
    return column.compare(Compare::ge, std::move(literal));
  }
  friend Predicate operator==(const ColumnName& column, const ColumnName& other) {
    return column.compare(Compare::eq, other);
  }
  friend Predicate operator!=(const ColumnName& column, const ColumnName& other) {
    return column.compare(Compare::ne, other);
  }
  friend Predicate operator<(const ColumnName& column, const ColumnName& other) {
    return column.compare(Compare::lt, other);
  }
  friend Predicate operator<=(const ColumnName& column, const ColumnName& other) {
    return column.compare(Compare::le, other);
  }
  friend Predicate operator>(const ColumnName& column, const ColumnName& other) {
    return column.compare(Compare::gt, other);
  }
  friend Predicate operator>=(const ColumnName& column, const ColumnName& other) {
    return column.compare(Compare::ge, other);
  }

 private:
  std::string name_;
};

[[nodiscard]] inline ColumnName col(std::string name) {
  return ColumnName(std::move(name));
}

// Compares two expressions. Integers and decimals compare exactly; if one side is a float, the other is first
// rounded to a double. Two columns, or a column and a constant, make the test that col() makes.
[[nodiscard]] BOBBIN_API Predicate compare(const Formula& a, Compare op, const Formula& b);
[[nodiscard]] inline Predicate operator==(const Formula& a, const Formula& b) {
  return compare(a, Compare::eq, b);
}
[[nodiscard]] inline Predicate operator!=(const Formula& a, const Formula& b) {
  return compare(a, Compare::ne, b);
}
[[nodiscard]] inline Predicate operator<(const Formula& a, const Formula& b) {
  return compare(a, Compare::lt, b);
}
[[nodiscard]] inline Predicate operator<=(const Formula& a, const Formula& b) {
  return compare(a, Compare::le, b);
}
[[nodiscard]] inline Predicate operator>(const Formula& a, const Formula& b) {
  return compare(a, Compare::gt, b);
}
[[nodiscard]] inline Predicate operator>=(const Formula& a, const Formula& b) {
  return compare(a, Compare::ge, b);
}

// What to compute from the matching rows.
struct AggregateSpec {
  enum class Kind : uint8_t {
    count,  // of rows; with a column: of its values that are not null
    sum,    // integers and decimals: exact; floats: as doubles; booleans: the number of true values; not for
            // dates and timestamps. Null if there are no values
    min,    // floats: NaN is ignored; strings: byte by byte
    max,    //
    avg,    // the sum divided by the count, as the nearest double; otherwise like sum
    count_distinct,  // the number of distinct values; 0.0 and -0.0 are one value, and so are all NaNs
  };

  Kind kind{};
  std::string column{};                    // empty: none; only for `count`
  std::optional<Expression> expression{};  // instead of a column; not for count_distinct

  friend bool operator==(const AggregateSpec&, const AggregateSpec&) = default;
};

[[nodiscard]] inline AggregateSpec count() {
  return {};
}
[[nodiscard]] inline AggregateSpec count(std::string column) {
  return {AggregateSpec::Kind::count, std::move(column), {}};
}
[[nodiscard]] inline AggregateSpec sum(std::string column) {
  return {AggregateSpec::Kind::sum, std::move(column), {}};
}
[[nodiscard]] inline AggregateSpec min(std::string column) {
  return {AggregateSpec::Kind::min, std::move(column), {}};
}
[[nodiscard]] inline AggregateSpec max(std::string column) {
  return {AggregateSpec::Kind::max, std::move(column), {}};
}
[[nodiscard]] inline AggregateSpec avg(std::string column) {
  return {AggregateSpec::Kind::avg, std::move(column), {}};
}
// Aggregates of expressions. An expression that is a single column gives the same as the functions above.
[[nodiscard]] BOBBIN_API AggregateSpec count(Formula of);
[[nodiscard]] BOBBIN_API AggregateSpec sum(Formula of);
[[nodiscard]] BOBBIN_API AggregateSpec min(Formula of);
[[nodiscard]] BOBBIN_API AggregateSpec max(Formula of);
[[nodiscard]] BOBBIN_API AggregateSpec avg(Formula of);
[[nodiscard]] inline AggregateSpec count_distinct(std::string column) {
  return {AggregateSpec::Kind::count_distinct, std::move(column), {}};
}

// A result value.
struct Value {
  enum class Kind : uint8_t { null, integer, real, text };

  Kind kind = Kind::null;
  Int128 integer = 0;
  double real = 0;
  std::string text{};
  Logical logical{};  // the integer's logical type: 350 of decimal(2) is 3.50

  static Value of_integer(Int128 value, Logical logical = {}) {
    return {Kind::integer, value, 0, {}, logical};
  }
  static Value of_real(double value) { return {Kind::real, 0, value, {}, {}}; }
  static Value of_text(std::string value) { return {Kind::text, 0, 0, std::move(value), {}}; }

  [[nodiscard]] bool is_null() const { return kind == Kind::null; }
  friend bool operator==(const Value&, const Value&) = default;
};

// "null", "12", "3.50", "2014-08-08", "true"; floats as the shortest decimal, strings unchanged.
[[nodiscard]] BOBBIN_API std::string to_string(const Value& value);

using GroupCounts = std::vector<std::pair<Value, uint64_t>>;

// One term of a sort order: a column or an aggregate. Nulls sort below all values and NaN above, unless
// `nulls` says otherwise.
struct OrderTerm {
  enum class Nulls : uint8_t { lowest, first, last };

  std::string column{};
  std::optional<AggregateSpec> aggregate{};  // instead of a column
  bool is_descending = false;
  Nulls nulls = Nulls::lowest;

  friend bool operator==(const OrderTerm&, const OrderTerm&) = default;
};

[[nodiscard]] inline OrderTerm ascending(std::string column) {
  return {.column = std::move(column)};
}
[[nodiscard]] inline OrderTerm ascending(AggregateSpec aggregate) {
  return {.aggregate = std::move(aggregate)};
}
[[nodiscard]] inline OrderTerm descending(std::string column) {
  return {.column = std::move(column), .is_descending = true};
}
[[nodiscard]] inline OrderTerm descending(AggregateSpec aggregate) {
  return {.aggregate = std::move(aggregate), .is_descending = true};
}

// Query text, as the command takes it. Errors name the character (counted from 1) and what was expected
// there. Parentheses and `not` may be nested up to 100 deep.
//
//   price < 3.5 and (qty >= 2 or not flag = 1) and "odd name" in ('abc', 'it''s') and x is not null and a < b
//   and 2 * (a + b) <= c - 1
[[nodiscard]] BOBBIN_API Result<Predicate> parse_predicate(std::string_view text);
// "sum(price), count(), count(distinct city), avg(price * (1 - discount))"
[[nodiscard]] BOBBIN_API Result<std::vector<AggregateSpec>> parse_aggregates(std::string_view text);
// "city, sum(price) desc, day asc nulls last"
[[nodiscard]] BOBBIN_API Result<std::vector<OrderTerm>> parse_order(std::string_view text);

// Default limits on what a query holds in memory. Exceeding them is an error with code `unsupported`.
inline constexpr uint64_t kMaxGroups = uint64_t{1} << 20;
inline constexpr uint64_t kMaxResultRows = uint64_t{1} << 20;
inline constexpr uint64_t kMaxDistinct = uint64_t{1} << 26;

struct ResultOptions {
  std::vector<OrderTerm> order{};
  uint64_t limit = UINT64_MAX;         // rows of the result
  uint64_t max_groups = kMaxGroups;    // for group_by(), before the limit
  uint64_t max_rows = kMaxResultRows;  // for select(), after the limit
};

struct ResultColumn {
  std::string name;
  std::optional<ColumnType> type{};  // if the values are those of a column of the file
};

// Rows of values, one for each column.
struct ResultTable {
  std::vector<ResultColumn> columns{};
  std::vector<std::vector<Value>> rows{};
};

// How much of the file a query had to read.
struct QueryStats {
  uint64_t row_groups = 0;  // in the file
  uint64_t read = 0;        // row groups whose data was needed
};

// How a query was answered.
struct Explanation {
  // What was done for a row group, which may have several steps.
  struct Step {
    size_t row_group = 0;
    // none (zone maps or the footer have the answer), host, compiled (for this query), or general.
    std::string kernel{};
    std::string reason{};            // for this kernel; may be empty
    std::optional<size_t> source{};  // the composed kernel's index in `sources`
    uint32_t registers = 0;          // of a compiled kernel, per thread
    uint32_t local_bytes = 0;        // likewise: memory for registers that do not fit
  };

  std::vector<Step> steps;
  std::vector<std::string> sources;  // C++; each occurs once
};

// Receives matching rows of a row group, at most 2^20 at a time, ascending and counted from the start of the
// file; never an empty list. Returns whether to continue.
using RowVisitor = std::function<Result<bool>(size_t row_group, std::span<const uint64_t> rows)>;

// Receives rows of a result, in their order; never an empty list.
using ResultVisitor = std::function<Status(std::span<const std::vector<Value>> rows)>;

class Partial;  // bobbin/partial.hpp

// A query to run. The reader must outlive it.
class BOBBIN_API Query {
 public:
  explicit Query(const Reader& reader) : reader_(&reader) {}

  // Fails if the predicates do not fit the file's columns, as running the query would. Reads no data.
  [[nodiscard]] Status check() const;

  // Keeps matching rows; repeated calls are combined with AND.
  [[nodiscard]] Query where(Predicate predicate) const;
  [[nodiscard]] Query on(Backend backend) const;
  // Considers row groups begin .. end-1 only.
  [[nodiscard]] Query row_groups(size_t begin, size_t end) const;

  // Also records in `to` how the query is answered, each time it runs. `to` must stay at its address.
  [[nodiscard]] Query explained(Explanation& to) const;

  // The row groups that zone maps do not rule out, ascending. Reads no data.
  [[nodiscard]] Result<std::vector<size_t>> candidates() const;

  // One value per aggregate. `stats`, if given, is set whenever the query succeeds.
  [[nodiscard]] Result<std::vector<Value>> run(const std::vector<AggregateSpec>& aggregates,
                                               QueryStats* stats = nullptr) const;
  [[nodiscard]] Result<uint64_t> count() const;
  [[nodiscard]] Result<Value> sum(std::string column) const;
  [[nodiscard]] Result<Value> min(std::string column) const;
  [[nodiscard]] Result<Value> max(std::string column) const;
  [[nodiscard]] Result<Value> avg(std::string column) const;
  [[nodiscard]] Result<uint64_t> count_distinct(std::string column) const;

  // One row per combination of the keys' values: the keys, then the aggregates. Ordered by the terms in the
  // options, which need not be among the aggregates, then by the keys, ascending. Nulls are a separate group,
  // 0.0 and -0.0 are one group, and so are all NaNs. Without keys there is one group, even if there are no
  // rows. Floats are summed in row order.
  [[nodiscard]] Result<ResultTable> group_by(const std::vector<std::string>& keys,
                                             const std::vector<AggregateSpec>& aggregates,
                                             const ResultOptions& options = {},
                                             QueryStats* stats = nullptr) const;

  // As group_by(), but returns partial aggregates, to be merged with those of other row groups, files or
  // machines.
  [[nodiscard]] Result<Partial> partial(const std::vector<std::string>& keys,
                                        const std::vector<AggregateSpec>& aggregates,
                                        uint64_t max_groups = kMaxGroups, QueryStats* stats = nullptr) const;

  // The values of the matching rows, ordered by the terms in the options, which must be columns, then by row
  // number. With an order and a limit, at most a few times as many rows as the limit are held in memory.
  [[nodiscard]] Result<ResultTable> select(const std::vector<std::string>& columns,
                                           const ResultOptions& options = {},
                                           QueryStats* stats = nullptr) const;

  // As select(), but passes rows on as they are found, some at a time, so that memory is bounded for any
  // number of rows, and `max_rows` does not count; only with an order are all rows up to the limit held.
  [[nodiscard]] Status visit_selected(const std::vector<std::string>& columns, const ResultOptions& options,
                                      const ResultVisitor& visit, QueryStats* stats = nullptr) const;

  // The number of rows for each value of the column: group_by() with count(), nulls first.
  [[nodiscard]] Result<GroupCounts> group_counts(const std::string& column,
                                                 QueryStats* stats = nullptr) const;

  // The numbers of the matching rows from `begin` to before `end`. visit_rows() passes them a part of a
  // row group at a time, so that memory is bounded; rows() returns all of them.
  [[nodiscard]] Status visit_rows(const RowVisitor& visit, uint64_t begin = 0, uint64_t end = UINT64_MAX,
                                  QueryStats* stats = nullptr) const;
  [[nodiscard]] Result<std::vector<uint64_t>> rows(uint64_t begin = 0, uint64_t end = UINT64_MAX) const;

 private:
  [[nodiscard]] Result<Value> one(AggregateSpec aggregate) const;
  [[nodiscard]] Result<std::vector<std::vector<Value>>> group_rows(
      const std::vector<uint32_t>& keys, const std::vector<AggregateSpec>& aggregates, uint64_t max_groups,
      QueryStats* stats) const;
  // Rows are passed on in their order; `take` may move them away.
  [[nodiscard]] Status select_rows(const std::vector<std::string>& columns, const ResultOptions& options,
                                   const std::function<Status(std::vector<std::vector<Value>>& rows)>& take,
                                   QueryStats* stats) const;

  const Reader* reader_;
  std::vector<Predicate> predicates_;
  Backend backend_ = Backend::cpu;
  size_t first_group_ = 0;
  size_t end_group_ = SIZE_MAX;
  Explanation* explanation_ = nullptr;
};

[[nodiscard]] inline Query from(const Reader& reader) {
  return Query(reader);
}
Query from(Reader&& reader) = delete;

}  // namespace bobbin::query
