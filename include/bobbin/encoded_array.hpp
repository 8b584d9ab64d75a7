// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers, encoded in memory: what a .bob file stores for a chunk of a column, without the file.
//
//   BOBBIN_ASSIGN(const EncodedArray small, EncodedArray::encode(DType::u32, values.data(), values.size()));
//   BOBBIN_TRY(small.decode(std::as_writable_bytes(std::span(again))));
//
// Threads: an EncodedArray does not change, and copies share its memory: any number of threads may use one.
// Work on a device is ordered by streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bobbin/encoding.hpp"
#include "bobbin/export.h"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

class BOBBIN_API EncodedArray {
 public:
  // Encodes numbers in host memory, by this cascade or, without one, by the smallest that is found. Fails if
  // the cascade cannot encode them.
  static Result<EncodedArray> encode(DType type, const void* values, uint64_t length,
                                     const std::optional<Cascade>& cascade = {},
                                     Backend backend = Backend::cpu);
  // Encodes numbers in device memory, where the result stays, by one codec that chooses the encodings of its
  // parts. If `codec` is empty: by the codec with the smallest result, of those that the device can encode
  // without the host (docs/capabilities.md). Asynchronous in `stream`, which must outlive the result, except
  // where a codec has to wait for sizes.
  static Result<EncodedArray> encode_on_device(const std::string& codec, DType type, const void* values,
                                               uint64_t length, StreamView stream);

  [[nodiscard]] DType type() const;
  [[nodiscard]] uint64_t length() const;
  [[nodiscard]] uint64_t encoded_bytes() const;  // without padding
  [[nodiscard]] Cascade cascade() const;

  // Decodes all values of an array in host memory, on any backend. `out` has length() * size_bytes(type())
  // bytes.
  [[nodiscard]] Status decode(std::span<std::byte> out, Backend backend = Backend::cpu) const;

  // ---- For arrays in host memory: values without decoding all of them. ----

  // Values begin .. begin+length-1; shares the memory.
  [[nodiscard]] Result<EncodedArray> slice(uint64_t begin, uint64_t length) const;
  [[nodiscard]] Result<Scalar> value_at(uint64_t index) const;
  // Values indices[0], indices[1] .. , in any order.
  [[nodiscard]] Status take(std::span<const uint64_t> indices, std::span<std::byte> out) const;
  // Bit i % 8 of byte i / 8 is 1 if value i passes. Floats compare as IEEE 754 says.
  [[nodiscard]] Result<std::vector<uint8_t>> compare(Compare op, Scalar constant) const;

  // The array as one run of bytes, with a checksum; the same on every machine. A slice is encoded again.
  [[nodiscard]] Result<std::vector<std::byte>> to_bytes() const;
  // Checks everything that decoding relies on; the bytes may be hostile. A few bytes may encode very many
  // values: more than max_length are refused.
  static Result<EncodedArray> from_bytes(std::span<const std::byte> bytes,
                                         uint64_t max_length = uint64_t{1} << 28);

  // Copies the array to a device. Waits for the stream.
  [[nodiscard]] Result<EncodedArray> to_device(StreamView stream) const;
  // Copies an array in device memory to host memory. Waits for the stream.
  [[nodiscard]] Result<EncodedArray> to_host(StreamView stream) const;
  // Decodes all values of an array in device memory to device memory that is aligned to 16 bytes.
  // Asynchronous.
  [[nodiscard]] Status decode_on_device(void* out, StreamView stream) const;

 private:
  friend class EncodedBatch;
  friend class KernelColumn;
  struct Impl;
  explicit EncodedArray(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace bobbin
