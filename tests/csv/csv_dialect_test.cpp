// SPDX-License-Identifier: Apache-2.0
// Dialects: what is detected, and what options say.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "csv/reader.hpp"
#include "csv/sniff.hpp"
#include "tests/csv/support.hpp"
#include "tests/drawn.hpp"

namespace bobbin::csv_tests {
namespace {

using csv::Options;

std::string found(const std::string& text, const csv::Known& known = {}) {
  csv::Source source = csv::Source::from_memory(text, "t.csv");
  Result<csv::Sniffed> sniffed = csv::sniff(source, {}, known);
  if (sniffed.has_value()) {
    sniffed->first_record.clear();  // csv_header_test.cpp has what is said of it
  }
  return sniffed.has_value() ? csv::describe(*sniffed) : sniffed.error().message();
}

TEST(CsvSniff, Delimiters) {
  EXPECT_EQ(found("a,b\n1,2\n"), "delimiter ',', quote '\"', header row, 2 columns");
  EXPECT_EQ(found("a;b\n1,5;2\n3,5;4\n"), "delimiter ';', quote '\"', header row, 2 columns");
  EXPECT_EQ(found("a\tb c\n1\tx, y\n"), "delimiter tab, quote '\"', header row, 2 columns");
  EXPECT_EQ(found("1|x\n2|y\n"), "delimiter '|', quote '\"', no header row, 2 columns");
  EXPECT_EQ(found("name\nx\ny\n"), "delimiter ',', quote '\"', header row, 1 column");
  EXPECT_EQ(found("a,b\n\"x;y;z\",2\n\"u;v\",3\n"), "delimiter ',', quote '\"', header row, 2 columns");
  EXPECT_EQ(found(""), "delimiter ',', quote '\"', header row, 0 columns");
  EXPECT_EQ(found("a;b\n", {.delimiter = ','}), "delimiter ',', quote '\"', header row, 1 column");
}

TEST(CsvSniff, LinesBeforeTheTable) {
  EXPECT_EQ(found("Sales by region\n2024\n\nregion,year,sum\nN,2023,1\nS,2024,2\n"),
            "delimiter ',', quote '\"', header row, 3 columns, 3 lines skipped");
  EXPECT_EQ(found("Sales\na,b,c\n1,2,3\n4,5,6\n", {.skips = true}),
            "delimiter ',', quote '\"', header row, 3 columns");
  // Lines that contain delimiters, if names of typed columns follow.
  EXPECT_EQ(found("Sales, by region\n2024\n\nregion,year,sum\nN,2023,1\nS,2024,2\n"),
            "delimiter ',', quote '\"', header row, 3 columns, 3 lines skipped");
  EXPECT_EQ(found("x,y\nregion,name,city\nN,a,b\nS,c,d\n"),
            "delimiter ',', quote '\"', header row, 3 columns");
  // Not a header with too few or too many names, nor a record that is too short.
  EXPECT_EQ(found("a,b\n1,2,3\n4,5,6\n"),
            "delimiter ',', quote '\"', header row without the first column's name, 3 columns");
  EXPECT_EQ(found("a,b,c,d\nx,y,z\n4,5,6\n"), "delimiter ',', quote '\"', header row, 3 columns");
  EXPECT_EQ(found("a,b,c\n1,2\n4,5,6\n7,8,9\n"), "delimiter ',', quote '\"', header row, 3 columns");
  EXPECT_EQ(found("a\n1,2\n4,5\n"),
            "delimiter ',', quote '\"', header row without the first column's name, 2 columns");
}

TEST(CsvDialect, RaggedTables) {
  Options options;
  EXPECT_EQ(read_as("a,b\n1,2,3\n", options),
            "t.csv:2:5: expected 2 fields, found 3 (--ragged pad adds columns that the header lacks)");
  EXPECT_EQ(read_as("a,b\n1,2\n3\n", options),
            "t.csv:3:1: expected 2 fields, found 1 (--ragged pad reads missing fields as nulls)");
  EXPECT_EQ(read_as("a,b\n1,2\n3,4,5\n", options), "t.csv:3:5: expected 2 fields, found 3");
  options.ragged = csv::Ragged::pad;
  EXPECT_EQ(read_as("a,b\n1,2,3\n4\n", options), read_as("a,b,c2\n1,2,3\n4,,\n", {}));
  EXPECT_EQ(read_as("a,b\n\n1,2,3\n", options), read_as("a,b,c2\n1,2,3\n", {}));
}

TEST(CsvSniff, Quotes) {
  EXPECT_EQ(found("a,b\n'x,y',2\n'u,v',3\n"), "delimiter ',', quote ''', header row, 2 columns");
  EXPECT_EQ(found("a\tb\n1\t\"x\n2\ty\n3\tz\n"), "delimiter tab, quote none, header row, 2 columns");
  EXPECT_EQ(found("a,b\nit's,2\nthat's,3\n"), "delimiter ',', quote '\"', header row, 2 columns");
  // Few fields have them, but records are alike only with them, or only without them.
  EXPECT_EQ(found("1\tx\n2\t'y\tz'\n3\tu\n4\tv\n"), "delimiter tab, quote ''', no header row, 2 columns");
  EXPECT_EQ(found("a|b\n\"x|y\nz|u\"\nv|\"w\"\n"), "delimiter '|', quote none, header row, 2 columns");
  // An error somewhere in the text does not make its quotes ordinary if they enclose delimiters.
  std::string rows = "a,b\n1,\"x\" y \"z\"\n";
  for (int i = 0; i < 40; ++i) {
    rows += i == 20 ? "2,\"u,v\"\n" : "2,w\n";
  }
  EXPECT_EQ(found(rows), "delimiter ',', quote '\"', header row, 2 columns");
}

// Values of one column, not fields that quotes are parts of.
TEST(CsvSniff, LinesInQuotes) {
  EXPECT_EQ(found("name\n\"x,y\"\n\"u,v\"\n"), "delimiter ',', quote '\"', header row, 1 column");
  EXPECT_EQ(found("\"a;b\"\n\"x;y\"\n\"u;v\"\n"), "delimiter ',', quote '\"', header row, 1 column");
  std::string text = "name\n";
  for (int i = 0; i < 3000; ++i) {
    text += i % 50 == 7 ? "Oslo\n" : "\"Berlin, Germany\"\n";
  }
  EXPECT_EQ(found(text), "delimiter ',', quote '\"', header row, 1 column");
}

TEST(CsvSniff, BlanksBeforeQuotes) {
  const std::string text = "\"Year\", \"Title\"\n1968, \"Greetings\"\n1970,\t \"Hi, Mom!\"\n";
  EXPECT_EQ(found(text), "delimiter ',', quote '\"', header row, 2 columns, blanks before quotes skipped");
  const Options skip{.skip_blanks = true};
  EXPECT_EQ(read_as(text, skip), "Year:i64,Title:utf8\n1968|Greetings\n1970|Hi, Mom!");
  EXPECT_EQ(read_as("a, b\n x, \"\"\"y\"\"\" z\r\n  \"u\"  ,\"\"\n , \"\"\n", skip),
            "a:utf8,\" b\":utf8\n x|\"y\" z\nu  |\n |");
  EXPECT_EQ(read_as("a,b\n1, \"x\n", skip), "t.csv:2:3: a quoted field is not closed");
  EXPECT_EQ(read_as("a\tb\n1\t \"x\ty\"\n", {.delimiter = '\t', .skip_blanks = true}),
            "a:i64,b:utf8\n1|x\ty");
  EXPECT_EQ(read_as("a,b\n1, \"x \\\" y\"\n", {.escape = '\\', .skip_blanks = true}),
            "a:i64,b:utf8\n1|x \" y");
  // Only a few values begin so, and records are alike without: quotes are characters of the text.
  EXPECT_EQ(found("a,b\n1,x\n2, \"y\"\n3,z\n4,u\n"), "delimiter ',', quote '\"', header row, 2 columns");
  EXPECT_EQ(found("a,b\n1, \"x\" y\n2, \"u\" v\n"), "delimiter ',', quote '\"', header row, 2 columns");
  EXPECT_EQ(found(text, {.quote = '\0'}), "delimiter ',', quote none, header row, 2 columns");
}

TEST(CsvSniff, DelimitersAfterTheLastColumn) {
  const std::string text = "a,b\n1,2,\n3,4,\r\n5,6,";
  EXPECT_EQ(found(text), "delimiter ',', quote '\"', header row, 2 columns, delimiter after the last column");
  const Options trailing{.trailing = true};
  EXPECT_EQ(read_as(text, trailing), "a:i64,b:i64\n1|2\n3|4\n5|6");
  EXPECT_EQ(read_as("a,b\n1,2\n\n3,\"4\",\n", trailing), "a:i64,b:i64\n1|2\n3|4");
  EXPECT_EQ(read_as("a\n1,\n\n2,\n", trailing), "a:i64\n1\n~\n2");
  EXPECT_EQ(read_as("a,b\n1,2,\n3,4,5\n", trailing), "t.csv:3:5: expected 2 fields, found 3");
  EXPECT_EQ(read_as("a,b\n1,2,\n3,4,\"\"\n", trailing), "t.csv:3:5: expected 2 fields, found 3");
  EXPECT_EQ(read_as("a,b\n1,2,,\n", trailing),
            "t.csv:2:5: expected 2 fields, found 4 (--ragged pad adds columns that the header lacks)");
  EXPECT_EQ(found("1,2\n3,4,\n5,6,\n"),
            "delimiter ',', quote '\"', no header row, 2 columns, delimiter after the last column");
  // A column without a name, or with values.
  EXPECT_EQ(found("a,b,\n1,2,\n3,4,\n"), "delimiter ',', quote '\"', header row, 3 columns");
  EXPECT_EQ(found("a,b\n1,2,\n3,4,5\n"),
            "delimiter ',', quote '\"', header row without the first column's name, 3 columns");
}

TEST(CsvSniff, Comments) {
  EXPECT_EQ(found("a;b\n  # x\n1;2\n#y;z;u\n3;4\n"),
            "delimiter ';', quote '\"', comment '#', header row, 2 columns");
  EXPECT_EQ(read_as("\t# x\na;b\n  # x\n1;2\n #", {.delimiter = ';', .comment = '#'}), "a:i64,b:i64\n1|2");
  // Fields may begin with it, and a header row, which lines before it do not change.
  EXPECT_EQ(found("a,b\n#1,2\n#3,4\n5\n"), "delimiter ',', quote '\"', header row, 2 columns");
  EXPECT_EQ(found("# x\n#id,b,c\n1,2,3\n4,5,6\n"),
            "delimiter ',', quote '\"', header row, 3 columns, 1 line skipped");
  EXPECT_EQ(found("## x\n#id,b,c\n1,2,3\n# y\n4,5,6\n"),
            "delimiter ',', quote '\"', header row, 3 columns, 1 line skipped");
}

// A table, and the same as other programs write it.
struct Dialects {
  std::string plain;
  std::string other;
};

enum class Kind : uint8_t { usual, trailing, comments, notes };

std::string some_words(Random& random, size_t delimiters) {
  std::string line = "about";
  for (size_t i = 0; i < delimiters; ++i) {
    line += ", part " + std::to_string(random.below(9));
  }
  return line + "\n";
}

std::string put_words(Random& random, bool blanks) {
  const char* const words[] = {"x", "Hi, Mom!", "a;b;c", "say \"\"yes\"\"", "two\nlines", "it's", "back\\"};
  const std::string quoted = std::string("\"") + words[random.below(std::size(words))] + "\"";
  return (blanks ? std::string(1 + random.below(3), ' ') : "") + quoted;
}

Dialects draw_dialects(Random& random, Kind kind, bool blanks) {
  const size_t columns = 3 + random.below(4);
  Dialects made;
  for (uint64_t i = kind == Kind::notes ? 1 + random.below(4) : 0; i > 0; --i) {
    made.other += some_words(random, random.below(columns - 1));
  }
  std::string header = "id";
  for (size_t c = 1; c < columns; ++c) {
    header += ",name" + std::to_string(c);
  }
  made.plain += header + "\n";
  made.other += header + "\n";
  for (uint64_t row = 20 + random.below(40); row > 0; --row) {
    if (kind == Kind::comments && (row == 2 || random.below(4) == 0)) {
      made.other += std::string(random.below(3), ' ') + "# " + some_words(random, random.below(columns - 1));
    }
    const std::string id = std::to_string(random.below(1000));
    made.plain += id;
    made.other += id;
    for (size_t c = 1; c < columns; ++c) {
      const std::string words = put_words(random, blanks);
      made.plain += "," + words.substr(words.find('"'));
      made.other += "," + words;
    }
    made.plain += "\n";
    made.other += kind == Kind::trailing ? ",\n" : "\n";
  }
  return made;
}

TEST(CsvSniff, DrawnDialectsAreTheSameTable) {
  Random random(17 + testing::draw_number());
  for (const uint64_t round : testing::drawn(400)) {
    const auto kind = static_cast<Kind>(round % 4);
    const Dialects texts = draw_dialects(random, kind, round / 4 % 2 == 1);
    csv::Source source = csv::Source::from_memory(texts.other, "t.csv");
    const Result<csv::Sniffed> sniffed = csv::sniff(source, {}, {});
    ASSERT_TRUE(sniffed.has_value());
    ASSERT_EQ(read_as(texts.other, sniffed->options), read_as(texts.plain, {}))
        << csv::describe(*sniffed) << "\n"
        << texts.other;
  }
}

TEST(CsvSniff, Escapes) {
  EXPECT_EQ(found("a,b\n1,\"x \\\"y, z\\\" u\"\n2,\"v\\\\\"\n"),
            "delimiter ',', quote '\"', escape '\\', header row, 2 columns");
  // These are complete without.
  EXPECT_EQ(found("a,b\n1,\"x\\\"\n2,\"y\\\"\n"), "delimiter ',', quote '\"', header row, 2 columns");
  // And these if blanks before quotes are skipped.
  EXPECT_EQ(found("a,b\n1, \"x, y\\\"\n2, \"z\"\n3, \"\\\"\n"),
            "delimiter ',', quote '\"', header row, 2 columns, blanks before quotes skipped");
  EXPECT_EQ(found("a,b\n1, \"x \\\"y, z\\\" u\"\n2, \"v\"\n"),
            "delimiter ',', quote '\"', escape '\\', header row, 2 columns, blanks before quotes skipped");
  // None was given.
  EXPECT_EQ(found("a,b\n1,\"x \\\"y\\\" u\"\n2,\"v\\\\\"\n", {.escape = '\0'}),
            "delimiter ',', quote none, header row, 2 columns");
  // A backslash before a letter would be lost.
  EXPECT_EQ(found("a,b\n1,\"x \\\"y\\\" u\"\n2,\"c:\\n\"\n"),
            "delimiter ',', quote none, header row, 2 columns");
}

TEST(CsvSniff, QuotesThatAreOpenAtTheEndOfTheSample) {
  std::string text = "a,b\n";
  for (int i = 0; i < 2000; ++i) {
    text += "\"one, two\n" + std::string(90, 'x') + "\",1\n";
  }
  EXPECT_EQ(found(text), "delimiter ',', quote '\"', header row, 2 columns");
}

TEST(CsvSniff, Headers) {
  EXPECT_EQ(found("1,x\n2,y\n"), "delimiter ',', quote '\"', no header row, 2 columns");
  EXPECT_EQ(found("1,2\n"), "delimiter ',', quote '\"', no header row, 2 columns");
  EXPECT_EQ(found("x,y\nu,v\n"), "delimiter ',', quote '\"', header row, 2 columns");
  EXPECT_EQ(found("country,1990,1991,1992\nSE,1,2,3\nNO,4,5,6\n"),
            "delimiter ',', quote '\"', header row, 4 columns");
  EXPECT_EQ(found("2014-08-08T18:00Z\n2014-08-08T18:00+01:00\n"),
            "delimiter ',', quote '\"', no header row, 1 column");
  EXPECT_EQ(found("1,x\n2,y\n", {.header = true}), "delimiter ',', quote '\"', header row, 2 columns");
}

TEST(CsvSniff, AFirstLineMayStateTheDelimiter) {
  const char* const stated = "delimiter ';', quote '\"', header row, 2 columns, 1 line skipped";
  EXPECT_EQ(found("sep=;\na;b\n1;2\n3;4\n"), stated);
  EXPECT_EQ(found("\"sep=;\"\r\na;b\r\n1;2,5\r\n3;4,5\r\n"), stated);
  EXPECT_EQ(found("sep=;\na;b\n1;2\n", {.delimiter = ';'}), stated);
  EXPECT_EQ(found("sep=,x\n1,2\n"), "delimiter ',', quote '\"', header row, 2 columns");
}

TEST(CsvSniff, ALongFirstLineIsReadToItsEnd) {
  std::string names = "x0";
  std::string values = "1";
  for (int i = 1; i < 40'000; ++i) {
    names += ",x" + std::to_string(i);
    values += ",1";
  }
  EXPECT_EQ(found(names + "\n" + values + "\n"), "delimiter ',', quote '\"', header row, 40000 columns");
}

TEST(CsvSniff, LineEnds) {
  EXPECT_EQ(found("a,b\r1,2\r3,4\r"), "delimiter ',', quote '\"', header row, 2 columns, lines end in CR");
  EXPECT_EQ(read_as("a,b\r1,2\r3,4", {.line_end = csv::LineEnd::cr}), "a:i64,b:i64\n1|2\n3|4");
  EXPECT_EQ(read_as("a,b\r1,\"x\ry\"\r", {.line_end = csv::LineEnd::cr}), "a:i64,b:utf8\n1|x\ry");
  EXPECT_EQ(read_as("a,b\r1\r", {.line_end = csv::LineEnd::cr}),
            "t.csv:2:1: expected 2 fields, found 1 (--ragged pad reads missing fields as nulls)");
  // CRs are line ends if records are alike only then, although an LF is in quotes or at the end of the text.
  const char* const by_returns = "delimiter ',', quote '\"', header row, 2 columns, lines end in CR";
  EXPECT_EQ(found("a,b\r1,2\r3,4\n"), by_returns);
  EXPECT_EQ(found("a,b\r1,2\r3,4\r\n"), by_returns);
  EXPECT_EQ(found("a,b\rx,\"1\n2\"\rz,\"3\n4\"\ru,5\r"), by_returns);
  EXPECT_EQ(found("a,b\nx\ry\rz,2\nu,3\n"), "delimiter ',', quote '\"', header row, 2 columns");
  // More LFs in quotes than CRs.
  EXPECT_EQ(found("id,note\r0,\"Sir,\nthank\nyou\"\r1,\"Sir,\nthank\nyou\"\r"), by_returns);
  EXPECT_NE(found("a,b\n1,2\r3,4\n5,6\n"),
            "delimiter ',', quote '\"', header row, 3 columns, lines end in CR");
  // An LF that begins a record is not: these lines end in CR or CRLF.
  EXPECT_EQ(read_as("a,b\r\n1,2\r3,4\r5,6\r\n", {}),
            "t.csv:2:7: expected 2 fields, found 4 (--ragged pad adds columns that the header lacks)");
  EXPECT_NE(found("a,b\r\n1,2\r3,4\r5,6\r\n"), by_returns);
  // One after an escape is data.
  EXPECT_EQ(read_as("a,b\r1,2\r3,x\\\n", {.escape = '\\', .line_end = csv::LineEnd::cr}),
            "a:i64,b:utf8\n1|2\n3|x\n");
  for (const char* const end : {"", "\r", "\n", "\r\n"}) {
    EXPECT_EQ(read_as(std::string("a,b\r1,\r3,4") + end, {.line_end = csv::LineEnd::cr}),
              "a:i64,b:i64\n1|~\n3|4");
    EXPECT_EQ(read_as(std::string("a,b\r1,\"x\n\"") + end, {.line_end = csv::LineEnd::cr}),
              "a:i64,b:utf8\n1|x\n");
  }
  // A CR that ends the text is data.
  EXPECT_EQ(read_as("a\nx\r", {}), "a:utf8\nx\r");
  EXPECT_EQ(read_as("a,b\n1,\r", {}), "a:i64,b:utf8\n1|\r");
}

TEST(CsvDialect, TextAfterAClosingQuote) {
  EXPECT_EQ(read_as("a,b\n\"x\"y,2\n", {}), "a:utf8,b:i64\nxy|2");
  EXPECT_EQ(read_as("a,b\n\"x\"\"z\"y,\"2\" \r\n", {}), "a:utf8,b:i64\nx\"zy|2");
  EXPECT_EQ(read_as("a,b\n\"x\" \"y\",2\n", {}), "t.csv:2:4: text and another quote after a closing quote");
  EXPECT_EQ(read_as("a,b\n\"x \\\"y\\\"\",2\n", {}),
            "t.csv:2:6: text and another quote after a closing quote (--escape '\\' reads \\\" as a quote)");
}

TEST(CsvDialect, QuotesAndEscapes) {
  EXPECT_EQ(read_as("a,b\n'x,y',\"z\n", {.quote = '\''}), "a:utf8,b:utf8\nx,y|\"z");
  EXPECT_EQ(read_as("a,b\n\"x,2\n", {.quote = '\0'}), "a:utf8,b:i64\n\"x|2");
  EXPECT_EQ(read_as("a,b\n\"x\\\"y\\\\\",2\n", {.escape = '\\'}), "a:utf8,b:i64\nx\"y\\|2");
  EXPECT_EQ(read_as("a,b\nx\\,y,2\nu\\\nv,3\n", {.escape = '\\'}), "a:utf8,b:i64\nx,y|2\nu\nv|3");
  EXPECT_EQ(read_as("a,b\n\"x\"\"y\",2\n", {.escape = '\\'}), "a:utf8,b:i64\nx\"y|2");
  for (const size_t size : {50U, 100U, 150U, 200U}) {  // a field whose escape is blocks before its end
    const std::string rest(size, 'y');
    EXPECT_EQ(read_as("a,b\nx\\," + rest + ",1\nz,2\n" + rest + ",3\n", {.escape = '\\'}),
              "a:utf8,b:i64\nx," + rest + "|1\nz|2\n" + rest + "|3");
  }
  EXPECT_EQ(read_as("a,b\n\\N,2\n", {.escape = '\\', .nulls = {"\\N"}}), "a:utf8,b:i64\n~|2");
  // Parts of numbers.
  EXPECT_EQ(read_as("a,b\n-1.5,-12\n0.12345678901,3\n", {.escape = '-'}),
            "a:f64,b:i64\n1.5|12\n0.12345678901|3");
  EXPECT_EQ(read_as("a,b\n1.5,x\n0..12345678901,y\n", {.escape = '.'}),
            "a:f64,b:utf8\n15|x\n0.12345678901|y");
  EXPECT_EQ(read_as("a,b\n1.5,x\n2..5,y\n", {.escape = '.'}), "a:decimal(1),b:utf8\n15.0|x\n2.5|y");
}

TEST(CsvDialect, CommentsAndSkippedLines) {
  EXPECT_EQ(read_as("# \"one, two\na,b\n#3,4,5\n1,2\n#", {.comment = '#'}), "a:i64,b:i64\n1|2");
  EXPECT_EQ(read_as("a,b\n\"#x\",2\n\"y\n#z\",3\n", {.comment = '#'}), "a:utf8,b:i64\n#x|2\ny\n#z|3");
  EXPECT_EQ(read_as("title \"x\nmore\na,b\n1,2\n", {.skip_lines = 2}), "a:i64,b:i64\n1|2");
  EXPECT_EQ(read_as("a,b\n1\n", {.skip_lines = 5}), "");
  EXPECT_EQ(read_as("#\n\na,b\n1\n", {.comment = '#', .skip_lines = 1}),
            "t.csv:4:1: expected 2 fields, found 1 (--ragged pad reads missing fields as nulls)");
}

TEST(CsvDialect, ShortRecords) {
  const Options pad{.ragged = csv::Ragged::pad};
  EXPECT_EQ(read_as("a,b,c\n1\n2,3\r\n4,5,6\n7,\"8\"\r\n", pad),
            "a:i64,b:i64,c:i64\n1|~|~\n2|3|~\n4|5|6\n7|8|~");
  EXPECT_EQ(read_as("a,b\n1\n\n2\n\r\n3,4\n", pad), "a:i64,b:i64\n1|~\n2|~\n3|4");
  EXPECT_EQ(read_as("a,b,c\nx\r\ny,\r\n", pad), "a:utf8,b:utf8,c:utf8\nx|~|~\ny|~|~");
  EXPECT_EQ(read_as("a,b\n1,2\n1,2,3\n", pad), "t.csv:3:5: expected 2 fields, found 3");
  Options words{.ragged = csv::Ragged::pad};
  words.nulls = {"NA"};
  EXPECT_EQ(read_as("a,b\nx\n", words), "a:utf8,b:utf8\nx|");
}

TEST(CsvDialect, SeveralTexts) {
  const auto read = [](const std::vector<std::string>& texts, const Options& options) -> std::string {
    std::vector<csv::Source> sources;
    for (size_t i = 0; i < texts.size(); ++i) {
      sources.push_back(csv::Source::from_memory(texts[i], "t" + std::to_string(i) + ".csv"));
    }
    Result<csv::Reader> reader = csv::Reader::open(std::move(sources), options, {});
    if (!reader.has_value()) {
      return reader.error().message();
    }
    uint64_t rows = 0;
    while (true) {
      const Result<csv::Reader::Step> step = reader->next();
      if (!step.has_value()) {
        return step.error().message();
      }
      if (*step == csv::Reader::Step::end) {
        return schema_text(reader->columns()) + " " + std::to_string(rows);
      }
      rows = *step == csv::Reader::Step::restart ? 0 : rows + reader->batch().rows;
    }
  };
  for (const uint64_t sample : {uint64_t{0}, uint64_t{1000}}) {
    const Options options{.sample_bytes = sample};
    EXPECT_EQ(read({"a,b\n1,2\n", "a,b\n3,x", "", "a,b\n"}, options), "a:i64,b:utf8 2");
    EXPECT_EQ(read({"", "a\n1\n"}, options), "a:i64 1");
    EXPECT_EQ(read({"a,b\n1,2\n", "a,c\n3,4\n"}, options),
              "t1.csv: the header differs from the first file's: column 2 is \"c\", expected \"b\"");
    EXPECT_EQ(read({"a,b\n1,2\n", "a,b\n3\n"}, options),
              "t1.csv:2:1: expected 2 fields, found 1 (--ragged pad reads missing fields as nulls)");
  }
  EXPECT_EQ(read({"1,2\n", "3,4\n"}, {.header = false}), "c0:i64,c1:i64 2");
}

TEST(CsvDialect, Encodings) {
  using namespace std::string_literals;
  const auto read = [](const std::string& text, csv::Encoding encoding) -> std::string {
    csv::Source source = csv::Source::from_memory(text, "t.csv");
    source.set_encoding(encoding);
    std::string out;
    for (char piece[3]; true;) {
      const Result<size_t> size = source.read(piece);
      if (!size.has_value()) {
        return size.error().message();
      }
      if (*size == 0) {
        return out;
      }
      out.append(piece, *size);
    }
  };
  EXPECT_EQ(read("gr\xf6\xdf"s
                 "e",
                 csv::Encoding::latin1),
            "größe");
  EXPECT_EQ(read("\xff\xfe"s
                 "a\0\xac\x20\x3d\xd8\x00\xde"s,
                 csv::Encoding::utf8),
            "\xef\xbb\xbf"
            "a€😀");
  EXPECT_EQ(read("\xfe\xff\0a"s, csv::Encoding::utf8),
            "\xef\xbb\xbf"
            "a");
  EXPECT_EQ(read("a\0b\0"s, csv::Encoding::utf16), "ab");
  EXPECT_EQ(read("\0a\0b"s, csv::Encoding::utf16), "ab");
  EXPECT_EQ(read("a\0b"s, csv::Encoding::utf16), "t.csv: the text is not UTF-16: it ends within a character");
  EXPECT_EQ(read("a\0\x00\xde"s, csv::Encoding::utf16),
            "t.csv: the text is not UTF-16: a surrogate without its pair");
  EXPECT_EQ(read("x", csv::Encoding::utf8), "x");
  EXPECT_EQ(read("", csv::Encoding::utf16), "");
}

TEST(CsvDialect, MarksThatMakeNoSense) {
  EXPECT_EQ(error_of("a\n", {.quote = ','}),
            "delimiter, quote, escape and comment must be different characters");
  EXPECT_EQ(error_of("a\n", {.comment = 'x'}),
            "a quote, escape or comment must be one ASCII character other than a letter, digit or line end");
  EXPECT_EQ(csv::parse_mark("none"), '\0');
  EXPECT_FALSE(csv::parse_mark("ab").has_value());
}

TEST(CsvDialect, WhatNeedsQuotesIsNotWrittenWithout) {
  const CellTable table{.columns = {{"a", DType::utf8}}, .rows = {{"x,y"}}};
  EXPECT_EQ(write_text(table, {.quote = '\''}), "a\n'x,y'\n");
  EXPECT_EQ(write_text(table, {.line_end = csv::LineEnd::crlf}), "a\r\n\"x,y\"\r\n");
  // Bytes that a reader would take for UTF-16 or gzip.
  const CellTable bytes{.columns = {{"a", DType::binary}}, .rows = {{"\xff\xfe"}}};
  EXPECT_EQ(write_text(bytes, {.header = false}), "\"\xff\xfe\"\n");
  // A first line that would state the delimiter.
  const CellTable stating{.columns = {{"a", DType::utf8}, {"b", DType::utf8}},
                          .rows = {{"sep=", {}}, {"sep=", {}}}};
  EXPECT_EQ(write_text(stating, {.header = false}), "\"sep=\",\nsep=,\n");
  EXPECT_EQ(found("\"sep=\",\nsep=,\n"), "delimiter ',', quote '\"', header row, 2 columns");
  const CellTable states{.columns = {{"a", DType::utf8}}, .rows = {{"sep=;"}}};
  EXPECT_EQ(try_write_text(states, {.header = false}).error().message(),
            "\"sep=;\" cannot be the first line: it would state the delimiter");
  EXPECT_EQ(write_text(states, {}), "a\nsep=;\n");
  // A quote that completes the first bytes of a gzip stream, and a null that is a byte order mark.
  const CellTable gzip{.columns = {{"a", DType::binary}}, .rows = {{"\x8b;"}}};
  const CellTable null{.columns = {{"a", DType::utf8}}, .rows = {{{}}}};
  for (const auto& text : {try_write_text(gzip, {.delimiter = ';', .quote = '\x1f', .header = false}),
                           try_write_text(null, {.header = false, .nulls = {"\xef\xbb\xbf"}})}) {
    EXPECT_EQ(
        text.error().message(),
        "with this delimiter, quote or null, the text would begin like compressed data or a byte order mark");
  }
  const CellTable escaped{.columns = {{"a", DType::utf8}}, .rows = {{"x\\\"y"}}};
  EXPECT_EQ(write_text(escaped, {.escape = '\\'}), "a\n\"x\\\\\\\"y\"\n");
}

}  // namespace
}  // namespace bobbin::csv_tests
