// SPDX-License-Identifier: Apache-2.0
// Numbers in frames, and the checks of arrays. Whether the frames of numbers decode is found out once, by
// validate(): what it decodes is kept, because the functions after it cannot fail.
#include <algorithm>
#include <string>

#include "codecs/whole.hpp"
#include "codecs/zstd/array.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::zstd {
namespace {

// More than a row group's values ever take; larger arrays are decoded again when they are used.
constexpr uint64_t kMaxKept = uint64_t{256} << 20;

constexpr bobbin::zstd::DecodeOptions kMagicless{.magicless = true};

Status damaged_array(const std::string& reason) {
  return {StatusCode::corrupt, "zstd: " + reason};
}

// A value of each row from its bytes.
template <class T>
void join_bytes(std::span<const std::byte> content, uint64_t width, T base, uint64_t first,
                std::span<T> out) {
  const std::byte* from = content.data() + first * width;
  if (width == sizeof(T) && base == 0) {
    std::memcpy(out.data(), from, out.size_bytes());
    return;
  }
  for (T& value : out) {
    T bits = 0;
    std::memcpy(&bits, from, width);
    value = static_cast<T>(bits + base);
    from += width;
  }
}

// The same where byte k of all values is plane k.
template <class T>
void join_planes(std::span<const std::byte> content, uint64_t rows, uint32_t planes, T base, uint64_t first,
                 std::span<T> out) {
  std::ranges::fill(out, base);
  for (uint32_t k = 0; k < planes; ++k) {
    const auto* plane = reinterpret_cast<const uint8_t*>(content.data()) + k * rows + first;
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<T>(out[i] + static_cast<T>(static_cast<T>(plane[i]) << (8 * k)));
    }
  }
}

// Values first .. first+out.size()-1 of a group of rows.
template <class T>
void join_group(const Header& header, uint64_t group, std::span<const std::byte> content, uint64_t first,
                std::span<T> out) {
  const T base = static_cast<T>(header.base);
  if (header.planes == 1) {
    join_bytes<T>(content, header.width, base, first, out);
  } else {
    join_planes<T>(content, header.units_in(group), header.planes, base, first, out);
  }
}

// Decodes the array's groups one after another, up to the first damaged one. Without `out` they are
// only checked.
Status decode_groups(const Array& array, std::byte* out) {
  const Frames frames(array);
  const Header& header = frames.header();
  std::vector<std::byte> content;
  return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> Status {
    uint64_t done = 0;
    while (done < array.length) {
      const uint64_t row = header.skip + array.offset + done;
      const uint64_t group = row / header.units();
      const uint64_t first = row % header.units();
      const uint64_t count = std::min(header.units_in(group) - first, array.length - done);
      BOBBIN_TRY(frames.decode_group(group, content));
      if (out != nullptr) {
        join_group<T>(header, group, content, first, {reinterpret_cast<T*>(out) + done, count});
      }
      done += count;
    }
    return {};
  });
}

// Keeps what it decodes, unless that is too large.
Status decode_once(const Array& array) {
  const uint64_t bytes = array.length * size_bytes(array.type);
  array.decoded = {};
  if (bytes > kMaxKept) {
    return decode_groups(array, nullptr);
  }
  const NewBuffer values = make_buffer(bytes);
  BOBBIN_TRY(decode_groups(array, values.data));
  array.decoded = values.buffer;
  return {};
}

