// SPDX-License-Identifier: Apache-2.0
// Strings in frames: what is checked before, and all of them.
#include "codecs/zstd/strings.hpp"

#include <algorithm>
#include <string>

#include "codecs/registry.hpp"

namespace bobbin::codec::zstd {
namespace {

// All bytes of the strings, frame by frame; frames that hold others too go through a buffer.
Status decode_bytes(const Array& array, std::span<uint8_t> out) {
  const Frames frames(array);
  const Header& header = frames.header();
  std::vector<std::byte> frame_content;
  const uint64_t end = header.stored - header.left;
  uint64_t at = header.skip;
  while (at < end) {
    const uint64_t frame = at / header.units();
    const uint64_t begin = frame * header.units();
    const uint64_t size = header.frame_bytes(frame);
    const uint64_t stop = std::min(end, begin + size);
    const auto to = std::as_writable_bytes(out.subspan(at - header.skip, stop - at));
    if (to.size() == size) {
      BOBBIN_TRY(frames.decode(frame, to));
    } else {
      frame_content.resize(size);
      BOBBIN_TRY(frames.decode(frame, frame_content));
      std::copy_n(frame_content.begin() + static_cast<ptrdiff_t>(at - begin), to.size(), to.begin());
    }
    at = stop;
  }
  return {};
}

}  // namespace

std::vector<uint64_t> decode_offsets(const Array& array) {
  const Array& child = offsets_of(array);
  std::vector<uint64_t> offsets(child.length);
  if (child.type == DType::u64) {
    find_codec(child.codec)->decode(child, offsets.data());
  } else {
    std::vector<uint32_t> narrow(child.length);
    find_codec(child.codec)->decode(child, narrow.data());
    std::ranges::copy(narrow, offsets.begin());
  }
  return offsets;
}

Status validate_strings(const Array& array) {
  BOBBIN_RETURN_IF(array.buffers.size() != 3 || array.children.size() != 1, StatusCode::corrupt,
                   "zstd: an array of strings has three buffers and a child");
  const Header header = Header::parse(array.metadata);
  BOBBIN_RETURN_IF(header.skip > header.stored || header.left > header.stored - header.skip,
                   StatusCode::corrupt, "zstd: the strings do not lie in the frames");
  const uint64_t bytes = header.string_bytes();
  const uint64_t first_group = header.skip / header.units();
  const uint64_t last_group = bytes == 0 ? 0 : (header.stored - header.left - 1) / header.units();
  BOBBIN_RETURN_IF(
      bytes == 0 ? header.stored != 0 : first_group != 0 || last_group + 1 != header.num_groups(),
      StatusCode::corrupt, "zstd: frames without any of the strings");
  const Array& offsets = offsets_of(array);
  BOBBIN_RETURN_IF(offsets.length != array.length + 1, StatusCode::corrupt,
                   "zstd: " + std::to_string(offsets.length) + " offsets for " +
                       std::to_string(array.length) + " strings");
  const bool narrow = offsets.type == DType::u32;
  // A device subtracts `base` in the offsets' type.
  const uint64_t largest = narrow ? UINT32_MAX : UINT64_MAX;
  BOBBIN_RETURN_IF(bytes > (narrow ? INT32_MAX : kMaxStored) || header.base > largest - bytes,
                   StatusCode::corrupt, "zstd: more bytes than offsets can count");
  const uint64_t validity_bytes = ceil_div<uint64_t>(array.offset + array.length, 8);
  const uint64_t found = array.buffers[2].bytes.size();
  BOBBIN_RETURN_IF(
      found != 0 && found != validity_bytes, StatusCode::corrupt,
      "zstd: validity has " + std::to_string(found) + " bytes instead of " + std::to_string(validity_bytes));
  return {};
}

Status validate_content(const Array& array) {
  if (!is_string(array.type)) {
    return {};
  }
  const Header header = Header::parse(array.metadata);
  const std::vector<uint64_t> offsets = decode_offsets(array);
  BOBBIN_RETURN_IF(offsets.front() != header.base || offsets.back() != header.base + header.string_bytes(),
                   StatusCode::corrupt, "zstd: offsets do not begin and end where they should");
  for (uint64_t i = 0; i < array.length; ++i) {
    BOBBIN_RETURN_IF(offsets[i] > offsets[i + 1], StatusCode::corrupt,
                     "zstd: offsets descend at string " + std::to_string(i));
    BOBBIN_RETURN_IF(offsets[i] != offsets[i + 1] && is_null(array, i), StatusCode::corrupt,
                     "zstd: string " + std::to_string(i) + " is null but not empty");
  }
  return {};
}

StringSizes sizes(const Array& array) {
  return {.wide = offsets_of(array).type == DType::u64,
          .bytes = Header::parse(array.metadata).string_bytes()};
}

Status decode(const Array& array, const HostStringsOut& out) {
  const Header header = Header::parse(array.metadata);
  BOBBIN_RETURN_IF(header.string_bytes() != out.bytes.size(), StatusCode::corrupt,
                   "zstd: " + std::to_string(header.string_bytes()) + " bytes of strings instead of " +
                       std::to_string(out.bytes.size()));
  BOBBIN_TRY(decode_bytes(array, out.bytes));
  const std::vector<uint64_t> offsets = decode_offsets(array);
  for (uint64_t i = 0; i < array.length; ++i) {
    out.ends[i] = out.base + (offsets[i + 1] - header.base);
  }
  return {};
}

}  // namespace bobbin::codec::zstd
