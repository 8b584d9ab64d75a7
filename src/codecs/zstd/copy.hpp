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

// The same for matches, which are often longer than 16 bytes and seldom longer than 32.
BOBBIN_INLINE void copy_over_32(uint8_t* to, const uint8_t* from, size_t count) {
  copy_16(to, from);
  copy_16(to + 16, from + 16);
  for (size_t done = 32; done < count; done += 32) {
    copy_16(to + done, from + done);
    copy_16(to + done + 16, from + done + 16);
  }
}

// A match closer than 16 bytes repeats a short pattern: each copy doubles what is there of it.
[[gnu::noinline]] inline void repeat_pattern(uint8_t* to, uint32_t offset, size_t count) {
  const uint8_t* const from = to - offset;
  size_t done = 0;
  size_t distance = offset;
  for (; distance < 16; distance *= 2) {
    copy_16(to + done, from);
    done = 2 * distance - offset;
  }
  while (done < count) {
    copy_16(to + done, to + done - distance);
    done += 16;
  }
}

// Copies `count` bytes from `offset` bytes before; up to kCopySlack bytes more are written.
BOBBIN_INLINE void copy_match_over(uint8_t* to, uint32_t offset, size_t count) {
  if (offset >= 16) [[likely]] {
    copy_over_32(to, to - offset, count);
  } else {
    repeat_pattern(to, offset, count);
  }
}

// The same, byte by byte: nothing more is written.
inline void copy_match_exactly(uint8_t* to, uint32_t offset, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    to[i] = (to - offset)[i];
  }
}

}  // namespace bobbin::zstd
