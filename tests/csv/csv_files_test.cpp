// SPDX-License-Identifier: Apache-2.0
// CSV to .bob files and back by the library's own calls.
#include "bobbin/csv.hpp"

#include <array>
#include <filesystem>

#include "csv/source.hpp"
#include "tests/file/support.hpp"

namespace bobbin::csv_tests {
namespace {

using file_tests::load;
using file_tests::store;
using file_tests::TempDir;

constexpr std::string_view kText = "id;name;price;at\n1;\"a;b\";1.50;18:00\n2;;2.25;07:30\n3;c;;23:59\n";

void put(const std::string& path, std::string_view text) {
  store(path, std::as_bytes(std::span(text)));
}

std::string text_of(const std::string& path) {
  const file_tests::Bytes bytes = load(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(CsvFiles, ATextComesBackAsItWas) {
  const TempDir dir;
  put(dir / "t.csv", kText);
  const Result<csv::ImportResult> made = csv::import_file(dir / "t.csv", dir / "t.bob");
  ASSERT_TRUE(made.has_value()) << made.error().message();
  EXPECT_EQ(schema_text(made->columns), "id:i64,name:utf8,price:decimal(2),at:time[s]");
  EXPECT_EQ(made->num_rows, 3U);
  EXPECT_EQ(made->bytes_read, kText.size());
  EXPECT_EQ(made->bytes_written, load(dir / "t.bob").size());
  const Result<Reader> reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value());
  EXPECT_EQ(csv::noted_options(reader->metadata())->delimiter, ';');
  EXPECT_EQ(csv::noted_source_bytes(reader->metadata()), kText.size());
  const Status written = csv::export_file(*reader, dir / "again.csv");
  ASSERT_TRUE(written.ok()) << written.message();
  EXPECT_EQ(text_of(dir / "again.csv"), kText);
}

TEST(CsvFiles, ATextThatBecomesShorterIsAnError) {
  const TempDir dir;
  put(dir / "t.csv", std::string(300'000, 'x'));
  Result<csv::Source> source = csv::Source::open(dir / "t.csv");
  ASSERT_TRUE(source.has_value());
  std::array<char, 1000> some{};
  Result<size_t> got = source->read(some);
  std::filesystem::resize_file(dir / "t.csv", 200'000);
  for (int i = 0; i < 1000 && got.has_value(); ++i) {
    got = source->read(some);
  }
  EXPECT_EQ(
      got.error().message(),
      std::string(dir / "t.csv") + ": the file ends at byte 200000; it had 300000 bytes when it was opened");
}

TEST(CsvFiles, SomeColumnsAndRowsInAnotherForm) {
  const TempDir dir;
  put(dir / "t.csv", kText);
  ASSERT_TRUE(csv::import_file(dir / "t.csv", dir / "t.bob").has_value());
  const Result<Reader> reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value());
  csv::ExportOptions options{.format = csv::Options{.delimiter = '|', .header = false},
                             .columns = {2, 0},
                             .begin = 1,
                             .num_rows = 100};
  ASSERT_TRUE(csv::export_file(*reader, dir / "part.csv", options).ok());
  EXPECT_EQ(text_of(dir / "part.csv"), "2.25|2\n|3\n");
  // An existing file is kept unless it may be replaced.
  EXPECT_EQ(csv::export_file(*reader, dir / "part.csv", options).code(), StatusCode::io);
  options.overwrite = true;
  options.columns = {9};
  EXPECT_EQ(csv::export_file(*reader, dir / "part.csv", options).code(), StatusCode::invalid_argument);
  EXPECT_EQ(text_of(dir / "part.csv"), "2.25|2\n|3\n");
}

TEST(CsvFiles, OptionsAndSchemasCount) {
  const TempDir dir;
  csv::ReadOptions options;
  options.header = false;
  options.other.nulls = {"NA"};
  options.schema = parse_schema("a:u8,b:utf8").value();
  Result<csv::Importer> importer = csv::Importer::open(
      {csv::Input::memory("1,x\nNA,\n", "first"), csv::Input::memory("2,y\n", "second")}, options);
  ASSERT_TRUE(importer.has_value()) << importer.error().message();
  EXPECT_EQ(importer->sniffed().columns, 2U);
  EXPECT_FALSE(importer->sniffed().options.header);
  const auto made = importer->write(dir / "t.bob");
  ASSERT_TRUE(made.has_value()) << made.error().message();
  EXPECT_EQ(schema_text(made->columns), "a:u8,b:utf8");
  EXPECT_EQ(made->num_rows, 3U);
  EXPECT_EQ(importer->write(dir / "again.bob").error().code(), StatusCode::invalid_argument);
  const Result<Reader> reader = Reader::open(dir / "t.bob");
  EXPECT_EQ(file_tests::texts_of(*reader->read_strings(1, 0, 3)),
            (file_tests::Texts{"x", std::nullopt, "y"}));
}

TEST(CsvFiles, ValuesLikeNullMarkersKeepTheirQuotes) {
  const TempDir dir;
  const std::string text = "a,b\n\"NA\",1\n,2\n\"-\",3\n";
  csv::ReadOptions options;
  options.other.nulls = {"NA", "-", "none"};
  Result<csv::Importer> importer = csv::Importer::open({csv::Input::memory(text, "t.csv")}, options);
  ASSERT_TRUE(importer.has_value());
  ASSERT_TRUE(importer->write(dir / "t.bob").has_value());
  const Result<Reader> reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value());
  EXPECT_EQ(csv::noted_options(reader->metadata())->nulls, (std::vector<std::string>{"", "NA", "-", "none"}));
  ASSERT_TRUE(csv::export_file(*reader, dir / "again.csv").ok());
  EXPECT_EQ(text_of(dir / "again.csv"), text);
}

TEST(CsvFiles, TypesThatTurnOutWrongAreFoundAgain) {
  const TempDir dir;
  std::string text = "a\n";
  for (int i = 0; i < 400'000; ++i) {
    text += "12345\n";
  }
  text += "not a number\n";  // far beyond the part that types are first inferred from
  Result<csv::Importer> importer = csv::Importer::open({csv::Input::memory(text, "t.csv")});
  ASSERT_TRUE(importer.has_value());
  const auto made = importer->write(dir / "t.bob");
  ASSERT_TRUE(made.has_value()) << made.error().message();
  EXPECT_EQ(schema_text(made->columns), "a:utf8");
  EXPECT_EQ(made->num_rows, 400'001U);
  ASSERT_FALSE(made->notes.empty());
  EXPECT_NE(made->notes.front().find("not a number"), std::string::npos) << made->notes.front();
}

TEST(CsvFiles, AVisitorSeesTheEndAndCanRefuseIt) {
  const TempDir dir;
  put(dir / "t.csv", kText);
  put(dir / "t.bob", "kept");
  Result<csv::Importer> importer = csv::Importer::open({csv::Input::file(dir / "t.csv")});
  ASSERT_TRUE(importer.has_value());
  int ends = 0;
  const auto refuse = [&](const csv::ImportProgress& progress) -> Status {
    ends += progress.finished ? 1 : 0;
    return progress.finished ? Status(StatusCode::io, "no, thanks") : Status();
  };
  EXPECT_EQ(importer->write(dir / "t.bob", {.overwrite = true}, refuse).error().message(), "no, thanks");
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(text_of(dir / "t.bob"), "kept");
  EXPECT_EQ(dir.listing().size(), 2U);
}

TEST(CsvFiles, WrongInputsAreRefused) {
  const TempDir dir;
  EXPECT_EQ(csv::Importer::open({}).error().code(), StatusCode::invalid_argument);
  EXPECT_EQ(csv::import_file(dir / "none.csv", dir / "t.bob").error().code(), StatusCode::io);
  csv::ReadOptions options;
  options.delimiter = '"';
  EXPECT_EQ(csv::Importer::open({csv::Input::memory("a", "t")}, options).error().code(),
            StatusCode::invalid_argument);
  EXPECT_EQ(csv::delimiter_by_name("a.tsv.gz"), '\t');
  EXPECT_EQ(csv::delimiter_by_name("a.tbl"), '|');
  EXPECT_EQ(csv::delimiter_by_name("a.bin"), std::nullopt);
}

TEST(CsvFiles, ARowWriterTakesItsOwnColumnsOnly) {
  const TempDir dir;
  Result<file::Output> output = file::Output::create(dir / "t.csv", false);
  ASSERT_TRUE(output.has_value());
  Result<csv::RowWriter> writer = csv::RowWriter::create(*output, {{"a", DType::utf8}}, {});
  ASSERT_TRUE(writer.has_value());
  std::vector<HostColumn> columns(1);
  columns[0].column = {"a", DType::utf8};
  columns[0].strings = file_tests::strings_of({"x", std::nullopt, "\"y\""});
  ASSERT_TRUE(writer->begin().ok());
  EXPECT_FALSE(writer->append({}, 1).ok());
  EXPECT_FALSE(writer->append(columns, 4).ok());
  EXPECT_TRUE(writer->append(columns, 3).ok());
  columns[0].column.type = DType::i64;
  EXPECT_FALSE(writer->append(columns, 1).ok());
  ASSERT_TRUE(writer->finish().ok());
  ASSERT_TRUE(output->commit().ok());
  EXPECT_EQ(text_of(dir / "t.csv"), "a\nx\n\n\"\"\"y\"\"\"\n");
}

}  // namespace
}  // namespace bobbin::csv_tests
