// SPDX-License-Identifier: Apache-2.0
// The codec interface: a constant of function pointers. A null pointer means that the codec cannot do this on
// encoded data, and the caller decodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/strings.hpp"
#include "bobbin/types.hpp"
#include "codecs/list.hpp"

namespace bobbin::simt {
class Gathered;
}

namespace bobbin {

struct StoredNode;  // stored.hpp
class Segments;

// Wire ids: part of the file format, never reused.
enum class CodecId : uint16_t {
#define BOBBIN_CODEC_ID(name, id) name = (id),
  BOBBIN_CODECS(BOBBIN_CODEC_ID)
#undef BOBBIN_CODEC_ID
};

// Bytes with a shared owner. A slice of an array shares its parent's bytes.
struct Buffer {
  std::shared_ptr<const void> owner;  // empty: the bytes are kept alive elsewhere
  std::span<const std::byte> bytes;

  [[nodiscard]] Buffer sub(size_t offset, size_t size) const { return {owner, bytes.subspan(offset, size)}; }
};

// A new buffer with uninitialised bytes, and the pointer to write them.
struct NewBuffer {
  Buffer buffer;
  std::byte* data = nullptr;
};
[[nodiscard]] NewBuffer make_buffer(size_t size);

// An encoded array: a node of a tree. Lives in host or device memory: in the latter case `buffers` point to
// device memory and only the device functions may access them.
struct Array {
  CodecId codec{};
  DType type{};
  uint64_t length = 0;
  uint64_t offset = 0;  // values to skip in the first vector (0 to 1023); always 0 in a file
  std::vector<uint8_t> metadata;
  std::vector<Buffer> buffers;
  std::vector<Array> children;
  // What validate() had to decode in order to check it, for the codec that made it: host memory, shared by
  // copies and slices. Empty: nothing was decoded.
  mutable Buffer decoded{};
};

// Plain values of some type, in host memory.
struct Values {
  DType type{};
  const void* data = nullptr;
  uint64_t length = 0;

  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    return {static_cast<const T*>(data), static_cast<size_t>(length)};
  }
};

// Values with their owner.
struct OwnedValues {
  DType type{};
  uint64_t length = 0;
  Buffer buffer;

  [[nodiscard]] Values view() const { return {type, buffer.bytes.data(), length}; }
};

// What the number of values in a child follows: it predicts a child's length from that of a sample's child.
enum class Follows : uint8_t {
  rows,        // one per row, from the array's own offset on
  whole_rows,  // one per row, from the start of the first vector on
  vectors,     // one per 1024 rows
  runs,        // one per run of equal values
  distinct,    // one per distinct value
  exceptions,  // one per exceptional row
  other,       // a rule of the codec
};

// The type of a child's values.
enum class ChildType : uint8_t {
  same,         // that of the array
  as_unsigned,  // the unsigned integer of the same size
  as_signed,    // the signed integer
  u16,
  u32,
  code,    // u8, u16 or u32
  offset,  // u32 or u64
};

// These encode values of any numeric type.
inline constexpr CodecId kSimpleCodecs[] = {CodecId::constant, CodecId::bitpack, CodecId::ffor,
                                            CodecId::patched};

struct ChildShape {
  std::string_view name;  // for errors, in the plural: "codes"
  ChildType type = ChildType::same;
  Follows follows = Follows::rows;  // unless rows or vectors, validate() checks the length
  bool looked_up = false;           // each value is found by a search or lookup here
  std::optional<CodecId> codec{};   // if set, the only codec allowed
  // The codecs that encode() tries if the codec splits; the first of the smallest is used.
  std::span<const CodecId> candidates = kSimpleCodecs;
};

struct BufferShape {
  std::string_view name;  // for errors, in the plural: "entries"
  // Its size, if it depends only on the number of vectors. Both zero: validate() checks it.
  uint32_t bytes_per_vector = 0;
  uint32_t values_per_vector = 0;  // of the array's type
};

// The parts of a codec's node, checked before its validate() runs, which relies on them.
struct NodeShape {
  std::optional<size_t> metadata_bytes = 0;  // unset: validate() checks the size
  std::span<const BufferShape> buffers{};
  uint32_t optional_buffers = 0;  // how many of the last may be missing; validate() checks when
  std::span<const ChildShape> children{};
  uint32_t optional_children = 0;  // as optional_buffers
};

