// SPDX-License-Identifier: Apache-2.0
// Arrays in device memory that kernels read, and write, in compressed form: docs/assist.md.
//
//   BOBBIN_ASSIGN(const auto ids, CompressedArray<uint64_t>::from_device(values, length, {}, stream));
//   assist::with_view<uint64_t>(ids.parts(), launch);  // calls launch(view); a kernel reads through the view
//
// All work is submitted to the caller's stream, and memory comes from LineOptions::memory. Kernels get only
// data that this library compressed itself, or that from_bytes() or from_slots() validated.
//
// Threads: a CompressedArray is used by one thread at a time; its memory is ordered by streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

enum class LineLayout : uint8_t {
  raw,    // the values themselves
  tiles,  // packed: least memory and fastest to read; kernels cannot write it
  slots,  // each line keeps its 128 bytes: kernels can write it
};
[[nodiscard]] BOBBIN_API std::string_view to_string(LineLayout layout);

// Who decides whether an array is compressed.
enum class LineDecision : uint8_t {
  by_sample,  // a sample of the values, and a run of LineOptions::kernel: raw unless compression pays
  compressed,
  raw,
};

// The lines of one class.
struct LineClass {
  std::string name;
  uint64_t lines = 0;
  uint64_t image_bytes = 0;
  uint64_t sector_bytes = 0;  // that are moved when these lines are read from slots: multiples of 32
};

struct LineUse {
  std::vector<LineClass> classes;  // those that occur; empty for a raw array
  uint64_t memory_bytes = 0;
  uint64_t moved_bytes = 0;  // by a kernel that reads the whole array
  double ratio = 1;          // bytes of the values per byte moved
};

// Addresses for kernels: bobbin/device/assist/device.cuh makes views and writers from them.
struct LineParts {
  LineLayout layout = LineLayout::raw;
  uint64_t length = 0;       // values
  void* values = nullptr;    // of a raw array
  uint8_t* codes = nullptr;  // one per line
  uint64_t lines = 0;
  uint32_t* images = nullptr;  // tiles or slots
  uint64_t image_words = 0;
  uint32_t* starts = nullptr;  // of tiles
  uint64_t tiles = 0;
  uint32_t tile_lines = 0;
  uint32_t* locks = nullptr;  // of slots
  uint64_t num_locks = 0;
};

struct LineOptions {
  LineLayout layout = LineLayout::tiles;  // of a compressed array
  LineDecision decision = LineDecision::by_sample;
  MemoryResource* memory = nullptr;  // null: default_memory() of the stream's backend
  // Launches the caller's kernel on an array with these parts, on the stream that the array is made on. The
  // kernel must only read the array. If this is set, and the sample of the values favours compression, the
  // kernel is timed on the first values, raw and compressed, and the array is kept raw unless the compressed
  // run is faster.
  std::function<Status(const LineParts&)> kernel = nullptr;
  uint64_t kernel_bytes = uint64_t{256} << 20;  // of values to time it on; more than the GPU's L2 cache holds
};

// An array of any type of numbers. CompressedArray<T> is the same for values of type T.
class BOBBIN_API CompressedMemory {
 public:
  // Compresses on the host and copies only compressed bytes to the device, if the layout is tiles. Waits for
  // the stream.
  static Result<CompressedMemory> from_host(DType type, const void* values, uint64_t length,
                                            const LineOptions& options, StreamView stream);
  // Compresses values in device memory, aligned to 16 bytes. Waits for the stream.
  static Result<CompressedMemory> from_device(DType type, const void* values, uint64_t length,
                                              const LineOptions& options, StreamView stream);
  // Zeros, for kernels to write: slots, or raw if the decision says so. Asynchronous.
  static Result<CompressedMemory> zeros(DType type, uint64_t length, const LineOptions& options,
                                        StreamView stream);
  // Takes what to_bytes() returned, or EncodedArray::to_bytes() for the codec `line` with lines of 128 bytes.
  // The layout is tiles. The bytes may be hostile. Waits for the stream.
  static Result<CompressedMemory> from_bytes(std::span<const std::byte> bytes, const LineOptions& options,
                                             StreamView stream);
  // Takes slots from elsewhere: a code and 128 bytes per line. The bytes may be hostile. Waits for the
  // stream.
  static Result<CompressedMemory> from_slots(DType type, uint64_t length, std::span<const uint8_t> codes,
                                             std::span<const std::byte> slots, const LineOptions& options,
                                             StreamView stream);

