// SPDX-License-Identifier: Apache-2.0
// Texts that are not UTF-8: their encoding is found, and comes back.
#include <gtest/gtest.h>

#include <string>

#include "bobbin/csv.hpp"
#include "csv/encoding.hpp"
#include "tests/file/support.hpp"

namespace bobbin::csv_tests {
namespace {

using file_tests::load;
using file_tests::TempDir;
using namespace std::string_literals;

// What is found: "latin1", or why not.
std::string encoding_of(const std::string& text) {
  csv::EncodingSurvey survey;
  for (const char c : text) {  // in the smallest pieces
    survey.add({&c, 1});
  }
  survey.finish();
  const auto western = survey.western();
  return survey.is_utf8() ? "utf8" : western ? std::string(csv::to_string(*western)) : survey.note();
}

TEST(CsvEncoding, WesternTexts) {
  EXPECT_EQ(encoding_of("name\nJosé\n€ 5 – “x”\n😀\n"), "utf8");
  EXPECT_EQ(encoding_of("name\nJos\xe9\nM\xfcller\n"), "latin1");
  EXPECT_EQ(encoding_of("name\nJos\xe9\n\x80 5\n"), "windows1252");
  EXPECT_EQ(encoding_of("it\x92s\n"), "windows1252");
  EXPECT_EQ(encoding_of("20\xb0 C\xe9\n"), "latin1");
  EXPECT_EQ(encoding_of("\xa0\xa0\xa0\xa0Total\n"), "latin1");
}

TEST(CsvEncoding, OtherBytesAreNotText) {
  const auto why_not = [](const std::string& note) {
    const size_t begin = note.find("because ") + 8;
    return note.substr(begin, note.find(':', begin) - begin);
  };
  EXPECT_EQ(why_not(encoding_of("a\0\xe9"s)), "it has control characters");
  EXPECT_EQ(why_not(encoding_of("a\x1b\xe9\n")), "it has control characters");
  EXPECT_EQ(why_not(encoding_of("a\x81 b\n")), "it has bytes that these lack");
  EXPECT_EQ(why_not(encoding_of("é è ü cut: \xc3\n")), "some of it is UTF-8");
  // Words in other alphabets: Windows-1251, Shift-JIS.
  EXPECT_EQ(why_not(encoding_of("\xcc\xee\xf1\xea\xe2\xe0,1\n")), "most bytes above 0x7f follow one another");
  EXPECT_EQ(why_not(encoding_of("\x83\x54\x83\x45\x83\x8d\x83\x93\n")), "it has bytes that these lack");
  EXPECT_EQ(
      encoding_of("a\n\x81\n"),
      "not UTF-8 (byte 0x81 at line 2), and not Latin-1 or Windows-1252, because it has bytes that these "
      "lack: columns with such bytes are binary (--encoding NAME reads them as text)");
}

TEST(CsvEncoding, EncodedTextIsWhatWasRead) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    bytes += static_cast<char>(byte);
  }
  for (const auto encoding : {csv::Encoding::latin1, csv::Encoding::windows1252}) {
    csv::Transcoder transcoder(encoding);
    std::string text;
    std::string again;
    ASSERT_TRUE(transcoder.convert(bytes, text).ok());
    ASSERT_TRUE(csv::encode(text, encoding, again).ok());
    EXPECT_EQ(again, bytes);
  }
  std::string out;
  ASSERT_TRUE(csv::encode("a€😀", csv::Encoding::utf16, out).ok());
  EXPECT_EQ(out, "a\0\xac\x20\x3d\xd8\x00\xde"s);
  out.clear();
  ASSERT_TRUE(csv::encode("a€😀", csv::Encoding::utf16be, out).ok());
  EXPECT_EQ(out, "\0a\x20\xac\xd8\x3d\xde\x00"s);
  EXPECT_EQ(csv::encode("a 中", csv::Encoding::windows1252, out).message(),
            "\"中\" cannot be written as windows1252 (--encoding utf8 writes UTF-8)");
  EXPECT_EQ(csv::encode("€", csv::Encoding::latin1, out).message(),
            "\"€\" cannot be written as latin1 (--encoding utf8 writes UTF-8)");
  EXPECT_FALSE(csv::encode("\xff", csv::Encoding::windows1252, out).ok());
}

// Compresses a text and writes it again. Returns the columns' types, the notes, and whether it is the same.
struct EncodedTrip {
  std::string schema;
  std::vector<std::string> notes;
  std::string again;
};