// A codec's first step, before children are encoded: a node without children, and the values of its children,
// in order. The caller chooses the children's codecs.
struct Split {
  Array node;
  std::vector<OwnedValues> children;
};
// The same for strings: the last child holds strings too.
struct StringSplit {
  Array node;
  std::vector<OwnedValues> children;
  Strings strings;
};

// The values with keys from `low` to `low + span` (inclusive), counted upwards modulo 2^T; `negated` means
// all others. An integer's key is its bits; a float's is its order_key(), and its range does not wrap around.
// All six comparisons with a constant, and `between`, are such ranges.
struct ValueRange {
  uint64_t low = 0;
  uint64_t span = 0;
  bool negated = false;

  // Floats compare as IEEE 754 says: -0.0 equals +0.0, and with NaN on either side only `ne` is true.
  static ValueRange of(DType type, Compare op, Scalar constant);
  // From `least` to `greatest`, inclusive.
  static ValueRange between(DType type, Scalar least, Scalar greatest);
  static ValueRange none(DType type);
  static ValueRange all(DType type);

  // Whether the range contains a value, given as its bits.
  [[nodiscard]] bool holds(DType type, Scalar value) const;
};

// Output for strings decoded on a device: offsets (one more than strings, starting with 0) of the width in
// StringSizes, and bytes, aligned to 16.
struct StringsOut {
  void* offsets = nullptr;
  uint8_t* bytes = nullptr;
};

// Output for strings decoded in host memory: the offset of each string's end, counted from `base`, and
// exactly as many bytes as the strings have. An array with more or fewer bytes is rejected.
struct HostStringsOut {
  uint64_t* ends = nullptr;
  uint64_t base = 0;
  std::span<uint8_t> bytes;
};

// What an array of strings decodes to.
struct StringSizes {
  bool wide = false;  // 64-bit offsets; otherwise 32-bit
  uint64_t bytes = 0;

  // With the narrowest possible offsets; Arrow's are signed.
  static constexpr StringSizes of(uint64_t bytes) { return {bytes > INT32_MAX, bytes}; }
};

// A string codec's device functions; see DeviceOps. If codes contradict the array, `fault` (a zeroed word of
// device memory) is set and nothing is written outside the output.
struct StringDeviceOps {
  // Waits for the stream. Null: StringOps::sizes reads only metadata, and so works for device arrays too.
  Result<StringSizes> (*sizes)(const Array& array, StreamView stream) = nullptr;
  // Also sets `fault` if the strings do not have the given sizes.
  Status (*decode)(const Array& array, const StringSizes& sizes, const StringsOut& out, uint32_t* fault,
                   StreamView stream) = nullptr;
  // Makes the checks of Codec::validate_content; sets `fault` if they fail. `offsets` are those that decode()
  // has written, or null. decode() does not rely on these checks, all other functions do. Null: call
  // validate_content on the host, before any of them.
  Status (*check_content)(const Array& array, const void* offsets, uint32_t* fault,
                          StreamView stream) = nullptr;
  // Encodes strings in device memory. Waits for the stream. Null: the host encodes.
  Result<Array> (*encode)(const StringsView& strings, const Array* previous, StreamView stream) = nullptr;
  // Takes strings `indices[0 .. count-1]`. The second step writes their bytes, once the caller knows their
  // total size from the last offset.
  Status (*take_offsets)(const Array& array, const uint64_t* indices, uint64_t count, uint64_t* offsets,
                         StreamView stream) = nullptr;
  Status (*take_bytes)(const Array& array, const uint64_t* indices, uint64_t count, const uint64_t* offsets,
                       uint8_t* bytes, uint32_t* fault, StreamView stream) = nullptr;
  // One bit per string, 0 for nulls: bit i is string i's. `bitmap` has one word per 32 strings.
  Status (*match)(const Array& array, const StringQuery& query, uint32_t* bitmap, uint32_t* fault,
                  StreamView stream) = nullptr;
};

