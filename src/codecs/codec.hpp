// SPDX-License-Identifier: Apache-2.0
// What a codec is: a constant of function pointers. A null pointer means "not on encoded data": the caller
// decodes.
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
  std::shared_ptr<const void> owner;  // empty: somebody else keeps the bytes alive
  std::span<const std::byte> bytes;

  [[nodiscard]] Buffer sub(size_t offset, size_t size) const { return {owner, bytes.subspan(offset, size)}; }
};

// A fresh buffer, and where to write its bytes: they hold nothing yet.
struct NewBuffer {
  Buffer buffer;
  std::byte* data = nullptr;
};
[[nodiscard]] NewBuffer make_buffer(size_t size);

// An encoded array: a node of a tree. Lives in host memory, or in a device's: then `buffers` point there and
// only the device functions may touch them.
struct Array {
  CodecId codec{};
  DType type{};
  uint64_t length = 0;
  uint64_t offset = 0;  // values to skip in the first vector (0 to 1023); always 0 in a file
  std::vector<uint8_t> metadata;
  std::vector<Buffer> buffers;
  std::vector<Array> children;
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

// What the number of values in a child follows: whoever splits a sample learns from it what all values make.
enum class Follows : uint8_t {
  rows,        // one for each, from the array's own offset on
  whole_rows,  // one for each, from the first vector's start on
  vectors,     // one for each 1024 rows
  runs,        // of equal values
  distinct,    // values
  exceptions,  // a share of the rows
  other,       // a rule of the codec's own
};

// The type of a child's values.
enum class ChildType : uint8_t {
  same,         // that of the array
  as_unsigned,  // the unsigned integer of its size
  as_signed,    // the signed one
  u16,
  u32,
  code,    // u8, u16 or u32
  offset,  // u32 or u64
};

// All of these take any values of one size.
inline constexpr CodecId kSimpleCodecs[] = {CodecId::constant, CodecId::bitpack, CodecId::ffor,
                                            CodecId::patched};

struct ChildShape {
  std::string_view name;  // for errors, in the plural: "codes"
  ChildType type = ChildType::same;
  Follows follows = Follows::rows;  // if it is not of rows or vectors, validate() checks the length
  bool looked_up = false;           // a search or a lookup in this child finds each value
  std::optional<CodecId> codec{};   // the only one that may encode it
  // What encode() of a codec that splits chooses from; of the smallest, it takes the first.
  std::span<const CodecId> candidates = kSimpleCodecs;
};

struct BufferShape {
  std::string_view name;  // for errors, in the plural: "entries"
  // Its size, if the number of vectors says it. Both zero: validate() checks it.
  uint32_t bytes_per_vector = 0;
  uint32_t values_per_vector = 0;  // of the array's type
};

// The parts of a codec's node. They are checked before its validate() runs, which relies on them.
struct Shape {
  std::optional<size_t> metadata_bytes = 0;  // nothing: validate() checks how many
  std::span<const BufferShape> buffers{};
  uint32_t optional_buffers = 0;  // how many of the last may be missing; validate() checks when
  std::span<const ChildShape> children{};
};

// What a codec makes of values before anything is encoded further: a node without children, and the values
// that its children, in order, are to hold. Whoever splits chooses the children's codecs.
struct Split {
  Array node;
  std::vector<OwnedValues> children;
};
// The same of strings: the last child is of strings too.
struct StringSplit {
  Array node;
  std::vector<OwnedValues> children;
  Strings strings;
};

// The values whose key counts from `low` to `low + span` (both in), upwards from `low` modulo 2^T; `negated`
// means all others. An integer's key is its bits; a float's is its order_key(), and then the range does not
// wrap around. All six comparisons with a constant, and `between`, are such a range.
struct ValueRange {
  uint64_t low = 0;
  uint64_t span = 0;
  bool negated = false;

  // Floats compare as IEEE 754 says: -0.0 equals +0.0, and with NaN on either side only `ne` is true.
  static ValueRange of(DType type, Compare op, Scalar constant);
  // From `least` to `greatest`, both in.
  static ValueRange between(DType type, Scalar least, Scalar greatest);
  static ValueRange none(DType type);
  static ValueRange all(DType type);

  // Whether a value, given as its bits, lies in it.
  [[nodiscard]] bool holds(DType type, Scalar value) const;
};

// Where strings decoded on a device go: offsets (one more than strings, the first is 0) of the size the array
// says, and bytes, aligned to 16.
struct StringsOut {
  void* offsets = nullptr;
  uint8_t* bytes = nullptr;
};

// Where strings decoded in host memory go: the offset where each one ends, counted from `base`, and bytes, as
// many as the strings have. An array that has more or fewer is refused.
struct HostStringsOut {
  uint64_t* ends = nullptr;
  uint64_t base = 0;
  std::span<uint8_t> bytes;
};

// What an array of strings decodes to.
struct StringSizes {
  bool wide = false;  // offsets of 64 bits; otherwise of 32
  uint64_t bytes = 0;

