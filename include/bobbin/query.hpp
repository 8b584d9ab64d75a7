// SPDX-License-Identifier: Apache-2.0
// Questions to a file: which rows, and what of them.
//
//   using namespace bobbin;
//   const Result<query::Value> total = query::scan(reader).where(query::col("a") < 10).sum("b");
//
// Columns are tested and folded as they are encoded, row group by row group; row groups whose zone maps rule
// all rows out are not read. Every backend gives the same answers, to the bit.
//
// Nulls mean what they mean in SQL: a null passes neither a test nor its negation, and no fold counts it.
// Numbers compare by value: an integer column `qty < 2.5` holds for 2. Only where the column holds floats is
// the constant first rounded to the column's type, so that `price == 3.1` finds 3.1f. NaN compares as IEEE
// 754 says: != is true, all else false.
//
// Columns that stand for something else compare by what they stand for, exactly:
//
//   decimals    with numbers: of decimal(2), `price < 3.505` holds for 3.50 and not for 3.51, and `== 3.505`
//               for nothing. A double means the shortest decimal that reads back as it: 3.1 is 3.1.
//   dates       with texts: `day >= "2014-08-08"`. A timestamp lies between its day and the next.
//   timestamps  with texts: `time < "2014-08-08 18:00:00.25"`; a date is its midnight.
//   booleans    with true and false, or 1 and 0, by ==, != and in().
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "bobbin/types.hpp"

namespace bobbin::query {

// A constant to compare with.
struct Literal {
  enum class Kind : uint8_t { integer, real, text, boolean };

  Literal(std::integral auto value)
      : kind(std::same_as<decltype(value), bool> ? Kind::boolean : Kind::integer), integer(value) {}
  Literal(Int128 value) : kind(Kind::integer), integer(value) {}
  Literal(std::floating_point auto value) : kind(Kind::real), real(static_cast<double>(value)) {}
  Literal(std::string value) : kind(Kind::text), text(std::move(value)) {}
  Literal(std::string_view value) : Literal(std::string(value)) {}
  Literal(const char* value) : Literal(std::string(value)) {}

  Kind kind;
  Int128 integer = 0;  // of booleans: 0 or 1
  double real = 0;
  std::string text;  // of a real: its digits as written, where a double may lose some, for decimals

  friend bool operator==(const Literal&, const Literal&) = default;
};

// What rows must be: a tree of tests. Made by col(), the text parser of the command, or by hand; whether
// columns exist and types fit is found out when a scan runs.
struct Predicate {
  enum class Kind : uint8_t {
    compare,  // the column with literals[0], by `op`
    between,  // from literals[0] to literals[1], both in
    in,       // one of the literals
    is_null,
    starts_with,  // a string, with literals[0]
    contains,
    both,  // all of `parts`
    either,
    negation,  // not parts[0]
  };

  Kind kind{};
  Compare op{};
  std::string column{};
  std::vector<Literal> literals{};
  std::vector<Predicate> parts{};

  friend bool operator==(const Predicate&, const Predicate&) = default;
};

// `a && b && c` is one node of three parts.
[[nodiscard]] Predicate operator&&(Predicate a, Predicate b);
[[nodiscard]] Predicate operator||(Predicate a, Predicate b);
[[nodiscard]] Predicate operator!(Predicate a);

// A column's name, to be compared.
class ColumnName {
 public:
  explicit ColumnName(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] Predicate compare(Compare op, Literal literal) const;
  [[nodiscard]] Predicate between(Literal least, Literal greatest) const;
  [[nodiscard]] Predicate in(std::vector<Literal> literals) const;
  [[nodiscard]] Predicate is_null() const;
  [[nodiscard]] Predicate starts_with(std::string text) const;
  [[nodiscard]] Predicate contains(std::string text) const;

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

 private:
  std::string name_;
};

[[nodiscard]] inline ColumnName col(std::string name) {
  return ColumnName(std::move(name));
}

// What to make of the rows that pass.
struct AggregateSpec {
  enum class Kind : uint8_t {
    count,  // of rows; with a column: of those that have a value
    sum,    // of integers and decimals: exact; of floats: as doubles; of booleans: how many are true; not of
            // dates and timestamps. Nothing but nulls: null
    min,    // of floats: NaN is no value
    max,
  };

