// SPDX-License-Identifier: Apache-2.0
// Whole queries, compared with a slow evaluation of the same query.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bobbin/bobbin.hpp"
#include "file/access.hpp"
#include "file/append.hpp"
#include "query/bind.hpp"
#include "query/prune.hpp"
#include "tests/backends.hpp"
#include "tests/drawn.hpp"
#include "tests/query/support.hpp"

namespace bobbin::query_tests {
namespace {

using query::AggregateSpec;
using query::col;
using query::Predicate;
using query::QueryStats;
using query::Value;

constexpr uint64_t kQueryGroupRows = 1500;  // not a whole number of vectors

struct Written {
  file_tests::TempDir dir;
  TestTable table;
  std::optional<Reader> reader;

  explicit Written(uint64_t seed, uint64_t rows = 6500, const std::string& codec = {}) {
    Random random(seed);
    table = draw_table(random, rows, kQueryGroupRows);
    const Status status = write(dir / "t.bob", table, kQueryGroupRows, codec);
    EXPECT_TRUE(status.ok()) << status.message();
    reader.emplace(Reader::open(dir / "t.bob").value());
  }
};

std::vector<bool> passing(const TestTable& table, const Predicate& predicate) {
  std::vector<bool> passes(table.rows);
  for (uint64_t row = 0; row < table.rows; ++row) {
    passes[row] = evaluate(table, row, predicate) == true;
  }
  return passes;
}

std::vector<AggregateSpec> every_aggregate(const TestTable& table) {
  std::vector<AggregateSpec> all = {query::count()};
  for (const Column& column : table.columns) {
    all.insert(all.end(), {query::count(column.name), query::min(column.name), query::max(column.name),
                           query::count_distinct(column.name)});
    const Logical::Kind meaning = column.logical.kind;
    if (!is_string(column.type) && meaning != Logical::Kind::date && meaning != Logical::Kind::timestamp) {
      all.insert(all.end(), {query::sum(column.name), query::avg(column.name)});
    }
  }
  return all;
}

void check(const Written& file, const Predicate& predicate, Backend backend) {
  const std::vector<bool> passes = passing(file.table, predicate);
  const std::vector<AggregateSpec> specs = every_aggregate(file.table);
  const query::Query query = query::from(*file.reader).where(predicate).on(backend);
  const auto values = query.run(specs);
  ASSERT_TRUE(values.has_value()) << values.error().message();
  for (size_t i = 0; i < specs.size(); ++i) {
    const Value wanted = aggregate(file.table, passes, specs[i]);
    ASSERT_TRUE(same((*values)[i], wanted))
        << "aggregate " << static_cast<int>(specs[i].kind) << " of " << specs[i].column << " where "
        << to_source(predicate) << ": " << static_cast<double>((*values)[i].integer) << " or "
        << (*values)[i].real << " instead of " << static_cast<double>(wanted.integer) << " or "
        << wanted.real;
  }
}

void check_groups(const Written& file, const Predicate& predicate, size_t column, Backend backend) {
  const auto got =
      query::from(*file.reader).where(predicate).on(backend).group_counts(file.table.columns[column].name);
  ASSERT_TRUE(got.has_value()) << got.error().message();
  const auto wanted = group_counts(file.table, passing(file.table, predicate), column);
  ASSERT_EQ(got->size(), wanted.size()) << to_source(predicate);
  for (size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_TRUE(same((*got)[i].first, wanted[i].first))
        << "group " << i << " of " << file.table.columns[column].name << " where " << to_source(predicate);
    ASSERT_EQ((*got)[i].second, wanted[i].second)
        << "group " << i << " of " << file.table.columns[column].name << " where " << to_source(predicate);
  }
}

void expect_rows(const query::ResultTable& got, const std::vector<std::vector<Value>>& wanted,
                 const std::string& what) {
  ASSERT_EQ(got.rows.size(), wanted.size()) << what;
  for (size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_EQ(got.rows[i].size(), wanted[i].size()) << what;
    for (size_t c = 0; c < wanted[i].size(); ++c) {
      ASSERT_TRUE(same(got.rows[i][c], wanted[i][c]))
          << what << ", row " << i << ", column " << c << ": " << to_string(got.rows[i][c]) << " instead of "
          << to_string(wanted[i][c]);
    }
  }
}

// Groups by one to three columns with some aggregates, in some order.
void check_group_by(const Written& file, const Predicate& predicate, Random& random, Backend backend) {
  const std::vector<AggregateSpec> every = every_aggregate(file.table);
  std::vector<std::string> keys;
  for (uint64_t k = 1 + random.below(3); k > 0; --k) {
    keys.push_back(file.table.columns[random.below(file.table.columns.size())].name);
  }
  std::vector<AggregateSpec> aggregates;
  for (uint64_t a = random.below(4); a > 0; --a) {
    aggregates.push_back(every[random.below(every.size())]);
  }
  const AggregateSpec& by = every[random.below(every.size())];
  const bool descending = random.below(2) == 0;
  const uint64_t limit = random.below(2) == 0 ? UINT64_MAX : random.below(30);
  const query::ResultOptions options{
      .order = {descending ? query::descending(by) : query::ascending(by), query::descending(keys[0])},
      .limit = limit};
  const auto got = query::from(*file.reader).where(predicate).on(backend).group_by(keys, aggregates, options);
  ASSERT_TRUE(got.has_value()) << got.error().message();
  std::vector<AggregateSpec> computed = aggregates;
  computed.push_back(by);
  auto wanted = group_by(file.table, passing(file.table, predicate), keys, computed);
  sort_rows(wanted, {{keys.size() + aggregates.size(), descending}, {0, true}});
  wanted.resize(std::min<uint64_t>(limit, wanted.size()));
  for (auto& row : wanted) {
    row.pop_back();
  }
  expect_rows(*got, wanted, to_source(predicate));
}

void check_select(const Written& file, const Predicate& predicate, Random& random, Backend backend) {
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) {
    names.push_back(file.table.columns[random.below(file.table.columns.size())].name);
  }
  query::ResultOptions options{.limit = random.below(3) == 0 ? UINT64_MAX : random.below(200)};
  std::vector<std::pair<size_t, bool>> order;
  for (size_t i = 0; i < random.below(3); ++i) {
    order.emplace_back(i, random.below(2) == 0);
    options.order.push_back(order.back().second ? query::descending(names[i]) : query::ascending(names[i]));
  }
  const auto got = query::from(*file.reader).where(predicate).on(backend).select(names, options);
  ASSERT_TRUE(got.has_value()) << got.error().message();
  auto wanted = select(file.table, passing(file.table, predicate), names);
  sort_rows(wanted, order);
  wanted.resize(std::min<uint64_t>(options.limit, wanted.size()));
  expect_rows(*got, wanted, to_source(predicate));
}

// All rows, and those of a part that ends inside row groups.
void check_rows(const Written& file, const Predicate& predicate, Backend backend) {
  const query::Query query = query::from(*file.reader).where(predicate).on(backend);
  const std::vector<bool> passes = passing(file.table, predicate);
  const auto wanted = [&](uint64_t begin, uint64_t end) {
    std::vector<uint64_t> rows;
    for (uint64_t row = begin; row < end; ++row) {
      if (passes[row]) {
        rows.push_back(row);
      }
    }
    return rows;
  };
  const uint64_t begin = file.table.rows / 3;
  const uint64_t end = 2 * file.table.rows / 3;
  ASSERT_EQ(query.rows().value(), wanted(0, file.table.rows)) << to_source(predicate);
  ASSERT_EQ(query.rows(begin, end).value(), wanted(begin, end)) << to_source(predicate);
}

// Counts and sums of integers for each value of one column, which dictionaries give by code.
void check_group_sums(const Written& file, const Predicate& predicate, size_t column, Backend backend) {
  std::vector<std::string> integers;
  for (const Column& other : file.table.columns) {
    const Logical::Kind meaning = other.logical.kind;
    if (!is_float(other.type) && !is_string(other.type) && meaning != Logical::Kind::date &&
        meaning != Logical::Kind::timestamp) {
      integers.push_back(other.name);
    }
  }
  const std::string& summed = integers[column % integers.size()];
  const std::vector<AggregateSpec> aggregates{query::count(), query::count(summed), query::sum(summed),
                                              query::avg(summed)};
  const std::vector<std::string> keys{file.table.columns[column].name};
  const auto got = query::from(*file.reader).where(predicate).on(backend).group_by(keys, aggregates);
  ASSERT_TRUE(got.has_value()) << got.error().message();
  expect_rows(*got, group_by(file.table, passing(file.table, predicate), keys, aggregates),
              keys[0] + " where " + to_source(predicate));
}

void check_many(Backend backend, uint64_t tables, uint64_t queries, uint64_t rows,
                const std::string& codec = {}) {
  for (const uint64_t seed : bobbin::testing::drawn(tables)) {
    const Written file(seed + 1, rows, codec);
    Random random(seed + 101);
    for (uint64_t i = 0; i < bobbin::testing::drawn(queries).size(); ++i) {
      const Predicate predicate = draw_predicate(random, file.table, 1 + i % 4);
      check(file, predicate, backend);
      check_groups(file, predicate, random.below(file.table.columns.size()), backend);
      check_rows(file, predicate, backend);
      check_select(file, predicate, random, backend);
      if (i % 4 == 0) {
        check_group_by(file, predicate, random, backend);
      } else if (i % 4 == 1) {
        check_group_sums(file, predicate, i / 4 % file.table.columns.size(), backend);
      }
      if (::testing::Test::HasFatalFailure()) {
        return;
      }
    }
  }
}

TEST(Queries, AgreeWithSlowEvaluationOnTheCpu) {
  check_many(Backend::cpu, 3, 80, 6500);
}

TEST(Queries, AgreeWithSlowEvaluationOnTheEmulator) {
  SKIP_WITHOUT_EMULATOR();
  check_many(Backend::emulator, 1, 15, 3100);
}

// Strings too: their entries are tested, and codes are counted.
TEST(Queries, OfDictionariesAgree) {
  check_many(Backend::cpu, 2, 60, 6500, "dict");
  SKIP_WITHOUT_EMULATOR();
  check_many(Backend::emulator, 1, 15, 3100, "dict");
}

TEST(Queries, OfMoreThanOneLaunch) {
  const Written file(9);
  // More tests, columns and depth than fit into one launch.
  Predicate wide = col("i64") > -1000;
  Predicate deep = col("u8") > 10;
  std::vector<query::Literal> list;
  for (int i = 0; i < 400; i += 3) {
    wide = std::move(wide) && col(file.table.columns[static_cast<size_t>(i) % 7].name) != i;
    deep = i % 2 == 0 ? (std::move(deep) || col("i16") == i) : (col("u32") != i && std::move(deep));
    list.emplace_back(i);
  }
  Predicate all = col("utf8").is_null();
  for (const char* text : {"a/1", "a/2", "b/3", "b/4", "c/5", "c/6", "a/7", "a/8", "b/9", "c/10"}) {
    all = (std::move(all) && col("u8") > 3) || col("utf8") == text;
  }
  for (const Backend backend : bobbin::testing::backends_here()) {
    check(file, wide, backend);
    check(file, deep, backend);
    check(file, all, backend);
    check(file, col("u32").in(list) || !col("f64").in(list), backend);
    check(file, wide && deep && all, backend);
  }
}

// Checks that zone maps are true.
TEST(Queries, PruningIsRight) {
  const Written file(4);
  const auto& footer = file::ReaderAccess::footer(*file.reader);
  Random random(4);
  uint64_t told = 0;
  for (int i = 0; i < 1000; ++i) {
    const Predicate predicate = draw_predicate(random, file.table, 2);
    const auto bound = query::bind_predicate(*file.reader, predicate);
    ASSERT_TRUE(bound.has_value()) << bound.error().message();
    for (const file::RowGroup& group : footer.row_groups) {
      const query::Bound pruned = query::prune(*bound, file.reader->columns(), group);
      if (pruned.kind != query::Bound::Kind::never && pruned.kind != query::Bound::Kind::always) {
        continue;
      }
      ++told;
      for (uint64_t row = group.first_row; row < group.first_row + group.num_rows; row += 7) {
        ASSERT_EQ(evaluate(file.table, row, predicate) == true, pruned.kind == query::Bound::Kind::always)
            << to_source(predicate) << " row " << row;
      }
    }
  }
  EXPECT_GT(told, 500U);
}

TEST(Queries, SkipRowGroups) {
  file_tests::TempDir dir;
  std::vector<uint32_t> a(10'000);
  std::vector<int64_t> b(10'000);
  for (uint32_t i = 0; i < a.size(); ++i) {
    a[i] = i;
    b[i] = -static_cast<int64_t>(i);
  }
  WriteOptions options;
  options.rows_per_group = 1024;
  auto writer = Writer::create(dir / "t.bob", {{"a", DType::u32}, {"b", DType::i64}}, options);
  ASSERT_TRUE(writer.has_value());
  const void* const columns[] = {a.data(), b.data()};
  ASSERT_OK(file::append_untyped(*writer, columns, a.size()));
  ASSERT_OK(writer->finish());
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value());

  // A typical query.
  const auto sum = query::from(*reader).where(col("a") < 10 && col("b") <= -5).sum("b");
  ASSERT_TRUE(sum.has_value());
  EXPECT_EQ(*sum, Value::of_integer(-35));

  QueryStats stats;
  const auto run = [&](const Predicate& predicate, const AggregateSpec& spec) {
    return query::from(*reader).where(predicate).run({spec}, &stats)->at(0);
  };
  EXPECT_EQ(run(col("a") < 10, query::count()), Value::of_integer(10));
  EXPECT_EQ(stats.row_groups, 10U);
  EXPECT_EQ(stats.read, 1U);
  EXPECT_EQ(run(col("a") >= 2048, query::count()), Value::of_integer(7952));
  EXPECT_EQ(stats.read, 0U);  // zone maps are sufficient
  EXPECT_EQ(run(col("a").in({5, 6, 7000}), query::sum("b")), Value::of_integer(-7011));
  EXPECT_EQ(stats.read, 2U);
  EXPECT_EQ(run(col("a") > 1'000'000, query::sum("b")), Value());
  EXPECT_EQ(stats.read, 0U);
  EXPECT_EQ(run(col("a").is_null(), query::count()), Value::of_integer(0));
  EXPECT_EQ(stats.read, 0U);
  EXPECT_EQ(*query::from(*reader).count(), 10'000U);

  // The first rows of an order: row groups without such rows are not read.
  const auto first = [&](const query::OrderTerm& term) {
    return query::from(*reader).select({"a"}, {.order = {term}, .limit = 3}, &stats)->rows;
  };
  EXPECT_EQ(first(query::ascending("a")),
            (std::vector<std::vector<Value>>{
                {Value::of_integer(0)}, {Value::of_integer(1)}, {Value::of_integer(2)}}));
  EXPECT_EQ(stats.read, 1U);
  EXPECT_EQ(first(query::descending("b"))[2][0], Value::of_integer(2));
  EXPECT_EQ(stats.read, 1U);
  EXPECT_EQ(first(query::descending("a"))[0][0], Value::of_integer(9999));
  EXPECT_EQ(stats.read, 10U);

  // Rows: no more row groups than necessary, and no more rows than requested.
  std::vector<std::pair<size_t, uint64_t>> seen;  // row groups, and their first matching rows
  const auto see = [&](size_t group, std::span<const uint64_t> rows) -> Result<bool> {
    seen.emplace_back(group, rows.front());
    return seen.size() < 2;
  };
  const query::Query some = query::from(*reader).where(col("a").in({5, 6, 2000, 7000, 9000}));
  ASSERT_OK(some.visit_rows(see, 6, 9001, &stats));
  EXPECT_EQ(seen, (std::vector<std::pair<size_t, uint64_t>>{{0, 6}, {1, 2000}}));
  EXPECT_EQ(stats.read, 2U);
  EXPECT_EQ(*some.rows(7), (std::vector<uint64_t>{2000, 7000, 9000}));
  EXPECT_EQ(query::from(*reader).rows(1020, 1030)->size(), 10U);
  EXPECT_TRUE(query::from(*reader).rows(20'000)->empty());
  const auto fail = [](size_t, std::span<const uint64_t>) -> Result<bool> {
    return Status(StatusCode::unsupported, "no more");
  };
  EXPECT_EQ(some.visit_rows(fail).message(), "no more");
}

TEST(Queries, SumsAreExact) {
  file_tests::TempDir dir;
  const std::vector<uint64_t> values(3000, ~uint64_t{0});
  auto writer = Writer::create(dir / "t.bob", {{"x", DType::u64}}, {});
  const void* const columns[] = {values.data()};
  ASSERT_OK(file::append_untyped(*writer, columns, values.size()));
  ASSERT_OK(writer->finish());
  const auto reader = Reader::open(dir / "t.bob");
  EXPECT_EQ(*query::from(*reader).sum("x"), Value::of_integer(Int128{~uint64_t{0}} * 3000));
}

std::string error_of(const Written& file, const Predicate& predicate) {
  const auto result = query::from(*file.reader).where(predicate).count();
  std::string message = result.has_value() ? "no error" : result.error().message();
  const size_t begin = message.find("t.bob: ");
  return begin == std::string::npos ? message : message.substr(begin + 7);
}

TEST(Queries, NameColumnAndTypeInErrors) {
  const Written file(1, 10);
  EXPECT_EQ(error_of(file, col("nope") == 1),
            "column 'nope' does not exist; there are 'u8', 'i16', 'u32', 'i64', 'u64', 'f32', 'f64', 'utf8', "
            "'binary', "
            "'decimal(2) i32', 'decimal(4)', 'date', 'timestamp[ms]', 'bool'");
  EXPECT_EQ(error_of(file, col("utf8") == 3),
            "column 'utf8' holds utf8: it cannot be compared with the number 3");
  EXPECT_EQ(error_of(file, col("u8") != "x"),
            "column 'u8' holds u8: it cannot be compared with the string 'x'");
  EXPECT_EQ(error_of(file, col("f32").in({1, "x"})),
            "column 'f32' holds f32: it cannot be compared with the string 'x'");
  EXPECT_EQ(error_of(file, col("u8").starts_with("x")),
            "column 'u8' holds u8: it cannot be compared with the string 'x'");
  const auto sum = query::from(*file.reader).sum("utf8");
  ASSERT_FALSE(sum.has_value());
  EXPECT_TRUE(sum.error().message().ends_with("column 'utf8' holds utf8: sum() requires a numeric column"))
      << sum.error().message();
  EXPECT_EQ(error_of(file, col("u8") == true),
            "column 'u8' holds u8: it cannot be compared with the boolean true");
  EXPECT_EQ(error_of(file, col("decimal(4)") < "3"),
            "column 'decimal(4)' holds decimal(4): it is compared with numbers, not with the string '3'");
  EXPECT_EQ(
      error_of(file, col("date") < 3),
      "column 'date' holds date: it is compared with dates such as '2014-08-08', not with the number 3");
  EXPECT_EQ(error_of(file, col("timestamp[ms]").between("2014-08-08", "2014-8-9")),
            "column 'timestamp[ms]' holds timestamp[ms]: it is compared with times such as "
            "'2014-08-08 18:00:00', not with the string '2014-8-9'");
  EXPECT_EQ(error_of(file, col("date").starts_with("2014")),
            "column 'date' holds date: like requires a string column");
  EXPECT_EQ(error_of(file, col("bool") == 2),
            "column 'bool' holds bool: it is compared with true and false, not with the number 2");
  EXPECT_EQ(error_of(file, col("bool") < true),
            "column 'bool' holds bool: booleans support only =, !=, in and is null");
  const auto date_sum = query::from(*file.reader).sum("date");
  ASSERT_FALSE(date_sum.has_value());
  EXPECT_TRUE(date_sum.error().message().ends_with(
      "column 'date' holds date: sum() is not defined for dates and times"))
      << date_sum.error().message();
  EXPECT_FALSE(query::from(*file.reader).sum("nope").has_value());
  EXPECT_FALSE(query::from(*file.reader).group_counts("nope").has_value());
  EXPECT_EQ(error_of(file, col("utf8") < col("u8")),
            "column 'utf8' holds utf8: it cannot be compared with column 'u8', which holds u8");
  EXPECT_EQ(error_of(file, col("date") == col("i64")),
            "column 'date' holds date: it cannot be compared with column 'i64', which holds i64");
  EXPECT_EQ(error_of(file, col("bool") < col("bool")),
            "column 'bool' holds bool: booleans support only =, !=, in and is null");
  EXPECT_FALSE(query::from(*file.reader).avg("timestamp[ms]").has_value());
  EXPECT_FALSE(query::from(*file.reader).select({"u8", "nope"}).has_value());
  const auto order = query::from(*file.reader).select({"u8"}, {.order = {query::descending(query::count())}});
  ASSERT_FALSE(order.has_value());
  EXPECT_TRUE(order.error().message().ends_with("count() cannot order rows: it is an aggregate"))
      << order.error().message();
  const auto group_order =
      query::from(*file.reader).group_by({"u8"}, {query::count()}, {.order = {query::ascending("i16")}});
  ASSERT_FALSE(group_order.has_value());
  EXPECT_TRUE(
      group_order.error().message().ends_with("column 'i16' cannot order groups: it is not a group column"))
      << group_order.error().message();
  const auto by_name =
      query::from(*file.reader).group_by({"u8"}, {query::count()}, {.order = {query::descending("count")}});
  ASSERT_FALSE(by_name.has_value());
  EXPECT_TRUE(by_name.error().message().ends_with("(count() orders by the number of rows)"))
      << by_name.error().message();
}

TEST(Queries, RefusePredicatesWithoutTheirParts) {
  const Written file(1, 10);
  EXPECT_NE(error_of(file, {.kind = Predicate::Kind::both}), "no error");
  EXPECT_NE(error_of(file, {.kind = Predicate::Kind::negation}), "no error");
  EXPECT_NE(error_of(file, {.kind = Predicate::Kind::compare, .column = "u8"}), "no error");
  Predicate deep = col("u8") == 1;
  for (int i = 0; i < 1000; ++i) {
    deep = !std::move(deep);
  }
  EXPECT_EQ(error_of(file, deep), "the predicate is nested more than 500 deep");
}

Result<Reader> write_numbers(const std::string& path, const std::vector<uint32_t>& values,
                             const std::string& codec = {}) {
  WriteOptions options;
  options.codec = codec;
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, {{"x", DType::u32}}, options));
  const void* const columns[] = {values.data()};
  BOBBIN_TRY(file::append_untyped(writer, columns, values.size()));
  BOBBIN_TRY(writer.finish());
  return Reader::open(path);
}

std::vector<uint32_t> count_up(uint32_t end) {
  std::vector<uint32_t> values(end);
  std::iota(values.begin(), values.end(), 0U);
  return values;
}

TEST(Queries, OfTooManyGroupsOrRows) {
  file_tests::TempDir dir;
  for (const char* const codec : {"dict", "ffor"}) {
    const auto reader = write_numbers(dir / codec, count_up(5001), codec);
    ASSERT_TRUE(reader.has_value()) << reader.error().message();
    const query::Query query = query::from(*reader);
    for (const std::vector<std::string>& keys : {std::vector<std::string>{"x"}, {"x", "x"}}) {
      const auto all = query.group_by(keys, {query::count()}, {.max_groups = 5000});
      ASSERT_FALSE(all.has_value());
      EXPECT_TRUE(all.error().message().ends_with("makes more than 5000 groups")) << all.error().message();
      EXPECT_EQ(query.where(col("x") != 0).group_by(keys, {}, {.max_groups = 5000})->rows.size(), 5000U);
    }
    const auto rows = query.select({"x"}, {.order = {query::ascending("x")}, .max_rows = 5000});
    ASSERT_FALSE(rows.has_value());
    EXPECT_EQ(rows.error().message(), "the result has more than 5000 rows: give a limit");
    EXPECT_EQ(query.select({"x"}, {.limit = 5000, .max_rows = 5000})->rows.size(), 5000U);
  }
}

// Terms of one column become a set: time and stack grow only with the number of terms.
TEST(Queries, OfLongChains) {
  constexpr uint32_t kTerms = 100'000;
  file_tests::TempDir dir;
  const auto reader = write_numbers(dir / "t.bob", count_up(300'000));
  ASSERT_TRUE(reader.has_value());
  Predicate any = col("x") == 0;
  Predicate none = col("x") != 0;
  for (uint32_t i = 1; i < kTerms; ++i) {
    any = std::move(any) || col("x") == 3 * i;
    none = std::move(none) && col("x") != 3 * i;
  }
  EXPECT_EQ(*query::from(*reader).where(any).count(), kTerms);
  EXPECT_EQ(*query::from(*reader).where(none).count(), 300'000 - kTerms);
  EXPECT_EQ(*query::from(*reader).where(!none && any).sum("x"),
            Value::of_integer(Int128{3} * kTerms * (kTerms - 1) / 2));
  EXPECT_EQ(*query::from(*reader).where(none || !none).count(), 300'000U);
}

TEST(Queries, OfLongChainsOfStrings) {
  constexpr int kTerms = 50'000;
  file_tests::TempDir dir;
  file_tests::Texts texts;
  for (int i = 0; i < 2 * kTerms; ++i) {
    texts.push_back(i % 10 == 9 ? std::nullopt : std::optional("text " + std::to_string(i)));
  }
  const Strings strings = file_tests::strings_of(texts);
  auto writer = Writer::create(dir / "t.bob", {{"s", DType::binary}}, {});
  const StringsView view = strings.view();
  const void* const columns[] = {&view};
  ASSERT_OK(file::append_untyped(*writer, columns, texts.size()));
  ASSERT_OK(writer->finish());
  const auto reader = Reader::open(dir / "t.bob");
  Predicate any = col("s") == "text 0";
  for (int i = 1; i < kTerms; ++i) {
    any = std::move(any) || col("s") == "text " + std::to_string(2 * i);
  }
  EXPECT_EQ(*query::from(*reader).where(any).count(), static_cast<uint64_t>(kTerms));
  EXPECT_EQ(*query::from(*reader).where(!any).count(), static_cast<uint64_t>(kTerms) * 8 / 10);
}

TEST(Queries, OfNoRows) {
  file_tests::TempDir dir;
  auto writer = Writer::create(dir / "t.bob", {{"x", DType::f64}}, {});
  ASSERT_OK(writer->finish());
  const auto reader = Reader::open(dir / "t.bob");
  EXPECT_EQ(*query::from(*reader).count(), 0U);
  EXPECT_TRUE(query::from(*reader).where(col("x") < 1).sum("x")->is_null());
  EXPECT_TRUE(query::from(*reader).max("x")->is_null());
  EXPECT_TRUE(query::from(*reader).group_counts("x")->empty());
  EXPECT_TRUE(query::from(*reader).avg("x")->is_null());
  EXPECT_EQ(*query::from(*reader).count_distinct("x"), 0U);
  EXPECT_TRUE(query::from(*reader).select({"x"})->rows.empty());
  const auto one = query::from(*reader).group_by({}, {query::count(), query::max("x")});
  ASSERT_EQ(one->rows.size(), 1U);
  EXPECT_EQ(one->rows[0], (std::vector<Value>{Value::of_integer(0), Value()}));
}

}  // namespace
}  // namespace bobbin::query_tests