// A codec's device functions (for the GPU or its emulator). Arrays are in device memory and have been
// validated on the host; functions do not synchronise unless they say so.
struct DeviceOps {
  // Writes `array.length` values to `out`, which is aligned to 16 bytes.
  Status (*decode)(const Array& array, void* out, StreamView stream) = nullptr;
  // Decodes a `patched` array over an array of this codec, in one launch if possible. Null: patches are
  // written after the inner array is decoded.
  Status (*decode_patched)(const Array& patched, void* out, StreamView stream) = nullptr;
  // Adds the decoding of an array, whose values begin at byte `out` of the output, to those of others; false
  // if it takes more than one launch. Null: it always does.
  bool (*gather)(const Array& array, uint64_t out, simt::Gathered& others) = nullptr;
  // The same for a `patched` array over an array of this codec.
  bool (*gather_patched)(const Array& patched, uint64_t out, simt::Gathered& others) = nullptr;
  // Encodes values in device memory (aligned to 16 bytes). Waits for the stream: sizes depend on the data.
  Result<Array> (*encode)(DType type, const void* values, uint64_t length, StreamView stream) = nullptr;
  // Writes one bit per value, for whole vectors: bit `array.offset + i` is value i's. `bitmap` has 32 words
  // per vector.
  Status (*compare)(const Array& array, const ValueRange& range, uint32_t* bitmap,
                    StreamView stream) = nullptr;
  // As Codec::clear_nulls.
  Status (*clear_nulls)(const Array& array, uint32_t* bitmap, StreamView stream) = nullptr;
  const StringDeviceOps* strings = nullptr;
};

// A string codec's host functions. Those that return a Status detect corruption that validate() does not:
// codes that contradict the array.
struct StringOps {
  // Reuses the symbols of `previous`, a chunk of the same column, if given and if new ones would not save
  // enough.
  Result<Array> (*encode)(const StringsView& strings, const Array* previous) = nullptr;
  // As Codec::split. An error if there are more different strings than `most_entries`.
  Result<StringSplit> (*split)(const StringsView& strings, uint64_t most_entries) = nullptr;
  StringSizes (*sizes)(const Array& array) = nullptr;
  Status (*decode)(const Array& array, const HostStringsOut& out) = nullptr;
  Status (*reference)(const Array& array, const HostStringsOut& out) = nullptr;
  // Checks that each string of a valid array has as many bytes as its codes give. Decoding all strings at
  // once does not detect this, but taking single strings or slices would fail. Null: nothing to check.
  Status (*check_each)(const Array& array) = nullptr;
  // A bit per string, lowest bit first, 0 for nulls; empty if there are no nulls.
  std::vector<uint8_t> (*validity)(const Array& array) = nullptr;
  // Bytes per string, 0 for nulls.
  std::vector<uint64_t> (*lengths)(const Array& array) = nullptr;
  // Appends the strings with the given indices.
  Status (*take)(const Array& array, std::span<const uint64_t> indices, Strings& out) = nullptr;
  // As StringDeviceOps::match.
  Status (*match)(const Array& array, const StringQuery& query, uint32_t* bitmap) = nullptr;
};

// The estimate for values that a codec cannot encode.
inline constexpr uint64_t kNoEncoding = UINT64_MAX;

// A codec for numbers has functions for fixed-size values, one for strings has `strings`; some have both.
struct Codec {
  CodecId id{};
  std::string_view name;
  uint16_t min_format = 1;  // container versions that may contain this codec
  uint16_t max_format = 1;

  bool floats_only = false;
  bool integers_only = false;
  bool signed_only = false;      // signed integers only
  bool bytes_only = false;       // integers of one byte only
  bool compares_floats = false;  // compare() supports floats too, here and on devices
  bool looks_back = false;       // a value's cost depends on those before it
  bool all_alike = false;        // encodes only values that are all equal, in a fixed size
  bool reads_few_bytes = false;  // for one value, if its children do too: file searches may use it
  bool compact_only = false;     // slow to decode for its size: only tried for the goal `compact`
  // A chunk may share the first buffer of the previous chunk of its column.
  bool shares_first_buffer = false;
  NodeShape shape{};
  uint32_t tree_buffers = 0;  // typical, for trees from encode(); with split(): of its own node
  // Time to decode a value on a GPU, without children, relative to copying one value.
  float device_cost = 1;

  // Encoded size of the values in bytes, with metadata; kNoEncoding if encode() fails. Only for types that
  // takes() accepts.
  uint64_t (*estimate)(const Values& values) = nullptr;
  // Whether encode() takes more bytes than that, as far as a look at some of the values shows. Null: an
  // estimate takes little time.
  bool (*exceeds)(const Values& values, uint64_t bytes) = nullptr;
  Result<Array> (*encode)(const Values& values) = nullptr;
  // The first of two steps; estimate() and encode() are then built on it (smallest.hpp). Null: the codec
  // encodes its own children, if any.
  Result<Split> (*split)(const Values& values) = nullptr;
  // A short description for people, such as "width 7". Reads metadata and the parts' sizes, not their
  // contents. The array need not be valid.
  std::string (*describe)(const Array& array) = nullptr;
  // Checks everything the functions below rely on, except the shape, which was checked before (shape.hpp),
  // and the contents of children. They must not be called on an array that failed. Null: the shape suffices.
  Status (*validate)(const Array& array) = nullptr;
  // The same for the decoded children, once they are known to be valid. Null: any values are allowed.
  Status (*validate_content)(const Array& array) = nullptr;
  void (*decode)(const Array& array, void* out) = nullptr;
  // The plain decoder, written from spec.md alone: the oracle in tests.
  void (*reference)(const Array& array, void* out) = nullptr;

