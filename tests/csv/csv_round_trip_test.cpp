// SPDX-License-Identifier: Apache-2.0
// Tables to text and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/csv/support.hpp"

namespace bobbin::csv_tests {
namespace {

csv::Options draw_options(Random& random) {
  const char delimiters[] = {',', ',', '|', '\t', ';', ' ', '.', '-', '5', 'e', ':', '\x01', '\''};
  const char* const nulls[] = {"", "", "null", "NA", "nan", "12", "true", "-"};
  csv::Options options{.delimiter = delimiters[random.below(std::size(delimiters))],
                       .header = random.below(2) == 0};
  do {
    options.nulls = {nulls[random.below(std::size(nulls))]};
    options.quote = random.below(4) == 0 ? '\'' : '"';
    options.escape = random.below(4) == 0 ? '\\' : '\0';
    options.comment = random.below(4) == 0 ? '-' : '\0';
    options.line_end = static_cast<csv::LineEnd>(random.below(3));
    options.skip_blanks = random.below(4) == 0;
    options.trailing = random.below(4) == 0;
  } while (!csv::check(options).ok());
  options.buffer_bytes = 1 + random.below(300);
  options.batch_rows = 1 + random.below(40);
  options.sample_bytes = random.below(300);
  return options;
}

// Without a header the names are not in the text.
CellTable nameless(CellTable table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    table.columns[c].name = "c" + std::to_string(c);
  }
  return table;
}

TEST(CsvRoundTrip, AnyTableComesBackByItsSchema) {
  Random random(1);
  for (int round = 0; round < 4000; ++round) {
    const csv::Options options = draw_options(random);
    const CellTable drawn = draw_table(random, true);
    const CellTable table = options.header ? drawn : nameless(drawn);
    const std::string text = write_text(table, options);
    const Result<CellTable> back = read_text(text, options, schema_of(table));
    ASSERT_TRUE(back.has_value()) << back.error().message() << "\n" << text;
    ASSERT_EQ(*back, table) << text << "\n" << show(*back) << "\n" << show(table);
  }
}

// Words among numbers may mean null.
bool have_same_nulls(const CellTable& a, const CellTable& b) {
  return std::ranges::equal(a.rows, b.rows, [](const auto& left, const auto& right) {
    return std::ranges::equal(left, right, {}, &Cell::has_value, &Cell::has_value);
  });
}

// It does not matter which types are inferred: they print the same bytes, unless values of a column have
// several forms, which the spelling says.
TEST(CsvRoundTrip, OurTextComesBackByteForByte) {
  Random random(2);
  int same = 0;
  for (int round = 0; round < 4000; ++round) {
    csv::Options options = draw_options(random);
    const CellTable table = draw_table(random, round % 2 == 0);
    const std::string text = write_text(table, options);
    const Result<CellTable> back = read_text(text, options);
    ASSERT_TRUE(back.has_value()) << back.error().message() << "\n" << text;
    if (std::ranges::none_of(back->spellings, &csv::Spelling::mixed) && have_same_nulls(*back, table)) {
      ASSERT_EQ(write_text(*back, options), text) << show(*back);
      ++same;
    }
  }
  EXPECT_GT(same, 2000);
}

// Texts of other programs, unchanged.
TEST(CsvRoundTrip, OtherFormsComeBackByteForByte) {
  for (const std::string column :
       {"0.5\n1\n96\n", "0.5\n1.0\n96.0\n", ".5\n-.25\n0\n12\n-3.125\n.0004\n", "1e+05\n2.5\n",
        "100000.0\n2.5e-07\n", "-87.629798173904419\n0.5\n", "0.30000000000000004\n0.1\n",
        "NaN\n1.5\n-Infinity\n", "yes\nno\n", "TRUE\nFALSE\n", "Y\nN\n", "F\nF\n",
        "2014-08-08T18:00:00Z\n2015-08-08T18:00:00Z\n", "2014-08-08 18:00\n", "2014-08-08T18:00:00.5+02:00\n",
        "2014-08-08 18:00:00.123456-0800\n", "18:00\n09:30\n", "18:00:00.25\n18:00:00\n"}) {
    const std::string text = "x\n" + column;
    const Result<CellTable> table = read_text(text, {});
    ASSERT_TRUE(table.has_value()) << table.error().message();
    EXPECT_EQ(write_text(*table, {}), text) << show(*table);
    EXPECT_FALSE(table->spellings[0].mixed) << text;
  }
}

TEST(CsvRoundTrip, QuotesOnlyWhereTheyAreNeeded) {
  const CellTable table{
      .columns = {{"a", DType::utf8}, {"b,c", DType::i32, true}},
      .rows = {{"x", "1"}, {"", "2"}, {{}, {}}, {" y ", "3"}, {"q\"q", "4"}, {"l\nl", "5"}, {"r\r", "6"}}};
  EXPECT_EQ(write_text(table, {}), "a,\"b,c\"\nx,1\n\"\",2\n,\n y ,3\n\"q\"\"q\",4\n\"l\nl\",5\n\"r\r\",6\n");
  EXPECT_EQ(write_text(table, {.delimiter = '|', .header = false, .nulls = {"x"}}),
            "\"x\"|1\n\"\"|2\nx|x\n y |3\n\"q\"\"q\"|4\n\"l\nl\"|5\n\"r\r\"|6\n");
  const CellTable marked{.columns = {{"\xef\xbb\xbf"
                                      "a",
                                      DType::utf8}},
                         .rows = {{"\xef\xbb\xbf"
                                   "x"}}};
  EXPECT_EQ(write_text(marked, {}),
            "\"\xef\xbb\xbf"
            "a\"\n\xef\xbb\xbf"
            "x\n");
  EXPECT_EQ(write_text(marked, {.header = false}),
            "\"\xef\xbb\xbf"
            "x\"\n");
}

// A null and a delimiter complete the first bytes of a zstd frame, or of a gzip stream.
TEST(CsvRoundTrip, ATextDoesNotBeginLikeCompressedData) {
  const CellTable zstd{.columns = {{"a", DType::binary}, {"b", DType::binary}},
                       .rows = {{{}, "\xb5/\xfdx"}, {{}, "\xb5/\xfdx"}}};
  EXPECT_EQ(write_text(zstd, {.delimiter = '(', .header = false}), "(\"\xb5/\xfdx\"\n(\xb5/\xfdx\n");
  const CellTable gzip{.columns = {{"a", DType::binary}, {"b", DType::binary}}, .rows = {{{}, "\x8b"}}};
  const csv::Options options{.delimiter = '\x1f', .header = false};
  EXPECT_EQ(*read_text(write_text(gzip, options), options, schema_of(gzip)), gzip);
}

TEST(CsvRoundTrip, NoRowsNoColumns) {
  const CellTable nothing;
  EXPECT_EQ(write_text(nothing, {}), "");
  const CellTable no_rows{.columns = {{"a", DType::utf8}, {"b", DType::u8, true}}, .rows = {}};
  EXPECT_EQ(write_text(no_rows, {}), "a,b\n");
  EXPECT_EQ(*read_text("a,b\n", {}, schema_of(no_rows)), no_rows);
}

// Text written from a table is reproduced when read and written again. Skipped if the tables are not
// available.
TEST(CsvRoundTrip, PublicTables) {
  const char* const folder = std::getenv("BOBBIN_TABLES");
  if (folder == nullptr || !std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "BOBBIN_TABLES names no folder";
  }
  const csv::Options options{.delimiter = '|', .header = false};
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Result<CellTable> table = read_text(text, options);
    ASSERT_TRUE(table.has_value()) << table.error().message();
    const std::string first = write_text(*table, options);
    const Result<CellTable> back = read_text(first, options, schema_of(*table));
    ASSERT_TRUE(back.has_value()) << back.error().message();
    EXPECT_TRUE(*back == *table) << entry.path();
    const Result<CellTable> again = read_text(first, options);
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_TRUE(write_text(*again, options) == first) << entry.path();
    std::printf("%s: %s, %zu rows, %zu bytes became %zu\n", entry.path().filename().c_str(),
                schema_text(table->columns).c_str(), table->rows.size(), text.size(), first.size());
  }
}

}  // namespace
}  // namespace bobbin::csv_tests
