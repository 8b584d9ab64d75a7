// SPDX-License-Identifier: Apache-2.0
#include "file/footer_pack.hpp"

#include <utility>

#include "bobbin/zstd.hpp"
#include "file/layout.hpp"
#include "file/lz4_block.hpp"

namespace bobbin::file {
namespace {

constexpr size_t kMagicBytes = 4;
// Larger footers are LZ4 blocks, which are made and read faster. In a small table there is little else.
constexpr uint32_t kMaxFrameContent = uint32_t{16} << 10;
constexpr uint32_t kMaxSmallTableFrame = uint32_t{64} << 10;
// A frame must be smaller than the LZ4 block by this share, except in a small table.
constexpr size_t kLeastGain = 16;

// A frame without its magic number.
std::vector<std::byte> compress_frame(std::span<const std::byte> bytes) {
  const auto frame = zstd::encode(
      bytes, {.level = 9, .frame_bytes = kMaxSmallTableFrame, .block_bytes = kMaxSmallTableFrame});
  return frame.has_value() ? std::vector<std::byte>(frame->begin() + kMagicBytes, frame->end())
                           : std::vector<std::byte>{};
}

Result<std::vector<std::byte>> decompress_frame(std::span<const std::byte> frame, uint32_t size) {
  const zstd::DecodeOptions options{.magicless = true};
  const Status damaged(StatusCode::corrupt, "its compressed form is damaged");
  const auto extent = zstd::measure_frame(frame, options);
  if (!extent.has_value() || extent->compressed_bytes != frame.size() || size == 0) {
    return damaged;
  }
  std::vector<std::byte> bytes(size);
  const auto decoded = zstd::decode_frame(frame, bytes, options);
  return decoded.has_value() && *decoded == size ? Result<std::vector<std::byte>>(std::move(bytes)) : damaged;
}

}  // namespace

PackedFooter pack_footer(std::vector<std::byte> bytes, bool small_table) {
  const auto size = static_cast<uint32_t>(bytes.size());
  if (bytes.empty() || bytes.size() > kMaxPlainBytes) {
    return {std::move(bytes), 0};
  }
  std::vector<std::byte> block = compress_block(bytes);
  PackedFooter packed =
      block.size() < bytes.size() ? PackedFooter{std::move(block), size} : PackedFooter{std::move(bytes), 0};
  if (size <= (small_table ? kMaxSmallTableFrame : kMaxFrameContent)) {
    const std::span<const std::byte> plain = packed.plain_bytes == 0 ? packed.bytes : bytes;
    std::vector<std::byte> frame = compress_frame(plain);
    const size_t gain = small_table ? 0 : packed.bytes.size() / kLeastGain;
    if (!frame.empty() && frame.size() + gain < packed.bytes.size()) {
      packed = {std::move(frame), size | kFooterIsFrame};
    }
  }
  return packed;
}

Result<std::vector<std::byte>> unpack_footer(std::span<const std::byte> bytes, uint32_t plain_bytes) {
  const uint32_t size = plain_bytes & ~kFooterIsFrame;
  return size == plain_bytes ? decompress_block(bytes, size) : decompress_frame(bytes, size);
}

}  // namespace bobbin::file
