// SPDX-License-Identifier: Apache-2.0
// Partial aggregates: however rows are divided, merging gives what one query gives.
#include "bobbin/partial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>

#include "bobbin/bobbin.hpp"
#include "core/byte_stream.hpp"
#include "file/checksum.hpp"
#include "tests/drawn.hpp"
#include "tests/query/support.hpp"

namespace bobbin::query_tests {
namespace {

using query::AggregateSpec;
using query::col;
using query::Partial;
using query::Value;

constexpr uint64_t kPartialGroupRows = 700;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

Reader write_and_open(const std::string& path, const TestTable& table) {
  const Status status = write(path, table, kPartialGroupRows);
  EXPECT_TRUE(status.ok()) << status.message();
  return Reader::open(path).value();
}

std::vector<AggregateSpec> all_aggregates(const TestTable& table) {
  std::vector<AggregateSpec> all = {query::count()};
  for (const Column& column : table.columns) {
    all.insert(all.end(), {query::count(column.name), query::min(column.name), query::max(column.name),
                           query::count_distinct(column.name)});
    if (!is_string(column.type) && column.logical.kind != Logical::Kind::date &&
        column.logical.kind != Logical::Kind::timestamp && column.logical.kind != Logical::Kind::time) {
      all.insert(all.end(), {query::sum(column.name), query::avg(column.name)});
    }
  }
  return all;
}

// Sums of floats depend on the division, in the last digits.
bool is_near(const Value& a, const Value& b) {
  if (a.kind == Value::Kind::real && b.kind == Value::Kind::real && std::isfinite(a.real)) {
    return std::abs(a.real - b.real) <= 1e-9 * std::max(1.0, std::abs(a.real));
  }
  return same(a, b);
}

void expect_same(const query::ResultTable& got, const query::ResultTable& wanted) {
  ASSERT_EQ(got.rows.size(), wanted.rows.size());
  ASSERT_EQ(got.columns.size(), wanted.columns.size());
  for (size_t c = 0; c < got.columns.size(); ++c) {
    EXPECT_EQ(got.columns[c].name, wanted.columns[c].name);
    EXPECT_EQ(got.columns[c].type, wanted.columns[c].type) << got.columns[c].name;
    for (size_t r = 0; r < got.rows.size(); ++r) {
      EXPECT_TRUE(is_near(got.rows[r][c], wanted.rows[r][c]))
          << got.columns[c].name << ": " << to_string(got.rows[r][c]) << " and "
          << to_string(wanted.rows[r][c]);
    }
  }
}

// Through bytes and back, as between processes.
Partial sent(const Partial& partial) {
  Result<Partial> again = Partial::from_bytes(partial.to_bytes());
  EXPECT_TRUE(again.has_value()) << again.error().message();
  return *std::move(again);
}

TEST(Partial, RowGroupsMergeToTheWholeFile) {
  const file_tests::TempDir dir;
  for (const uint64_t seed : testing::drawn(3)) {
    Random random(seed);
    const TestTable table = draw_table(random, 3000, kPartialGroupRows);
    const Reader reader = write_and_open(dir / (std::to_string(seed) + ".bob"), table);
    const query::Query all = query::from(reader).where(draw_predicate(random, table, 2));
    const std::vector<AggregateSpec> aggregates = all_aggregates(table);
    for (const std::vector<std::string>& keys :
         {std::vector<std::string>{}, {table.columns[0].name}, {table.columns[2].name, "u8"}}) {
      Partial merged = all.row_groups(0, 1).partial(keys, aggregates).value();
      for (size_t begin = 1; begin < reader.num_row_groups(); begin += 2) {
        const Partial part = all.row_groups(begin, begin + 2).partial(keys, aggregates).value();
        const Status status = merged.merge(sent(part));
        ASSERT_TRUE(status.ok()) << status.message();
      }
      expect_same(merged.finish().value(), all.group_by(keys, aggregates).value());
      EXPECT_EQ(merged.num_groups(), keys.empty() ? 1 : merged.finish()->rows.size());
    }
  }
}

TEST(Partial, OrderAndLimitApplyToAllGroups) {
  const file_tests::TempDir dir;
  Random random(7);
  const Reader reader = write_and_open(dir / "t.bob", draw_table(random, 4000, kPartialGroupRows));
  const std::vector<AggregateSpec> wanted = {query::count(), query::avg("u8")};
  Partial merged = query::from(reader).row_groups(0, 3).partial({"u8"}, wanted).value();
  ASSERT_TRUE(merged.merge(query::from(reader).row_groups(3, SIZE_MAX).partial({"u8"}, wanted).value()).ok());
  const query::ResultOptions options{.order = {query::descending(query::count())}, .limit = 3};
  expect_same(merged.finish(options).value(), query::from(reader).group_by({"u8"}, wanted, options).value());
  const auto refused = merged.finish({.order = {query::descending(query::max("u8"))}});
  EXPECT_EQ(refused.error().code(), StatusCode::invalid_argument);
  EXPECT_FALSE(merged.finish({.order = {query::ascending("i16")}}).has_value());
}

Reader floats(const std::string& path, const std::vector<double>& values) {
  Writer writer = Writer::create(path, {{"x", DType::f64}}, {}).value();
  EXPECT_TRUE(writer.append({values}).ok());
  EXPECT_TRUE(writer.finish().ok());
  return Reader::open(path).value();
}

TEST(Partial, NanZerosAndNothing) {
  const file_tests::TempDir dir;
  const Reader some = floats(dir / "a.bob", {0.0, kNotANumber, 5.0});
  const Reader more = floats(dir / "b.bob", {-0.0, -kNotANumber});
  const Reader none = floats(dir / "c.bob", {});
  const std::vector<AggregateSpec> wanted = {query::sum("x"), query::min("x"), query::max("x"),
                                             query::avg("x"), query::count_distinct("x")};
  const auto of = [&](const Reader& reader) { return query::from(reader).partial({}, wanted).value(); };
  Partial merged = of(none);
  const std::vector<Value> nothing = merged.finish()->rows[0];
  for (const Value& value : std::span(nothing).first(4)) {
    EXPECT_TRUE(value.is_null());
  }
  ASSERT_TRUE(merged.merge(of(some)).ok());
  ASSERT_TRUE(merged.merge(of(none)).ok());
  ASSERT_TRUE(merged.merge(of(more)).ok());
  const std::vector<Value> row = merged.finish()->rows[0];
  EXPECT_TRUE(std::isnan(row[0].real));
  EXPECT_TRUE(row[1].real == 0 && std::signbit(row[1].real));
  EXPECT_EQ(row[2].real, 5.0);
  EXPECT_TRUE(std::isnan(row[3].real));
  EXPECT_EQ(row[4].integer, 3);  // 0, 5 and NaN
  Partial groups = query::from(some).partial({"x"}, {query::count()}).value();
  ASSERT_TRUE(groups.merge(query::from(more).partial({"x"}, {query::count()}).value()).ok());
  EXPECT_EQ(groups.num_groups(), 3U);
}

TEST(Partial, OtherQuestionsAreRefused) {
  const file_tests::TempDir dir;
  const Reader reals = floats(dir / "a.bob", {1.0});
  Writer writer = Writer::create(dir / "b.bob", {{"x", DType::i64}}, {}).value();
  ASSERT_TRUE(writer.append({std::vector<int64_t>{1}}).ok());
  ASSERT_TRUE(writer.finish().ok());
  const Reader integers = Reader::open(dir / "b.bob").value();
  Partial sums = query::from(reals).partial({}, {query::sum("x")}).value();
  EXPECT_EQ(sums.merge(query::from(reals).partial({}, {query::max("x")}).value()).code(),
            StatusCode::invalid_argument);
  EXPECT_EQ(sums.merge(query::from(integers).partial({}, {query::sum("x")}).value()).code(),
            StatusCode::invalid_argument);
  EXPECT_EQ(sums.finish()->rows[0][0].real, 1.0);
  EXPECT_FALSE(query::from(reals).partial({"y"}, {}).has_value());
  EXPECT_FALSE(query::from(reals).partial({}, {query::avg("y")}).has_value());
  Partial one = query::from(reals).partial({"x"}, {}).value();
  const Reader others = floats(dir / "c.bob", {2.0});
  EXPECT_EQ(one.merge(query::from(others).partial({"x"}, {}).value(), 1).code(), StatusCode::unsupported);
}

TEST(Partial, HostileBytesAreRefused) {
  const file_tests::TempDir dir;
  Random random(3);
  const TestTable table = draw_table(random, 40, kPartialGroupRows);
  const Reader reader = write_and_open(dir / "t.bob", table);
  const std::vector<std::byte> good =
      query::from(reader).partial({table.columns[0].name, "u8"}, all_aggregates(table))->to_bytes();
  for (size_t size = 0; size < good.size(); size += 1 + size / 16) {
    EXPECT_EQ(Partial::from_bytes(std::span(good).first(size)).error().code(), StatusCode::corrupt);
  }
  // With a checksum that fits, any bytes are an error or a partial that can be used.
  const size_t content = good.size() - sizeof(uint64_t);
  for (const uint64_t trial : testing::drawn(1000)) {
    std::vector<std::byte> bad = good;
    for (size_t flips = 0; flips <= trial % 4; ++flips) {
      const size_t place = 8 + random.below(content - 8);
      bad[place] = static_cast<std::byte>(random.below(256));
    }
    const uint64_t sum = file::checksum(std::span(bad).first(content));
    std::memcpy(bad.data() + content, &sum, sizeof(sum));
    Result<Partial> read = Partial::from_bytes(bad);
    if (read.has_value()) {
      (void)read->finish();
      const Status merged = read->merge(Partial::from_bytes(good).value());
      (void)merged;
    }
  }
}

// Writes `to` over the first place where `from` is, and a checksum that is right.
void forge(std::vector<std::byte>& bytes, std::span<const std::byte> from, std::span<const std::byte> to) {
  const auto found = std::ranges::search(bytes, from);
  ASSERT_FALSE(found.empty());
  std::ranges::copy(to, found.begin());
  const size_t content = bytes.size() - sizeof(uint64_t);
  const uint64_t sum = file::checksum(std::span(bytes).first(content));
  std::memcpy(bytes.data() + content, &sum, sizeof(sum));
}

// A count of 2^64, whose low 64 bits are 0, would divide by zero; a negative one has no meaning.
TEST(Partial, CountsOfHostileBytesAreRefused) {
  const file_tests::TempDir dir;
  Writer writer = Writer::create(dir / "t.bob", {{"x", DType::i64}}, {}).value();
  ASSERT_TRUE(writer.append({std::vector<int64_t>(77, 5)}).ok());
  ASSERT_TRUE(writer.finish().ok());
  const Reader reader = Reader::open(dir / "t.bob").value();
  const std::vector<std::byte> good = query::from(reader).partial({}, {query::avg("x")})->to_bytes();
  ASSERT_TRUE(Partial::from_bytes(good).has_value());
  const Int128 known = 77;
  for (const Int128 count : {Int128{1} << 64, Int128{-1}}) {
    std::vector<std::byte> bytes = good;
    forge(bytes, std::as_bytes(std::span(&known, 1)), std::as_bytes(std::span(&count, 1)));
    EXPECT_EQ(Partial::from_bytes(bytes).error().code(), StatusCode::corrupt);
  }
}

// Integers and texts in one key would have no order. Both values take 20 bytes here.
TEST(Partial, ValuesOfOtherTypesAreRefused) {
  const file_tests::TempDir dir;
  Writer writer = Writer::create(dir / "t.bob", {{"x", DType::i64}}, {}).value();
  ASSERT_TRUE(writer.append({std::vector<int64_t>{77, 78, 79}}).ok());
  ASSERT_TRUE(writer.finish().ok());
  const Reader reader = Reader::open(dir / "t.bob").value();
  const auto integer = [](Int128 value, Logical::Kind kind = Logical::Kind::plain) {
    std::vector<std::byte> bytes;
    put<uint8_t>(bytes, static_cast<uint8_t>(query::Value::Kind::integer));
    put<uint8_t>(bytes, static_cast<uint8_t>(kind));
    put<uint16_t>(bytes, 0);
    put<Int128>(bytes, value);
    return bytes;
  };
  std::vector<std::byte> text;
  put<uint8_t>(text, static_cast<uint8_t>(query::Value::Kind::text));
  put_text(text, "eleven long");
  ASSERT_EQ(text.size(), integer(78).size());
  for (const std::vector<query::AggregateSpec>& aggregates :
       {std::vector{query::count()}, {query::count_distinct("x")}, {query::min("x")}}) {
    const bool is_key = aggregates[0].kind == query::AggregateSpec::Kind::count;
    const auto keys = is_key ? std::vector<std::string>{"x"} : std::vector<std::string>{};
    const std::vector<std::byte> good = query::from(reader).partial(keys, aggregates)->to_bytes();
    ASSERT_TRUE(Partial::from_bytes(good).has_value());
    for (const std::vector<std::byte>& other : {text, integer(77, Logical::Kind::date)}) {
      std::vector<std::byte> bytes = good;
      forge(bytes, integer(77), other);
      EXPECT_EQ(Partial::from_bytes(bytes).error().code(), StatusCode::corrupt);
    }
  }
}

TEST(Query, CandidatesAreRowGroupsThatZoneMapsLeave) {
  const file_tests::TempDir dir;
  Writer writer = Writer::create(dir / "t.bob", {{"x", DType::i64}}, {.rows_per_group = 1024}).value();
  std::vector<int64_t> values(5000);
  std::iota(values.begin(), values.end(), 0);
  ASSERT_TRUE(writer.append({values}).ok());
  ASSERT_TRUE(writer.finish().ok());
  const Reader reader = Reader::open(dir / "t.bob").value();
  const auto found = [&](const query::Query& query) { return query.candidates().value(); };
  const query::Query all = query::from(reader);
  EXPECT_EQ(found(all), (std::vector<size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(found(all.where(col("x") > 3000)), (std::vector<size_t>{2, 3, 4}));
  EXPECT_EQ(found(all.where(col("x") > 3000).row_groups(1, 4)), (std::vector<size_t>{2, 3}));
  EXPECT_EQ(found(all.where(col("x") > 9000)), std::vector<size_t>{});
  EXPECT_FALSE(all.where(col("y") > 9000).candidates().has_value());
  EXPECT_EQ(all.row_groups(1, 2).count().value(), 1024U);
  EXPECT_EQ(all.row_groups(4, 9).rows().value().size(), 904U);
  EXPECT_EQ(all.row_groups(7, 9).count().value(), 0U);
}

}  // namespace
}  // namespace bobbin::query_tests
