// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "codecs/registry.hpp"
#include "codecs/smallest.hpp"
#include "codecs/string_validity.hpp"
#include "codecs/zstd/array.hpp"
#include "codecs/zstd/encode_blocks.hpp"
#include "codecs/zstd/frame.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::zstd {
namespace {

constexpr uint32_t kFrameLog = 16;  // of content: 64 KiB
constexpr size_t kMagicBytes = 4;
constexpr bobbin::zstd::EncodeOptions kOptions{
    .level = 9, .frame_bytes = uint32_t{1} << kFrameLog, .block_bytes = bobbin::zstd::kMaxBlockBytes};
// A frame of so little content is not compressed: in a file it lies in the footer, which is compressed as a
// whole and so needs one set of tables for all small frames.
constexpr size_t kStoredBytes = 500;
// Layouts are compared on the first rows.
constexpr uint64_t kTrialRows = uint64_t{1} << 16;

Buffer to_buffer(const void* data, size_t bytes) {
  const NewBuffer buffer = make_buffer(bytes);
  std::copy_n(static_cast<const std::byte*>(data), bytes, buffer.data);
  return buffer.buffer;
}

// A frame of one raw block.
std::vector<std::byte> stored_frame(std::span<const std::byte> content) {
  std::vector<std::byte> frame;
  const auto put = [&](const bobbin::zstd::Number& number) {
    const auto bytes = std::as_bytes(std::span(&number.value, 1)).first(number.bytes);
    frame.insert(frame.end(), bytes.begin(), bytes.end());
  };
  const auto size = static_cast<uint32_t>(content.size());
  put({bobbin::zstd::kFrameMagic, kMagicBytes});
  put(bobbin::zstd::frame_header(size, false));
  put(bobbin::zstd::FramePlanner::block_header({.stored = size}, size, true));
  frame.insert(frame.end(), content.begin(), content.end());
  return frame;
}

// Frames without their magic number, and where they end.
class FrameWriter {
 public:
  Status add(std::span<const std::byte> content) {
    BOBBIN_ASSIGN(const std::vector<std::byte> frame,
                  content.size() <= kStoredBytes ? Result<std::vector<std::byte>>(stored_frame(content))
                                                 : bobbin::zstd::encode(content, kOptions));
    bytes_.insert(bytes_.end(), frame.begin() + kMagicBytes, frame.end());
    BOBBIN_RETURN_IF(bytes_.size() > UINT32_MAX, StatusCode::unsupported,
                     "zstd: more than 4 GiB of frames in an array");
    ends_.push_back(static_cast<uint32_t>(bytes_.size()));
    return {};
  }
  [[nodiscard]] uint64_t size() const { return bytes_.size(); }
  [[nodiscard]] std::vector<Buffer> buffers() const {
    const size_t frames = ends_.size() - 1;
    return {to_buffer(bytes_.data(), bytes_.size()), to_buffer(ends_.data(), index_bytes(frames))};
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<uint32_t> ends_{0};
};

// Values as they lie in frames.
template <class T>
class Layout {
 public:
  Layout(const Values& values, bool planes) : values_(values.as<T>()) {
    const bool floats = is_float(values.type);
    const auto [least, greatest] = floats ? std::pair<T, T>{0, static_cast<T>(~T{0})} : range_of(values);
    const auto bits = static_cast<uint32_t>(std::bit_width(static_cast<T>(greatest - least)));
    header_.base = least;
    header_.width = static_cast<uint8_t>(std::max<uint32_t>(ceil_div<uint32_t>(bits, 8), 1));
    header_.planes = planes ? header_.width : uint8_t{1};
    header_.stored = values_.size();
    const auto log = static_cast<uint32_t>(std::bit_width(header_.unit_bytes() - 1));
    header_.frame_log = static_cast<uint8_t>(kFrameLog - log);
  }

  [[nodiscard]] const Header& header() const { return header_; }

  // Rows begin .. end-1, all in one group, as that group's frames.
  Status write(uint64_t begin, uint64_t end, FrameWriter& writer) const {
    const auto values = values_.subspan(begin, end - begin);
    std::vector<std::byte> content(values.size() * header_.unit_bytes());
    for (uint32_t plane = 0; plane < header_.planes; ++plane) {
      std::byte* to = content.data();
      for (const T value : values) {
        const auto bits = static_cast<T>(static_cast<T>(value - static_cast<T>(header_.base)) >> (8 * plane));
        std::memcpy(to, &bits, header_.unit_bytes());
        to += header_.unit_bytes();
      }
      BOBBIN_TRY(writer.add(content));
    }
    return {};
  }

  // The first rows.
  Status write(uint64_t rows, FrameWriter& writer) const {
    for (uint64_t begin = 0; begin < rows; begin += header_.units()) {
      BOBBIN_TRY(write(begin, std::min(begin + header_.units(), rows), writer));
    }
    return {};
  }

