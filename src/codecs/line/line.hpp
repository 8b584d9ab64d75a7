// SPDX-License-Identifier: Apache-2.0
// One line of memory: its code and the size of its image, as spec.md describes them. expand.hpp expands it,
// choose.hpp and write.hpp compress it. Plain functions for host and device that know nothing of arrays: the
// codec, compressed memory and simulated hardware all use this one definition.
#pragma once

#include <cstdint>

#include "core/bit_scan.hpp"
#include "core/bits.hpp"
#include "core/portable.hpp"

namespace bobbin::codec::line {

inline constexpr uint32_t kMinLineLog = 5;
inline constexpr uint32_t kMaxLineLog = 7;
inline constexpr uint32_t kSectorBytes = 32;
// A part of a line is what a thread expands at a time; it is also a segment of FPC'.
inline constexpr uint32_t kPartBytes = 16;
inline constexpr uint32_t kPartWords = 4;

inline constexpr uint32_t kRaw = 0x00;
inline constexpr uint32_t kZeros = 0x01;
inline constexpr uint32_t kRepeat = 0x02;
inline constexpr uint32_t kFirstBdi = 0x03;
inline constexpr uint32_t kLastBdi = 0x08;
inline constexpr uint32_t kCpack = 0x09;
inline constexpr uint32_t kFirstWidth = 0x20;  // BDI of other widths
inline constexpr uint32_t kFpc = 0x80;

// The words of a line.
template <uint32_t kWords>
struct Line {
  uint32_t word[kWords];
};

// What a code of BDI says: 1, 2 or 3 for values of 2, 4 or 8 bytes, and the width of deltas in bits.
struct Bdi {
  uint32_t value_log = 0;
  uint32_t width = 0;

  [[nodiscard]] BOBBIN_HD constexpr uint32_t base_words() const { return value_log == 3 ? 2 : 1; }
  [[nodiscard]] BOBBIN_HD constexpr uint32_t values(uint32_t line_bytes) const {
    return line_bytes >> value_log;
  }
  [[nodiscard]] BOBBIN_HD constexpr uint32_t first_delta(uint32_t line_bytes) const {
    return base_words() + ceil_div<uint32_t>(values(line_bytes), 32);
  }
  [[nodiscard]] BOBBIN_HD constexpr uint32_t words(uint32_t line_bytes) const {
    return first_delta(line_bytes) + ceil_div<uint32_t>(values(line_bytes) * width, 32);
  }
};

[[nodiscard]] BOBBIN_HD constexpr bool is_bdi(uint32_t code) {
  return (code >= kFirstBdi && code <= kLastBdi) || (code >= kFirstWidth && code < kFpc);
}

// For codes of BDI only.
[[nodiscard]] BOBBIN_HD constexpr Bdi bdi_of(uint32_t code) {
  // A hexadecimal digit per fixed code.
  constexpr uint64_t kLogs = 0x1'2233'3000;
  constexpr uint64_t kBytes = 0x1'2142'1000;
  return code >= kFirstWidth ? Bdi{code >> 5, code & 31}
                             : Bdi{static_cast<uint32_t>(kLogs >> 4 * code) & 15,
                                   8 * (static_cast<uint32_t>(kBytes >> 4 * code) & 15)};
}

[[nodiscard]] BOBBIN_HD constexpr uint32_t bdi_code(const Bdi& bdi) {
  if (bdi.width == 8) {
    return bdi.value_log == 3 ? 3 : bdi.value_log == 2 ? 6 : 8;
  }
  if (bdi.width == 16) {
    return bdi.value_log == 3 ? 4 : 7;
  }
  return bdi.width == 32 ? 5 : bdi.value_log << 5 | bdi.width;
}

[[nodiscard]] BOBBIN_HD constexpr uint32_t cpack_words(uint32_t line_bytes) {
  return 3 + ceil_div<uint32_t>(line_bytes, 64) + line_bytes / 16;
}

// Bytes of the image of a valid code.
[[nodiscard]] BOBBIN_HD constexpr uint32_t image_bytes(uint32_t code, uint32_t line_bytes) {
  if (code >= kFpc) {
    return 4 * (code - kFpc);
  }
  if (is_bdi(code)) {
    return 4 * bdi_of(code).words(line_bytes);
  }
  return code == kRaw ? line_bytes : code == kCpack ? 4 * cpack_words(line_bytes) : 8 * (code - kZeros);
}

[[nodiscard]] BOBBIN_HD constexpr bool is_valid(uint32_t code, uint32_t line_bytes) {
  if (code <= kCpack) {
    return true;
  }
  if (code >= kFpc) {
    return code > kFpc && image_bytes(code, line_bytes) < line_bytes;
  }
  const uint32_t width = code & 31;
  return code >= kFirstWidth && width >= 1 && width <= (code >> 5 == 1 ? 14 : 15) && width != 8 &&
         image_bytes(code, line_bytes) < line_bytes;
}

// Units of memory that an image takes.
[[nodiscard]] BOBBIN_HD constexpr uint32_t sectors(uint32_t bytes) {
  return ceil_div<uint32_t>(bytes, kSectorBytes);
}

// Words of an FPC' segment, by its pattern; pattern 1 does not exist.
[[nodiscard]] BOBBIN_HD constexpr uint32_t segment_words(uint32_t pattern) {
  return 0x4122'2100U >> 4 * pattern & 15;
}

// Words of the segments before one, all at once: each pattern's bits are in three planes.
[[nodiscard]] BOBBIN_HD uint32_t words_before(uint32_t patterns, uint32_t segment) {
  const uint32_t plane = 0x0024'9249U & low_mask<uint32_t>(3 * segment);
  const uint32_t low = patterns;
  const uint32_t middle = patterns >> 1;
  const uint32_t high = patterns >> 2;
  const uint32_t ones = middle & ~low & plane;
  const uint32_t twos = ((middle & low & ~high) | (high & ~middle)) & plane;
  const uint32_t fours = low & middle & high & plane;
  return count_ones(ones) + 2 * count_ones(twos) + 4 * count_ones(fours);
}

// Checks the first word of an FPC' image: the rest may hold anything.
[[nodiscard]] BOBBIN_HD constexpr bool is_valid_fpc(uint32_t patterns, uint32_t code, uint32_t line_bytes) {
  uint32_t words = 1;
  for (uint32_t i = 0; i < line_bytes / kPartBytes; ++i, patterns >>= 3) {
    if ((patterns & 7) == 1) {
      return false;
    }
    words += segment_words(patterns & 7);
  }
  return patterns == 0 && words == code - kFpc;
}

}  // namespace bobbin::codec::line
