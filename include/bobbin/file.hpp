// SPDX-License-Identifier: Apache-2.0
// Reading and writing .bob files. docs/format.md describes the bytes.
//
// Threads: any number of threads may call a Reader's const functions at the same time. A Writer is used by
// one thread at a time (WriteOptions::threads says how many threads it uses itself). Everything else here is
// plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/io.hpp"
#include "bobbin/status.hpp"
#include "bobbin/strings.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

namespace file {
struct ReaderAccess;
struct WriterAccess;
}  // namespace file

struct Column {
  std::string name;  // UTF-8, unique in its file
  DType type{};
  bool nullable = false;  // for numbers; strings can always be null
  Logical logical{};

  friend bool operator==(const Column&, const Column&) = default;
};

// A view of a column's values for Writer::append(). `validity`, if given, has one bit per value: bit i % 8 of
// byte i / 8 is 0 for a null, whose value is ignored.
class ColumnView {
 public:
  template <class T>
  ColumnView(std::span<const T> values, const uint8_t* validity = nullptr)
      : ColumnView(kDTypeOf<T>, values.data(), values.size(), validity) {}
  template <class T>
  ColumnView(const std::vector<T>& values, const uint8_t* validity = nullptr)
      : ColumnView(std::span<const T>(values), validity) {}
  // Numbers whose type is known only at run time, at any alignment.
  ColumnView(DType type, const void* values, uint64_t length, const uint8_t* validity = nullptr)
      : type_(type), length_(length), values_(values), validity_(validity) {}
  ColumnView(const StringsView& strings) : type_(strings.type), length_(strings.length), strings_(strings) {}
  ColumnView(const Strings& strings) : ColumnView(strings.view()) {}

  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] uint64_t length() const { return length_; }
  [[nodiscard]] const void* values() const { return values_; }         // of numbers
  [[nodiscard]] const uint8_t* validity() const { return validity_; }  // of numbers
  [[nodiscard]] const StringsView& strings() const { return strings_; }

 private:
  DType type_;
  uint64_t length_;
  const void* values_ = nullptr;
  const uint8_t* validity_ = nullptr;
  StringsView strings_;
};

// Keys and values of the whole file, in the order in which they were set. At most 1024 keys, each of 1 to 256
// bytes of UTF-8; values are any bytes, at most 65536. Keys that begin with "bobbin." are reserved.
using Metadata = std::vector<std::pair<std::string, std::string>>;

// The key that says how many columns at the end of the file are hidden: a decimal number, at least 1 and less
// than the number of columns.
inline constexpr std::string_view kHiddenColumnsKey = "bobbin.hidden_columns";

// What encodings are chosen for.
struct Goal {
  enum class Kind : uint8_t {
    smallest,
    fastest,  // to decode on a GPU, among those at most `slack` larger than the smallest
    compact,  // smaller than `smallest`, which leaves out general compression (codec zstd): slower to decode
  };

  Kind kind = Kind::smallest;
  double slack = 0.1;
};

struct WriteOptions {
  uint64_t rows_per_group = uint64_t{1} << 20;  // at most 2^24; a multiple of 1024 keeps vectors whole
  // A row group also ends before its columns together would have more bytes than this, so that memory stays
  // bounded. A single row with more bytes gets its own row group.
  uint64_t bytes_per_group = uint64_t{256} << 20;
  Backend backend = Backend::cpu;  // where encoding runs; all give the same bytes
  // A codec or a cascade such as "dict(bitpack, delta)" for all columns; empty: chosen for each
  // chunk.
  std::string codec{};
  std::vector<std::pair<std::string, std::string>> column_codecs{};  // the same by column name
  Goal goal{};
  bool overwrite = false;  // replace an existing file
  unsigned threads = 1;    // threads that encode columns; 0: one per core
  // Whoever may not read one of these files, from which the rows come, may not read the new one either
  // (Output::restrict_to).
  std::vector<file::Access> sources{};
};

// Writes a file from start to end, with memory for about two row groups. The file gets its name only when
// finish() succeeds: until then, or if the writer is destroyed first, an existing file stays as it was.
class BOBBIN_API Writer {
 public:
  static Result<Writer> create(const std::string& path, std::vector<Column> columns,
                               const WriteOptions& options);
  // Writes to an open descriptor (a pipe, say) instead; the caller closes it. `name` is for error messages.
  static Result<Writer> to_descriptor(int descriptor, std::string name, std::vector<Column> columns,
                                      const WriteOptions& options);

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  // Appends rows: one view per column, all of the same length and each of its column's type, as in
  // append({ids, prices, names}). Strings may be of either string type; a utf8 column accepts valid UTF-8
  // only. Any number of rows may be appended at a time; they are gathered into row groups.
  Status append(std::span<const ColumnView> columns);
  Status append(std::initializer_list<ColumnView> columns) {
    return append(std::span(columns.begin(), columns.size()));
  }
  // Sets a key of the file's metadata, replacing its value if the key exists. A refused pair leaves the
  // writer unchanged.
  Status set_metadata(std::string key, std::string value);
  // Writes the remaining rows and the footer, syncs, and renames the file. Must be the last call.
  Status finish();