EncodedTrip encoded_trip(std::vector<csv::Input> inputs, const csv::ReadOptions& options = {}) {
  const TempDir dir;
  Result<csv::Importer> importer = csv::Importer::open(std::move(inputs), options);
  EXPECT_TRUE(importer.has_value()) << importer.error().message();
  const auto made = importer->write(dir / "t.bob");
  EXPECT_TRUE(made.has_value()) << made.error().message();
  const Result<Reader> reader = Reader::open(dir / "t.bob");
  EXPECT_TRUE(csv::export_file(*reader, dir / "again.csv").ok());
  const file_tests::Bytes bytes = load(dir / "again.csv");
  return {
      schema_text(made->columns), made->notes, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
}

EncodedTrip encoded_trip(const std::string& text, const csv::ReadOptions& options = {}) {
  return encoded_trip({csv::Input::memory(text, "t.csv")}, options);
}

TEST(CsvEncoding, AFoundEncodingComesBack) {
  const std::string text = "pr\xe9nom,v\nJos\xe9,1\n\x80\x93,2\n";
  const EncodedTrip made = encoded_trip(text);
  EXPECT_EQ(made.schema, "prénom:utf8,v:i64");
  EXPECT_EQ(made.notes,
            (std::vector<std::string>{"not UTF-8 (byte 0xe9 at line 1): read as windows1252 (--encoding "
                                      "utf8 keeps the bytes)"}));
  EXPECT_EQ(made.again, text);
  csv::ReadOptions bytes;
  bytes.encoding = csv::Encoding::utf8;
  const std::string below = "name,v\nJos\xe9,1\n";
  EXPECT_EQ(encoded_trip(below, bytes).schema, "name:binary,v:i64");
  EXPECT_EQ(encoded_trip(below, bytes).again, below);
}

TEST(CsvEncoding, AByteFarFromTheBeginningCounts) {
  std::string text = "n,name\n";
  for (int i = 0; i < 300'000; ++i) {
    text += std::to_string(i) + ",plain text\n";
  }
  ASSERT_GT(text.size(), size_t{3} << 20);
  text += "300000,Jos\xe9\n";
  for (const char* const schema : {"", "n:i64", "n:i64,name:utf8"}) {
    csv::ReadOptions options;
    options.schema = *schema == '\0' ? std::nullopt : std::optional(parse_schema(schema).value());
    const EncodedTrip made = encoded_trip(text, options);
    EXPECT_EQ(made.schema, "n:i64,name:utf8");
    EXPECT_EQ(made.notes.size(), 1U);
    EXPECT_TRUE(made.again == text);
  }
  text += "300001,\x81\n";
  const EncodedTrip binary = encoded_trip(text);
  EXPECT_EQ(binary.schema, "n:i64,name:binary");
  ASSERT_EQ(binary.notes.size(), 1U);
  EXPECT_EQ(binary.notes[0].substr(0, 36), "not UTF-8 (byte 0xe9 at line 300002)");
  EXPECT_TRUE(binary.again == text);
}

TEST(CsvEncoding, Utf16) {
  const std::string little =
      "a\0,\0b\0\n\0"
      "1\0,\0x\0\n\0"s;
  const std::string big =
      "\0a\0,\0b\0\n\0"
      "1\0,\0x\0\n"s;
  for (const std::string& text : {little, big, "\xff\xfe" + little, "\xfe\xff" + big}) {
    const EncodedTrip made = encoded_trip(text);
    EXPECT_EQ(made.schema, "a:i64,b:utf8");
    EXPECT_EQ(made.notes, std::vector<std::string>());
    EXPECT_EQ(made.again, text);
  }
}

// Every text has its own encoding; UTF-8 is written if they differ.
TEST(CsvEncoding, SeveralTexts) {
  const EncodedTrip made = encoded_trip(
      {csv::Input::memory("name\nJos\xe9\n", "a.csv"), csv::Input::memory("name\nJosé\n", "b.csv")});
  EXPECT_EQ(made.schema, "name:utf8");
  EXPECT_EQ(made.notes,
            (std::vector<std::string>{"a.csv: not UTF-8 (byte 0xe9 at line 2): read as latin1 (--encoding "
                                      "utf8 keeps the bytes)"}));
  EXPECT_EQ(made.again, "name\nJosé\nJosé\n");
}

}  // namespace
}  // namespace bobbin::csv_tests
