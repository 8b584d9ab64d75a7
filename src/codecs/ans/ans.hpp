// SPDX-License-Identifier: Apache-2.0
// Bytes under an entropy coder (rANS) whose 32 interleaved states a warp decodes together: see spec.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "codecs/codec.hpp"
#include "core/bits.hpp"

namespace bobbin::codec::ans {

inline constexpr uint32_t kMinBits = 8;  // of a probability: every byte has a frequency of at least 1
inline constexpr uint32_t kMaxBits = 11;
inline constexpr uint32_t kMinSegmentLog = 10;  // a segment has whole vectors
inline constexpr uint32_t kMaxSegmentLog = 17;
inline constexpr uint64_t kMaxStored = uint64_t{1} << 48;

// How values are laid out. What encode() writes was measured on text: 2^13 values per segment are 1.7 %
// larger than 2^14, 10 bits are 1.5 % larger than 11.
struct Layout {
  uint32_t bits = 11;
  uint32_t segment_log = 14;
};

inline constexpr uint32_t kLanes = 32;
inline constexpr uint64_t kLeastState = uint64_t{1} << 32;
inline constexpr uint32_t kStateBytes = kLanes * sizeof(uint64_t);
inline constexpr uint32_t kUnitBytes = 8;  // segments are multiples of it
inline constexpr uint32_t kStateUnits = kStateBytes / kUnitBytes;

struct Header {
  uint8_t bits = kMinBits;
  uint8_t segment_log = kMinSegmentLog;
  uint8_t first = 0;
  uint64_t stored = 0;
  uint64_t skip = 0;

  static constexpr size_t kBytes = 19;
  [[nodiscard]] static Header parse(std::span<const uint8_t> metadata);
  [[nodiscard]] std::vector<uint8_t> serialize() const;

  [[nodiscard]] constexpr uint64_t segment_values() const { return uint64_t{1} << segment_log; }
  [[nodiscard]] constexpr uint64_t num_segments() const {
    return ceil_div<uint64_t>(stored, segment_values());
  }
  [[nodiscard]] constexpr uint32_t values_in(uint64_t segment) const {
    const uint64_t rest = stored - segment * segment_values();
    return static_cast<uint32_t>(rest < segment_values() ? rest : segment_values());
  }
};

[[nodiscard]] constexpr uint64_t offsets_bytes(uint64_t segments) {
  return segments == 0 ? 0 : (segments + 1) * sizeof(uint32_t);
}

// How often each byte occurs.
using Counts = std::array<uint64_t, 256>;
// Frequencies that sum to a power of two; 0 for bytes that do not occur.
using Frequencies = std::array<uint16_t, 256>;

// The same counts give the same frequencies on every machine: the encoders share it. At least one byte
// occurs.
[[nodiscard]] Frequencies normalize(const Counts& counts, uint32_t bits);
[[nodiscard]] Frequencies frequencies_of(const Array& array);

// Metadata, and the frequencies as they are stored.
struct Preamble {
  Header header;
  std::vector<uint16_t> stored;
};
[[nodiscard]] Preamble preamble_of(const Frequencies& frequencies, uint64_t length, const Layout& layout);

// encode() with another layout.
[[nodiscard]] Result<Array> encode_with(const Layout& layout, const Values& values);

// The segments of an array in host memory.
class SegmentList {
 public:
  explicit SegmentList(const Array& array)
      : bytes_(array.buffers[1].bytes), offsets_(array.buffers[2].bytes) {}

  // Where a segment, or the end of the last one, is in the buffer, in bytes.
  [[nodiscard]] uint64_t begin(uint64_t segment) const {
    return (uint64_t{offset(segment)} - offset(0)) * kUnitBytes;
  }
  [[nodiscard]] std::span<const std::byte> segment(uint64_t i) const {
    return bytes_.subspan(begin(i), begin(i + 1) - begin(i));
  }
  [[nodiscard]] uint32_t offset(uint64_t i) const {
    uint32_t value;
    std::memcpy(&value, offsets_.data() + i * sizeof value, sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  std::span<const std::byte> offsets_;
};

}  // namespace bobbin::codec::ans