  Kind kind{};
  std::string column{};  // empty: none; only of `count`

  friend bool operator==(const AggregateSpec&, const AggregateSpec&) = default;
};

[[nodiscard]] inline AggregateSpec count() {
  return {};
}
[[nodiscard]] inline AggregateSpec count(std::string column) {
  return {AggregateSpec::Kind::count, std::move(column)};
}
[[nodiscard]] inline AggregateSpec sum(std::string column) {
  return {AggregateSpec::Kind::sum, std::move(column)};
}
[[nodiscard]] inline AggregateSpec min(std::string column) {
  return {AggregateSpec::Kind::min, std::move(column)};
}
[[nodiscard]] inline AggregateSpec max(std::string column) {
  return {AggregateSpec::Kind::max, std::move(column)};
}

// An answer.
struct Value {
  enum class Kind : uint8_t { null, integer, real, text };

  Kind kind = Kind::null;
  Int128 integer = 0;
  double real = 0;
  std::string text{};  // only of groups
  Logical logical{};   // what the integer stands for: 350 of decimal(2) is 3.50

  static Value of_integer(Int128 value, Logical logical = {}) {
    return {Kind::integer, value, 0, {}, logical};
  }
  static Value of_real(double value) { return {Kind::real, 0, value, {}, {}}; }
  static Value of_text(std::string value) { return {Kind::text, 0, 0, std::move(value), {}}; }

  [[nodiscard]] bool is_null() const { return kind == Kind::null; }
  friend bool operator==(const Value&, const Value&) = default;
};

// "null", "12", "3.50", "2014-08-08", "true"; floats as the shortest decimal, texts as they are.
[[nodiscard]] std::string to_string(const Value& value);

using GroupCounts = std::vector<std::pair<Value, uint64_t>>;
inline constexpr size_t kMaxGroups = 65536;

// What a query had to look at.
struct QueryStats {
  uint64_t row_groups = 0;  // of the file
  uint64_t read = 0;        // of them: those whose data was needed
};

// Gets the rows of a row group that pass, ascending and counted from the file's first; never none. Returns
// whether to go on.
using RowVisitor = std::function<Result<bool>(size_t row_group, std::span<const uint64_t> rows)>;

// A question under way. The reader must outlive it.
class Scan {
 public:
  explicit Scan(const Reader& reader) : reader_(&reader) {}

  // Only rows that pass; asked twice: both.
  [[nodiscard]] Scan where(Predicate predicate) const;
  [[nodiscard]] Scan on(Backend backend) const;

  // One value for each. `stats`, when given, is set whenever the query succeeds.
  [[nodiscard]] Result<std::vector<Value>> run(const std::vector<AggregateSpec>& aggregates,
                                               QueryStats* stats = nullptr) const;
  [[nodiscard]] Result<uint64_t> count() const;
  [[nodiscard]] Result<Value> sum(std::string column) const;
  [[nodiscard]] Result<Value> min(std::string column) const;
  [[nodiscard]] Result<Value> max(std::string column) const;

  // How many of the rows have each value of the column: nulls first, then values in ascending order, strings
  // byte by byte, NaN last. Zeros of either sign are one value, and so are all NaNs. More than kMaxGroups
  // values are an error.
  [[nodiscard]] Result<GroupCounts> group_counts(const std::string& column,
                                                 QueryStats* stats = nullptr) const;

  // The rows themselves, of those from `begin` to before `end`: row group by row group, so that memory is
  // bounded, or all together.
  [[nodiscard]] Status visit_rows(const RowVisitor& visit, uint64_t begin = 0, uint64_t end = UINT64_MAX,
                                  QueryStats* stats = nullptr) const;
  [[nodiscard]] Result<std::vector<uint64_t>> rows(uint64_t begin = 0, uint64_t end = UINT64_MAX) const;

 private:
  [[nodiscard]] Result<Value> one(AggregateSpec aggregate) const;

  const Reader* reader_;
  std::vector<Predicate> predicates_;
  Backend backend_ = Backend::cpu;
};

[[nodiscard]] inline Scan scan(const Reader& reader) {
  return Scan(reader);
}
Scan scan(Reader&& reader) = delete;

}  // namespace bobbin::query
