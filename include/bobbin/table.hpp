// SPDX-License-Identifier: Apache-2.0
// Several columns of a file at once: into host memory by several threads, or onto a GPU, where reading,
// copying and decoding overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

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
};

// Rows begin .. begin+count-1 of the columns, in the order asked for. 0 threads: as many as there are cores.
[[nodiscard]] Result<std::vector<HostColumn>> read_columns(const Reader& reader,
                                                           std::span<const size_t> columns, uint64_t begin,
                                                           uint64_t count, unsigned threads = 0);

// Strings of a row group in device memory, as Arrow lays them out.
struct DeviceStrings {
  uint64_t length = 0;
  bool wide = false;  // offsets of 64 bits; otherwise of 32
  uint64_t num_bytes = 0;
  std::shared_ptr<DeviceBuffer> offsets;  // length + 1; the first is 0
  std::shared_ptr<DeviceBuffer> bytes;
  std::shared_ptr<DeviceBuffer> validity;  // bit i % 32 of word i / 32 is 0 for a null; none: no nulls
};

// Rows of a column in device memory.
struct DeviceColumn {
  Column column;
  uint64_t length = 0;
  std::shared_ptr<DeviceBuffer> values;    // of numbers; what stands in a null's place means nothing
  std::shared_ptr<DeviceBuffer> validity;  // of numbers: as DeviceStrings::validity; none: no nulls
  std::vector<DeviceStrings> strings;      // of strings: one after another, one a row group
};

struct LoadOptions {
  unsigned threads = 0;              // that read, check and copy; 0: as many as there are cores
  MemoryResource* memory = nullptr;  // for what is loaded; none: the backend's default_memory()
  // Compressed bytes that are copied at once, about: many small copies are slow, and nothing is decoded
  // before the copy is done. As many batches are in memory, each with a stream, as there are threads, or
  // four.
  uint64_t batch_bytes = uint64_t{8} << 20;
};

// Loads columns onto a device. Threads read chunks' compressed bytes into pinned memory and check them, and
// queue the copies and the decoding of several at once; while those run they read the next ones. Keeps its
// threads, its streams and its memory for compressed bytes: make one and use it again, one load at a time.
// What was loaded may outlive it.
class Loader {
 public:
  static Result<Loader> create(Backend backend, const LoadOptions& options = {});

  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;
  ~Loader();

  // Rows begin .. begin+count-1 of the columns, in the order asked for. Returns when they are there.
  [[nodiscard]] Result<std::vector<DeviceColumn>> load(const Reader& reader, std::span<const size_t> columns,
                                                       uint64_t begin, uint64_t count);

 private:
  struct Impl;
  explicit Loader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bobbin
