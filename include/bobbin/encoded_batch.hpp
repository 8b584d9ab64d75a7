// SPDX-License-Identifier: Apache-2.0
// Many arrays of numbers, encoded: one object, one allocation, one call.
//
//   BOBBIN_ASSIGN(const EncodedBatch batch, EncodedBatch::encode(DType::u32, values.data(), offsets));
//   BOBBIN_TRY(batch.decode(std::as_writable_bytes(std::span(again))));
//
// Threads: an EncodedBatch does not change, and copies share its memory: any number of threads may use one.
// Work on a device is ordered by streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bobbin/encoded_array.hpp"
#include "bobbin/encoding.hpp"
#include "bobbin/export.h"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

class BOBBIN_API EncodedBatch {
 public:
  // Array i has values offsets[i] .. offsets[i + 1] - 1 of `values`, which are in host memory; the first
  // offset is 0, and no offset is less than the one before it. Each array is encoded by the cascade, or by
  // the smallest that is found for it. 0 threads: one per core.
  static Result<EncodedBatch> encode(DType type, const void* values, std::span<const uint64_t> offsets,
                                     const std::optional<Cascade>& cascade = {}, unsigned threads = 0);

  [[nodiscard]] DType type() const;
  [[nodiscard]] size_t size() const;                        // arrays
  [[nodiscard]] std::span<const uint64_t> offsets() const;  // size() + 1
  [[nodiscard]] uint64_t encoded_bytes() const;             // without padding
  // One of the arrays. It shares the memory.
  [[nodiscard]] Result<EncodedArray> array(size_t index) const;

  // Decodes all values of all arrays of a batch in host memory. `out` has offsets().back() *
  // size_bytes(type()) bytes.
  [[nodiscard]] Status decode(std::span<std::byte> out, unsigned threads = 0) const;

  // The batch as one run of bytes, with checksums; the same on every machine.
  [[nodiscard]] Result<std::vector<std::byte>> to_bytes() const;
  // Checks everything that decoding relies on. All arrays together may have max_length values at most.
  static Result<EncodedBatch> from_bytes(std::span<const std::byte> bytes,
                                         uint64_t max_length = uint64_t{1} << 28);

  // Copies the batch to a device, with one copy. Waits for the stream.
  [[nodiscard]] Result<EncodedBatch> to_device(StreamView stream) const;
  // Decodes all values of a batch in device memory to device memory. Asynchronous. Arrays that would each
  // need one launch share one launch per kind of kernel. Each array's values must begin at a multiple of 16
  // bytes: offsets must be multiples of 16 / size_bytes(type()).
  [[nodiscard]] Status decode_on_device(void* out, StreamView stream) const;

 private:
  struct Impl;
  explicit EncodedBatch(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace bobbin
