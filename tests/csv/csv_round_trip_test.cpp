// SPDX-License-Identifier: Apache-2.0
// Tables to text and back.
#include <gtest/gtest.h>

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
  options.nulls = {nulls[random.below(std::size(nulls))]};
  while (!csv::check(options).ok()) {
    options.nulls = {nulls[random.below(std::size(nulls))]};
  }
  options.buffer_bytes = 1 + random.below(300);
  options.batch_rows = 1 + random.below(40);
  options.sample_bytes = random.below(300);
  return options;
}

// Without a header the names are not in the text.
Table nameless(Table table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    table.columns[c].name = "c" + std::to_string(c);
  }
  return table;
}

TEST(CsvRoundTrip, AnyTableComesBackByItsSchema) {
  Random random(1);
  for (int round = 0; round < 4000; ++round) {
    const csv::Options options = draw_options(random);
    const Table drawn = draw_table(random, true);
    const Table table = options.header ? drawn : nameless(drawn);
    const std::string text = write_text(table, options);
    const Result<Table> back = read_text(text, options, schema_of(table));
    ASSERT_TRUE(back.has_value()) << back.error().message() << "\n" << text;
    ASSERT_EQ(*back, table) << text << "\n" << show(*back) << "\n" << show(table);
  }
}

// What types are guessed does not matter: they print the same bytes. (But for floats: 0.5 and 1 are guessed
// to be decimals, and then print as 0.5 and 1.0.)
TEST(CsvRoundTrip, OurTextComesBackByteForByte) {
  Random random(2);
  for (int round = 0; round < 4000; ++round) {
    csv::Options options = draw_options(random);
    const Table table = draw_table(random, false);
    const std::string text = write_text(table, options);
    const Result<Table> back = read_text(text, options);
    ASSERT_TRUE(back.has_value()) << back.error().message() << "\n" << text;
    ASSERT_EQ(write_text(*back, options), text) << show(*back);
  }
}

TEST(CsvRoundTrip, QuotesOnlyWhereTheyAreNeeded) {
  const Table table{
      .columns = {{"a", DType::utf8}, {"b,c", DType::i32, true}},
      .rows = {{"x", "1"}, {"", "2"}, {{}, {}}, {" y ", "3"}, {"q\"q", "4"}, {"l\nl", "5"}, {"r\r", "6"}}};
  EXPECT_EQ(write_text(table, {}), "a,\"b,c\"\nx,1\n\"\",2\n,\n y ,3\n\"q\"\"q\",4\n\"l\nl\",5\n\"r\r\",6\n");
  EXPECT_EQ(write_text(table, {.delimiter = '|', .header = false, .nulls = {"x"}}),
            "\"x\"|1\n\"\"|2\nx|x\n y |3\n\"q\"\"q\"|4\n\"l\nl\"|5\n\"r\r\"|6\n");
  const Table marked{.columns = {{"\xef\xbb\xbf"
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

TEST(CsvRoundTrip, NoRowsNoColumns) {
  const Table nothing;
  EXPECT_EQ(write_text(nothing, {}), "");
  const Table no_rows{.columns = {{"a", DType::utf8}, {"b", DType::u8, true}}, .rows = {}};
  EXPECT_EQ(write_text(no_rows, {}), "a,b\n");
  EXPECT_EQ(*read_text("a,b\n", {}, schema_of(no_rows)), no_rows);
}

// The text that comes out of a table is the same when it goes in again. Skipped where the tables are not.
TEST(CsvRoundTrip, PublicTables) {
  const char* const folder = std::getenv("BOBBIN_TABLES");
  if (folder == nullptr || !std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "BOBBIN_TABLES names no folder";
  }
  const csv::Options options{.delimiter = '|', .header = false};
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Result<Table> table = read_text(text, options);
    ASSERT_TRUE(table.has_value()) << table.error().message();
    const std::string first = write_text(*table, options);
    const Result<Table> back = read_text(first, options, schema_of(*table));
    ASSERT_TRUE(back.has_value()) << back.error().message();
    EXPECT_TRUE(*back == *table) << entry.path();
    const Result<Table> again = read_text(first, options);
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_TRUE(write_text(*again, options) == first) << entry.path();
    std::printf("%s: %s, %zu rows, %zu bytes became %zu\n", entry.path().filename().c_str(),
                csv::schema_text(table->columns).c_str(), table->rows.size(), text.size(), first.size());
  }
}

}  // namespace
}  // namespace bobbin::csv_tests
