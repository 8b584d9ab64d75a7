// SPDX-License-Identifier: Apache-2.0
// Some of an array's strings: only the frames that hold them are decoded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/zstd/array.hpp"

namespace bobbin::codec::zstd {

[[nodiscard]] inline bool is_null(const Array& array, uint64_t i) {
  const std::span<const std::byte> bits = array.buffers[2].bytes;
  const uint64_t bit = array.offset + i;
  return !bits.empty() && (std::to_integer<uint32_t>(bits[bit / 8]) >> (bit % 8) & 1) == 0;
}

// Decodes frames as they are needed, and keeps the last one: strings are mostly asked for in order.
class Content {
 public:
  explicit Content(const Array& array) : frames_(array) {}

  // Bytes begin .. end-1 of the frames' content; valid until the next call.
  Result<std::span<const uint8_t>> bytes(uint64_t begin, uint64_t end) {
    if (begin == end) {
      return std::span<const uint8_t>{};
    }
    const uint64_t units = frames_.header().units();
    if (begin / units == (end - 1) / units) {
      BOBBIN_TRY(load(begin / units));
      return std::span<const uint8_t>(as_u8(frame_)).subspan(begin % units, end - begin);
    }
    joined_.clear();
    for (uint64_t at = begin; at < end;) {
      const uint64_t frame = at / units;
      const uint64_t stop = std::min(end, (frame + 1) * units);
      BOBBIN_TRY(load(frame));
      joined_.insert(joined_.end(), frame_.begin() + static_cast<ptrdiff_t>(at % units),
                     frame_.begin() + static_cast<ptrdiff_t>(stop - frame * units));
      at = stop;
    }
    return as_u8(joined_);
  }

 private:
  static std::span<const uint8_t> as_u8(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  }
  Status load(uint64_t frame) {
    if (frame == loaded_) {
      return {};
    }
    loaded_ = UINT64_MAX;
    frame_.resize(frames_.header().frame_bytes(frame));
    BOBBIN_TRY(frames_.decode(frame, frame_));
    loaded_ = frame;
    return {};
  }

  Frames frames_;
  uint64_t loaded_ = UINT64_MAX;
  std::vector<std::byte> frame_;
  std::vector<std::byte> joined_;
};

}  // namespace bobbin::codec::zstd