  [[nodiscard]] uint64_t bytes_written() const;

 private:
  friend struct file::WriterAccess;
  struct Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One node of the tree that encodes a column chunk.
struct NodeInfo {
  std::string codec;
  std::string detail;  // parameters of the codec, such as "width 7"
  DType type{};
  uint64_t length = 0;
  // Metadata and stored segments of this node, padding included; what is in a compressed footer counts with
  // its share of the compressed size. Symbols that a chunk of strings shares with the previous chunk of its
  // column are counted in that chunk.
  uint64_t bytes = 0;
  std::vector<NodeInfo> children;
};

// What the footer says about a chunk of strings. Bounds are those of the strings that are not null, compared
// byte by byte; they have at most 64 bytes and need not be strings of the chunk, nor valid UTF-8.
struct StringZone {
  std::string min{};         // at most every string
  std::string max{};         // at least every string
  bool max_is_open = false;  // no bound of 64 bytes exists, and `max` is empty
  uint64_t null_count = 0;
  uint64_t num_bytes = 0;  // of all strings together

  friend bool operator==(const StringZone&, const StringZone&) = default;
};

struct ChunkInfo {
  NodeInfo root;
  // The zone map of the values that are not null; zero if all are null, and undefined for strings. For
  // floats, it is -infinity to +infinity if there is a NaN among the values; the bounds are never NaN.
  Scalar min;
  Scalar max;
  uint64_t null_count = 0;  // of numbers; for strings see `strings`
  StringZone strings;       // for a column of strings
};

struct RowGroupInfo {
  uint64_t first_row = 0;
  uint64_t num_rows = 0;
  std::vector<ChunkInfo> chunks;  // one per column that is not hidden
};

// The strings of a row group that match a query, and their rows.
struct StringMatches {
  std::vector<uint64_t> rows;  // ascending, counted from the file's first row
  Strings strings;
};

// Opening a file reads and checks the footer; column data is read and its checksum verified only on request.
// Every error names the file, the location and the reason.
class BOBBIN_API Reader {
 public:
  static Result<Reader> open(const std::string& path);
  // Reads from a descriptor that can seek; the caller closes it. `name` is for error messages.
  static Result<Reader> from_descriptor(int descriptor, std::string name);

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  // Without hidden columns.
  [[nodiscard]] const std::vector<Column>& columns() const;
  // Columns after these, which say more about their values and are not part of the table. Queries
  // and tables do not see them; read_strings(), read_columns() and the like take their numbers, which begin
  // at columns().size().
  [[nodiscard]] std::span<const Column> hidden_columns() const;
  // The position of the column with this name; nothing if there is none. Takes the same time for any number
  // of columns.
  [[nodiscard]] std::optional<size_t> find_column(std::string_view name) const;
  [[nodiscard]] uint64_t num_rows() const;
  [[nodiscard]] uint64_t file_bytes() const;
  [[nodiscard]] unsigned format_version() const;
  // The footer's checksum. Since the footer holds the checksums of all other bytes, files with different data
  // have different ones: it shows whether a file that is opened again has changed.
  [[nodiscard]] uint64_t checksum() const;
  [[nodiscard]] const Metadata& metadata() const;
  [[nodiscard]] size_t num_row_groups() const;
  [[nodiscard]] Result<RowGroupInfo> row_group(size_t index) const;

  // Decodes rows begin .. begin+count-1 of a column of numbers into `out` (count * size_bytes(type) bytes);
  // reads only the row groups that hold them. Nulls are read as zero; read_validity() shows which rows are
  // null.
  Status read(size_t column, uint64_t begin, uint64_t count, std::span<std::byte> out,
              Backend backend = Backend::cpu) const;
  // Which rows of a column of numbers have a value: bit i % 8 of byte i / 8 of `bitmap` (count / 8 bytes,
  // rounded up) is 1 if row begin + i has one, and 0 if it is null or after the last requested row.
  Status read_validity(size_t column, uint64_t begin, uint64_t count, std::span<uint8_t> bitmap) const;
  // As read(), for a column of strings.
  [[nodiscard]] Result<Strings> read_strings(size_t column, uint64_t begin, uint64_t count,
                                             Backend backend = Backend::cpu) const;
  // The strings of a row group that match; nulls never do. Other strings are not decoded, and a row group
  // whose zone map rules out a match is not read.
  [[nodiscard]] Result<StringMatches> find_strings(size_t column, size_t row_group, const StringQuery& query,
                                                   Backend backend = Backend::cpu) const;
  // Counts the strings that find_strings() would return.
  [[nodiscard]] Result<uint64_t> count_strings(size_t column, size_t row_group, const StringQuery& query,
                                               Backend backend = Backend::cpu) const;
  // Reads every byte, verifies every checksum, decodes every chunk, and compares it with its zone map and
  // null count; utf8 strings must be valid.
  // `progress`, if given, is called with the fraction done (0 to 1).
  Status verify(Backend backend = Backend::cpu, const std::function<void(double)>& progress = {}) const;

 private:
  friend struct file::ReaderAccess;
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bobbin
