// SPDX-License-Identifier: Apache-2.0
// Constants of the format, and the headers of frames and blocks.
#pragma once

#include <cstdint>
#include <span>

#include "bobbin/status.hpp"
#include "codecs/zstd/zstd.hpp"

namespace bobbin::zstd {

inline constexpr uint32_t kFrameMagic = 0xFD2FB528;
inline constexpr uint32_t kSkippableMagic = 0x184D2A50;  // and the 15 numbers after it
inline constexpr uint32_t kDictionaryMagic = 0xEC30A437;
inline constexpr uint32_t kMaxBlockBytes = uint32_t{128} << 10;
inline constexpr size_t kBlockHeaderBytes = 3;
inline constexpr size_t kChecksumBytes = 4;

enum class BlockKind : uint8_t { raw, rle, compressed, reserved };

struct BlockHeader {
  BlockKind kind{};
  bool last = false;
  uint32_t size = 0;  // of an rle block: how often its one byte is repeated

  [[nodiscard]] uint32_t stored_bytes() const { return kind == BlockKind::rle ? 1 : size; }
};

[[nodiscard]] inline std::span<const uint8_t> as_u8(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

[[nodiscard]] Result<FrameHeader> parse_header(std::span<const uint8_t> bytes, const DecodeOptions& options);
// Also checks that the block's stored bytes are there.
[[nodiscard]] Result<BlockHeader> parse_block_header(std::span<const uint8_t> bytes,
                                                     uint32_t max_block_bytes);

}  // namespace bobbin::zstd
