// SPDX-License-Identifier: Apache-2.0
#include "codecs/shape.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>

#include "codecs/registry.hpp"
#include "core/lanes.hpp"

namespace bobbin {
namespace {

// Sizes in bits, rounded up to whole vectors, fit 64 bits.
constexpr uint64_t kMaxLength = UINT64_MAX / 16 - kVectorLength;

Status refuse(const Codec& codec, const std::string& why) {
  return {StatusCode::corrupt, std::string(codec.name) + ": " + why};
}

Status wrong_count(const Codec& codec, size_t found, size_t expected, const std::string& parts) {
  return refuse(codec, expected == 0
                           ? "has " + parts
                           : std::to_string(found) + " " + parts + " instead of " + std::to_string(expected));
}

std::span<const DType> types_of(ChildType child) {
  static constexpr DType kTypes[] = {DType::u8, DType::u16, DType::u32, DType::u64};
  const std::span<const DType> types(kTypes);
  switch (child) {
    case ChildType::u16:
      return types.subspan(1, 1);
    case ChildType::u32:
      return types.subspan(2, 1);
    case ChildType::code:
      return types.first(3);
    case ChildType::offset:
      return types.subspan(2, 2);
    default:
      return {};  // depends on the array's type
  }
}

DType integer_of(size_t bytes, bool has_sign) {
  const DType least = has_sign ? DType::i8 : DType::u8;
  return static_cast<DType>(static_cast<int>(least) + std::countr_zero(bytes));
}

Status check_buffers(const Codec& codec, const Array& array) {
  const uint64_t vectors = num_vectors(array.offset + array.length);
  for (size_t i = 0; i < array.buffers.size(); ++i) {
    const BufferShape& shape = codec.shape.buffers[i];
    const uint64_t per_vector = shape.bytes_per_vector + shape.values_per_vector * size_bytes(array.type);
    const uint64_t found = array.buffers[i].bytes.size();
    if (per_vector != 0 && found != vectors * per_vector) {
      return refuse(codec, std::string(shape.name) + " have " + std::to_string(found) + " bytes instead of " +
                               std::to_string(vectors * per_vector));
    }
  }
  return {};
}

// A child's length and offset, as found or as expected.
struct Extent {
  uint64_t length = 0;
  uint64_t offset = 0;

  friend bool operator==(const Extent&, const Extent&) = default;
};

Extent extent_of(const ChildShape& shape, const Array& array, const Array& child) {
  switch (shape.follows) {
    case Follows::rows:
      return {array.length, array.offset};
    case Follows::whole_rows:
      return {array.offset + array.length, 0};
    case Follows::vectors:
      return {num_vectors(array.offset + array.length), child.offset};
    default:
      return {child.length, child.offset};
  }
}

Status check_length(const Codec& codec, const ChildShape& shape, const Array& array, const Array& child) {
  const Extent expected = extent_of(shape, array, child);
  if (Extent{child.length, child.offset} == expected) {
    return {};
  }
  return refuse(codec, std::to_string(child.length) + " " + std::string(shape.name) + " at offset " +
                           std::to_string(child.offset) + ", expected " + std::to_string(expected.length) +
                           " at offset " + std::to_string(expected.offset));
}

Status check_child(const Codec& codec, const ChildShape& shape, const Array& array, const Array& child) {
  const std::string name(shape.name);
  if (shape.codec.has_value() && child.codec != *shape.codec) {
    return refuse(codec, name + " are not " + std::string(find_codec(*shape.codec)->name));
  }
  const std::span<const DType> types = types_of(shape.type);
  const bool has_type = types.empty() ? child.type == child_type(shape.type, array.type)
                                      : std::ranges::find(types, child.type) != types.end();
  if (!has_type) {
    return refuse(codec, name + " of type " + std::string(to_string(child.type)));
  }
  return check_length(codec, shape, array, child);
}

Result<const Codec*> codec_of(const Array& array) {
  const Codec* const codec = find_codec(array.codec);
  BOBBIN_RETURN_IF(codec == nullptr, StatusCode::unsupported,
                   "unknown codec " + std::to_string(static_cast<unsigned>(array.codec)) +
                       " (written by a newer version?)");
  return codec;
}

Status check_shape_of(const Codec& codec, const Array& array) {
  BOBBIN_RETURN_IF(!codec.takes(array.type), StatusCode::corrupt,
                   "codec " + std::string(codec.name) + " does not hold values of type " +
                       std::string(to_string(array.type)));
  BOBBIN_TRY(check_parts(codec, array.metadata.size(), array.buffers.size(), array.children.size()));
  if (array.offset >= kVectorLength) {
    return refuse(codec, "offset past the first vector");
  }
  if (array.length > kMaxLength) {
    return refuse(codec, "length too large");
  }
  BOBBIN_TRY(check_buffers(codec, array));
  for (size_t i = 0; i < array.children.size(); ++i) {
    BOBBIN_TRY(check_child(codec, codec.shape.children[i], array, array.children[i]));
  }
  return {};
}

}  // namespace

DType child_type(ChildType child, DType type) {
  const std::span<const DType> types = types_of(child);
  if (!types.empty()) {
    return types.front();
  }
  return child == ChildType::same ? type : integer_of(size_bytes(type), child == ChildType::as_signed);
}

Status check_parts(const Codec& codec, size_t metadata_bytes, size_t buffers, size_t children) {
  const NodeShape& shape = codec.shape;
  if (metadata_bytes != shape.metadata_bytes.value_or(metadata_bytes)) {
    return *shape.metadata_bytes == 0
               ? refuse(codec, "has metadata")
               : wrong_count(codec, metadata_bytes, *shape.metadata_bytes, "bytes of metadata");
  }
  if (buffers > shape.buffers.size() || buffers + shape.optional_buffers < shape.buffers.size()) {
    return wrong_count(codec, buffers, shape.buffers.size(), "buffers");
  }
  if (children > shape.children.size() || children + shape.optional_children < shape.children.size()) {
    return wrong_count(codec, children, shape.children.size(), "children");
  }
  return {};
}

Array slice_rows(const Array& array, uint64_t begin, uint64_t length) {
  const std::span<const ChildShape> shapes = find_codec(array.codec)->shape.children;
  Array part = array;
  part.offset = (array.offset + begin) % kVectorLength;
  part.length = length;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (Array& child = part.children[i]; shapes[i].follows == Follows::rows) {
      child = find_codec(child.codec)->slice(child, begin, length);
    }
  }
  return part;
}

Status check_shape(const Array& array) {
  BOBBIN_ASSIGN(const Codec* const codec, codec_of(array));
  return check_shape_of(*codec, array);
}

Status validate_node(const Array& array) {
  BOBBIN_ASSIGN(const Codec* const codec, codec_of(array));
  BOBBIN_TRY(check_shape_of(*codec, array));
  return codec->validate == nullptr ? Status{} : codec->validate(array);
}

}  // namespace bobbin