Status check_layout(const Array& array, const Header& header) {
  const uint64_t size = is_string(array.type) ? 1 : size_bytes(array.type);
  BOBBIN_RETURN_IF(header.frame_log < kMinFrameLog || header.frame_log > kMaxFrameLog, StatusCode::corrupt,
                   "zstd: frames of 2^" + std::to_string(header.frame_log) + " rows or bytes");
  BOBBIN_RETURN_IF(
      header.width == 0 || header.width > size, StatusCode::corrupt,
      "zstd: a width of " + std::to_string(header.width) + " bytes in a type of " + std::to_string(size));
  BOBBIN_RETURN_IF(
      header.planes != 1 && header.planes != header.width, StatusCode::corrupt,
      "zstd: " + std::to_string(header.planes) + " planes for a width of " + std::to_string(header.width));
  BOBBIN_RETURN_IF(header.stored > kMaxStored, StatusCode::corrupt, "zstd: the frames hold too much");
  const uint64_t expected = index_bytes(header.num_frames());
  BOBBIN_RETURN_IF(array.buffers[1].bytes.size() != expected, StatusCode::corrupt,
                   "zstd: frame offsets have " + std::to_string(array.buffers[1].bytes.size()) +
                       " bytes instead of " + std::to_string(expected));
  BOBBIN_RETURN_IF(header.num_frames() == 0 && !array.buffers[0].bytes.empty(), StatusCode::corrupt,
                   "zstd: frames without content");
  return {};
}

Status check_rows(const Array& array, const Header& header) {
  BOBBIN_RETURN_IF(array.buffers.size() != 2 || !array.children.empty(), StatusCode::corrupt,
                   "zstd: an array of numbers has two buffers and no child");
  BOBBIN_RETURN_IF(header.base > low_mask<uint64_t>(size_bits(array.type)), StatusCode::corrupt,
                   "zstd: the base does not fit the type");
  BOBBIN_RETURN_IF(header.left != 0 || header.skip % kVectorLength != 0, StatusCode::corrupt,
                   "zstd: rows are skipped that are not whole vectors");
  const uint64_t rows = array.length == 0 ? 0 : array.offset + array.length;
  BOBBIN_RETURN_IF(rows > header.stored || header.skip > header.stored - rows, StatusCode::corrupt,
                   "zstd: the frames hold " + std::to_string(header.stored) + " rows, not the array's " +
                       std::to_string(array.length));
  const uint64_t needed = ceil_div<uint64_t>(header.skip + rows, header.units());
  BOBBIN_RETURN_IF(needed != header.num_groups() || (rows == 0 ? header.skip : header.skip >= header.units()),
                   StatusCode::corrupt, "zstd: frames without any of the array's rows");
  return {};
}

}  // namespace

Header Header::parse(std::span<const uint8_t> metadata) {
  Header header{.frame_log = metadata[0], .width = metadata[1], .planes = metadata[2]};
  uint64_t* const numbers[] = {&header.stored, &header.base, &header.skip, &header.left};
  for (size_t i = 0; i < std::size(numbers); ++i) {
    std::memcpy(numbers[i], metadata.data() + 3 + 8 * i, 8);
  }
  return header;
}

std::vector<uint8_t> Header::serialize() const {
  std::vector<uint8_t> metadata(kBytes);
  metadata[0] = frame_log;
  metadata[1] = width;
  metadata[2] = planes;
  const uint64_t numbers[] = {stored, base, skip, left};
  std::memcpy(metadata.data() + 3, numbers, sizeof numbers);
  return metadata;
}

Status Frames::check() const {
  const uint64_t frames = header_.num_frames();
  for (uint64_t i = 0; i < frames; ++i) {
    BOBBIN_RETURN_IF(!index_.empty() && entry(i) > entry(i + 1), StatusCode::corrupt,
                     "zstd: the offset of frame " + std::to_string(i + 1) + " descends");
  }
  BOBBIN_RETURN_IF(frames != 0 && begin(frames) != bytes_.size(), StatusCode::corrupt,
                   "zstd: frames have " + std::to_string(bytes_.size()) + " bytes instead of " +
                       std::to_string(begin(frames)));
  for (uint64_t i = 0; i < frames; ++i) {
    BOBBIN_ASSIGN(const bobbin::zstd::FrameExtent extent, bobbin::zstd::measure_frame(stored(i), kMagicless));
    const uint64_t content = header_.frame_bytes(i);
    BOBBIN_RETURN_IF(extent.compressed_bytes != stored(i).size(), StatusCode::corrupt,
                     "zstd: bytes after frame " + std::to_string(i));
    BOBBIN_RETURN_IF(extent.header.content_bytes != content || extent.content_bound != content,
                     StatusCode::corrupt,
                     "zstd: frame " + std::to_string(i) + " does not have " + std::to_string(content) +
                         " bytes of content");
    BOBBIN_RETURN_IF(extent.header.dictionary_id != 0 || extent.num_blocks > max_blocks(content),
                     StatusCode::corrupt,
                     "zstd: frame " + std::to_string(i) + " needs a dictionary or has too many blocks");
  }
  return {};
}

