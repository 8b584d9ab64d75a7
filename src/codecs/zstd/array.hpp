// SPDX-License-Identifier: Apache-2.0
// The array codec: strings or numbers in zstd frames of equal content, see spec.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/zstd/zstd.hpp"
#include "core/bits.hpp"

namespace bobbin::codec::zstd {

inline constexpr uint32_t kMinFrameLog = 10;  // a frame has whole vectors
inline constexpr uint32_t kMaxFrameLog = 17;
inline constexpr uint64_t kMaxStored = uint64_t{1} << 48;

// Blocks of a frame: more are left to the CPU by bobbin::zstd::decode_batch().
[[nodiscard]] constexpr uint64_t max_blocks(uint64_t content) {
  return 16 + content / 256;
}

struct Header {
  uint8_t frame_log = kMinFrameLog;
  uint8_t width = 1;
  uint8_t planes = 1;
  uint64_t stored = 0;
  uint64_t base = 0;
  uint64_t skip = 0;
  uint64_t left = 0;

  static constexpr size_t kBytes = 35;
  [[nodiscard]] static Header parse(std::span<const uint8_t> metadata);
  [[nodiscard]] std::vector<uint8_t> serialize() const;

  // Rows of numbers, bytes of strings.
  [[nodiscard]] constexpr uint64_t units() const { return uint64_t{1} << frame_log; }
  [[nodiscard]] constexpr uint64_t unit_bytes() const { return width / planes; }
  [[nodiscard]] constexpr uint64_t num_groups() const { return ceil_div<uint64_t>(stored, units()); }
  [[nodiscard]] constexpr uint64_t num_frames() const { return num_groups() * planes; }
  [[nodiscard]] constexpr uint64_t units_in(uint64_t group) const {
    const uint64_t rest = stored - group * units();
    return rest < units() ? rest : units();
  }
  // The size of a frame's content.
  [[nodiscard]] constexpr uint64_t frame_bytes(uint64_t frame) const {
    return units_in(frame / planes) * unit_bytes();
  }
  [[nodiscard]] constexpr uint64_t string_bytes() const { return stored - skip - left; }
};

// How many bytes the index has for that many frames: a single one needs none.
[[nodiscard]] constexpr uint64_t index_bytes(uint64_t frames) {
  return frames > 1 ? (frames + 1) * sizeof(uint32_t) : 0;
}

// The frames of an array.
class Frames {
 public:
  explicit Frames(const Array& array)
      : header_(Header::parse(array.metadata)),
        bytes_(array.buffers[0].bytes),
        index_(array.buffers[1].bytes) {}

  [[nodiscard]] const Header& header() const { return header_; }
  // Where a frame, or the end of the last one, lies in the buffer.
  [[nodiscard]] uint64_t begin(uint64_t frame) const {
    return index_.empty() ? (frame == 0 ? 0 : bytes_.size()) : uint64_t{entry(frame)} - entry(0);
  }
  [[nodiscard]] std::span<const std::byte> stored(uint64_t frame) const {
    return bytes_.subspan(begin(frame), begin(frame + 1) - begin(frame));
  }

  // Whether the index divides the buffer, and each frame's header says what the array expects.
  [[nodiscard]] Status check() const;
  // `out` has exactly the frame's content.
  [[nodiscard]] Status decode(uint64_t frame, std::span<std::byte> out) const;
  // All frames of a group of rows: every value's bytes, or plane after plane.
  [[nodiscard]] Status decode_group(uint64_t group, std::vector<std::byte>& out) const;

 private:
  [[nodiscard]] uint32_t entry(uint64_t i) const {
    uint32_t value;
    std::memcpy(&value, index_.data() + i * sizeof value, sizeof value);
    return value;
  }

  Header header_;
  std::span<const std::byte> bytes_;
  std::span<const std::byte> index_;
};

[[nodiscard]] inline const Array& offsets_of(const Array& array) {
  return array.children[0];
}
// All of a child's offsets, in 64 bits.
[[nodiscard]] std::vector<uint64_t> decode_offsets(const Array& array);
[[nodiscard]] Status validate_strings(const Array& array);

}  // namespace bobbin::codec::zstd
