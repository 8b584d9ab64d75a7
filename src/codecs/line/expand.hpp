// SPDX-License-Identifier: Apache-2.0
// Expansion of a line, as spec.md describes it, part by part. `word_at(i)` returns word i of the line's
// image; only words inside the image are asked for.
#pragma once

#include <cstdint>

#include "codecs/line/line.hpp"
#include "core/permute_bytes.hpp"

namespace bobbin::codec::line {

struct Part {
  uint32_t word[kPartWords];
};

// Bits first .. first + count - 1 of the words, count being at most 64; bits above them may be anything.
template <class WordAt>
[[nodiscard]] BOBBIN_HD uint64_t bits_at(uint32_t first, uint32_t count, WordAt&& word_at) {
  const uint32_t at = first / 32;
  const uint32_t shift = first % 32;
  uint64_t bits = word_at(at);
  if (shift + count > 32) {
    bits |= static_cast<uint64_t>(word_at(at + 1)) << 32;
  }
  bits >>= shift;
  if (shift + count > 64) {
    bits |= static_cast<uint64_t>(word_at(at + 2)) << (64 - shift);
  }
  return bits;
}

[[nodiscard]] BOBBIN_HD int64_t sign_extended(uint64_t bits, uint32_t width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}
[[nodiscard]] BOBBIN_HD int32_t sign_extended(uint32_t bits, uint32_t width) {
  return static_cast<int32_t>(bits << (32 - width)) >> (32 - width);
}

// The base if bit i of the mask is set, otherwise 0; i is below 4. The four bits become bytes, so that on the
// GPU the product is part of the addition that follows.
[[nodiscard]] BOBBIN_HD uint32_t base_if(uint32_t mask, uint32_t i, uint32_t base) {
  const uint32_t ones = (mask & 15) * 0x0020'4081U & 0x0101'0101U;
  return permute_bytes(ones, 0, 0x4440U + i) * base;
}

// Values of 2, 4 or 8 bytes; with a width known when compiling, most of this is too.
template <uint32_t kValueLog, class WordAt>
[[nodiscard]] BOBBIN_HD Part expand_bdi(uint32_t width, uint32_t line_bytes, uint32_t part,
                                        WordAt&& word_at) {
  const Bdi bdi{kValueLog, width};
  constexpr uint32_t kValues = kPartBytes >> kValueLog;
  const uint32_t first = part * kValues;
  const uint32_t mask = word_at(bdi.base_words() + first / 32) >> first % 32;
  const uint32_t deltas = bdi.first_delta(line_bytes);
  const auto delta_word = [&](uint32_t i) { return word_at(deltas + i); };
  const uint32_t base = word_at(0);
  Part out{};
  if constexpr (kValueLog == 3) {
    const uint64_t wide = base | static_cast<uint64_t>(word_at(1)) << 32;
    const uint64_t bits = bits_at(first * width, 2 * width, delta_word);
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < 2; ++i) {
      const uint64_t value = ((mask >> i & 1) != 0 ? wide : 0) +
                             static_cast<uint64_t>(sign_extended(bits >> (i * width), width));
      out.word[2 * i] = static_cast<uint32_t>(value);
      out.word[2 * i + 1] = static_cast<uint32_t>(value >> 32);
    }
  } else {
    // Four deltas at a time.
    BOBBIN_UNROLL
    for (uint32_t at = 0; at < kValues; at += 4) {
      const uint64_t bits = bits_at((first + at) * width, 4 * width, delta_word);
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t delta =
            static_cast<uint32_t>(sign_extended(static_cast<uint32_t>(bits >> (i * width)), width));
        const uint32_t value = base_if(mask >> at, i, base) + delta;
        if constexpr (kValueLog == 2) {
          out.word[i] = value;
        } else {
          out.word[(at + i) / 2] |= (value & 0xffff) << (at + i) % 2 * 16;
        }
      }
    }
  }
  return out;
}

