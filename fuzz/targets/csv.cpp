// SPDX-License-Identifier: Apache-2.0
// Arbitrary text: it is either refused or a table, and the result does not depend on how much is read at a
// time. The table, written and read again with its schema, is the same table. The first byte is the
// delimiter, the second says whether there is a header, and the third has one bit for each other option.
// Covers: src/csv
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) {
    return 0;
  }
  csv::Options options{
      .delimiter = static_cast<char>(data[0]), .header = data[1] == 'h', .max_record_bytes = 1000};
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
