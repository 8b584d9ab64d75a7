// SPDX-License-Identifier: Apache-2.0
// Reading and writing .bob files. docs/format.md describes the bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/strings.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

namespace file {
struct ReaderAccess;
}

struct Column {
  std::string name;  // UTF-8, unique in its file
  DType type{};
  bool nullable = false;  // numbers that may be null; not for strings, which always may
  Logical logical{};

  friend bool operator==(const Column&, const Column&) = default;
};

// Numbers somebody else owns, some of which may be null.
struct NullableView {
  const void* values = nullptr;       // what stands in a null's place means nothing
  const uint8_t* validity = nullptr;  // bit i % 8 of byte i / 8 is 0 for a null; no pointer: no nulls
};

// Keys and values of a file as a whole, in the order in which they were set. At most 1024 keys, each of 1 to
// 256 bytes of UTF-8; values are any bytes, at most 65536. Keys that begin with "bobbin." are the library's.
using Metadata = std::vector<std::pair<std::string, std::string>>;

// What the choice of encodings aims at.
struct Goal {
  enum class Kind : uint8_t {
    smallest,
    fastest,  // to decode on a GPU, of those that are at most `slack` larger than the smallest
  };

  Kind kind = Kind::smallest;
  double slack = 0.1;
};

struct WriteOptions {
  uint64_t rows_per_group = uint64_t{1} << 20;  // at most 2^24; a multiple of 1024 keeps vectors whole
  // A row group also ends before the row with which it would have more bytes than this, those of all columns
  // together, so that memory stays bounded. A row that has more by itself stands alone.
  uint64_t bytes_per_group = uint64_t{256} << 20;
  Backend backend = Backend::cpu;  // where encoding runs; the bytes are the same
  // A codec, or a cascade of them such as "dict(bitpack, delta)", fit for all columns; empty: a choice for
  // each chunk.
  std::string codec{};
  std::vector<std::pair<std::string, std::string>> column_codecs{};  // the same for columns by name
  Goal goal{};
  bool overwrite = false;  // replace an existing file
  unsigned threads = 1;    // to encode columns with; 0: as many as there are cores
};

// Writes a file in one go through memory of about two row groups. The file appears under its name only when
// finish() has succeeded: until then, and for ever if the writer is dropped, whatever stood there stays.
class Writer {
 public:
  static Result<Writer> create(const std::string& path, std::vector<Column> columns,
                               const WriteOptions& options);
  // Writes to an open descriptor (a pipe, say) instead; the caller closes it. `name` is for error messages.
  static Result<Writer> to_descriptor(int descriptor, std::string name, std::vector<Column> columns,
                                      const WriteOptions& options);

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  // Appends `rows` rows: for each column a pointer to that many values of its type; for a nullable one to a
  // NullableView of them; for strings to a StringsView whose first `rows` strings they are (the view's own
  // type is not looked at). Any number of rows at a time; they are gathered into row groups. A column of type
  // utf8 takes valid UTF-8 only.
  Status append(std::span<const void* const> columns, uint64_t rows);
  // Sets a key of the file's metadata; a key set before gets the new value. A pair that is refused leaves the
  // writer as it was.
  Status set_metadata(std::string key, std::string value);
  // Writes what is left and the footer, syncs, and gives the file its name. Nothing may follow.
  Status finish();

  [[nodiscard]] uint64_t bytes_written() const;

 private:
  struct Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One node of the tree that encodes a column chunk.
struct NodeInfo {
  std::string codec;
  std::string detail;  // the codec's own words, such as "width 7"
  DType type{};
  uint64_t length = 0;
  // Metadata and stored segments of this node, padding included. Symbols that a chunk of strings shares with
  // the one before it in its column count there.
  uint64_t bytes = 0;
  std::vector<NodeInfo> children;
};

// What is known of a chunk of strings without reading it. Bounds hold for the strings that are not null,
// compared byte by byte; they have at most 64 bytes and need not be strings of the chunk, nor valid UTF-8.
struct StringZone {
  std::string min{};         // not above any string
  std::string max{};         // not below any string
  bool max_is_open = false;  // there is no such bound of 64 bytes; `max` is empty then
  uint64_t null_count = 0;
  uint64_t num_bytes = 0;  // of all strings together

  friend bool operator==(const StringZone&, const StringZone&) = default;
};

struct ChunkInfo {
  NodeInfo root;
  // The zone map of the values that are not null; zero when there are none, and meaningless for strings.
  // Floats: from -infinity to +infinity when there is a NaN among the values, and never NaN itself.
  Scalar min;
  Scalar max;
  uint64_t null_count = 0;  // of numbers; strings have theirs below
  StringZone strings;       // of a column of strings
};

struct RowGroupInfo {
  uint64_t first_row = 0;
  uint64_t num_rows = 0;
  std::vector<ChunkInfo> chunks;  // one a column
};

// Strings of a row group that passed a test, and where they stand.
struct StringMatches {
  std::vector<uint64_t> rows;  // ascending, counted from the file's first row
  Strings strings;
};

// Opens and checks the footer; column data is read, and checked against its checksum, only when asked for.
// Every error names the file, the place and the reason.
class Reader {
 public:
  static Result<Reader> open(const std::string& path);
  // Reads from a descriptor that can seek; the caller closes it. `name` is for error messages.
  static Result<Reader> from_descriptor(int descriptor, std::string name);

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  [[nodiscard]] const std::vector<Column>& columns() const;
  [[nodiscard]] uint64_t num_rows() const;
  [[nodiscard]] uint64_t file_bytes() const;
  [[nodiscard]] unsigned format_version() const;
  [[nodiscard]] const Metadata& metadata() const;
  [[nodiscard]] size_t num_row_groups() const;
  [[nodiscard]] RowGroupInfo row_group(size_t index) const;

  // Decodes rows begin .. begin+count-1 of a column of numbers into `out` (count * size_bytes(type) bytes);
  // reads only the row groups that hold them. Nulls are read as zero: read_validity() tells them apart.
  Status read(size_t column, uint64_t begin, uint64_t count, std::span<std::byte> out,
              Backend backend = Backend::cpu) const;
  // Which of the rows have a value, of a column of numbers: bit i % 8 of byte i / 8 of `bitmap` (count / 8
  // bytes, rounded up) is 1 when row begin + i has one, and 0 when it is null or past the last row asked for.
  Status read_validity(size_t column, uint64_t begin, uint64_t count, std::span<uint8_t> bitmap) const;
  // As read(), for a column of strings.
  [[nodiscard]] Result<Strings> read_strings(size_t column, uint64_t begin, uint64_t count,
                                             Backend backend = Backend::cpu) const;
  // The strings of a row group that pass a test; a null passes none. Others are not decoded, and a row group
  // that its zone map rules out is not read.
  [[nodiscard]] Result<StringMatches> find_strings(size_t column, size_t row_group, const StringQuery& query,
                                                   Backend backend = Backend::cpu) const;
  // How many they are.
  [[nodiscard]] Result<uint64_t> count_strings(size_t column, size_t row_group, const StringQuery& query,
                                               Backend backend = Backend::cpu) const;
  // Reads every byte, checks every checksum, decodes every chunk, and compares it with its zone map and its
  // number of nulls; strings of type utf8 must be valid.
  // `progress`, when given, is called with the share done (0 to 1).
  Status verify(Backend backend = Backend::cpu, const std::function<void(double)>& progress = {}) const;

 private:
  friend struct file::ReaderAccess;
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bobbin