 private:
  static std::pair<T, T> range_of(const Values& values) {
    return visit_integer(values.type, [&]<class I>(std::type_identity<I>) -> std::pair<T, T> {
      const auto all = values.as<I>();
      if (all.empty()) {
        return {0, 0};
      }
      const auto [least, greatest] = std::ranges::minmax(all);
      return {static_cast<T>(least), static_cast<T>(greatest)};
    });
  }

  std::span<const T> values_;
  Header header_;
};

// Whether planes make the first rows smaller.
template <class T>
Result<bool> prefers_planes(const Values& values) {
  const Layout<T> joined(values, false);
  if (joined.header().width == 1) {
    return false;
  }
  const uint64_t rows = std::min(values.length, kTrialRows);
  FrameWriter by_joined;
  FrameWriter by_planes;
  BOBBIN_TRY(joined.write(rows, by_joined));
  BOBBIN_TRY(Layout<T>(values, true).write(rows, by_planes));
  return by_planes.size() < by_joined.size();
}

uint64_t total_bytes(const Array& array) {
  uint64_t bytes = array.metadata.size();
  for (const Buffer& buffer : array.buffers) {
    bytes += buffer.bytes.size();
  }
  for (const Array& child : array.children) {
    bytes += total_bytes(child);
  }
  return bytes;
}

// Lengths by themselves, with the offset before each vector.
Result<Array> encode_lengths(const Values& offsets) {
  static constexpr CodecId kForLengths[] = {CodecId::constant, CodecId::ffor, CodecId::patched,
                                            CodecId::sparse,   CodecId::rle,  CodecId::zstd};
  BOBBIN_ASSIGN(Split split, find_codec(CodecId::diff)->split(offsets));
  BOBBIN_ASSIGN(Array differences, encode_smallest(split.children[0].view(), kForLengths));
  BOBBIN_ASSIGN(Array starts, encode_smallest(split.children[1].view()));
  split.node.children = {std::move(differences), std::move(starts)};
  return std::move(split.node);
}

template <class T>
Result<Array> encode_offsets(const StringsView& strings) {
  const uint64_t base = strings.length == 0 ? 0 : strings.offset(0);
  std::vector<T> offsets(strings.length + 1);
  for (uint64_t i = 0; i < strings.length; ++i) {
    offsets[i + 1] = static_cast<T>(strings.offset(i + 1) - base);
  }
  const Values values{sizeof(T) == 8 ? DType::u64 : DType::u32, offsets.data(), offsets.size()};
  BOBBIN_ASSIGN(Array packed, find_codec(CodecId::delta)->encode(values));
  BOBBIN_ASSIGN(Array lengths, encode_lengths(values));
  return total_bytes(lengths) < total_bytes(packed) ? std::move(lengths) : std::move(packed);
}

}  // namespace

Result<Array> encode(const Values& values) {
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) -> Result<Array> {
    BOBBIN_ASSIGN(const bool planes, prefers_planes<T>(values));
    const Layout<T> layout(values, planes);
    FrameWriter writer;
    BOBBIN_TRY(layout.write(values.length, writer));
    return Array{.codec = CodecId::zstd,
                 .type = values.type,
                 .length = values.length,
                 .offset = 0,
                 .metadata = layout.header().serialize(),
                 .buffers = writer.buffers(),
                 .children = {}};
  });
}

uint64_t estimate(const Values& values) {
  const Result<Array> array = encode(values);
  return array.has_value() ? total_bytes(*array) : kNoEncoding;
}

Result<Array> encode(const StringsView& strings, const Array* /*previous*/) {
  BOBBIN_ASSIGN(const std::vector<uint8_t> validity, tidy_validity(strings));
  const uint64_t bytes = strings.num_bytes();
  const Header header{.frame_log = kFrameLog, .stored = bytes};
  const auto content = std::as_bytes(
      std::span(strings.bytes + (strings.length == 0 ? 0 : strings.offset(0)), static_cast<size_t>(bytes)));
  FrameWriter writer;
  for (uint64_t frame = 0; frame < header.num_frames(); ++frame) {
    BOBBIN_TRY(writer.add(content.subspan(frame * header.units(), header.frame_bytes(frame))));
  }
  BOBBIN_ASSIGN(Array offsets,
                bytes > INT32_MAX ? encode_offsets<uint64_t>(strings) : encode_offsets<uint32_t>(strings));
  Array array{.codec = CodecId::zstd,
              .type = strings.type,
              .length = strings.length,
              .offset = 0,
              .metadata = header.serialize(),
              .buffers = writer.buffers(),
              .children = {}};
  array.buffers.push_back(to_buffer(validity.data(), validity.size()));
  array.children.push_back(std::move(offsets));
  return array;
}

}  // namespace bobbin::codec::zstd
