// SPDX-License-Identifier: Apache-2.0
// What a file is, by its first bytes.
#include "cli/file_kind.hpp"

#include <gtest/gtest.h>

namespace bobbin::cli {
namespace {

using namespace std::string_view_literals;
using Kind = FileKind::Kind;

Kind kind(std::string_view begin, bool is_csv = false) {
  return kind_of(begin, is_csv).kind;
}
std::string what(std::string_view begin) {
  const FileKind found = kind_of(begin, false);
  EXPECT_EQ(found.kind, Kind::other);
  return found.what;
}

TEST(FileKind, KnowsTables) {
  EXPECT_EQ(kind("\x89"
                 "BOB\r\n\x1a\n\x03\0\0\0"sv),
            Kind::table);
  EXPECT_EQ(kind("\x89"
                 "BOB\r\n\x1a\n\x03\0\0\0"sv,
                 true),
            Kind::table);
  EXPECT_EQ(kind("\x89"
                 "BO"sv),
            Kind::table);  // cut off
  EXPECT_EQ(kind("PAR1\x15\x04\x15"sv), Kind::parquet);
  EXPECT_EQ(kind("ARROW1\0\0"sv), Kind::arrow);
}

TEST(FileKind, KnowsText) {
  for (const std::string_view text :
       {"a,b\n1,2\n"sv,
        "\xef\xbb\xbf"
        "a;b\n"sv,
        "\n\n  a\n"sv, "name\tJos\xe9\n"sv, "\x1f\x8b\x08"sv, "\x28\xb5\x2f\xfd\x04"sv,
        "\xff\xfe"
        "a\0,\0"sv,
        "PAR1,PAR2\n1,2\n"sv, "ORC,GIF8\n"sv, "BZh\n1\n"sv, "[a],[b]\n1,2\n"sv, "{a},b\n"sv, "<5,>5\n1,2\n"sv,
        "x\n"sv}) {
    EXPECT_EQ(kind(text), Kind::text) << text;
  }
}

TEST(FileKind, NamesWhatIsNoTable) {
  EXPECT_EQ(what(""), "empty");
  EXPECT_EQ(what("{\n  \"a\": 1}"), "JSON");
  EXPECT_EQ(what("[{\"a\": 1}]"), "JSON");
  EXPECT_EQ(what(" [1, 2]"), "JSON");
  EXPECT_EQ(what("<!DOCTYPE html>"), "an HTML or XML document");
  EXPECT_EQ(what("%PDF-1.4\n"), "a PDF document");
  EXPECT_EQ(what("PK\x03\x04....xl/workbook.xml"),
            "an Excel workbook or another Office document; save the sheet as CSV");
  EXPECT_EQ(what("PK\x03\x04\x14\0\0\0table.csv"sv), "a ZIP archive; unzip it first");
  EXPECT_EQ(what("\xfd\x37zXZ\0"sv), "compressed with xz; decompress it first");
  EXPECT_EQ(what("BZh91AY&SY\x01"), "compressed with bzip2; decompress it first");
  EXPECT_EQ(what("SQLite format 3\0"sv), "an SQLite database");
  EXPECT_EQ(what("\x01\0\0\0\x02\0\0\0"sv), "binary data ('bobbin compress --type' reads raw arrays)");
  EXPECT_EQ(what(std::string(257, 'a') + "ustar"), "a tar archive; unpack it first");
}

TEST(FileKind, BelievesThatItIsCsvUnlessItCannotBe) {
  EXPECT_EQ(kind("{\"a\": 1}", true), Kind::text);
  EXPECT_EQ(kind("a,b\n\0,1\n"sv, true), Kind::text);
  EXPECT_EQ(kind("", true), Kind::other);
  EXPECT_EQ(kind("PK\x03\x04", true), Kind::other);
}

}  // namespace
}  // namespace bobbin::cli
