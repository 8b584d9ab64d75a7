// SPDX-License-Identifier: Apache-2.0
// Tables to and from other programs through Arrow's C data and C stream interfaces. No Arrow library is
// needed: the interfaces are plain structures, which pyarrow, DuckDB, Polars and others read and produce.
//
//   ArrowArrayStream stream;
//   BOBBIN_TRY(arrow::export_table_scan(reader, {.where = query::col("a") < 10}, &stream));  // to Arrow
//   BOBBIN_TRY(arrow::write_stream(&stream, "t.bob"));                                       // from Arrow
//
// Types, from Bobbin to Arrow: numbers, dates, timestamps and times keep their types (times in seconds and
// milliseconds have 32 bits in Arrow), booleans become bits, decimals decimal128, strings large_string and
// large_binary. Other properties of a table from Arrow (time zones, precisions, 32-bit string offsets,
// durations) are kept in the file's metadata, so that the same types are restored.
//
// Threads: the functions may be called from any thread. An exported structure is used by one thread at a
// time; different ones are independent, even if they share memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bobbin/arrow_abi.h"
#include "bobbin/export.h"
#include "bobbin/file.hpp"
#include "bobbin/query.hpp"
#include "bobbin/status.hpp"
#include "bobbin/table.hpp"

namespace bobbin::arrow {

// Owns an Arrow structure, and releases it when destroyed.
template <class T>
struct Owned {
  T held{};

  Owned() = default;
  // Moves the structure out of `from`.
  explicit Owned(T& from) : held(from) { from.release = nullptr; }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (held.release != nullptr) {
      held.release(&held);
    }
  }
};

// A column, and its type in Arrow in the notation of the C data interface: "l", "tsu:UTC", "d:10,2".
struct Field {
  Column column;
  std::string format;
  Metadata metadata{};  // of the field, as Arrow keeps it: also the names of extension types

  friend bool operator==(const Field&, const Field&) = default;
};

// The type that a column has in Arrow if nothing else is known.
[[nodiscard]] BOBBIN_API std::string default_format(const Column& column);
// Whether a column can be exported with this type: other time zones, precisions and string widths.
[[nodiscard]] BOBBIN_API bool can_export_as(const Column& column, const std::string& format);
// The columns of a file, with the types of the table that it was written from. A string column has 64-bit
// offsets, whatever it had before, if a row group has 2 GiB of strings or more.
[[nodiscard]] BOBBIN_API std::vector<Field> fields_of(const Reader& reader);
// The file's metadata without the keys that are Bobbin's own.
[[nodiscard]] BOBBIN_API Metadata own_metadata(const Reader& reader);

// ---- Exporting. The receiver calls `release`; on an error nothing is exported. ----

// A struct type with one field per column.
BOBBIN_API void export_schema(std::span<const Field> fields, const Metadata& metadata, ArrowSchema* out);
// Columns of equal length as one struct array. Memory is shared where the layouts are the same, and lives
// until the last array that uses it is released. Fails for values that the type cannot hold.
[[nodiscard]] BOBBIN_API Status export_columns(std::vector<HostColumn> columns,
                                               std::span<const std::string> formats, ArrowArray* out);

// How much a table scan has read so far.
struct TableScanCounts {
  uint64_t row_groups = 0;  // of which at least one column was read
  uint64_t rows = 0;        // returned
};

struct TableScanOptions {
  std::optional<std::vector<size_t>> columns{};  // in this order (default: all)
  std::optional<query::Predicate> where{};
  uint64_t begin = 0;                               // the first row
  uint64_t num_rows = UINT64_MAX;                   // rows to look at, from `begin`
  std::optional<std::vector<size_t>> row_groups{};  // to look at, ascending (default: all)
  std::optional<std::vector<uint64_t>> rows{};      // only these, ascending; not with `where`
  uint64_t limit = UINT64_MAX;                      // rows to return
  uint64_t batch_rows = UINT64_MAX;                 // per array, which never spans row groups
  std::vector<std::string> formats{};               // per returned column; empty: those of fields_of()
  Backend backend = Backend::cpu;                   // that evaluates `where`
  unsigned threads = 0;                             // 0: one per core
  // Called after each row group, by the receiver's thread.
  std::function<void(const TableScanCounts&)> report{};
};

// The fields that a table scan returns. Fails if columns, formats, row groups or the predicate do not fit the
// file.
[[nodiscard]] BOBBIN_API Result<std::vector<Field>> table_scan_fields(const Reader& reader,
                                                                      const TableScanOptions& options);
// A stream of struct arrays, of up to 131072 rows each, and fewer if their strings have many bytes. Row
// groups are read when they are requested, and a few ahead; memory holds them in encoded form, a few decoded
// arrays, and those that the receiver has not released. The reader lives as long as the stream.
[[nodiscard]] BOBBIN_API Status export_table_scan(std::shared_ptr<const Reader> reader,
                                                  TableScanOptions options, ArrowArrayStream* out);
// The error of the latest call of a stream that export_table_scan() made; nothing for the streams of others.
// A stream itself can only tell its receiver a number and a text.
[[nodiscard]] BOBBIN_API std::optional<Status> stream_error(const ArrowArrayStream& stream);

// ---- Importing. Structures are checked as far as they can be: a pointer has no size. ----

// A struct array as views for Writer::append(). It must not outlive the array.
class BOBBIN_API ImportedBatch {
 public:
  ImportedBatch(ImportedBatch&&) noexcept;
  ImportedBatch& operator=(ImportedBatch&&) noexcept;
  ~ImportedBatch();

  [[nodiscard]] uint64_t length() const;
  [[nodiscard]] std::span<const ColumnView> columns() const;

 private:
  friend class Importer;
  struct Impl;
  explicit ImportedBatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Imports arrays of one struct type. Dictionaries are decoded; string views, fixed-size binary and decimals
// of any width are converted. Lists, structs, unions, maps, intervals and half floats are `unsupported`.
class BOBBIN_API Importer {
 public:
  static Result<Importer> create(const ArrowSchema& schema);

  Importer(Importer&&) noexcept;
  Importer& operator=(Importer&&) noexcept;
  ~Importer();

  [[nodiscard]] const std::vector<Field>& fields() const;
  [[nodiscard]] const Metadata& metadata() const;
  // Views of an array of this type. Memory is shared where the layouts are the same.
  [[nodiscard]] Result<ImportedBatch> import(const ArrowArray& array) const;
  // Sets the metadata that fields_of() and own_metadata() return for the file.
  [[nodiscard]] Status annotate(Writer& writer) const;

 private:
  struct Impl;
  explicit Importer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Called with the number of rows written so far. An error ends the write, and no file is made.
using WriteVisitor = std::function<Status(uint64_t rows)>;

// Writes all arrays of a stream to a file; returns the number of rows. The stream is released in every case.
// `metadata` is added to that of the stream's type.
[[nodiscard]] BOBBIN_API Result<uint64_t> write_stream(ArrowArrayStream* stream, const std::string& path,
                                                       const WriteOptions& options = {},
                                                       const Metadata& metadata = {},
                                                       const WriteVisitor& visit = {});

}  // namespace bobbin::arrow
