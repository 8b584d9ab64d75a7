// SPDX-License-Identifier: Apache-2.0
// Reading and writing .bob files. docs/format.md describes the bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

struct Column {
  std::string name;  // UTF-8, unique in its file
  DType type{};

  friend bool operator==(const Column&, const Column&) = default;
};

struct WriteOptions {
  uint64_t rows_per_group = uint64_t{1} << 20;  // at most 2^24; a multiple of 1024 keeps vectors whole
  Backend backend = Backend::cpu;               // where encoding runs; the bytes are the same
  std::string codec{};                          // force one codec by name; empty: the smallest
  bool overwrite = false;                       // replace an existing file
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

  // Appends `rows` rows: for each column a pointer to that many values of its type. Any number of rows at a
  // time; they are gathered into row groups.
  Status append(std::span<const void* const> columns, uint64_t rows);
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
  uint64_t bytes = 0;  // metadata and stored segments of this node, padding included
  std::vector<NodeInfo> children;
};

struct ChunkInfo {
  NodeInfo root;
  // The zone map; meaningless when the chunk has no rows. Floats: from -infinity to +infinity when there is a
  // NaN among the values, and never NaN itself.
  Scalar min;
  Scalar max;
};

struct RowGroupInfo {
  uint64_t first_row = 0;
  uint64_t num_rows = 0;
  std::vector<ChunkInfo> chunks;  // one a column
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
  [[nodiscard]] size_t num_row_groups() const;
  [[nodiscard]] RowGroupInfo row_group(size_t index) const;

  // Decodes rows begin .. begin+count-1 of a column into `out` (count * size_bytes(type) bytes); reads only
  // the row groups that hold them.
  Status read(size_t column, uint64_t begin, uint64_t count, std::span<std::byte> out,
              Backend backend = Backend::cpu) const;
  // Reads every byte, checks every checksum, decodes every chunk, and compares it with its zone map.
  // `progress`, when given, is called with the share done (0 to 1).
  Status verify(Backend backend = Backend::cpu, const std::function<void(double)>& progress = {}) const;

 private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bobbin
