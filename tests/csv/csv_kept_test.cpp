// SPDX-License-Identifier: Apache-2.0
// Texts of other programs come back byte for byte: fields that are not written as the rest of their column
// are kept in hidden columns.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/csv.hpp"
#include "bobbin/table.hpp"
#include "tests/csv/support.hpp"
#include "tests/file/support.hpp"

namespace bobbin::csv_tests {
namespace {

using file_tests::load;
using file_tests::TempDir;

std::string stored_text(const std::string& path) {
  const file_tests::Bytes bytes = load(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A file made from a text, in a folder of its own.
class Made {
 public:
  explicit Made(const std::string& text, const csv::ReadOptions& options = {}) {
    Result<csv::Importer> importer = csv::Importer::open({csv::Input::memory(text, "t.csv")}, options);
    if (!importer.has_value()) {
      error_ = importer.error().message();
      return;
    }
    const Result<csv::ImportResult> made = importer->write(dir_ / "t.bob");
    if (!made.has_value()) {
      error_ = made.error().message();
      return;
    }
    notes_ = made->notes;
    is_exact_ = made->is_exact;
    Result<Reader> opened = Reader::open(dir_ / "t.bob");
    error_ = opened.has_value() ? "" : opened.error().message();
    if (opened.has_value()) {
      reader_ = std::make_unique<Reader>(std::move(*opened));
    }
  }

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] bool is_exact() const { return is_exact_; }
  [[nodiscard]] const Reader& reader() const { return *reader_; }
  // The text, or the error.
  [[nodiscard]] std::string again(csv::ExportOptions options = {}) const {
    if (!error_.empty()) {
      return error_;
    }
    options.overwrite = true;
    const Status status = csv::export_file(*reader_, dir_ / "again.csv", options);
    return status.ok() ? stored_text(dir_ / "again.csv") : status.message();
  }

 private:
  TempDir dir_;
  std::string error_;
  std::vector<std::string> notes_;
  bool is_exact_ = false;
  std::unique_ptr<Reader> reader_;
};

std::string hidden_names(const Reader& reader) {
  std::string names;
  for (const Column& column : reader.hidden_columns()) {
    names += (names.empty() ? "" : " ") + column.name;
  }
  return names;
}

TEST(CsvKept, FieldsOfOtherFormsComeBack) {
  for (const std::string text : {
           "a,b\n1,2.5\n\"2\",3.50\n3,x\n",                  // quotes that are not needed
           "a,b\n1.5,\n1.50,\"\"\n96,y\n",                   // decimals, and the empty string beside nulls
           "a,b\n\"Weird Al\" Y,1\nx,2\n",                   // text after a closing quote
           "a,b\n5\" pipe,1\nx\"y\"z,2\n",                   // quotes within a field
           "a,b\ntrue,1\nFALSE,2\n,3\n",                     // booleans
           "a\n2014-08-08\n2014/08/09\n",                    // dates
           "a,b\n1e5,x\n2.5,\"y\"\n.5,z\n",                  // floats
           "a,b\n\"x\",1\n\"y\",2\n\"z\",3\nw,4\n\"\",5\n",  // one field without quotes
           "a,b\n\"1\",\"x\"\n\"2\",\"\"\n",                 // all quoted
           "a,b\nx\ry,1\nz,2\n",                             // a CR in a field
       }) {
    const Made made(text);
    EXPECT_EQ(made.again(), text);
    EXPECT_TRUE(made.notes().empty() || made.notes().front().find("text, because") != std::string::npos);
  }
}

TEST(CsvKept, FormsOfWholeColumnsTakeNoHiddenColumn) {
  for (const std::string text : {"a,b\n\"1\",\"x\"\n\"2\",\"y\"\n", "a,b\n\"x\",1\n\"y, z\",2\n\"\",3\n",
                                 "a,b\n1,x\n2,\"y,z\"\n,\"\"\n"}) {
    const Made made(text);
    EXPECT_EQ(made.again(), text);
    EXPECT_EQ(hidden_names(made.reader()), "") << text;
  }
}

TEST(CsvKept, SeveralNullMarkersComeBack) {
  csv::ReadOptions options;
  options.other.nulls = {"NA", "-"};
  const std::string text = "a,b,c\n1,NA,\n,-,x\nNA,-,\"NA\"\n4,,-\n";
  const Made made(text, options);
  EXPECT_EQ(made.again(), text);
  EXPECT_EQ(hidden_names(made.reader()), "bobbin.csv.kept.0 bobbin.csv.kept.1 bobbin.csv.kept.2");
  // Each column has its own marker.
  const std::string plain = "a,b\n1,NA\n,-\n,NA\n";
  options.other.nulls = {"NA"};
  EXPECT_EQ(hidden_names(Made(plain, options).reader()), "");
  EXPECT_EQ(Made(plain, options).again(), plain);
}

TEST(CsvKept, GivenTypesKeepTheTextsThatTheyDoNotWrite) {
  csv::ReadOptions options;
  options.schema = parse_schema("a:f64,b:timestamp[s]").value();
  const std::string text = "a,b\n1.50,2020-01-01T10:00:00+02:00\n7.0,2020-01-01 10:00:00\n";
  EXPECT_EQ(Made(text, options).again(), text);
}

TEST(CsvKept, LateFieldsAreFoundWhereverTheyAre) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 300; ++i) {
    text += "12,x,1.5\n";
  }
  csv::ReadOptions options;
  options.other.sample_bytes = 100;
  options.other.buffer_bytes = 64;
  options.other.batch_rows = 7;
  text += "13,\"x\",1.5\n\"14\",y,1.5\n";
  EXPECT_EQ(Made(text, options).again(), text);
  text += "13,z,x\n14,\"x\",1.50\n";  // and another type
  EXPECT_EQ(Made(text, options).again(), text);
  EXPECT_EQ(hidden_names(Made(text, options).reader()), "bobbin.csv.kept.0 bobbin.csv.kept.1");
}

TEST(CsvKept, HiddenColumnsAreNotInTheTable) {
  const Made made("a,b\n1,\"x\"\n\"2\",y\n3,z\n");
  const Reader& reader = made.reader();
  EXPECT_EQ(schema_text(reader.columns()), "a:i64,b:utf8");
  EXPECT_EQ(hidden_names(reader), "bobbin.csv.kept.0 bobbin.csv.kept.1");
  EXPECT_EQ(reader.row_group(0)->chunks.size(), 2U);
  EXPECT_TRUE(reader.verify().ok());
  EXPECT_EQ(file_tests::texts_of(*reader.read_strings(2, 0, 3)),
            (file_tests::Texts{std::nullopt, "\"2\"", std::nullopt}));
  EXPECT_EQ(reader.read_strings(4, 0, 3).error().code(), StatusCode::invalid_argument);
}

TEST(CsvKept, PartsOfATableKeepTheirTexts) {
  const Made made("a,b,c\n1,\"x\",1.5\n\"2\",y\r,1.50\n3,z,2.0\n");
  EXPECT_EQ(made.again({.begin = 1}), "a,b,c\n\"2\",y\r,1.50\n3,z,2.0\n");
  EXPECT_EQ(made.again({.columns = {2, 0}, .num_rows = 2}), "c,a\n1.5,1\n1.50,\"2\"\n");
  // A CR would belong to the line end.
  EXPECT_EQ(made.again({.columns = {1}}), "b\n\"x\"\n\"y\r\"\nz\n");
  // In another dialect, values are written.
  EXPECT_EQ(made.again({.format = csv::Options{.delimiter = ';'}}),
            "a;b;c\n1;x;1.50\n2;\"y\r\";1.50\n3;z;2.00\n");
}

TEST(CsvKept, NamesOfHiddenColumnsMayOccur) {
  const std::string text = "a,bobbin.csv.kept.0\n1,2\n\"2\",3\n";
  const Made made(text);
  ASSERT_EQ(made.error(), "");
  EXPECT_EQ(made.reader().columns()[1].name, "bobbin.csv.kept.0_1");
  EXPECT_EQ(hidden_names(made.reader()), "bobbin.csv.kept.0");
}

TEST(CsvKept, WhatIsAroundTheRowsComesBack) {
  for (const std::string text : {
           ",a,b\n1,2,3\n",                                   // names that are missing,
           "a,a,\n1,2,3\n",                                   // or occur twice
           "\"a\",b,\"c\"\n1,2,3\n",                          // quotes around names
           "a,b\n1,2",                                        // no line end
           "a,b\r\n1,2",                                      //
           "a,b\r\n1,2\r\n\r\n\r\n",                          // empty lines
           "a,b\n\n1,2\n\n\n3,4\n\n",                         //
           "\n\na,b\n1,2\n",                                  //
           "\xef\xbb\xbf"                                     // a byte order mark
           "a,b\r\n1,2\r\n",                                  //
           "a,b\r\n1,2\n3,4\r\n5,6\n",                        // several line ends
           "a,b\n1,2,\n3,4,\n",                               // delimiters after the last column
           "a,b\n1,2,\n3,4,",                                 //
           "sep=;\na;b\n1;2\n",                               //
           "A title\n\na,b,c\n1,2,3\n4,5,6\n",                // lines before the table
           "a,b,c\n1,2,3\n# a comment\n4,5,6\n# another\n",   //
           "a,b,c\n# a comment\n1,2,3\n4,5,6\n# and\n#more",  //
           "a,b\n",                                           // no rows
           "a,b",                                             //
           "",                                                //
           "\n",                                              //
           "\xef\xbb\xbf",                                    //
           "a\n1\n\n\"\"\n2\n",                               // one column
           "a\r1\r2\r",                                       //
           "a,b\r1,2\r3,4\n",                                 //
           "a,b\n1,x\r",                                      // a CR at the end
           "a,b\n1,\"x\"\r",                                  //
       }) {
    const Made made(text);
    EXPECT_EQ(made.again(), text);
    EXPECT_TRUE(made.is_exact());
  }
}

TEST(CsvKept, SurroundingsAreOnlyWrittenAroundWholeTables) {
  const Made made("\xef\xbb\xbf,a,a\r\n1,\"x\",2\n# odd,3,4\r\n5,6,7");
  ASSERT_EQ(made.error(), "");
  EXPECT_EQ(made.again({.columns = {0, 2}}), ",a\r\n1,2\r\n# odd,4\r\n5,7\r\n");
  EXPECT_EQ(made.again({.columns = {0}, .num_rows = 1}), "c0\r\n1\r\n");
  EXPECT_EQ(made.again({.num_rows = 2}), "\xef\xbb\xbf,a,a\r\n1,\"x\",2\n# odd,3,4\r\n");
  EXPECT_EQ(made.again({.format = csv::Options{.delimiter = ';'}}), ";a;a\n1;x;2\n# odd;3;4\n5;6;7\n");
}

TEST(CsvKept, SkippedLinesAndCommentsComeBack) {
  csv::ReadOptions options;
  options.skip_lines = 2;
  options.other.comment = '%';
  const std::string text = "one,\"\ntwo\n%x\na,b\n1,2\n  %\"y\n\n3,4\n%";
  const Made made(text, options);
  EXPECT_EQ(made.again(), text);
  // Too much to remember.
  options.other.buffer_bytes = 1000;
  const std::string comment = "%" + std::string(70'000, 'x') + "\n";
  const Made before(comment + comment + comment + "a,b\n1,2\n", options);
  EXPECT_EQ(before.again(), "a,b\n1,2\n");
  EXPECT_EQ(before.notes(), std::vector<std::string>{
                                "some lines are not written back as they are: missing fields become empty "
                                "ones, and more than 65536 bytes between rows are left out"});
  options.skip_lines = 0;
  const Made between("a,b\n1,2\n" + comment + "3,4\n", options);
  EXPECT_EQ(between.again(), "a,b\n1,2\n" + comment + "3,4\n");
  EXPECT_TRUE(between.is_exact());
  const Made after("a,b\n1,2\n" + comment, options);
  EXPECT_EQ(after.again(), "a,b\n1,2\n");
  EXPECT_EQ(after.notes(),
            std::vector<std::string>{"more than 65536 bytes before or after the rows are not written back"});
}

TEST(CsvKept, OtherEncodingsComeBack) {
  std::string wide = "\xff\xfe";
  for (const char c : std::string("a,\"b\"\n1,2")) {
    wide += std::string{c, '\0'};
  }
  for (const std::string& text : {wide, std::string("a,b\nJos\xe9,\"Jos\xe9\"\nx,y")}) {
    const Made made(text);
    EXPECT_EQ(made.again(), text);
    EXPECT_TRUE(made.is_exact());
  }
}

TEST(CsvKept, NotesSayWhatDoesNotComeBack) {
  csv::ReadOptions options;
  options.other.ragged = csv::Ragged::pad;
  const Made padded("a,b\n1\n2,3\n", options);
  EXPECT_EQ(padded.again(), "a,b\n1,\n2,3\n");
  EXPECT_FALSE(padded.is_exact());
  EXPECT_EQ(padded.notes().size(), 1U);
}

// Texts that other programs write, for values of one kind.
const std::vector<std::vector<std::string>> kKinds{
    {"1", "2", "-3", "\"4\"", "", "\"\"", "NA", "05", "+6"},
    {"1.5", "1.50", "2", "\"2.5\"", ".5", "", "1e5", "-0"},
    {"x", "\"x\"", "\"y,z\"", "\"q\"\"q\"", "q\"q", "\"W\" Y", "", "\"\"", " b ", "NA", "\"NA\"", "\"l\nl\""},
    {"true", "false", "TRUE", "\"false\"", ""},
    {"2014-08-08", "2014/08/09", "\"2014-08-10\"", "", "NA"},
    {"18:00", "18:00:01", "18:00:01.5", "\"09:00\""},
    {"2014-08-08T18:00:00Z", "2014-08-08 18:00:00Z", "2014-08-08T18:00Z", ""},
};

constexpr std::array<const char*, 6> kNames{"a", "b", "", "\"\"", "\"c\"", "d\"e"};

TEST(CsvKept, AnyTextComesBack) {
  Random random(3);
  int read = 0;
  for (int round = 0; round < 400; ++round) {
    const char delimiter = ",;\t|"[random.below(4)];
    const std::string usual_end = random.below(3) == 0 ? "\r\n" : "\n";
    const bool odd_lines = random.below(3) == 0;
    const auto line_end = [&]() -> std::string {
      constexpr std::array<const char*, 4> kEnds{"\n", "\r\n", "\n\n", "\r\n\n"};
      return odd_lines && random.below(4) == 0 ? kEnds[random.below(kEnds.size())] : usual_end;
    };
    std::vector<std::vector<std::string>> kinds;
    std::string text;
    for (uint64_t c = 0, columns = 1 + random.below(5); c < columns; ++c) {
      text += (c == 0 ? "" : std::string(1, delimiter)) + kNames[random.below(kNames.size())];
      kinds.push_back(kKinds[random.below(kKinds.size())]);
      kinds.back().resize(1 + random.below(kinds.back().size()));
    }
    text += line_end();
    for (uint64_t r = 0, rows = random.below(40); r < rows; ++r) {
      for (size_t c = 0; c < kinds.size(); ++c) {
        text += (c == 0 ? "" : std::string(1, delimiter)) + kinds[c][random.below(kinds[c].size())];
      }
      text += line_end();
    }
    if (random.below(4) == 0) {
      text.resize(text.size() - (text.ends_with("\r\n") ? 2 : 1));
    }
    csv::ReadOptions options{.delimiter = delimiter, .quote = '"', .escape = '\0', .header = true};
    options.skip_lines = 0;
    if (random.below(3) == 0) {
      options.other.nulls = {"NA"};
    }
    options.other.buffer_bytes = 1 + random.below(300);
    options.other.batch_rows = 1 + random.below(20);
    options.other.sample_bytes = random.below(300);
    const Made made(text, options);
    if (made.error().empty()) {
      ASSERT_EQ(made.again(), text);
      ASSERT_TRUE(made.is_exact());
      ASSERT_TRUE(made.reader().verify().ok());
      ++read;
    }
  }
  EXPECT_GT(read, 250);
}

}  // namespace
}  // namespace bobbin::csv_tests
