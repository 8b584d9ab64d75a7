// SPDX-License-Identifier: Apache-2.0
// Arrow arrays in device memory, encoded there. Arrays come from outside: all that can be checked is.
#include <fmt/format.h>

#include <bit>
#include <string_view>

#include "bobbin/arrow_device.hpp"
#include "bobbin/gpu.hpp"
#include "bobbin/memory.hpp"
#include "bobbin/text.hpp"
#include "interop/formats.hpp"
#include "interop/import.hpp"

namespace bobbin::arrow {
namespace {

Status check_device(const ArrowDeviceArray& array, Backend backend) {
  const ArrowDeviceType type = array.device_type;
  const bool fits = backend == Backend::cuda ? type == ARROW_DEVICE_CUDA || type == ARROW_DEVICE_CUDA_MANAGED
                                             : type == ARROW_DEVICE_CPU;
  BOBBIN_RETURN_IF(!fits, StatusCode::invalid_argument,
                   fmt::format("the array is on a device of type {}, which is not the stream's", type));
  return {};
}

Status check_array(const ArrowArray& array) {
  BOBBIN_TRY(interop::check_extent(array));
  const bool has_buffers =
      array.n_buffers == 2 && array.buffers != nullptr && (array.buffers[1] != nullptr || array.length == 0);
  BOBBIN_RETURN_IF(!has_buffers, StatusCode::invalid_argument,
                   fmt::format("expected 2 buffers, found {}, or values are missing", array.n_buffers));
  return {};
}

// The number of ones among bits begin .. begin+length-1.
uint64_t count_ones(std::span<const uint8_t> bytes, uint64_t begin, uint64_t length) {
  uint64_t ones = 0;
  for (uint64_t i = begin; i < begin + length; ++i) {
    ones += bytes[i / 8] >> (i % 8) & 1;
  }
  return ones;
}

// Rows begin .. begin+length-1 of an array. What a producer does not know it need not count: null_count is
// -1.
Status check_nulls(const ArrowArray& array, uint64_t begin, uint64_t length, StreamView stream) {
  if (array.null_count == 0 || array.buffers[0] == nullptr || length == 0) {
    return {};
  }
  const uint64_t first = begin / 8;
  std::vector<uint8_t> bytes((begin + length + 7) / 8 - first);
  BOBBIN_TRY(
      copy_async(bytes.data(), static_cast<const uint8_t*>(array.buffers[0]) + first, bytes.size(), stream));
  BOBBIN_TRY(stream.synchronize());
  BOBBIN_RETURN_IF(count_ones(bytes, begin % 8, length) != length, StatusCode::unsupported,
                   "encoded arrays have no nulls");
  return {};
}

Result<EncodedArray> encode_rows(const ArrowSchema& schema, const ArrowArray& array, uint64_t begin,
                                 uint64_t length, const std::string& codec, StreamView stream) {
  BOBBIN_RETURN_IF(schema.format == nullptr, StatusCode::invalid_argument, "a schema without a format");
  BOBBIN_ASSIGN(const interop::ArrowType type, interop::parse_format(schema.format));
  BOBBIN_RETURN_IF(type.layout != interop::Layout::numbers || schema.dictionary != nullptr,
                   StatusCode::unsupported,
                   fmt::format("{}: only numbers are encoded on a device", quoted_text(schema.format)));
  BOBBIN_TRY(check_array(array));
  const auto rows = static_cast<uint64_t>(array.length);
  BOBBIN_RETURN_IF(begin > rows || length > rows - begin, StatusCode::invalid_argument,
                   fmt::format("expected {} rows, found {}", begin + length, rows));
  const uint64_t first = static_cast<uint64_t>(array.offset) + begin;
  BOBBIN_TRY(check_nulls(array, first, length, stream));
  const auto* const values = static_cast<const std::byte*>(array.buffers[1]);
  const void* const from = length == 0 ? nullptr : values + first * size_bytes(type.type.type);
  return EncodedArray::encode_on_device(codec, type.type.type, from, length, stream);
}

Status check_struct(const ArrowSchema& schema, const ArrowArray& array) {
  const bool same = schema.n_children == array.n_children && array.n_children >= 0;
  BOBBIN_RETURN_IF(!same, StatusCode::invalid_argument,
                   fmt::format("expected {} children, found {}", schema.n_children, array.n_children));
  const bool has_lists = array.n_children == 0 || (schema.children != nullptr && array.children != nullptr);
  BOBBIN_RETURN_IF(!has_lists, StatusCode::invalid_argument, "the list of children is null");
  return interop::check_extent(array);
}

Result<std::vector<EncodedArray>> encode_struct(const ArrowSchema& schema, const ArrowArray& array,
                                                const std::string& codec, StreamView stream) {
  BOBBIN_TRY(check_struct(schema, array));
  const bool may_be_null = array.n_buffers > 0 && array.buffers != nullptr;
  if (may_be_null) {
    BOBBIN_TRY(
        check_nulls(array, static_cast<uint64_t>(array.offset), static_cast<uint64_t>(array.length), stream));
  }
  std::vector<EncodedArray> made;
  for (int64_t i = 0; i < array.n_children; ++i) {
    const ArrowSchema* const type = schema.children[i];
    const ArrowArray* const child = array.children[i];
    BOBBIN_RETURN_IF(type == nullptr || child == nullptr, StatusCode::invalid_argument,
                     fmt::format("child {} is null", i));
    auto column = encode_rows(*type, *child, static_cast<uint64_t>(array.offset),
                              static_cast<uint64_t>(array.length), codec, stream);
    BOBBIN_TRY(column.error().in("column " + quoted_text(type->name == nullptr ? "" : type->name)));
    made.push_back(*std::move(column));
  }
  return made;
}

Result<std::vector<EncodedArray>> encode_any(const ArrowSchema& schema, const ArrowArray& array,
                                             const std::string& codec, StreamView stream) {
  if (std::string_view(schema.format) == "+s") {
    return encode_struct(schema, array, codec, stream);
  }
  BOBBIN_ASSIGN(EncodedArray made,
                encode_rows(schema, array, 0, static_cast<uint64_t>(array.length), codec, stream));
  return std::vector{std::move(made)};
}

}  // namespace

Result<std::vector<EncodedArray>> encode_device_array(const ArrowSchema& schema,
                                                      const ArrowDeviceArray& array, const std::string& codec,
                                                      StreamView stream) {
  const bool is_there =
      schema.release != nullptr && schema.format != nullptr && array.array.release != nullptr;
  BOBBIN_RETURN_IF(!is_there, StatusCode::invalid_argument, "Arrow: the schema or the array was released");
  BOBBIN_TRY(check_device(array, stream.backend()).in("Arrow"));
  if (array.sync_event != nullptr && stream.backend() == Backend::cuda) {
    BOBBIN_TRY(wait_for_event(stream, *static_cast<void* const*>(array.sync_event)));
  }
  auto made = encode_any(schema, array.array, codec, stream);
  BOBBIN_TRY(made.error().in("Arrow"));
  BOBBIN_TRY(stream.synchronize());  // the array may be released now
  return made;
}

}  // namespace bobbin::arrow