  Array (*slice)(const Array& array, uint64_t begin, uint64_t length) = nullptr;
  // Loads part of an array in a file, whose node has as many parts as the shape says. Reads only what it
  // needs; the result has not been validated.
  Result<Array> (*load_slice)(const StoredNode& node, uint64_t begin, uint64_t length,
                              Segments& segments) = nullptr;
  Scalar (*value_at)(const Array& array, uint64_t index) = nullptr;
  // As DeviceOps::compare, in host memory.
  void (*compare)(const Array& array, const ValueRange& range, uint32_t* bitmap) = nullptr;
  // Clears the bits of nulls in a bitmap made by compare(). Only a codec for numbers with nulls has it: its
  // first child holds the values, and it occurs only at the root of a tree.
  void (*clear_nulls)(const Array& array, uint32_t* bitmap) = nullptr;

  const StringOps* strings = nullptr;

  [[nodiscard]] constexpr bool has_nulls() const { return clear_nulls != nullptr; }
  // The children whose codecs a cascade may choose.
  [[nodiscard]] constexpr std::span<const ChildShape> parts() const {
    return split != nullptr ? shape.children : std::span<const ChildShape>{};
  }
  // Whether its arrays may have this type, as far as numbers and strings are concerned.
  [[nodiscard]] constexpr bool holds(DType type) const {
    return is_string(type) ? strings != nullptr : decode != nullptr;
  }
  // Whether it encodes values of this type.
  [[nodiscard]] constexpr bool takes(DType type) const {
    return holds(type) && (is_float(type) ? !integers_only : !floats_only) &&
           (is_signed(type) || !signed_only) && (size_bytes(type) == 1 || !bytes_only);
  }
};

// What each codec's folder defines: its constant (codec.cpp), its device functions (device.cu or
// registry_device.cu), and those of these functions that its constant uses.
#define BOBBIN_DECLARE_CODEC(name, id)                                                                   \
  namespace codec::name {                                                                                \
  extern const Codec kCodec;                                                                             \
  template <Backend kBackend>                                                                            \
  const DeviceOps& ops_on();                                                                             \
  uint64_t estimate(const Values& values);                                                               \
  bool exceeds(const Values& values, uint64_t bytes);                                                    \
  Result<Array> encode(const Values& values);                                                            \
  Result<Split> split(const Values& values);                                                             \
  std::string describe(const Array& array);                                                              \
  Status validate(const Array& array);                                                                   \
  Status validate_content(const Array& array);                                                           \
  void decode(const Array& array, void* out);                                                            \
  void reference(const Array& array, void* out);                                                         \
  Array slice(const Array& array, uint64_t begin, uint64_t length);                                      \
  Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments); \
  Scalar value_at(const Array& array, uint64_t index);                                                   \
  void compare(const Array& array, const ValueRange& range, uint32_t* bitmap);                           \
  void clear_nulls(const Array& array, uint32_t* bitmap);                                                \
  Result<Array> encode(const StringsView& strings, const Array* previous);                               \
  Result<StringSplit> split(const StringsView& strings, uint64_t most_entries);                          \
  StringSizes sizes(const Array& array);                                                                 \
  Status decode(const Array& array, const HostStringsOut& out);                                          \
  Status reference(const Array& array, const HostStringsOut& out);                                       \
  Status check_each(const Array& array);                                                                 \
  std::vector<uint8_t> validity(const Array& array);                                                     \
  std::vector<uint64_t> lengths(const Array& array);                                                     \
  Status take(const Array& array, std::span<const uint64_t> indices, Strings& out);                      \
  Status match(const Array& array, const StringQuery& query, uint32_t* bitmap);                          \
  }
BOBBIN_CODECS(BOBBIN_DECLARE_CODEC)
#undef BOBBIN_DECLARE_CODEC

}  // namespace bobbin
