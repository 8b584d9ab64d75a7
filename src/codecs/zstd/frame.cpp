// SPDX-License-Identifier: Apache-2.0
// Frame and block headers.
#include "codecs/zstd/frame.hpp"

#include <algorithm>
#include <string>

#include "codecs/zstd/bits.hpp"

namespace bobbin::zstd {
namespace {

constexpr uint32_t kSkippableHeaderBytes = 8;
constexpr size_t kMagicBytes = 4;

Status damaged_frame(const std::string& what) {
  return {StatusCode::corrupt, "zstd: " + what};
}

Status cut_off() {
  return damaged_frame("the input ends inside a frame");
}

// Versions 0.1 to 0.7 numbered their formats; they have nothing else in common with today's.
Status unknown_magic(uint32_t magic) {
  constexpr uint32_t kFirstLegacy = 0xFD2FB522;
  constexpr uint32_t kOldestLegacy = 0xFD2FB51E;
  if (magic >= kFirstLegacy && magic < kFrameMagic) {
    return {StatusCode::unsupported, "zstd: a frame in the legacy format of version 0." +
                                         std::to_string(magic - kFirstLegacy + 2) +
                                         ", which is not supported"};
  }
  if (magic == kOldestLegacy) {
    return {StatusCode::unsupported,
            "zstd: a frame in the legacy format of version 0.1, which is not supported"};
  }
  return damaged_frame("not a zstd frame: unknown magic number");
}

uint64_t load_size(const uint8_t* from, uint32_t bytes) {
  switch (bytes) {
    case 0:
      return 0;
    case 1:
      return *from;
    case 2:
      return load<uint16_t>(from);
    case 4:
      return load<uint32_t>(from);
    default:
      return load<uint64_t>(from);
  }
}

uint64_t window_of(uint8_t descriptor) {
  const uint64_t base = uint64_t{1} << (10 + (descriptor >> 3));
  return base + base / 8 * (descriptor & 7);
}

Result<FrameHeader> parse_descriptor(std::span<const uint8_t> bytes) {
  static constexpr uint8_t kIdBytes[] = {0, 1, 2, 4};
  static constexpr uint8_t kContentBytes[] = {0, 2, 4, 8};
  if (bytes.empty()) {
    return cut_off();
  }
  const uint32_t descriptor = bytes[0];
  const bool single = (descriptor >> 5 & 1) != 0;
  const uint32_t id_bytes = kIdBytes[descriptor & 3];
  const uint32_t content_bytes = descriptor >> 6 == 0 && single ? 1 : kContentBytes[descriptor >> 6];
  const uint32_t size = 1 + (single ? 0 : 1) + id_bytes + content_bytes;
  if (bytes.size() < size) {
    return cut_off();
  }
  BOBBIN_RETURN_IF((descriptor >> 3 & 1) != 0, StatusCode::unsupported,
                   "zstd: a frame that uses a reserved header bit");
  FrameHeader header{.header_bytes = size};
  header.has_checksum = (descriptor >> 2 & 1) != 0;
  const uint8_t* at = bytes.data() + 1;
  header.window_bytes = single ? 0 : window_of(*at);
  at += single ? 0 : 1;
  header.dictionary_id = static_cast<uint32_t>(load_size(at, id_bytes));
  at += id_bytes;
  if (content_bytes != 0) {
    header.content_bytes = load_size(at, content_bytes) + (content_bytes == 2 ? 256 : 0);
  }
  header.window_bytes = single ? *header.content_bytes : header.window_bytes;
  header.max_block_bytes = static_cast<uint32_t>(std::min<uint64_t>(header.window_bytes, kMaxBlockBytes));
  return header;
}

}  // namespace

Result<FrameHeader> parse_header(std::span<const uint8_t> bytes, const DecodeOptions& options) {
  const size_t magic_bytes = options.magicless ? 0 : kMagicBytes;
  if (bytes.size() < magic_bytes) {
    return cut_off();
  }
  const uint32_t magic = options.magicless ? kFrameMagic : load<uint32_t>(bytes.data());
  if (magic != kFrameMagic) {
    if ((magic & ~uint32_t{15}) != kSkippableMagic) {
      return unknown_magic(magic);
    }
    if (bytes.size() < kSkippableHeaderBytes) {
      return cut_off();
    }
    return FrameHeader{.skippable = true,
                       .header_bytes = kSkippableHeaderBytes,
                       .content_bytes = load<uint32_t>(bytes.data() + kMagicBytes)};
  }
  BOBBIN_ASSIGN(FrameHeader header, parse_descriptor(bytes.subspan(magic_bytes)));
  header.header_bytes += static_cast<uint32_t>(magic_bytes);
  BOBBIN_RETURN_IF(header.window_bytes > options.max_window, StatusCode::unsupported,
                   "zstd: the frame needs a window of " + std::to_string(header.window_bytes) +
                       " bytes, above the limit of " + std::to_string(options.max_window));
  return header;
}

Result<BlockHeader> parse_block_header(std::span<const uint8_t> bytes, uint32_t max_block_bytes) {
  if (bytes.size() < kBlockHeaderBytes) {
    return cut_off();
  }
  const uint32_t word = bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16;
  BlockHeader header{
      .kind = static_cast<BlockKind>(word >> 1 & 3), .last = (word & 1) != 0, .size = word >> 3};
  if (header.kind == BlockKind::reserved) {
    return damaged_frame("a block of the reserved type");
  }
  if (header.size > max_block_bytes) {
    return damaged_frame("a block of " + std::to_string(header.size) + " bytes, above the frame's limit of " +
                         std::to_string(max_block_bytes));
  }
  if (header.stored_bytes() > bytes.size() - kBlockHeaderBytes) {
    return cut_off();
  }
  return header;
}

Result<FrameHeader> parse_frame_header(std::span<const std::byte> bytes, const DecodeOptions& options) {
  return parse_header(as_u8(bytes), options);
}

Result<FrameExtent> measure_frame(std::span<const std::byte> in, const DecodeOptions& options) {
  const std::span<const uint8_t> bytes = as_u8(in);
  BOBBIN_ASSIGN(const FrameHeader header, parse_header(bytes, options));
  FrameExtent extent{.header = header, .compressed_bytes = header.header_bytes};
  if (header.skippable) {
    extent.compressed_bytes += *header.content_bytes;
    return extent.compressed_bytes > bytes.size() ? Result<FrameExtent>(cut_off()) : extent;
  }
  for (bool last = false; !last; ++extent.num_blocks) {
    BOBBIN_ASSIGN(const BlockHeader block,
                  parse_block_header(bytes.subspan(extent.compressed_bytes), header.max_block_bytes));
    extent.compressed_bytes += kBlockHeaderBytes + block.stored_bytes();
    extent.content_bound += block.kind == BlockKind::compressed ? header.max_block_bytes : block.size;
    last = block.last;
  }
  extent.compressed_bytes += header.has_checksum ? kChecksumBytes : 0;
  if (extent.compressed_bytes > bytes.size()) {
    return cut_off();
  }
  extent.content_bound = std::min(extent.content_bound, header.content_bytes.value_or(UINT64_MAX));
  return extent;
}

}  // namespace bobbin::zstd
