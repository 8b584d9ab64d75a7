// SPDX-License-Identifier: Apache-2.0
// Copies that write a little too far, where there is room, instead of counting bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/portable.hpp"

namespace bobbin::zstd {

// How many bytes after its end a copy may write, and read.
inline constexpr size_t kCopySlack = 32;

BOBBIN_INLINE void copy_16(uint8_t* to, const uint8_t* from) {
  std::array<uint8_t, 16> step;
  std::memcpy(step.data(), from, 16);
  std::memcpy(to, step.data(), 16);
}

// 16 bytes at a time. Where source and target overlap, the source must lie at least 16 bytes before.
BOBBIN_INLINE void copy_over(uint8_t* to, const uint8_t* from, size_t count) {
  copy_16(to, from);
  for (size_t done = 16; done < count; done += 16) {
    copy_16(to + done, from + done);
  }
}

// A match closer than 16 bytes repeats a short pattern.
inline void repeat_pattern(uint8_t* to, uint32_t offset, size_t count) {
  std::array<uint8_t, 16> pattern;
  const uint8_t* from = to - offset;
  for (uint32_t i = 0; i < 16; ++i) {
    pattern[i] = from[i % offset];
  }
  const size_t step = 16 - 16 % offset;
  for (size_t done = 0; done < count; done += step) {
    std::memcpy(to + done, pattern.data(), 16);
  }
}

// Copies `count` bytes from `offset` bytes before; nothing is written from `end` on.
BOBBIN_INLINE void copy_match(uint8_t* to, uint32_t offset, size_t count, const uint8_t* end) {
  if (static_cast<size_t>(end - to) >= count + kCopySlack) [[likely]] {
    if (offset >= 16) [[likely]] {
      copy_over(to, to - offset, count);
    } else {
      repeat_pattern(to, offset, count);
    }
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    to[i] = (to - offset)[i];
  }
}

}  // namespace bobbin::zstd
