// SPDX-License-Identifier: Apache-2.0
#include "file/array_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "array/array.hpp"
#include "codecs/registry.hpp"
#include "codecs/whole.hpp"
#include "core/byte_stream.hpp"
#include "file/checksum.hpp"
#include "file/segments.hpp"

namespace bobbin::file {
namespace {

constexpr std::string_view kArrayMagic = "BOBARR\x01\n";
constexpr uint32_t kMaxParts = 64;  // buffers or children of a node
constexpr int kMaxTreeDepth = 32;

void put_node(std::vector<std::byte>& out, const Array& array) {
  put<uint16_t>(out, static_cast<uint16_t>(array.codec));
  put<uint8_t>(out, static_cast<uint8_t>(array.type));
  put<uint64_t>(out, array.length);
  put_bytes(out, std::as_bytes(std::span(array.metadata)));
  put<uint32_t>(out, static_cast<uint32_t>(array.buffers.size()));
  for (const Buffer& buffer : array.buffers) {
    put_bytes(out, buffer.bytes);
  }
  put<uint32_t>(out, static_cast<uint32_t>(array.children.size()));
  for (const Array& child : array.children) {
    put_node(out, child);
  }
}

Status corrupt_array(const char* reason) {
  return {StatusCode::corrupt, std::string("encoded array: ") + reason};
}

Result<uint32_t> part_count(ByteInput& input) {
  BOBBIN_ASSIGN(const uint32_t parts, input.number<uint32_t>());
  return parts <= kMaxParts ? Result<uint32_t>(parts) : corrupt_array("a node has too many parts");
}

Status read_buffers(ByteInput& input, Array& array) {
  BOBBIN_ASSIGN(const uint32_t buffers, part_count(input));
  for (uint32_t i = 0; i < buffers; ++i) {
    BOBBIN_ASSIGN(const std::span<const std::byte> bytes, input.bytes());
    BOBBIN_ASSIGN(const NewBuffer made, try_buffer(bytes.size()));
    std::ranges::copy(bytes, made.data);
    array.buffers.push_back(made.buffer);
  }
  return {};
}

Result<Array> read_node(ByteInput& input, uint64_t max_length, int depth) {
  if (depth == kMaxTreeDepth) {
    return corrupt_array("the tree is too deep");
  }
  Array array;
  BOBBIN_ASSIGN(const uint16_t codec, input.number<uint16_t>());
  BOBBIN_ASSIGN(const uint8_t type, input.number<uint8_t>());
  BOBBIN_ASSIGN(array.length, input.number<uint64_t>());
  array.codec = static_cast<CodecId>(codec);
  array.type = static_cast<DType>(type);
  const bool is_known = type >= static_cast<uint8_t>(DType::u8) && type <= static_cast<uint8_t>(DType::f64);
  if (!is_known || static_cast<uint16_t>(array.codec) != codec || array.length > max_length) {
    return corrupt_array("a node has an unknown type or codec, or too many values");
  }
  BOBBIN_ASSIGN(const std::span<const std::byte> metadata, input.bytes());
  const auto* const first = reinterpret_cast<const uint8_t*>(metadata.data());
  array.metadata.assign(first, first + metadata.size());
  BOBBIN_TRY(read_buffers(input, array));
  BOBBIN_ASSIGN(const uint32_t children, part_count(input));
  for (uint32_t i = 0; i < children; ++i) {
    BOBBIN_ASSIGN(Array child, read_node(input, max_length, depth + 1));
    array.children.push_back(std::move(child));
  }
  return array;
}

}  // namespace

std::vector<std::byte> pack_array(const Array& array) {
  std::vector<std::byte> out;
  const auto magic = std::as_bytes(std::span(kArrayMagic));
  out.insert(out.end(), magic.begin(), magic.end());
  put_node(out, array);
  put<uint64_t>(out, checksum(out));
  return out;
}

Result<Array> unpack_array(std::span<const std::byte> bytes, uint64_t max_length) {
  const auto magic = std::as_bytes(std::span(kArrayMagic));
  if (bytes.size() < magic.size() + sizeof(uint64_t) ||
      !std::ranges::equal(bytes.first(magic.size()), magic)) {
    return corrupt_array("the magic number is missing");
  }
  const auto content = bytes.first(bytes.size() - sizeof(uint64_t));
  uint64_t stored = 0;
  std::memcpy(&stored, bytes.data() + content.size(), sizeof(stored));
  if (stored != checksum(content)) {
    return corrupt_array("the checksum is wrong");
  }
  ByteInput input("encoded array", content.subspan(magic.size()));
  BOBBIN_ASSIGN(Array array, read_node(input, max_length, 0));
  if (!input.at_end()) {
    return corrupt_array("bytes follow the tree");
  }
  BOBBIN_TRY(array::validate(array).in("encoded array"));
  BOBBIN_TRY(check_whole(array).in("encoded array"));
  if (array::has_nulls(array)) {
    return corrupt_array("it has nulls");
  }
  return array;
}

}  // namespace bobbin::file