Status Frames::decode(uint64_t frame, std::span<std::byte> out) const {
  BOBBIN_ASSIGN(const uint64_t bytes, bobbin::zstd::decode_frame(stored(frame), out, kMagicless));
  return bytes == out.size() ? Status{}
                             : damaged_array("frame " + std::to_string(frame) + " has less content");
}

Status Frames::decode_group(uint64_t group, std::vector<std::byte>& out) const {
  const uint64_t bytes = header_.units_in(group) * header_.unit_bytes();
  out.resize(bytes * header_.planes);
  for (uint32_t k = 0; k < header_.planes; ++k) {
    BOBBIN_TRY(decode(group * header_.planes + k, std::span(out).subspan(k * bytes, bytes)));
  }
  return {};
}

std::string describe(const Array& array) {
  if (array.metadata.size() != Header::kBytes) {
    return "damaged";
  }
  const Header header = Header::parse(array.metadata);
  if (header.frame_log > kMaxFrameLog || header.width == 0 || header.planes == 0) {
    return "damaged";
  }
  const uint64_t frames = header.num_frames();
  std::string text = std::to_string(frames) + (frames == 1 ? " frame" : " frames");
  if (!is_string(array.type)) {
    text += ", " + std::to_string(header.width) + (header.width == 1 ? " byte" : " bytes") + " per value";
    text += header.planes > 1 ? " in planes" : "";
  }
  return text;
}

Status validate(const Array& array) {
  const Header header = Header::parse(array.metadata);
  BOBBIN_TRY(check_layout(array, header));
  BOBBIN_TRY(is_string(array.type) ? validate_strings(array) : check_rows(array, header));
  BOBBIN_TRY(Frames(array).check());
  return is_string(array.type) ? Status{} : decode_once(array);
}

Status check_whole(const Array& array) {
  const Header header = Header::parse(array.metadata);
  uint32_t first_offset = 0;
  if (const auto index = array.buffers[1].bytes;
      index.data() != nullptr && index.size() >= sizeof first_offset) {
    std::memcpy(&first_offset, index.data(), sizeof first_offset);
  }
  const bool own = is_string(array.type) ? header.base == 0 : header.stored == array.length;
  const bool whole = own && header.skip == 0 && header.left == 0 && first_offset == 0;
  return whole ? Status{} : damaged_array("a slice in a file");
}

void decode(const Array& array, void* out) {
  const uint64_t bytes = array.length * size_bytes(array.type);
  if (array.decoded.bytes.size() == bytes) {
    std::copy_n(array.decoded.bytes.data(), bytes, static_cast<std::byte*>(out));
  } else if (!decode_groups(array, static_cast<std::byte*>(out)).ok()) {
    std::fill_n(static_cast<std::byte*>(out), bytes, std::byte{0});  // an array that was not validated
  }
}

Scalar value_at(const Array& array, uint64_t index) {
  const size_t size = size_bytes(array.type);
  Scalar value{};
  if (array.decoded.bytes.size() == array.length * size) {
    std::memcpy(&value.bits, array.decoded.bytes.data() + index * size, size);
  } else {
    decode(slice(array, index, 1), &value.bits);
  }
  return value;
}

}  // namespace bobbin::codec::zstd
