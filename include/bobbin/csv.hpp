// SPDX-License-Identifier: Apache-2.0
// CSV to .bob files and back. docs/csv.md describes what is read and written.
//
//   using namespace bobbin;
//   const Result<csv::ImportResult> made = csv::import_file("table.csv", "table.bob");
//   const Result<Reader> reader = Reader::open("table.bob");
//   const Status written = csv::export_file(*reader, "again.csv");
//
// The delimiter, the quote, the header row and the columns' types are detected from the text unless they are
// given. A .bob file records how its text was written, so that export_file() writes the same text again.
//
// Threads: an Importer or RowWriter is used by one thread at a time; different objects are independent. The
// functions may be called from any thread; several exports may share a Reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/file.hpp"
#include "bobbin/io.hpp"
#include "bobbin/schema.hpp"
#include "bobbin/status.hpp"
#include "bobbin/table.hpp"

namespace bobbin::csv {

enum class LineEnd : uint8_t {
  lf,    // CRLF is read too
  crlf,  // like lf, but written as CRLF
  cr     // CR alone
};

// What happens to records with too few fields.
enum class Ragged : uint8_t {
  error,
  pad  // the missing fields at the end are empty
};

enum class Encoding : uint8_t {
  utf8,         // or any bytes; text with the byte order mark of UTF-16 is read as UTF-16
  latin1,       // ISO 8859-1
  windows1252,  // Latin-1 with letters and quotes instead of control characters
  utf16,        // when it is read: big-endian if a byte order mark or the first byte says so
  utf16be       // big-endian
};
// "utf8", "latin1", "windows1252", "utf16", "utf16be"
[[nodiscard]] BOBBIN_API std::optional<Encoding> parse_encoding(std::string_view name);
[[nodiscard]] BOBBIN_API std::string_view to_string(Encoding encoding);

// How a text is written.
struct Options {
  char delimiter = ',';  // ASCII, except NUL, a quote, CR or LF
  char quote = '"';      // NUL: none
  char escape = '\0';    // before a character that is to be taken literally; NUL: none, quotes are doubled
  char comment = '\0';   // lines that begin with it, perhaps after blanks, are skipped; NUL: none
  LineEnd line_end = LineEnd::lf;
  Encoding encoding = Encoding::utf8;  // of text that is written; ReadOptions has that of text that is read
  Ragged ragged = Ragged::error;
  uint64_t skip_lines = 0;   // before the header row
  bool header = true;        // the first line has the columns' names
  bool row_names = false;    // it has none for the first column, as R writes tables
  bool skip_blanks = false;  // blanks before an opening quote are not part of the field
  bool trailing = false;     // an empty field after the last column is ignored
  // Unquoted fields that mean null; the first one is written.
  std::vector<std::string> nulls = {""};
  // Whether words such as NA mean null in columns of numbers, dates, times and booleans.
  bool null_words = true;
  // How dates and numbers are written, as far as their columns do not show it. When reading only: a file
  // notes how its own text was written.
  std::string date_format{};  // of dates and times: "%d/%m/%Y"; empty: found from the values
  std::string thousands{};    // between groups of three digits; empty: found from the values
  char decimal = '\0';        // before a fraction, '.' or ','; NUL: found from the values
  uint64_t max_record_bytes = uint64_t{64} << 20;  // per record; at most 2^29
  size_t buffer_bytes = size_t{1} << 20;           // read at a time
  size_t batch_rows = size_t{1} << 16;             // at most this many per batch
  uint64_t sample_bytes = uint64_t{1} << 20;       // types are first inferred from this much
};

[[nodiscard]] BOBBIN_API Status check(const Options& options);
// "|", "tab", "\t".
[[nodiscard]] BOBBIN_API std::optional<char> parse_delimiter(std::string_view text);
// The delimiter that a file name implies: comma for .csv, tab for .tsv, | for .tbl, also with .gz or .zst
// after it; nothing for other names.
[[nodiscard]] BOBBIN_API std::optional<char> delimiter_by_name(std::string_view path);
// Error, in words, if the text is not a pattern of dates or times such as %d/%m/%Y or %b %-d, %Y %I:%M %p;
// empty if it is. docs/csv.md lists the conversions.
[[nodiscard]] BOBBIN_API std::string check_date_format(std::string_view text);
// One ASCII character that is not a letter or digit; "none" is NUL.
[[nodiscard]] BOBBIN_API std::optional<char> parse_mark(std::string_view text);

// The options of the CSV text that a .bob file was made from; nothing if it was not made from CSV.
[[nodiscard]] BOBBIN_API std::optional<Options> noted_options(const Metadata& metadata);
// Whether that text was in tabs in a file named .csv: then another .csv file gets tabs too.
[[nodiscard]] BOBBIN_API bool has_tabs_in_csv(const Metadata& metadata);
// The stored size of that text, which may have been compressed.
[[nodiscard]] BOBBIN_API std::optional<uint64_t> noted_source_bytes(const Metadata& metadata);

// A text to read: a file, an open descriptor (perhaps a pipe), or memory. gzip and zstd are decompressed.
struct Input {
  enum class Kind : uint8_t { file, descriptor, memory };