  CompressedMemory(CompressedMemory&&) noexcept;
  CompressedMemory& operator=(CompressedMemory&&) noexcept;
  ~CompressedMemory();

  [[nodiscard]] DType type() const;
  [[nodiscard]] uint64_t length() const;
  [[nodiscard]] LineLayout layout() const;
  [[nodiscard]] const std::string& reason() const;  // for this layout, as one line of text
  [[nodiscard]] LineParts parts() const;

  // Decompress the array. to_host() waits for the stream; to_device() does not, and needs device
  // memory that is aligned to 16 bytes.
  [[nodiscard]] Status to_host(std::span<std::byte> out, StreamView stream) const;
  [[nodiscard]] Status to_device(void* out, StreamView stream) const;
  // Counts lines by class. Waits for the stream.
  [[nodiscard]] Result<LineUse> use(StreamView stream) const;
  // The array as one run of bytes with a checksum. Only for the layout `tiles`. Waits for the stream.
  [[nodiscard]] Result<std::vector<std::byte>> to_bytes(StreamView stream) const;

 private:
  struct Impl;
  friend struct CompressedMemoryAccess;
  explicit CompressedMemory(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

template <class T>
class CompressedArray {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8);

 public:
  static Result<CompressedArray> from_host(std::span<const T> values, const LineOptions& options,
                                           StreamView stream) {
    return typed(CompressedMemory::from_host(kDTypeOf<T>, values.data(), values.size(), options, stream));
  }
  static Result<CompressedArray> from_device(const T* values, uint64_t length, const LineOptions& options,
                                             StreamView stream) {
    return typed(CompressedMemory::from_device(kDTypeOf<T>, values, length, options, stream));
  }
  static Result<CompressedArray> zeros(uint64_t length, const LineOptions& options, StreamView stream) {
    return typed(CompressedMemory::zeros(kDTypeOf<T>, length, options, stream));
  }
  static Result<CompressedArray> from_bytes(std::span<const std::byte> bytes, const LineOptions& options,
                                            StreamView stream) {
    return typed(CompressedMemory::from_bytes(bytes, options, stream));
  }

  [[nodiscard]] uint64_t length() const { return memory_.length(); }
  [[nodiscard]] LineLayout layout() const { return memory_.layout(); }
  [[nodiscard]] const std::string& reason() const { return memory_.reason(); }
  [[nodiscard]] LineParts parts() const { return memory_.parts(); }
  [[nodiscard]] Result<LineUse> use(StreamView stream) const { return memory_.use(stream); }
  [[nodiscard]] Status to_host(std::span<T> out, StreamView stream) const {
    return memory_.to_host(std::as_writable_bytes(out), stream);
  }
  [[nodiscard]] Status to_device(T* out, StreamView stream) const { return memory_.to_device(out, stream); }
  [[nodiscard]] const CompressedMemory& memory() const { return memory_; }

 private:
  explicit CompressedArray(CompressedMemory memory) : memory_(std::move(memory)) {}
  static Result<CompressedArray> typed(Result<CompressedMemory> made) {
    BOBBIN_ASSIGN(CompressedMemory memory, std::move(made));
    BOBBIN_RETURN_IF(memory.type() != kDTypeOf<T>, StatusCode::invalid_argument,
                     "compressed array: the values are of type " + std::string(to_string(memory.type())));
    return CompressedArray(std::move(memory));
  }

  CompressedMemory memory_;
};

// Times two versions of a kernel, for example on the first gigabyte, and returns how many times as fast the
// version on compressed values is: if that is below 1, it is better to keep the array raw. Runs each a few
// times. Waits for the stream.
[[nodiscard]] BOBBIN_API Result<double> compressed_speedup(const std::function<Status()>& on_raw,
                                                           const std::function<Status()>& on_compressed,
                                                           StreamView stream);

}  // namespace bobbin
