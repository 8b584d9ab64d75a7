// SPDX-License-Identifier: Apache-2.0
// Arbitrary text: it is either refused or a table, and the result does not depend on how much is read at a
// time. The table, written and read again with its schema, is the same table; a file that is made of the text
// gives the same text, unless the import says otherwise. The first byte is the delimiter, the second says
// whether there is a header and how values are written, and the third has one bit for each other option.
// Covers: src/csv
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>

#include <unistd.h>

#include "bobbin/table.hpp"
#include "csv/unpack.hpp"
#include "tests/csv/support.hpp"

namespace {

using namespace bobbin;

void expect(bool fine, const char* what) {
  if (!fine) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  }
}

bool is_about_utf16(const Status& error) {
  return error.message().find("not UTF-16") != std::string::npos;
}

// Small texts come back through a file byte for byte.
void expect_same_text(const std::string& text, const csv::Options& options, uint8_t seed) {
  csv::ReadOptions read{.delimiter = options.delimiter,
                        .quote = options.quote,
                        .escape = options.escape,
                        .header = options.header,
                        .other = options};
  if (seed % 2 == 0) {
    read.skip_lines = options.skip_lines;
  }
  if (seed % 4 == 1) {
    read.other.nulls = {"NA", "-"};
  }
  Result<csv::Importer> importer = csv::Importer::open({csv::Input::memory(text, "t.csv")}, read);
  if (!importer.has_value()) {
    return;
  }
  const file::Descriptor made = file::nameless_file().value();
  const Result<csv::ImportResult> result = importer->write_to_descriptor(made.get(), "t.bob");
  const auto unpacker = csv::make_unpacker(text.substr(0, csv::kMagicBytes));
  const bool compressed = !unpacker.has_value() || *unpacker != nullptr;
  if (!result.has_value() || !result->is_exact || compressed) {
    return;
  }
  const Result<Reader> reader = Reader::from_descriptor(made.get(), "t.bob");
  expect(reader.has_value(), "a file that was made cannot be opened");
  const file::Descriptor again = file::nameless_file().value();
  file::Output output = file::Output::borrow(again.get());
  std::vector<size_t> columns(reader->columns().size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  const auto options_again = csv::noted_options(reader->metadata());
  expect(options_again.has_value(), "a file does not say what its text was like");
  Result<csv::RowWriter> writer = csv::RowWriter::create(output, *reader, columns, *options_again);
  expect(writer.has_value() && writer->begin().ok(), "a text cannot be written");
  const auto write = [&](std::span<const HostColumn> slice, uint64_t rows) {
    return writer->append(slice, rows);
  };
  expect(visit_slices(*reader, writer->columns(), 0, reader->num_rows(), write).ok() &&
             writer->finish().ok() && output.commit().ok(),
         "a text cannot be written");
  std::string back(static_cast<size_t>(::lseek(again.get(), 0, SEEK_END)), '\0');
  expect(
      ::pread(again.get(), back.data(), back.size(), 0) == static_cast<ssize_t>(back.size()) && back == text,
      "the text does not come back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) {
    return 0;
  }
  csv::Options options{.delimiter = static_cast<char>(data[0]),
                       .header = (data[1] | 7) == ('h' | 7),
                       .max_record_bytes = 1000};
  options.decimal = (data[1] & 1) != 0 ? ',' : '\0';
  options.date_format = (data[1] & 2) != 0 ? "%d/%m/%Y" : "";
  options.null_words = (data[1] & 4) == 0;
  options.quote = (data[2] & 1) != 0 ? '\'' : '"';
  options.escape = (data[2] & 2) != 0 ? '\\' : '\0';
  options.comment = (data[2] & 4) != 0 ? '#' : '\0';
  options.ragged = (data[2] & 8) != 0 ? csv::Ragged::pad : csv::Ragged::error;
  options.line_end = (data[2] & 16) != 0 ? csv::LineEnd::cr : csv::LineEnd::lf;
  options.skip_lines = (data[2] & 32) != 0 ? 1 : 0;
  options.skip_blanks = (data[2] & 64) != 0;
  options.trailing = (data[2] & 128) != 0;
  const std::string text(reinterpret_cast<const char*>(data) + 3, size - 3);
  const Result<csv_tests::CellTable> table = csv_tests::read_text(text, options);
  options.buffer_bytes = 1 + data[1] % 70;
  options.batch_rows = 1 + data[0] % 5;
  options.sample_bytes = data[1];
  const Result<csv_tests::CellTable> again = csv_tests::read_text(text, options);
  expect(table.has_value() == again.has_value(), "reading in small blocks gives a different kind of result");
  if (!table.has_value()) {
    // How far a damaged stream is decompressed, or UTF-16 converted, before it fails depends on the blocks.
    const auto unpacker = csv::make_unpacker(text.substr(0, csv::kMagicBytes));
    const bool compressed = !unpacker.has_value() || *unpacker != nullptr;
    const bool converted = is_about_utf16(table.error()) || is_about_utf16(again.error());
    expect(compressed || converted || table.error().message() == again.error().message(),
           "reading in small blocks gives a different error");
    return 0;
  }
  expect(*table == *again, "reading in small blocks gives a different table");
  expect_same_text(text, options, data[1]);
  options.max_record_bytes = 100'000;  // quotes and zeros may be added
  options.skip_lines = 0;              // skipped lines are not written
  const Result<std::string> written = csv_tests::try_write_text(*table, options);
  if (!written.has_value()) {
    expect(written.error().message().ends_with("it would state the delimiter"), "a table cannot be written");
    return 0;
  }
  const Result<csv_tests::CellTable> back =
      csv_tests::read_text(*written, options, csv_tests::schema_of(*table));
  expect(back.has_value() && *back == *table, "what was written is read as a different table");
  return 0;
}