// Word i of a segment whose pattern has 4 bytes, all in `a`, or 8, in `a` and `b`.
[[nodiscard]] BOBBIN_HD uint32_t word_of_pattern(uint32_t pattern, uint32_t a, uint32_t b, uint32_t i) {
  const uint32_t half = (i < 2 ? a : b) >> i % 2 * 16;
  switch (pattern) {
    case 2:
      return signed_byte(a, i);
    case 3:
      return static_cast<uint32_t>(sign_extended(half & 0xffff, 16));
    case 4:
      return half << 16;
    case 5:
      return (signed_byte(half, 0) & 0xffff) | signed_byte(half, 1) << 16;
    default:
      return (a >> 8 * i & 0xff) * 0x0101'0101U;
  }
}

template <class WordAt>
[[nodiscard]] BOBBIN_HD Part expand_fpc(uint32_t part, WordAt&& word_at) {
  const uint32_t patterns = word_at(0);
  const uint32_t at = 1 + words_before(patterns, part);
  const uint32_t pattern = patterns >> 3 * part & 7;
  Part out{};
  if (pattern == 7) {
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kPartWords; ++i) {
      out.word[i] = word_at(at + i);
    }
  } else if (pattern != 0) {
    const uint32_t a = word_at(at);
    const uint32_t b = segment_words(pattern) == 2 ? word_at(at + 1) : 0;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kPartWords; ++i) {
      out.word[i] = word_of_pattern(pattern, a, b, i);
    }
  }
  return out;
}

template <class WordAt>
[[nodiscard]] BOBBIN_HD Part expand_cpack(uint32_t line_bytes, uint32_t part, WordAt&& word_at) {
  const uint32_t dictionary[4] = {0, word_at(0), word_at(1), word_at(2)};
  const uint32_t indexes = word_at(3 + part / 4) >> part % 4 * 8;
  const uint32_t bytes = word_at(3 + ceil_div<uint32_t>(line_bytes, 64) + part);
  Part out{};
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kPartWords; ++i) {
    const uint32_t index = indexes >> 2 * i & 3;
    const uint32_t low = (index & 1) != 0 ? dictionary[1] : 0;
    const uint32_t high = (index & 1) != 0 ? dictionary[3] : dictionary[2];
    out.word[i] = ((index & 2) != 0 ? high : low) & ~0xffU;
    out.word[i] |= bytes >> 8 * i & 0xff;
  }
  return out;
}

// Part `part` of a line with a valid code and image.
template <class WordAt>
[[nodiscard]] BOBBIN_HD Part expand_part(uint32_t code, uint32_t line_bytes, uint32_t part,
                                         WordAt&& word_at) {
  switch (code) {
    case kRaw:
      return {{word_at(4 * part), word_at(4 * part + 1), word_at(4 * part + 2), word_at(4 * part + 3)}};
    case kZeros:
      return {};
    case kRepeat:
      return {{word_at(0), word_at(1), word_at(0), word_at(1)}};
    case kCpack:
      return expand_cpack(line_bytes, part, word_at);
    // The fixed codes, with constant widths.
    case 3:
      return expand_bdi<3>(8, line_bytes, part, word_at);
    case 4:
      return expand_bdi<3>(16, line_bytes, part, word_at);
    case 5:
      return expand_bdi<3>(32, line_bytes, part, word_at);
    case 6:
      return expand_bdi<2>(8, line_bytes, part, word_at);
    case 7:
      return expand_bdi<2>(16, line_bytes, part, word_at);
    case 8:
      return expand_bdi<1>(8, line_bytes, part, word_at);
    default:
      break;
  }
  if (code >= kFpc) {
    return expand_fpc(part, word_at);
  }
  switch (code >> 5) {
    case 1:
      return expand_bdi<1>(code & 31, line_bytes, part, word_at);
    case 2:
      return expand_bdi<2>(code & 31, line_bytes, part, word_at);
    default:
      return expand_bdi<3>(code & 31, line_bytes, part, word_at);
  }
}

}  // namespace bobbin::codec::line
