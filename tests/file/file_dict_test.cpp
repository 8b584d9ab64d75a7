// SPDX-License-Identifier: Apache-2.0
// Files with dictionary columns: everything that a reader and a query do with other columns.
#include <algorithm>
#include <map>

#include "bobbin/query.hpp"
#include "file/append.hpp"
#include "support.hpp"
#include "tests/backends.hpp"

namespace bobbin::file_tests {
namespace {

constexpr uint64_t kRows = 6000;

// Few distinct strings, including nulls and empty ones.
Texts few_texts(uint64_t rows) {
  Texts texts;
  for (uint64_t i = 0; i < rows; ++i) {
    const uint64_t k = i * i % 41;
    texts.push_back(k % 7 == 3   ? std::nullopt
                    : k % 5 == 0 ? std::optional<std::string>("")
                                 : std::optional("town " + std::to_string(k)));
  }
  return texts;
}

std::vector<int64_t> few_numbers(uint64_t rows) {
  std::vector<int64_t> numbers;
  for (uint64_t i = 0; i < rows; ++i) {
    numbers.push_back(static_cast<int64_t>(i * i % 17) * 1'000'000'007 - 5);
  }
  return numbers;
}

// A column of texts, a nullable one of numbers, one of floats.
void write(const std::string& path, const WriteOptions& options) {
  const Strings strings = strings_of(few_texts(kRows));
  const StringsView view = strings.view();
  const std::vector<int64_t> numbers = few_numbers(kRows);
  std::vector<uint8_t> bits((kRows + 7) / 8, 0xdf);
  const NullableView nullable{numbers.data(), bits.data()};
  std::vector<double> reals(kRows);
  for (uint64_t i = 0; i < kRows; ++i) {
    reals[i] = static_cast<double>(i % 13) / 10;
  }
  const std::array<const void*, 3> columns{&view, &nullable, reals.data()};
  auto writer = Writer::create(
      path, {{"town", DType::binary}, {"number", DType::i64, true}, {"real", DType::f64}}, options);
  ASSERT_TRUE(writer.has_value()) << writer.error().message();
  ASSERT_OK(file::append_untyped(*writer, columns, kRows));
  ASSERT_OK(writer->finish());
}

struct Files {
  TempDir dir;
  std::optional<Reader> dict;
  std::optional<Reader> plain;

  Files() {
    write(dir / "dict.bob", {.rows_per_group = 2500, .codec = "dict"});
    // If no codec is requested, strings are fsst.
    write(dir / "plain.bob", {.rows_per_group = 2500});
    dict.emplace(Reader::open(dir / "dict.bob").value());
    plain.emplace(Reader::open(dir / "plain.bob").value());
  }
};

TEST(FileDict, RoundTrip) {
  const Files files;
  const Texts texts = few_texts(kRows);
  for (const Backend backend : bobbin::testing::backends_here()) {
    ASSERT_OK(files.dict->verify(backend));
    for (const auto& [begin, count] : std::vector<std::pair<uint64_t, uint64_t>>{
             {0, kRows}, {0, 1}, {2499, 2}, {1500, 3500}, {kRows, 0}}) {
      const auto strings = files.dict->read_strings(0, begin, count, backend);
      ASSERT_TRUE(strings.has_value()) << strings.error().message();
      EXPECT_EQ(texts_of(*strings), Texts(texts.begin() + static_cast<ptrdiff_t>(begin),
                                          texts.begin() + static_cast<ptrdiff_t>(begin + count)));
    }
    for (const size_t column : {1, 2}) {
      Bytes got(kRows * 8);
      Bytes wanted(kRows * 8);
      ASSERT_OK(files.dict->read(column, 0, kRows, got, backend));
      ASSERT_OK(files.plain->read(column, 0, kRows, wanted));
      EXPECT_TRUE(got == wanted) << column;
    }
  }
}

TEST(FileDict, BackendsWriteTheSameBytes) {
  SKIP_WITHOUT_EMULATOR();
  const Files files;
  write(files.dir / "emulator.bob", {.rows_per_group = 2500, .backend = Backend::emulator, .codec = "dict"});
  EXPECT_TRUE(load(files.dir / "emulator.bob") == load(files.dir / "dict.bob"));
}

TEST(FileDict, IsDescribed) {
  const Files files;
  const NodeInfo strings = files.dict->row_group(0)->chunks[0].root;
  EXPECT_EQ(strings.codec, "dict");
  EXPECT_EQ(strings.detail, std::to_string(strings.children[1].length) + " entries");
  EXPECT_EQ(strings.children[1].codec, "fsst");
  const NodeInfo numbers = files.dict->row_group(0)->chunks[1].root;
  EXPECT_EQ(numbers.codec, "masked");
  EXPECT_EQ(numbers.children[0].codec, "dict");
  EXPECT_EQ(numbers.children[0].detail, "9 entries");
}

TEST(FileDict, FindsStrings) {
  const Files files;
  for (const Backend backend : bobbin::testing::backends_here()) {
    for (const std::string_view text : {"town 4", "town", "", "n 3", "nothing"}) {
      for (const auto test : {StringTest::equals, StringTest::starts_with, StringTest::contains}) {
        const StringQuery query{test, {reinterpret_cast<const uint8_t*>(text.data()), text.size()}};
        for (size_t group = 0; group < files.dict->num_row_groups(); ++group) {
          const auto got = files.dict->find_strings(0, group, query, backend);
          const auto wanted = files.plain->find_strings(0, group, query);
          ASSERT_TRUE(got.has_value()) << got.error().message();
          EXPECT_EQ(got->rows, wanted->rows);
          EXPECT_EQ(texts_of(got->strings), texts_of(wanted->strings));
          EXPECT_EQ(*files.dict->count_strings(0, group, query, backend), wanted->rows.size());
        }
      }
    }
  }
}

TEST(FileDict, AnswersQueries) {
  using query::col;
  const Files files;
  const std::vector<query::Predicate> predicates{col("town") == "town 4",
                                                 col("town") != "town 4",
                                                 col("town").in({"town 1", "town 2", "", "elsewhere"}),
                                                 !col("town").in({"town 1", "town 2"}),
                                                 col("town").starts_with("town 3"),
                                                 !col("town").contains("1"),
                                                 col("town").is_null(),
                                                 !col("town").is_null(),
                                                 col("number") < 3'000'000'000,
                                                 col("number").in({-5, 1'000'000'002, 7}),
                                                 !col("number").in({-5, 1'000'000'002}),
                                                 col("number").is_null() && col("town") == "",
                                                 col("real") >= 0.7 || col("town") == "town 36",
                                                 col("real") != 0.3,
                                                 col("real").between(0.2, 0.4)};
  for (const auto& predicate : predicates) {
    const query::Query wanted = query::from(*files.plain).where(predicate);
    const auto groups = wanted.group_counts("town");
    const std::vector<query::AggregateSpec> all{query::count(), query::count("town"), query::sum("number"),
                                                query::min("real"), query::max("number")};
    for (const Backend backend : bobbin::testing::backends_here()) {
      const query::Query query = query::from(*files.dict).where(predicate).on(backend);
      const auto got = query.run(all);
      ASSERT_TRUE(got.has_value()) << got.error().message();
      EXPECT_EQ(*got, *wanted.run(all));
      EXPECT_EQ(*query.group_counts("town"), *groups);
      EXPECT_EQ(*query.group_counts("number"), *wanted.group_counts("number"));
    }
  }
  uint64_t nulls = 0;
  for (const auto& text : few_texts(kRows)) {
    nulls += text.has_value() ? 0 : 1;
  }
  EXPECT_EQ(*query::from(*files.dict).where(col("town").is_null()).count(), nulls);
}

TEST(FileDict, TooManyDifferentStrings) {
  Texts texts;
  for (uint64_t i = 0; i < 65537; ++i) {
    texts.emplace_back(std::to_string(i));
  }
  const TempDir dir;
  const Status status = write_texts(dir / "t.bob", strings_of(texts), {.codec = "dict"});
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_NE(status.message().find("dict: more than 65536 different values"), std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace bobbin::file_tests
