// SPDX-License-Identifier: Apache-2.0
// Operations on encoded arrays of any codec: by the codec's own function, or by decoding first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/types.hpp"
#include "codecs/codec.hpp"

namespace bobbin {
class Session;
}

namespace bobbin::array {

// Metadata and buffers of the whole tree, excluding padding.
[[nodiscard]] uint64_t encoded_bytes(const Array& array);
// With the values that it keeps decoded.
[[nodiscard]] uint64_t memory_bytes(const Array& array);

// Checks the tree: known codecs, then each codec's own rules. Must be called once on any array from an
// untrusted source; everything below relies on it.
[[nodiscard]] Status validate(const Array& array);
// The same in two steps: the second one checks what the root's children decode to.
[[nodiscard]] Status validate_but_content(const Array& array);
[[nodiscard]] Status validate_content(const Array& array);

// Frees what the tree keeps decoded since it was validated; functions that need it decode again.
void free_decoded(const Array& array);

// Host memory. `out` has length * size_bytes(type) bytes.
[[nodiscard]] Status decode(const Array& array, std::span<std::byte> out);

// Values begin .. begin+length-1, without touching data.
[[nodiscard]] Result<Array> slice(const Array& array, uint64_t begin, uint64_t length);

[[nodiscard]] Result<Scalar> value_at(const Array& array, uint64_t index);

// One bit per value; bit `first + i` belongs to value i.
struct Bitmap {
  std::vector<uint32_t> words;
  uint64_t first = 0;
  uint64_t length = 0;

  [[nodiscard]] bool at(uint64_t i) const { return (words[(first + i) / 32] >> ((first + i) % 32) & 1) != 0; }
  [[nodiscard]] uint64_t count() const;
};

// Whether any of its numbers may be null.
[[nodiscard]] bool has_nulls(const Array& array);
// The validity of an array in host memory: 0 for nulls, and for bits that belong to no value.
[[nodiscard]] Result<Bitmap> validity(const Array& array);

// Works on encoded data if the codec can; floats, and arrays of other codecs, are decoded first. Floats
// compare according to IEEE 754: -0.0 equals +0.0, and with NaN on either side only `ne` is true. The bits of
// nulls are always 0.
[[nodiscard]] Result<Bitmap> compare(const Array& array, const ValueRange& range);
[[nodiscard]] Result<Bitmap> compare(const Array& array, Compare op, Scalar constant);

// Combines bitmaps of the same rows. Bits that belong to no row stay 0.
[[nodiscard]] Bitmap operator&(const Bitmap& a, const Bitmap& b);
[[nodiscard]] Bitmap operator|(const Bitmap& a, const Bitmap& b);
[[nodiscard]] Bitmap operator~(const Bitmap& a);

// Values indices[0], indices[1] .. ; and those of the rows that a bitmap selects, for which `out` must have
// exactly the right size. Host memory. Batches without a selected row are not read; if few rows are selected,
// only those are decoded. The value of a null is unspecified: use validity().
[[nodiscard]] Status take(const Array& array, std::span<const uint64_t> indices, std::span<std::byte> out);
[[nodiscard]] Status filter(const Array& array, const Bitmap& rows, std::span<std::byte> out);

// An array whose buffers are in device memory, with their owner.
struct OnDevice {
  Array array;
  std::shared_ptr<DeviceBuffer> memory;
};

// Copies a validated array's buffers into one device allocation, each aligned to 128 bytes. Ordered in the
// stream; the host buffers must stay valid until it is synchronised.
[[nodiscard]] Result<OnDevice> to_device(const Array& array, StreamView stream);
// Copies an array's buffers back. Waits for the stream.
[[nodiscard]] Result<Array> to_host(const Array& array, StreamView stream);
// The same through pinned memory; the host buffers may go at once.
[[nodiscard]] Result<OnDevice> to_device(const Array& array, Session& session);
[[nodiscard]] Result<Array> to_host(const Array& array, Session& session);

// Device memory in, device memory out (16-byte aligned); asynchronous. A comparison that has to decode first
// allocates memory for the values from the backend's default_memory.
[[nodiscard]] Status decode_on_device(const Array& array, void* out, StreamView stream);
[[nodiscard]] Status compare_on_device(const Array& array, const ValueRange& range, uint32_t* bitmap,
                                       StreamView stream);
[[nodiscard]] Result<Array> encode_on_device(CodecId codec, DType type, const void* values, uint64_t length,
                                             StreamView stream);

// Host memory in, host memory out, on any backend: used by the file reader and the command.
[[nodiscard]] Status decode(const Array& array, std::span<std::byte> out, Backend backend);
[[nodiscard]] Result<Array> encode(CodecId codec, const Values& values, Backend backend);

}  // namespace bobbin::array