  Kind kind{};
  std::string name{};  // the path of a file; for the others: for messages
  int number = -1;
  std::string_view text{};

  static Input file(std::string path) { return {Kind::file, std::move(path), -1, {}}; }
  // Reads from the descriptor's position on; the caller closes it. `begin`: what was read from a pipe
  // already; the caller keeps it until the import is done.
  static Input descriptor(int number, std::string name, std::string_view begin = {}) {
    return {Kind::descriptor, std::move(name), number, begin};
  }
  // The caller keeps the text until the import is done.
  static Input memory(std::string_view text, std::string name) {
    return {Kind::memory, std::move(name), -1, text};
  }
};

struct ReadOptions {
  // Options that are not set are detected from the first bytes of the text.
  std::optional<char> delimiter{};
  std::optional<char> quote{};
  std::optional<char> escape{};
  std::optional<bool> header{};
  std::optional<uint64_t> skip_lines{};    // before the header row
  std::optional<char> likely_delimiter{};  // preferred if several would do (default: by the input's name)

  // The encoding of the text; if it is not set, UTF-8, or what the whole text shows it to be.
  std::optional<Encoding> encoding{};

  // All other options. Its delimiter, quote, escape, header, skip_lines, line_end and encoding are ignored,
  // and the empty field always means null.
  Options other{};
  // Types of all columns or some; other columns get the type that fits all of their values.
  std::optional<Schema> schema{};
  uint64_t max_rows = UINT64_MAX;  // reads no further than these rows need
};

// What was detected in the first bytes.
struct Sniffed {
  Options options;
  size_t columns = 0;
  // The first record's fields, if it has no names, or has them by a narrow verdict; otherwise empty.
  std::vector<std::string> first_record{};
};
// "delimiter ';', quote '"', header row, 5 columns", and the first record if there is one.
[[nodiscard]] BOBBIN_API std::string describe(const Sniffed& sniffed);

struct ImportProgress {
  uint64_t bytes_read = 0;  // of the inputs, as they are stored
  bool finished = false;    // all rows are read; the output is about to get its name
};
// Called after every batch of rows, and once when all are read. An error ends the import; an output file is
// then removed.
using ImportVisitor = std::function<Status(const ImportProgress&)>;

struct ImportResult {
  std::vector<Column> columns;
  uint64_t num_rows = 0;
  uint64_t bytes_read = 0;  // of the inputs, as they are stored
  uint64_t bytes_written = 0;
  // What a user should know, one line each: names that were changed, columns that are text because of one
  // value, values that are not written back exactly as they were.
  std::vector<std::string> notes;
  // Whether the text, once decompressed, is written back byte for byte. Otherwise a note says what is not, or
  // there were several texts.
  bool is_exact = false;
};

// Reads one or more texts with the same columns into one .bob file. Memory holds about two row groups.
class BOBBIN_API Importer {
 public:
  // Opens the inputs and detects the format of the first one; the others are read in the same format.
  static Result<Importer> open(std::vector<Input> inputs, const ReadOptions& options = {});