  // With offsets as narrow as can be: Arrow's have a sign.
  static constexpr StringSizes of(uint64_t bytes) { return {bytes > INT32_MAX, bytes}; }
};

// What a codec for strings offers on a device; as DeviceOps. Where codes turn out not to be what the array
// says, `fault` (a word of device memory, zero before) is set: nothing is written outside the output.
struct StringDeviceOps {
  // Waits for the stream. Null: StringOps::sizes looks at metadata alone, and so serves arrays on a device.
  Result<StringSizes> (*sizes)(const Array& array, StreamView stream) = nullptr;
  // Sets `fault` as well where the strings are not of the sizes the caller says.
  Status (*decode)(const Array& array, const StringSizes& sizes, const StringsOut& out, uint32_t* fault,
                   StreamView stream) = nullptr;
  // What Codec::validate_content looks for, in what decode() has written: sets `fault` where it is not so.
  // Null: it has to be called on the host, before decode().
  Status (*check_content)(const Array& array, const StringsOut& out, uint32_t* fault,
                          StreamView stream) = nullptr;
  // Strings that lie in device memory. Waits for the stream. Null: the host encodes.
  Result<Array> (*encode)(const StringsView& strings, const Array* previous, StreamView stream) = nullptr;
  // Strings `indices[0 .. count-1]`. The second step writes their bytes, once offsets are there and the
  // caller knows from the last one how many there are.
  Status (*take_offsets)(const Array& array, const uint64_t* indices, uint64_t count, uint64_t* offsets,
                         StreamView stream) = nullptr;
  Status (*take_bytes)(const Array& array, const uint64_t* indices, uint64_t count, const uint64_t* offsets,
                       uint8_t* bytes, uint32_t* fault, StreamView stream) = nullptr;
  // One bit a string, 0 for nulls: bit i is string i's. `bitmap` has a word for 32 strings.
  Status (*match)(const Array& array, const StringQuery& query, uint32_t* bitmap, uint32_t* fault,
                  StreamView stream) = nullptr;
};

// What a codec offers on a device (the GPU, or its emulator). Arrays live in device memory and have been
// validated on the host; nothing synchronises unless it says so.
struct DeviceOps {
  // Writes `array.length` values to `out`, which is aligned to 16 bytes.
  Status (*decode)(const Array& array, void* out, StreamView stream) = nullptr;
  // Decodes a `patched` array whose inner array is of this codec, in one launch where it can. Null: patches
  // are written once the inner array is decoded.
  Status (*decode_patched)(const Array& patched, void* out, StreamView stream) = nullptr;
  // Encodes values that lie in device memory (aligned to 16 bytes). Waits for the stream: sizes depend on the
  // data.
  Result<Array> (*encode)(DType type, const void* values, uint64_t length, StreamView stream) = nullptr;
  // Writes one bit a value, for whole vectors: bit `array.offset + i` is value i's. `bitmap` has 32 words a
  // vector.
  Status (*compare)(const Array& array, const ValueRange& range, uint32_t* bitmap,
                    StreamView stream) = nullptr;
  // As Codec::clear_nulls.
  Status (*clear_nulls)(const Array& array, uint32_t* bitmap, StreamView stream) = nullptr;
  const StringDeviceOps* strings = nullptr;
};

// What a codec for strings offers in host memory. Functions that return a Status find damage that validate()
// leaves to them: codes that do not mean what the array says.
struct StringOps {
  // Takes over the symbols of `previous`, a chunk of the same column, when there is one and new ones would
  // not save enough.
  Result<Array> (*encode)(const StringsView& strings, const Array* previous) = nullptr;
  // As Codec::split.
  Result<StringSplit> (*split)(const StringsView& strings) = nullptr;
  StringSizes (*sizes)(const Array& array) = nullptr;
  Status (*decode)(const Array& array, const HostStringsOut& out) = nullptr;
  Status (*reference)(const Array& array, const HostStringsOut& out) = nullptr;
  // Whether each string of a valid array has as many bytes as its codes give. Decoding all strings at once
  // does not find out: single strings and slices would then be refused. Null: there is nothing to check.
  Status (*check_each)(const Array& array) = nullptr;
  // A bit for each string, from the first byte's lowest on, 0 for nulls; nothing when none is null.
  std::vector<uint8_t> (*validity)(const Array& array) = nullptr;
  // Bytes of each string, 0 for nulls.
  std::vector<uint64_t> (*lengths)(const Array& array) = nullptr;
  // Strings of the given numbers, put behind others.
  Status (*take)(const Array& array, std::span<const uint64_t> indices, Strings& out) = nullptr;
  // As StringDeviceOps::match.
  Status (*match)(const Array& array, const StringQuery& query, uint32_t* bitmap) = nullptr;
};

// An estimate of values that a codec cannot encode.
inline constexpr uint64_t kNoEncoding = UINT64_MAX;

// A codec for numbers has functions for values of one size, one for strings has `strings`; one for both has
// all.
struct Codec {
  CodecId id{};
  std::string_view name;
  uint16_t min_format = 1;  // container versions that may hold this codec
  uint16_t max_format = 1;

