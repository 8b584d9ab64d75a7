// SPDX-License-Identifier: Apache-2.0
// How texts are read, and the errors for texts that are not tables.
#include "csv/reader.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/csv/support.hpp"

namespace bobbin::csv_tests {
namespace {

using csv::Options;

Schema schema(const std::string& text) {
  return parse_schema(text).value();
}

const Options kNoHeader{.header = false};
const Options kBar{.delimiter = '|', .header = false};

TEST(CsvReader, Plain) {
  EXPECT_EQ(read_as("a,b\n1,x\n2,y\n"), "a:i64,b:utf8\n1|x\n2|y");
  EXPECT_EQ(read_as("a,b\r\n1,x\r\n2,y\r\n"), "a:i64,b:utf8\n1|x\n2|y");
  EXPECT_EQ(read_as("a,b\n1,x\r\n2,y"), "a:i64,b:utf8\n1|x\n2|y");
  EXPECT_EQ(read_as("1|x\n2|y\n", kBar), "c0:i64,c1:utf8\n1|x\n2|y");
  EXPECT_EQ(read_as("\xef\xbb\xbf"
                    "a,b\n1,2\n"),
            "a:i64,b:i64\n1|2");
  EXPECT_EQ(read_as("\xef\xbb\xbf"
                    "\"a\",b\n1,2\n"),
            "a:i64,b:i64\n1|2");
}

TEST(CsvReader, NothingAndLittle) {
  EXPECT_EQ(read_as(""), "");
  EXPECT_EQ(read_as("", kNoHeader), "");
  EXPECT_EQ(read_as("\xef\xbb\xbf"), "");
  EXPECT_EQ(read_as("a,b\n"), "a:utf8,b:utf8");
  EXPECT_EQ(read_as("a,b"), "a:utf8,b:utf8");
  EXPECT_EQ(read_as("a\n1"), "a:i64\n1");
  EXPECT_EQ(read_as("", {}, schema("a:i64,b:utf8")), "a:i64,b:utf8");
  EXPECT_EQ(read_as("1", kNoHeader), "c0:i64\n1");
}

TEST(CsvReader, Quotes) {
  EXPECT_EQ(read_as("a,b\n\"x,y\",\"1\"\n"), "a:utf8,b:i64\nx,y|1");
  EXPECT_EQ(read_as("a\n\"say \"\"hi\"\"\"\n"), "a:utf8\nsay \"hi\"");
  EXPECT_EQ(read_as("a,b\n\"line\none\",2\r\n\"\"\"\",3\r\n"), "a:utf8,b:i64\nline\none|2\n\"|3");
  EXPECT_EQ(read_as("a,b\n\"x\r\ny\",\"z\"\r\n"), "a:utf8,b:utf8\nx\r\ny|z");
  EXPECT_EQ(read_as("\"a,1\",\"b\"\"\"\n1,2\n"), "\"a,1\":i64,\"b\"\"\":i64\n1|2");
  EXPECT_EQ(read_as("a,b\n\"x\",\"y\""), "a:utf8,b:utf8\nx|y");
  EXPECT_EQ(read_as("a,b\n\"x\",\"y\"\r"), "a:utf8,b:utf8\nx|y");
  // A quote inside a field that does not begin with one is an ordinary character.
  EXPECT_EQ(read_as("a,b\n5\" pipe,x\"\"y\n"), "a:utf8,b:utf8\n5\" pipe|x\"\"y");
  EXPECT_EQ(read_as("a,b\nx \"y,z\",1\n").substr(0, 6), "t.csv:");
}

TEST(CsvReader, LongQuotedFieldsOverManyBlocks) {
  std::string inner(500, 'x');
  for (size_t i = 0; i < inner.size(); i += 31) {
    inner[i] = i % 2 == 0 ? ',' : '\n';
  }
  EXPECT_EQ(read_as("a,b\n\"" + inner + "\",2\n3,4\n"), "a:utf8,b:i64\n" + inner + "|2\n3|4");
}

TEST(CsvReader, NullsAndEmptyStrings) {
  EXPECT_EQ(read_as("a,b\n,x\n1,\n"), "a:i64,b:utf8\n~|x\n1|~");
  EXPECT_EQ(read_as("a,b\n\"\",x\n1,\"\"\n"), "a:i64,b:utf8\n~|x\n1|");
  EXPECT_EQ(read_as("a,b\n\"\",x\n\"\",\"\"\n"), "a:utf8,b:utf8\n|x\n|");
  EXPECT_EQ(read_as("a\nNA\n1\nnull\n", {.nulls = {"NA", "null"}}), "a:i64\n~\n1\n~");
  EXPECT_EQ(read_as("a\n\"NA\"\n1\n", {.nulls = {"NA"}}), "a:i64\n~\n1");
  EXPECT_EQ(read_as("a\n\"x\"\nx\n1\n", {.nulls = {"x"}}), "a:utf8\nx\n~\n1");
  EXPECT_EQ(read_as("a,b\n,1\n", {.nulls = {"NA"}}), "a:utf8,b:i64\n|1");
  EXPECT_EQ(read_as("a,b\n,\n,\n"), "a:utf8,b:utf8\n~|~\n~|~");
}

TEST(CsvReader, NullsThatLookLikeValues) {
  const Options options{.nulls = {"", "0", "-1"}};
  EXPECT_EQ(read_as("a,b\n0,1.5\n10,0\n-1,-1\n", options), "a:i64,b:decimal(1)\n~|1.5\n10|~\n~|~");
  // Quoted, it is a value.
  EXPECT_EQ(read_as("a\n\"0\"\n0\n", options), "a:i64\n0\n~");
  // A quoted empty field is not a number, but null.
  EXPECT_EQ(read_as("a,b\n2014-08-08,1\n\"\",2\n", options, schema("a:date,b:i64")),
            "a:date,b:i64\n2014-08-08|1\n~|2");
}

// Eight bytes are read starting after the point, of a text that is not in the buffer.
// Some are read while the types are inferred, others afterwards; nulls and integers are among them.
TEST(CsvReader, FloatsOfManyDigits) {
  const std::string text =
      "a,b\n1,0.1234567891\n,\n0.30000000000000004,-.7442992126518518\n\"2.5\",3\nnan,-0.1234567891\n7,\n";
  EXPECT_EQ(read_as(text),
            "a:f64,b:f64\n1|0.1234567891\n~|~\n0.30000000000000004|-0.7442992126518518\n2.5|3\n"
            "nan|-0.1234567891\n7|~");
  EXPECT_EQ(read_as(text, {.nulls = {"", "7", "0.1234567891"}}),
            "a:f64,b:f64\n1|~\n~|~\n0.30000000000000004|-0.7442992126518518\n2.5|3\nnan|-0.1234567891\n~|~");
  // A late value makes the column text.
  EXPECT_EQ(read_as("a\n0.1234567891\n0.30000000000000004\nx y\n"),
            "a:utf8\n0.1234567891\n0.30000000000000004\nx y");
}

TEST(CsvReader, EscapedDecimals) {
  const auto refused = read_as("x\n\"12345678.1\"\"\"\n", {}, schema("x:decimal(1)"));
  EXPECT_NE(refused.find("12345678.1"), std::string::npos) << refused;
}

TEST(CsvReader, ManyColumnsOfStrings) {
  std::string header;
  std::string row;
  std::string schema_text;
  for (int c = 0; c < 40; ++c) {
    header += (c == 0 ? "c" : ",c") + std::to_string(c);
    row += (c == 0 ? "" : ",") + std::string(static_cast<size_t>(c), 's') + "\"\"";
    schema_text += (c == 0 ? "c" : ",c") + std::to_string(c) + ":utf8";
  }
  const Result<CellTable> table = read_text(header + "\n" + row + "\n" + row + "\n", {}, schema(schema_text));
  ASSERT_TRUE(table.has_value()) << table.error().message();
  const std::string shown = show(*table);
  EXPECT_NE(shown.find(std::string(39, 's') + "\"\""), std::string::npos) << shown;
}

TEST(CsvReader, BlankLines) {
  EXPECT_EQ(read_as("\n\na,b\n\n1,2\n\r\n\n3,4\n\n"), "a:i64,b:i64\n1|2\n3|4");
  EXPECT_EQ(read_as("a\n1\n\n2\n\n"), "a:i64\n1\n~\n2\n~");
  EXPECT_EQ(read_as("a\n1\n\r\n2\n"), "a:i64\n1\n~\n2");
  EXPECT_EQ(read_as("\n\n1\n", kNoHeader), "c0:i64\n~\n~\n1");
  EXPECT_EQ(read_as("\n\n1,2\n", kNoHeader), "c0:i64,c1:i64\n1|2");
  EXPECT_EQ(read_as("\n\n", kNoHeader), "c0:utf8\n~\n~");
  EXPECT_EQ(read_as("\n\n"), "");
}

TEST(CsvReader, OddBytes) {
  using namespace std::string_literals;
  EXPECT_EQ(read_as("a,b\nx\0y,1\n"s), "a:utf8,b:i64\nx\0y|1"s);
  EXPECT_EQ(read_as("a\n1\0\n"s), "a:utf8\n1\0"s);
  EXPECT_EQ(read_as("a\nx\ry\n"), "a:utf8\nx\ry");
  EXPECT_EQ(read_as("a,b\n\xff,1\n2,3\n"), "a:binary,b:i64\n\xff|1\n2|3");
  EXPECT_EQ(read_as("a,b\n1,1\n2,3\n\xff,5\n"), "a:binary,b:i64\n1|1\n2|3\n\xff|5");
  EXPECT_EQ(read_as("größe\nä\n"), "größe:utf8\nä");
  EXPECT_EQ(read_as("a\tb\n1\t2\n", {.delimiter = '\t'}), "a:i64,b:i64\n1|2");
  EXPECT_EQ(read_as("a\x01"
                    "b\n1\x01"
                    "2\n",
                    {.delimiter = '\x01'}),
            "a:i64,b:i64\n1|2");
}

TEST(CsvReader, Names) {
  EXPECT_EQ(read_as("a,,c\n1,2,3\n"), "a:i64,c1:i64,c:i64\n1|2|3");
  EXPECT_EQ(read_as("a,b,a\n1,2,3\n"), "a:i64,b:i64,a_1:i64\n1|2|3");
  EXPECT_EQ(read_as("c1,\n1,2\n"), "c1:i64,c1_1:i64\n1|2");
  EXPECT_EQ(read_as("a,\xff\n1,2\n"),
            "t.csv:1:3: column 2: the name \"\\xff\" is not UTF-8 (--encoding latin1 reads it)");
  EXPECT_EQ(read_as(std::string("a,b\0\n1,2\n", 9)),
            "t.csv:1:3: column 2: the name \"b\\x00\" contains a NUL byte");
  EXPECT_EQ(read_as("a,b\n1,2\n", {}, schema("a:i8,b:u8")), "a:i8,b:u8\n1|2");
  EXPECT_EQ(read_as("a,b\n1,2\n", {}, schema("i8,utf8")), "a:i8,b:utf8\n1|2");
  EXPECT_EQ(read_as("a,b\n1,2\n", {}, schema("x:i8,b:u8")),
            "t.csv: the schema names column \"x\", which the header does not have");
  EXPECT_EQ(read_as("a,b\n1,2\n", {}, schema("b: f64")), "a:i64,b:f64\n1|2");
  EXPECT_EQ(read_as("a,b\n1,2\n", {}, schema("b: f64, a: u8")), "a:u8,b:f64\n1|2");
  EXPECT_EQ(read_as("a,b\n1,x\ny,2\n", {}, schema("b:i8")),
            "t.csv:2:3: column 2 \"b\": \"x\" is not a valid i8");
  EXPECT_EQ(read_as("a,b\n1,2\n", {}, schema("b:f64,b:u8")), "t.csv: the schema names column \"b\" twice");
  EXPECT_EQ(read_as("a_1,a,a,\n1,2,3,4\n"), "a_1:i64,a:i64,a_2:i64,c3:i64\n1|2|3|4");
  EXPECT_EQ(read_as("a,b\n1,2\n", {}, schema("i8")), "t.csv: the schema has 1 columns, the header 2");
  EXPECT_EQ(read_as("1,2\n", kNoHeader, schema("x:i8,u8")), "x:i8,c1:u8\n1|2");
}

// A reader's notes about a text.
std::vector<std::string> notes_of(const std::string& text, const Options& options = {},
                                  const std::optional<Schema>& types = {}) {
  Result<csv::Reader> reader = csv::Reader::open(csv::Source::from_memory(text, "t.csv"), options, types);
  EXPECT_TRUE(reader.has_value());
  while (reader->next().value() != csv::Reader::Step::end) {
  }
  return reader->notes();
}

// Each name is tried once: many columns take no longer than others.
TEST(CsvReader, ManyColumnsMayHaveOneName) {
  constexpr int kColumns = 20'000;
  std::string names = "a";
  std::string values = "1";
  for (int i = 1; i < kColumns; ++i) {
    names += ",a";
    values += ",1";
  }
  const auto notes = notes_of(names + "\n" + values + "\n");
  ASSERT_EQ(notes.size(), kColumns - 1);
  EXPECT_EQ(notes.back(), "column 20000 is renamed a_19999: the name \"a\" is taken");
}

TEST(CsvReader, NotesSayWhatChanged) {
  std::string rates = "rate,n\n";
  for (int i = 0; i < 50; ++i) {
    rates += "1.5,2\n";
  }
  EXPECT_EQ(notes_of(rates), std::vector<std::string>{});
  const std::vector<std::string> late{"column rate: N/A is read as null (--null none keeps it as text)"};
  EXPECT_EQ(notes_of(rates + "N/A,2\n"), late);
  EXPECT_EQ(notes_of(rates + "N/A,2\n", {.sample_bytes = 10}), late);
  EXPECT_EQ(notes_of(rates + "\"N/A\",2\n"), late);
  EXPECT_EQ(notes_of(rates + "N/A,2\n", {.null_words = false}),
            std::vector<std::string>{
                "column rate: text, because of \"N/A\" at line 52 (--null N/A reads it as null)"});
  EXPECT_EQ(notes_of("a,b,c\n1,-,x\n-,1.5,-\n", {}),
            std::vector<std::string>{"columns a, b: - is read as null (--null none keeps it as text)"});
  EXPECT_EQ(notes_of(rates + "N/A,2\n- -,2\n"),
            std::vector<std::string>{"column rate: text, because of \"N/A\" at line 52, \"- -\" at line 53 "
                                     "(--null N/A --null '- -' read them as null)"});
  EXPECT_EQ(notes_of("flag,rate\n" + rates.substr(7) + "x,\"N\n/A\"\nx,N/B\n"),
            (std::vector<std::string>{
                "column flag: text, because of \"x\" at line 52 (--null x reads it as null)",
                "column rate: text, because of \"N\\x0a/A\" at line 52, \"N/B\" at line 54"}));
  EXPECT_EQ(notes_of("flag\nN\nN\nN\nR\nA\nN\n"), std::vector<std::string>{});  // a code, not "no"
  EXPECT_EQ(notes_of("t\n2020-01-01T10:00:00+02:00\n2020-07-01T10:00:00+01:00\n"),
            std::vector<std::string>{"column t: text, because its times have different offsets from UTC, as "
                                     "\"2020-07-01T10:00:00+01:00\" at line 3 (--schema 't:timestamp[s]' "
                                     "reads them as UTC)"});
  EXPECT_EQ(notes_of("t\n2020-01-01T10:00:00+02:00\nsoon\n"), std::vector<std::string>{});
  EXPECT_EQ(notes_of("a,a,\n1,2,3\n"),
            (std::vector<std::string>{"column 2 is renamed a_1: the name \"a\" is taken",
                                      "column 3 has no name; it is called c2"}));
}

// What cannot be read again cannot keep texts that differ late.
TEST(CsvReader, NotesSayWhatDoesNotComeBack) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const std::string text = "a,b\n1.5,\"x\"\n,y\n1.50,z\n7.0,z\n";
  ASSERT_EQ(::write(pipe[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(pipe[1]);
  Result<csv::Reader> reader =
      csv::Reader::open(csv::Source::from_descriptor(pipe[0], "t.csv"), {}, schema("f64,utf8"));
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  EXPECT_EQ(reader->file_columns(), reader->columns());
  while (reader->next().value() != csv::Reader::Step::end) {
  }
  ::close(pipe[0]);
  const std::string start = ": some fields are not written back as they are: ";
  EXPECT_EQ(reader->notes(), (std::vector<std::string>{"column a" + start + "\"1.50\" at line 4",
                                                       "column b" + start + "\"\"x\"\" at line 2"}));
}

TEST(CsvReader, ErrorsNameLineAndByte) {
  EXPECT_EQ(read_as("a,b\n1,2\n3,\"x\n4,5\n"), "t.csv:3:3: a quoted field is not closed");
  EXPECT_EQ(read_as("a,b\n1,2\n3,\"x\"y\"\n4,5\n"),
            "t.csv:3:6: text and another quote after a closing quote");
  EXPECT_EQ(read_as("a,b\n\"x\"\ry\",2\n"), "t.csv:2:4: text and another quote after a closing quote");
  EXPECT_EQ(read_as("a,b\n1,2\n3\n"),
            "t.csv:3:1: expected 2 fields, found 1 (--ragged pad reads missing fields as nulls)");
  EXPECT_EQ(read_as("a,b\n1,2\n3,4,5\n"), "t.csv:3:5: expected 2 fields, found 3");
  EXPECT_EQ(read_as("a,b\n1,2\n\"\"\n"),
            "t.csv:3:1: expected 2 fields, found 1 (--ragged pad reads missing fields as nulls)");
  EXPECT_EQ(read_as("a\n1\n2,3\n"),
            "t.csv:3:3: expected 1 field, found 2 (--skip 2 if the table begins here)");
  // The line is the one in which the record begins, however many lines its fields have.
  EXPECT_EQ(read_as("a,b\n\"1\n\n\",2\n\n\"x\ny\",z,1\n"), "t.csv:6:9: expected 2 fields, found 3");
}

TEST(CsvReader, ValuesThatDoNotFitTheSchema) {
  EXPECT_EQ(read_as("a,b\n1,2\n3,300\n", {}, schema("u8,u8")),
            "t.csv:3:3: column 2 \"b\": \"300\" does not fit u8");
  EXPECT_EQ(read_as("a,b\n1,2\nx,300\n", {}, schema("u8,u8")),
            "t.csv:3:1: column 1 \"a\": \"x\" is not a valid u8");
  // The first error in the text is reported, not the first in the first column.
  EXPECT_EQ(read_as("a,b\n1,2\n1,300\nx,1\n", {}, schema("u8,u8")),
            "t.csv:3:3: column 2 \"b\": \"300\" does not fit u8");
  EXPECT_EQ(read_as("a\n\"\"\n", {}, schema("i64")), "a:i64\n~");
  EXPECT_EQ(read_as("a\n1.234\n", {}, schema("decimal(2)")),
            "t.csv:2:1: column 1 \"a\": \"1.234\" has more digits after the point than decimal(2)");
  EXPECT_EQ(read_as("a\nok\n\xff\xfe\n", {}, schema("utf8")),
            "t.csv:3:1: column 1 \"a\": \"\\xff\\xfe\" is not UTF-8");
  EXPECT_EQ(read_as("a\n\xff\n", {}, schema("binary")), "a:binary\n\xff");
  EXPECT_EQ(read_as("a,b\n007,+5\n", {}, schema("i8,f32")), "a:i8,b:f32\n7|5");
  EXPECT_EQ(read_as("a\n\"1\"\"\"\n", {}, schema("i64")),
            "t.csv:2:1: column 1 \"a\": \"1\"\" is not a valid i64");
}

TEST(CsvReader, RecordsThatAreTooLong) {
  Options options{.max_record_bytes = 100};
  const std::string limit = ": a record of more than 100 bytes or 1048576 fields";
  const std::string fits = std::string(98, 'x') + ",1";
  EXPECT_EQ(read_as("a,b\n" + fits + "\n", options), "a:utf8,b:i64\n" + std::string(98, 'x') + "|1");
  EXPECT_EQ(read_as("a,b\n1,2\nx" + fits + "\n3,4\n", options), "t.csv:3:1" + limit);
  EXPECT_EQ(read_as("a,b\n1,2\n" + std::string(5000, 'x') + "\n3,4\n", options), "t.csv:3:1" + limit);
  EXPECT_EQ(read_as("a,b\n1,2\n\"" + std::string(5000, 'x') + "\n3,4\n", options), "t.csv:3:1" + limit);
  EXPECT_EQ(read_as("a,b\n1,2\n\"" + std::string(50, 'x') + "\"y\",4\n", options),
            "t.csv:3:53: text and another quote after a closing quote");
  EXPECT_EQ(read_as("a,b\n1,2\n\"" + std::string(200, 'x') + "\"y,4\n", options), "t.csv:3:1" + limit);
  EXPECT_EQ(read_as("a,b\n1,2\n\"x\"" + std::string(200, 'y') + "\",4\n", options), "t.csv:3:1" + limit);
  EXPECT_EQ(error_of("a\n" + std::string((1 << 20) + 5, ','), {}),
            "t.csv:2:1: a record of more than 67108864 bytes or 1048576 fields");
}

TEST(CsvReader, SkippedLinesAndCommentsMayBeLong) {
  const Options options{.comment = '#', .skip_lines = 1, .max_record_bytes = 100};
  const std::string title = std::string(5000, 't') + "\n";
  const std::string comment = "# " + std::string(5000, ',');
  EXPECT_EQ(read_as(title + "a,b\n1,2\n" + comment + "\n3,4\n" + comment, options), "a:i64,b:i64\n1|2\n3|4");
  EXPECT_EQ(read_as(comment + "\na,b\n" + comment + "\n1,2\n", options), "a:i64,b:i64\n1|2");
  EXPECT_EQ(read_as(title + "a,b\n" + comment + "\n1,2\n3\n", options),
            "t.csv:5:1: expected 2 fields, found 1 (--ragged pad reads missing fields as nulls)");
  EXPECT_EQ(read_as(title, options), "");
  // A comment may begin after blanks, which count like those of a record.
  const std::string end = "# " + std::string(500, ',') + "\n1\n";
  EXPECT_EQ(read_as("t\na\n" + std::string(99, ' ') + end, options), "a:i64\n1");
  EXPECT_EQ(read_as("t\na\n" + std::string(100, ' ') + end, options),
            "t.csv:3:1: a record of more than 100 bytes or 1048576 fields");
}

// The test for nulls is left out where no marker can be a number.
TEST(CsvReader, NullsThatLookLikeNumbersWithoutAZero) {
  EXPECT_EQ(read_as("a,b\n.25,1\n.99,2\n-.125,3\n", {.nulls = {".99"}}),
            "a:f64,b:i64\n0.25|1\n~|2\n-0.125|3");
  EXPECT_EQ(read_as("a\n0.250123456789\n-.99\n-0.125\n", {.nulls = {"", "-.99"}}),
            "a:f64\n0.250123456789\n~\n-0.125");
}

TEST(CsvReader, OptionsThatMakeNoSense) {
  for (const char bad : {'"', '\r', '\n', '\0', '\xff'}) {
    EXPECT_EQ(error_of("a\n", {.delimiter = bad}),
              "a delimiter must be one ASCII character other than NUL, a quote or a line end");
  }
  EXPECT_EQ(error_of("a\n", {.nulls = {}}), "there must be a text that means null");
  EXPECT_EQ(error_of("a\n", {.nulls = {"a,b"}}),
            "\"a,b\" cannot mean null: it contains a delimiter, quote or line end");
  EXPECT_EQ(csv::parse_delimiter("tab"), '\t');
  EXPECT_EQ(csv::parse_delimiter("\\t"), '\t');
  EXPECT_EQ(csv::parse_delimiter("|"), '|');
  EXPECT_FALSE(csv::parse_delimiter("||").has_value());
  EXPECT_FALSE(csv::parse_delimiter("").has_value());
}

TEST(CsvSchema, TextAndBack) {
  const auto told = [](const std::string& text) {
    const Result<Schema> parsed = parse_schema(text);
    return parsed.has_value() ? std::to_string(parsed->size()) : parsed.error().message();
  };
  EXPECT_EQ(told("a:i64"), "1");
  EXPECT_EQ(told("a:decimal(2) i32,timestamp[us],\"x,\"\":y\":utf8"), "3");
  EXPECT_EQ(schema("\"x,\"\":y\":utf8")[0].name, "x,\":y");
  EXPECT_EQ(
      told("a:i65"),
      "schema, column 1: unknown type 'i65'; expected u8 to u64, i8 to i64, f32, f64, utf8, binary, bool, "
      "date, time[s|ms|us|ns], timestamp[s|ms|us|ns] or decimal(SCALE)");
  EXPECT_EQ(told("a:i64,").substr(0, 37), "schema, column 2: unknown type ''; ex");
  EXPECT_EQ(told("\"a:i64"), "schema, column 1: a name's quote is not closed");
  EXPECT_EQ(told("\"a\"i64"), "schema, column 1: a colon and a type must follow the name \"a\"");
}

}  // namespace
}  // namespace bobbin::csv_tests
