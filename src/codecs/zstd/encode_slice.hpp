// SPDX-License-Identifier: Apache-2.0
// What the kernels that encode share: the slice of the content, and its scratch memory.
// A frame's scratch: tables, block records, sequences (8 bytes per 3 bytes of content at most), literals, and
// an area that first holds the links, then the streams of sequences and the frame itself.
#pragma once

#include <algorithm>

#include "codecs/zstd/encode_blocks.hpp"
#include "codecs/zstd/match_kernels.hpp"
#include "codecs/zstd/parse_block.hpp"

namespace bobbin::zstd {

// What the parse leaves for the stages after it.
struct alignas(8) BlockRecord {
  uint32_t literals;
  uint32_t sequences;
};

// A sequence in 8 bytes: a block has up to 64 KiB.
struct PackedSequence {
  [[nodiscard]] BOBBIN_HD static uint64_t pack(const CodedSequence& s) {
    return uint64_t{s.literals} | uint64_t{s.match} << 20 | uint64_t{s.offset_value} << 40;
  }
  [[nodiscard]] BOBBIN_HD static CodedSequence unpack(uint64_t packed) {
    return {low_bits(static_cast<uint32_t>(packed), 20), low_bits(static_cast<uint32_t>(packed >> 20), 20),
            static_cast<uint32_t>(packed >> 40)};
  }
};

// How a frame's scratch is divided, in bytes.
struct EncodeLayout {
  uint32_t num_blocks = 0;       // of a full frame
  uint32_t sequence_stride = 0;  // sequences from block to block
  uint32_t byte_stride = 0;      // bytes of literals, or of a stream, from block to block
  uint64_t records = 0;
  uint64_t sequences = 0;
  uint64_t literals = 0;
  uint64_t area = 0;
  uint64_t long_links = 0;
  uint64_t image = 0;
  uint64_t stride = 0;  // from frame to frame

  // The most bytes of a frame with this much content.
  [[nodiscard]] BOBBIN_HD static uint64_t most_bytes(uint64_t content, uint32_t block_bytes) {
    return content + kBlockHeaderBytes * (content / block_bytes + 1) + 18 + kChecksumBytes;
  }

  [[nodiscard]] static EncodeLayout of(uint32_t frame_bytes, uint32_t block_bytes, bool long_key) {
    EncodeLayout layout;
    layout.num_blocks = ceil_div<uint32_t>(frame_bytes, block_bytes);
    layout.sequence_stride = block_bytes / kMinRecentMatch + 1;
    layout.byte_stride = round_up<uint32_t>(block_bytes, 16);
    layout.records = round_up<uint64_t>(sizeof(EncoderTables), 16);
    layout.sequences = layout.records + round_up<uint64_t>(layout.num_blocks * sizeof(BlockRecord), 16);
    layout.literals =
        layout.sequences + round_up<uint64_t>(uint64_t{layout.num_blocks} * layout.sequence_stride * 8, 16);
    layout.area = layout.literals + uint64_t{layout.num_blocks} * layout.byte_stride;
    const uint64_t one_key = round_up<uint64_t>(uint64_t{2} * frame_bytes, 16);
    layout.long_links = layout.area + one_key;
    layout.image = layout.area + uint64_t{layout.num_blocks} * layout.byte_stride;
    const uint64_t after_links = layout.long_links + (long_key ? one_key : 0);
    const uint64_t after_image = layout.image + most_bytes(frame_bytes, block_bytes);
    layout.stride = round_up<uint64_t>(after_links < after_image ? after_image : after_links, 256);
    return layout;
  }
};

// A slice of the content: what all kernels are given.
struct EncodeSlice {
  const std::byte* in = nullptr;
  uint64_t in_bytes = 0;
  uint64_t num_frames = 0;
  uint32_t frame_bytes = 0;
  uint32_t block_bytes = 0;
  ParseSettings settings{};
  bool checksum = false;
  EncodeLayout layout{};
  uint8_t* scratch = nullptr;
  Global<uint32_t> sizes;            // of the slice's frames
  Global<uint64_t> ends;             // in the output, of the slice's frames
  const uint64_t* before = nullptr;  // where the slice's first frame goes; nullptr: 0
  std::byte* out = nullptr;

  // Some of its frames, up to the stage that places them.
  [[nodiscard]] EncodeSlice part_of(uint64_t first, uint64_t count) const {
    EncodeSlice part = *this;
    part.num_frames = std::min(count, num_frames - first);
    part.in = in + first * frame_bytes;
    part.in_bytes = std::min(in_bytes - first * frame_bytes, part.num_frames * frame_bytes);
    part.scratch = scratch + first * layout.stride;
    part.sizes = {sizes.data + first, part.num_frames};
    return part;
  }

  [[nodiscard]] BOBBIN_HD uint32_t size(uint64_t frame) const {
    const uint64_t left = in_bytes - frame * frame_bytes;
    return left < frame_bytes ? static_cast<uint32_t>(left) : frame_bytes;
  }
  [[nodiscard]] BOBBIN_HD FrameBytes bytes(uint64_t frame) const {
    return FrameBytes::of(in + frame * frame_bytes, size(frame));
  }
  [[nodiscard]] BOBBIN_HD uint32_t num_blocks(uint64_t frame) const {
    return (size(frame) + block_bytes - 1) / block_bytes;
  }
  [[nodiscard]] BOBBIN_HD uint32_t block_size(uint64_t frame, uint32_t block) const {
    const uint32_t left = size(frame) - block * block_bytes;
    return left < block_bytes ? left : block_bytes;
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD Global<T> part(uint64_t frame, uint64_t at, uint64_t count) const {
    return {reinterpret_cast<T*>(scratch + frame * layout.stride + at), count};
  }
  [[nodiscard]] BOBBIN_HD Global<BlockRecord> records(uint64_t frame) const {
    return part<BlockRecord>(frame, layout.records, layout.num_blocks);
  }
  [[nodiscard]] BOBBIN_HD Global<uint64_t> sequences(uint64_t frame, uint32_t block) const {
    return part<uint64_t>(frame, layout.sequences + uint64_t{block} * layout.sequence_stride * 8,
                          layout.sequence_stride);
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD Global<T> literals(uint64_t frame, uint32_t block) const {
    return part<T>(frame, layout.literals + uint64_t{block} * layout.byte_stride,
                   layout.byte_stride / sizeof(T));
  }
  [[nodiscard]] BOBBIN_HD Global<uint8_t> stream(uint64_t frame, uint32_t block) const {
    return part<uint8_t>(frame, layout.area + uint64_t{block} * layout.byte_stride, layout.byte_stride);
  }
};

}  // namespace bobbin::zstd