  Importer(Importer&&) noexcept;
  Importer& operator=(Importer&&) noexcept;
  ~Importer();

  [[nodiscard]] const Sniffed& sniffed() const;

  // Read everything and write it to a file, or to an open descriptor (a pipe, say) that the caller closes.
  // Call only one of the three, and only once. Types are first inferred from the beginning of the text; if a
  // later value does not fit, the text is read again from the start. For a descriptor, the whole text is
  // always read twice.
  [[nodiscard]] Result<ImportResult> write(const std::string& path, const WriteOptions& options = {},
                                           const ImportVisitor& visit = {});
  [[nodiscard]] Result<ImportResult> write_to_descriptor(int descriptor, std::string name,
                                                         const WriteOptions& options = {},
                                                         const ImportVisitor& visit = {});
  // The same for a file of the caller's own, such as file::nameless_file(), whose content is replaced: the
  // text is read again only if a type was wrong.
  [[nodiscard]] Result<ImportResult> write_over(int descriptor, std::string name,
                                                const WriteOptions& options = {},
                                                const ImportVisitor& visit = {});

 private:
  struct Impl;
  explicit Importer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Importer::open() and write() for one file.
[[nodiscard]] BOBBIN_API Result<ImportResult> import_file(const std::string& csv_path,
                                                          const std::string& bob_path,
                                                          const ReadOptions& read = {},
                                                          const WriteOptions& write = {});

// Writes rows of columns as CSV. A field is quoted only if it would be read differently without quotes.
class BOBBIN_API RowWriter {
 public:
  // Columns of a file, in any order. With the options that noted_options() returns, fields are written as
  // they were in the text that the file was made from; with others, at least numbers, dates and times are
  // spelled as they were. The output must outlive the writer; the caller commits it.
  static Result<RowWriter> create(file::Output& output, const bobbin::Reader& reader,
                                  std::span<const size_t> columns, const Options& options);
  // Any columns.
  static Result<RowWriter> create(file::Output& output, const std::vector<Column>& columns,
                                  const Options& options);

  RowWriter(RowWriter&&) noexcept;
  RowWriter& operator=(RowWriter&&) noexcept;
  ~RowWriter();

  // The numbers of the columns whose rows append() takes, for a writer of a file's columns: those that it was
  // created for, then hidden ones with texts that are written as they were.
  [[nodiscard]] const std::vector<size_t>& columns() const;

  // Writes the header row, if the options ask for one. Call it first.
  [[nodiscard]] Status begin();
  // Writes the first `rows` rows of the columns: columns() or, if it was created for any, those.
  [[nodiscard]] Status append(std::span<const HostColumn> columns, uint64_t rows);
  // Writes what is still buffered. Call it last.
  [[nodiscard]] Status finish();

 private:
  struct Impl;
  explicit RowWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct ExportOptions {
  std::optional<Options> format{};  // default: as the text that the file was made from, or Options{}
  std::vector<size_t> columns{};    // in this order; empty: all
  uint64_t begin = 0;               // the first row
  uint64_t num_rows = UINT64_MAX;   // at most this many
  Backend backend = Backend::cpu;   // where columns are decoded
  bool overwrite = false;           // replace an existing file
};
// Writes rows of a .bob file as a CSV file. Each chunk is read once; memory holds a few rows of all columns.
[[nodiscard]] BOBBIN_API Status export_file(const bobbin::Reader& reader, const std::string& csv_path,
                                            const ExportOptions& options = {});

}  // namespace bobbin::csv