  bool floats_only = false;
  bool integers_only = false;
  bool signed_only = false;      // integers with a sign
  bool compares_floats = false;  // compare() takes floats as well, here and on a device
  bool looks_back = false;       // what a value takes depends on those before it
  bool all_alike = false;        // encodes only values that are all the same, in a fixed size
  bool reads_few_bytes = false;  // for one value, if its children do too: a search in a file may use it
  // A chunk's first buffer may be that of the chunk before it in its column.
  bool shares_first_buffer = false;
  Shape shape{};
  uint32_t tree_buffers = 0;  // of the trees encode() makes, as a rule; with split(): of its own node
  // Time to decode a value on a GPU, children apart, where a copy of one takes 1.
  float device_cost = 1;

  // Bytes the encoded form of these values takes, metadata included; kNoEncoding where encode() fails. Only
  // of types it takes().
  uint64_t (*estimate)(const Values& values) = nullptr;
  Result<Array> (*encode)(const Values& values) = nullptr;
  // The same in two steps: estimate() and encode() then follow from it (smallest.hpp). Null: the codec's
  // children, if it has any, are its own affair.
  Result<Split> (*split)(const Values& values) = nullptr;
  // A few words for people, such as "width 7". Looks at metadata and at the parts' sizes, not into them.
  // The array need not be valid.
  std::string (*describe)(const Array& array) = nullptr;
  // Checks everything the functions below rely on, except its shape, which was checked before (shape.hpp),
  // and what is inside the children. They must not be called on an array that failed it. Null: any array of
  // this shape will do.
  Status (*validate)(const Array& array) = nullptr;
  // The same for what the children decode to, once they are known to be valid. Null: any values will do.
  Status (*validate_content)(const Array& array) = nullptr;
  void (*decode)(const Array& array, void* out) = nullptr;
  // The obvious decoder, written from spec.md alone: the oracle in tests.
  void (*reference)(const Array& array, void* out) = nullptr;

  Array (*slice)(const Array& array, uint64_t begin, uint64_t length) = nullptr;
  // Part of an array in a file, whose node has as many parts as the shape says. Reads no more than it needs;
  // what comes of it is not validated yet.
  Result<Array> (*load_slice)(const StoredNode& node, uint64_t begin, uint64_t length,
                              Segments& segments) = nullptr;
  Scalar (*value_at)(const Array& array, uint64_t index) = nullptr;
  // As DeviceOps::compare, in host memory.
  void (*compare)(const Array& array, const ValueRange& range, uint32_t* bitmap) = nullptr;
  // Sets the bits of nulls to 0 in a bitmap such as compare() makes. Only a codec of numbers with nulls has
  // it: its first child has the values, and it stands at the root of a tree only.
  void (*clear_nulls)(const Array& array, uint32_t* bitmap) = nullptr;

  const StringOps* strings = nullptr;

  [[nodiscard]] constexpr bool has_nulls() const { return clear_nulls != nullptr; }
  // The children whose codecs a cascade may choose.
  [[nodiscard]] constexpr std::span<const ChildShape> parts() const {
    return split != nullptr ? shape.children : std::span<const ChildShape>{};
  }
  // Whether its arrays may be of a type at all, as far as numbers and strings go.
  [[nodiscard]] constexpr bool holds(DType type) const {
    return is_string(type) ? strings != nullptr : decode != nullptr;
  }
  // Whether it encodes values of a type.
  [[nodiscard]] constexpr bool takes(DType type) const {
    return holds(type) && (is_float(type) ? !integers_only : !floats_only) &&
           (is_signed(type) || !signed_only);
  }
};

// What the folder of each codec defines: its constant (codec.cpp), what it offers on a device (device.cu, or
// registry_device.cu), and those of these functions that its constant names.
#define BOBBIN_DECLARE_CODEC(name, id)                                                                   \
  namespace codec::name {                                                                                \
  extern const Codec kCodec;                                                                             \
  template <Backend kBackend>                                                                            \
  const DeviceOps& ops_on();                                                                             \
  uint64_t estimate(const Values& values);                                                               \
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
  }
BOBBIN_CODECS(BOBBIN_DECLARE_CODEC)
#undef BOBBIN_DECLARE_CODEC

}  // namespace bobbin
