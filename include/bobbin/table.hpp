// SPDX-License-Identifier: Apache-2.0
// Reads several columns of a file at once: into host memory by several threads, or onto a GPU, where reading,
// copying and decoding overlap.
//
// Threads: the functions may be called from any thread, even for the same Reader. A Loader runs one load at a
// time; different loaders are independent. HostColumn, DeviceStrings and DeviceColumn are plain data: any
// number of threads may read one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/file.hpp"
#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/strings.hpp"

namespace bobbin {

// Rows of a column in host memory.
struct HostColumn {
  Column column;
  uint64_t length = 0;
  std::unique_ptr<std::byte[]> values;  // of numbers: length * size_bytes(type), zero for nulls
  std::vector<uint8_t> validity;        // of numbers: as Reader::read_validity(); empty: no nulls
  Strings strings;                      // of strings

  [[nodiscard]] ColumnType type() const { return {column.type, column.logical}; }
  [[nodiscard]] bool is_null(uint64_t row) const {
    const std::vector<uint8_t>& bits = is_string(column.type) ? strings.validity : validity;
    return !bits.empty() && (bits[row / 8] >> (row % 8) & 1) == 0;
  }
  // A value of a column of numbers.
  [[nodiscard]] Scalar number(uint64_t row) const { return scalar_at(column.type, values.get(), row); }
  // The bytes of a string.
  [[nodiscard]] std::string_view string(uint64_t row) const {
    const uint64_t begin = strings.offsets[row];
    return {reinterpret_cast<const char*>(strings.bytes.data()) + begin, strings.offsets[row + 1] - begin};
  }
};

// Rows begin .. begin+count-1 of the columns, in the given order. 0 threads: one per core.
[[nodiscard]] BOBBIN_API Result<std::vector<HostColumn>> read_columns(const Reader& reader,
                                                                      std::span<const size_t> columns,
                                                                      uint64_t begin, uint64_t count,
                                                                      unsigned threads = 0);

// Rows with the given numbers, which must be ascending and distinct, of the columns in the given order. In
// chunks where few rows are requested, only those rows are read and decoded.
[[nodiscard]] BOBBIN_API Result<std::vector<HostColumn>> read_rows(const Reader& reader,
                                                                   std::span<const size_t> columns,
                                                                   std::span<const uint64_t> rows);

// Receives rows of the columns in the given order, and the number of rows, which is never zero.
using SliceVisitor = std::function<Status(std::span<const HostColumn> columns, uint64_t rows)>;

// Passes rows begin .. begin+count-1 to `visit`, a slice at a time: each chunk is read once, and memory holds
// the encoded chunks of a row group and one decoded slice: 64 MiB of numbers and 8 MiB of strings at most, or
// one row. An error of `visit` ends the call.
[[nodiscard]] BOBBIN_API Status visit_slices(const Reader& reader, std::span<const size_t> columns,
                                             uint64_t begin, uint64_t count, const SliceVisitor& visit,
                                             Backend backend = Backend::cpu);
// The same for rows of one row group with the given numbers, which must be ascending and distinct and are
// counted from the file's first row, as query::Query::visit_rows() passes them.
[[nodiscard]] BOBBIN_API Status visit_slices(const Reader& reader, size_t row_group,
                                             std::span<const size_t> columns, std::span<const uint64_t> rows,
                                             const SliceVisitor& visit);

// Strings of a row group in device memory, in the layout of Arrow.
struct DeviceStrings {
  uint64_t length = 0;
  bool wide = false;  // offsets of 64 bits; otherwise of 32
  uint64_t num_bytes = 0;
  std::shared_ptr<DeviceBuffer> offsets;  // length + 1; the first is 0
  std::shared_ptr<DeviceBuffer> bytes;
  std::shared_ptr<DeviceBuffer> validity;  // bit i % 32 of word i / 32 is 0 for a null; nullptr: no nulls
};

// Rows of a column in device memory.
struct DeviceColumn {
  Column column;
  uint64_t length = 0;
  std::shared_ptr<DeviceBuffer> values;    // of numbers; undefined for nulls
  std::shared_ptr<DeviceBuffer> validity;  // of numbers: as DeviceStrings::validity
  std::vector<DeviceStrings> strings;      // of strings: one element per row group, in order
};

struct LoadOptions {
  unsigned threads = 0;              // threads that read, check and copy; 0: one per core
  MemoryResource* memory = nullptr;  // for the columns; nullptr: the backend's default_memory()
  // About how many compressed bytes are copied at once: small copies are slow, and decoding begins only after
  // the copy of a batch. Memory holds as many batches as there are threads, and at least four, each with its
  // own stream.
  uint64_t batch_bytes = uint64_t{8} << 20;
};

// Loads columns onto a device. Threads read the compressed bytes of chunks into pinned memory, check them,
// and queue copies and decoding in batches; meanwhile they read the next chunks. A loader keeps its threads,
// streams and pinned memory: create one and reuse it, for one load at a time. Loaded columns may outlive
// the loader.
class BOBBIN_API Loader {
 public:
  static Result<Loader> create(Backend backend, const LoadOptions& options = {});

  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;
  ~Loader();

  // Rows begin .. begin+count-1 of the columns, in the given order. Returns when all are loaded.
  [[nodiscard]] Result<std::vector<DeviceColumn>> load(const Reader& reader, std::span<const size_t> columns,
                                                       uint64_t begin, uint64_t count);

 private:
  struct Impl;
  explicit Loader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bobbin
