// SPDX-License-Identifier: Apache-2.0
// One line of memory: its code, the size of its image, compression and expansion, as spec.md describes them.
// Plain functions for host and device that know nothing of arrays: the codec, compressed memory and simulated
// hardware all use this one definition.
#pragma once

#include <cstdint>
#include <type_traits>

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

// ---------------------------------------------------------------------------------------------------------
// Codes and sizes

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

// ---------------------------------------------------------------------------------------------------------
// Expansion. `word_at(i)` returns word i of the line's image; only words inside the image are asked for.

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

// Byte i of a word, or half i, sign-extended. The GPU has an instruction for it that nvcc does not find.
[[nodiscard]] BOBBIN_HD uint32_t signed_byte(uint32_t word, uint32_t i) {
#ifdef __CUDA_ARCH__
  uint32_t result;
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(result) : "r"(word), "r"(0x8880U + 0x1111U * i));
  return result;
#else
  return static_cast<uint32_t>(static_cast<int32_t>(word << (24 - 8 * i)) >> 24);
#endif
}
[[nodiscard]] BOBBIN_HD uint32_t signed_half(uint32_t word, uint32_t i) {
#ifdef __CUDA_ARCH__
  uint32_t result;
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(result) : "r"(word), "r"(0x9910U + 0x2222U * i));
  return result;
#else
  return static_cast<uint32_t>(static_cast<int32_t>(word << (16 - 16 * i)) >> 16);
#endif
}

// The base if bit i of the mask is set, otherwise 0; i is below 4. On the GPU the four bits become bytes, and
// the product is part of the addition that follows.
[[nodiscard]] BOBBIN_HD uint32_t base_if(uint32_t mask, uint32_t i, uint32_t base) {
#ifdef __CUDA_ARCH__
  const uint32_t ones = (mask & 15) * 0x0020'4081U & 0x0101'0101U;
  return __byte_perm(ones, 0, 0x4440U + i) * base;
#else
  return (mask >> i & 1) != 0 ? base : 0;
#endif
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

// ---------------------------------------------------------------------------------------------------------
// Compression

// The two rules for the base of BDI's fixed codes.
enum class BaseRule : uint8_t {
  first_large,  // the first value that is not itself a delta
  first,        // the first value, as in the paper's algorithm
};

// Which algorithms are tried for a line. Zeros are always recognised; repeats with BDI.
struct Algorithms {
  bool bdi = false;        // the fixed codes
  bool any_width = false;  // BDI with the best of all widths and bases
  bool fpc = false;
  bool cpack = false;
  BaseRule rule = BaseRule::first_large;
};
inline constexpr Algorithms kBest{.any_width = true, .fpc = true, .cpack = true};
// What the paper calls the best of all.
inline constexpr Algorithms kBestFixed{.bdi = true, .fpc = true, .cpack = true};
inline constexpr Algorithms kBdi{.bdi = true};
inline constexpr Algorithms kBdiFirst{.bdi = true, .rule = BaseRule::first};
inline constexpr Algorithms kBdiAnyWidth{.any_width = true};
inline constexpr Algorithms kFpcOnly{.fpc = true};
inline constexpr Algorithms kCpackOnly{.cpack = true};

// How a line is compressed: `field` holds the base of BDI, the patterns of FPC', or the dictionary of
// C-Pack'.
struct Plan {
  uint32_t code = kRaw;
  uint32_t field[3] = {0, 0, 0};
};

// Images are compared by size, then by code.
[[nodiscard]] BOBBIN_HD constexpr uint32_t rank_of(uint32_t code, uint32_t line_bytes) {
  return image_bytes(code, line_bytes) << 8 | code;
}

template <class T, uint32_t kWords>
[[nodiscard]] BOBBIN_HD T value_of(const Line<kWords>& line, uint32_t i) {
  if constexpr (sizeof(T) == 8) {
    return line.word[2 * i] | static_cast<T>(line.word[2 * i + 1]) << 32;
  } else if constexpr (sizeof(T) == 4) {
    return line.word[i];
  } else {
    return static_cast<T>(line.word[i / 2] >> i % 2 * 16);
  }
}

// The bits of a two's complement number without its sign bit: its width is one more.
template <class T>
[[nodiscard]] BOBBIN_HD T magnitude(T x) {
  using Signed = std::make_signed_t<T>;
  return static_cast<T>(x ^ static_cast<T>(static_cast<Signed>(x) >> (kBits<T> - 1)));
}

template <class T>
[[nodiscard]] BOBBIN_HD bool is_delta(T x, uint32_t width) {
  return (magnitude(x) >> (width - 1)) == 0;
}

template <class T>
[[nodiscard]] BOBBIN_HD uint32_t width_of(T x) {
  if constexpr (sizeof(T) == 8) {
    const auto high = static_cast<uint32_t>(x >> 32);
    return high != 0 ? 64 - leading_zeros(high) : 32 - leading_zeros(static_cast<uint32_t>(x));
  } else {
    return 32 - leading_zeros(x);
  }
}

// The value of largest magnitude: those that need a base are within reach below it or (for a minimum) above
// it.
template <class T>
struct Extreme {
  T value = 0;
  bool is_minimum = false;
};

// For values on both sides of the sign change, where deltas wrap around: the highest, as an unsigned number,
// of those that are not small negative numbers.
template <class T, uint32_t kStep, uint32_t kWords>
[[nodiscard]] BOBBIN_HD T highest_of(const Line<kWords>& line) {
  constexpr auto kSmallNegative = static_cast<T>(T{3} << (kBits<T> - 2));
  T highest = 0;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kWords * 4 / sizeof(T); i += kStep) {
    const T x = value_of<T>(line, i);
    highest = x < kSmallNegative && x > highest ? x : highest;
  }
  return highest;
}

// Takes every `kStep`-th value of the line.
template <class T, uint32_t kStep, uint32_t kWords>
[[nodiscard]] BOBBIN_HD Extreme<T> extreme_of(const Line<kWords>& line) {
  using Signed = std::make_signed_t<T>;
  constexpr uint32_t kValues = kWords * 4 / sizeof(T);
  auto most = static_cast<Signed>(value_of<T>(line, 0));
  Signed least = most;
  BOBBIN_UNROLL
  for (uint32_t i = kStep; i < kValues; i += kStep) {
    const auto x = static_cast<Signed>(value_of<T>(line, i));
    most = x > most ? x : most;
    least = x < least ? x : least;
  }
  constexpr auto kQuarter = static_cast<Signed>(T{1} << (kBits<T> - 2));
  if (most >= kQuarter && static_cast<Signed>(~least) >= kQuarter) {
    return {highest_of<T, kStep>(line), false};
  }
  const bool is_minimum = most < static_cast<Signed>(~least);
  return {static_cast<T>(is_minimum ? least : most), is_minimum};
}

// The least width of deltas with any base, and that without a base.
struct Widths {
  uint32_t least = 0;
  uint32_t alone = 0;
};

// For every `kStep`-th value: a lower bound for all of them.
template <class T, uint32_t kStep, uint32_t kWords>
[[nodiscard]] BOBBIN_HD Widths least_width(const Line<kWords>& line, const Extreme<T>& extreme) {
  constexpr uint32_t kValues = kWords * 4 / sizeof(T);
  // Mirrored, a minimum is a maximum.
  const auto flip = static_cast<T>(extreme.is_minimum ? ~T{0} : T{0});
  const auto top = static_cast<T>(extreme.value ^ flip);
  T needs = 1;
  T all = 0;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kValues; i += kStep) {
    const auto x = static_cast<T>(value_of<T>(line, i) ^ flip);
    const auto alone = static_cast<T>(2 * magnitude(x));
    const auto below = static_cast<T>(top - x);
    needs |= alone < below ? alone : below;
    all |= alone;
  }
  return {width_of(needs), width_of(all)};
}

[[nodiscard]] BOBBIN_HD uint32_t value_log_of(uint32_t value_bytes) {
  return value_bytes == 8 ? 3 : value_bytes / 2;
}

// The code for a width, or kRaw if there is none.
[[nodiscard]] BOBBIN_HD uint32_t code_of_width(uint32_t value_log, uint32_t width, uint32_t line_bytes) {
  if (value_log == 3 && width > 16 && width <= 32) {
    width = 32;
  }
  const Bdi bdi{value_log, width};
  const bool exists = width <= 16 || (value_log == 3 && width == 32);
  return exists && bdi.words(line_bytes) * 4 < line_bytes ? bdi_code(bdi) : kRaw;
}

// Takes a code if its image comes before that of the best so far.
[[nodiscard]] BOBBIN_HD bool improves(uint32_t code, const Plan& best, uint32_t line_bytes) {
  return code != kRaw && rank_of(code, line_bytes) < rank_of(best.code, line_bytes);
}

template <class T, uint32_t kWords>
BOBBIN_HD void try_any_width(const Line<kWords>& line, Plan& best) {
  constexpr uint32_t kLineBytes = kWords * 4;
  const uint32_t log = value_log_of(sizeof(T));
  // Most lines are ruled out by a quarter of their values. Values of 4 bytes come first, when nothing is
  // known.
  constexpr uint32_t kStep = 4;
  if constexpr (sizeof(T) != 4) {
    const Extreme<T> some = extreme_of<T, kStep>(line);
    const uint32_t width = least_width<T, kStep>(line, some).least;
    if (!improves(code_of_width(log, width, kLineBytes), best, kLineBytes)) {
      return;
    }
  }
  const Extreme<T> extreme = extreme_of<T, 1>(line);
  const Widths widths = least_width<T, 1>(line, extreme);
  const uint32_t code = code_of_width(log, widths.least, kLineBytes);
  if (!improves(code, best, kLineBytes)) {
    return;
  }
  const uint32_t width = bdi_of(code).width;
  const T half = static_cast<T>(T{1} << (width - 1));
  T base = static_cast<T>(extreme.is_minimum ? extreme.value + half : extreme.value - (half - 1));
  base = widths.alone > width ? base : T{0};
  best.code = code;
  best.field[0] = static_cast<uint32_t>(base);
  best.field[1] = static_cast<uint32_t>(static_cast<uint64_t>(base) >> 32);
}

// The base of a fixed code by a rule; false if some value is not covered.
template <class T, uint32_t kWords>
[[nodiscard]] BOBBIN_HD bool find_base(const Line<kWords>& line, uint32_t width, BaseRule rule, T& base) {
  constexpr uint32_t kValues = kWords * 4 / sizeof(T);
  bool found = rule == BaseRule::first;
  base = found ? value_of<T>(line, 0) : T{0};
  bool fits = true;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kValues; ++i) {
    const T x = value_of<T>(line, i);
    const bool alone = is_delta(x, width);
    base = found || alone ? base : x;
    found = found || !alone;
    fits = fits && (alone || is_delta(static_cast<T>(x - base), width));
  }
  return fits;
}

template <class T, uint32_t kWords>
BOBBIN_HD void try_fixed(const Line<kWords>& line, uint32_t width, BaseRule rule, Plan& best) {
  const uint32_t code = code_of_width(value_log_of(sizeof(T)), width, kWords * 4);
  T base = 0;
  if (improves(code, best, kWords * 4) && find_base(line, width, rule, base)) {
    best.code = code;
    best.field[0] = static_cast<uint32_t>(base);
    best.field[1] = static_cast<uint32_t>(static_cast<uint64_t>(base) >> 32);
  }
}

// The pattern of fewest bytes for words of which these are the ORs: of the words, of their magnitudes, of the
// magnitudes of their halves, and of what differs from their lowest byte repeated.
[[nodiscard]] BOBBIN_HD uint32_t pattern_of(uint32_t words, uint32_t magnitudes, uint32_t halves,
                                            uint32_t unequal) {
  if (words == 0) {
    return 0;
  }
  if (magnitudes < 0x80) {
    return 2;
  }
  if (unequal == 0) {
    return 6;
  }
  if (magnitudes < 0x8000) {
    return 3;
  }
  if ((words & 0xffff) == 0) {
    return 4;
  }
  return (halves & 0xff80'ff80U) == 0 ? 5 : 7;
}

// The pattern of `count` words from word `first` on.
template <uint32_t kWords>
[[nodiscard]] BOBBIN_HD uint32_t pattern_at(const Line<kWords>& line, uint32_t first, uint32_t count) {
  uint32_t words = 0;
  uint32_t magnitudes = 0;
  uint32_t halves = 0;
  uint32_t unequal = 0;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t x = line.word[first + i];
    words |= x;
    magnitudes |= magnitude(x);
    halves |= x ^ ((x >> 15 & 0x0001'0001U) * 0xffff);
    unequal |= x ^ ((x & 0xff) * 0x0101'0101U);
  }
  return pattern_of(words, magnitudes, halves, unequal);
}

template <uint32_t kWords>
BOBBIN_HD void try_fpc(const Line<kWords>& line, Plan& best) {
  // A segment takes at least the bytes that its first word needs.
  uint32_t least = 1;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kWords; i += kPartWords) {
    least += segment_words(pattern_at(line, i, 1));
  }
  if (least * 4 >= kWords * 4 || !improves(kFpc + least, best, kWords * 4)) {
    return;
  }
  uint32_t size = 1;
  uint32_t patterns = 0;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kWords / kPartWords; ++i) {
    const uint32_t pattern = pattern_at(line, i * kPartWords, kPartWords);
    size += segment_words(pattern);
    patterns |= pattern << 3 * i;
  }
  if (size < kWords && improves(kFpc + size, best, kWords * 4)) {
    best = {.code = kFpc + size, .field = {patterns, 0, 0}};
  }
}

// The dictionary's index for a word; `count` words of it are set.
[[nodiscard]] BOBBIN_HD uint32_t index_in(const uint32_t (&dictionary)[3], uint32_t word) {
  const auto matches = [&](uint32_t i) { return (dictionary[i] ^ word) < 0x100; };
  if (word < 0x100) {
    return 0;
  }
  return matches(0) ? 1 : matches(1) ? 2 : 3;
}

template <uint32_t kWords>
BOBBIN_HD void try_cpack(const Line<kWords>& line, Plan& best) {
  if (!improves(kCpack, best, kWords * 4)) {
    return;
  }
  uint32_t dictionary[3] = {0, 0, 0};
  uint32_t count = 0;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kWords; ++i) {
    const uint32_t x = line.word[i];
    const bool known = x < 0x100 || (dictionary[0] ^ x) < 0x100 || (dictionary[1] ^ x) < 0x100 ||
                       (dictionary[2] ^ x) < 0x100;
    if (!known && count == 3) {
      return;
    }
    dictionary[2] = !known && count == 2 ? x : dictionary[2];
    dictionary[1] = !known && count == 1 ? x : dictionary[1];
    dictionary[0] = !known && count == 0 ? x : dictionary[0];
    count += known ? 0 : 1;
  }
  best = {.code = kCpack, .field = {dictionary[0], dictionary[1], dictionary[2]}};
}

// How a line is compressed.
template <Algorithms kTried = kBest, uint32_t kWords>
[[nodiscard]] BOBBIN_HD Plan choose(const Line<kWords>& line) {
  uint32_t any = 0;
  uint32_t other = 0;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kWords; ++i) {
    any |= line.word[i];
    other |= line.word[i] ^ line.word[i % 2];
  }
  if (any == 0) {
    return {.code = kZeros};
  }
  constexpr bool kRepeats = kTried.bdi || kTried.any_width;
  if (kRepeats && other == 0) {
    return {.code = kRepeat};
  }
  Plan best;
  if constexpr (kTried.any_width) {
    try_any_width<uint32_t>(line, best);
    try_any_width<uint64_t>(line, best);
    try_any_width<uint16_t>(line, best);
  }
  if constexpr (kTried.bdi) {
    try_fixed<uint64_t>(line, 8, kTried.rule, best);
    try_fixed<uint64_t>(line, 16, kTried.rule, best);
    try_fixed<uint64_t>(line, 32, kTried.rule, best);
    try_fixed<uint32_t>(line, 8, kTried.rule, best);
    try_fixed<uint32_t>(line, 16, kTried.rule, best);
    try_fixed<uint16_t>(line, 8, kTried.rule, best);
  }
  if constexpr (kTried.fpc) {
    try_fpc(line, best);
  }
  if constexpr (kTried.cpack) {
    try_cpack(line, best);
  }
  return best;
}

// Appends bits and passes on whole words, in order.
template <class Put>
struct BitWriter {
  Put& put;
  uint32_t at = 0;
  uint32_t filled = 0;
  uint64_t bits = 0;

  BOBBIN_HD void add(uint64_t more, uint32_t count) {
    bits |= more << filled;
    filled += count;
    if (filled >= 32) {
      put(at++, static_cast<uint32_t>(bits));
      bits >>= 32;
      filled -= 32;
    }
  }
  BOBBIN_HD void flush() {
    if (filled != 0) {
      put(at, static_cast<uint32_t>(bits));
    }
  }
};

template <class T, uint32_t kWords, class Put>
BOBBIN_HD void write_bdi(const Line<kWords>& line, const Plan& plan, uint32_t width, Put&& put) {
  constexpr uint32_t kValues = kWords * 4 / sizeof(T);
  const Bdi bdi{value_log_of(sizeof(T)), width};
  const T base = sizeof(T) == 8 ? static_cast<T>(plan.field[0] | static_cast<uint64_t>(plan.field[1]) << 32)
                                : static_cast<T>(plan.field[0]);
  put(0, plan.field[0]);
  if constexpr (sizeof(T) == 8) {
    put(1, plan.field[1]);
  }
  BitWriter<std::remove_reference_t<Put>> deltas{put, bdi.first_delta(kWords * 4)};
  uint32_t mask = 0;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kValues; ++i) {
    const T x = value_of<T>(line, i);
    const bool alone = is_delta(x, width);
    const T delta = alone ? x : static_cast<T>(x - base);
    mask |= (alone ? 0U : 1U) << i % 32;
    deltas.add(static_cast<uint64_t>(delta) & low_mask<uint64_t>(width), width);
    if (i % 32 == 31 || i + 1 == kValues) {
      put(bdi.base_words() + i / 32, mask);
      mask = 0;
    }
  }
  deltas.flush();
}

template <uint32_t kWords, class Put>
BOBBIN_HD void write_fpc(const Line<kWords>& line, uint32_t patterns, Put&& put) {
  put(0, patterns);
  uint32_t at = 1;
  BOBBIN_UNROLL
  for (uint32_t part = 0; part < kWords / kPartWords; ++part) {
    const uint32_t pattern = patterns >> 3 * part & 7;
    uint32_t bytes = 0;
    uint32_t halves[2] = {0, 0};
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kPartWords; ++i) {
      const uint32_t x = line.word[part * kPartWords + i];
      bytes |= (x & 0xff) << 8 * i;
      const uint32_t half = pattern == 4   ? x >> 16
                            : pattern == 5 ? (x & 0xff) | (x >> 8 & 0xff00)
                                           : x & 0xffff;
      halves[i / 2] |= half << i % 2 * 16;
    }
    if (pattern == 2 || pattern == 6) {
      put(at, bytes);
    } else if (pattern == 7) {
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kPartWords; ++i) {
        put(at + i, line.word[part * kPartWords + i]);
      }
    } else if (pattern != 0) {
      put(at, halves[0]);
      put(at + 1, halves[1]);
    }
    at += segment_words(pattern);
  }
}

template <uint32_t kWords, class Put>
BOBBIN_HD void write_cpack(const Line<kWords>& line, const Plan& plan, Put&& put) {
  constexpr uint32_t kIndexWords = ceil_div<uint32_t>(kWords, 16);
  uint32_t indexes[kIndexWords] = {};
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < 3; ++i) {
    put(i, plan.field[i]);
  }
  BOBBIN_UNROLL
  for (uint32_t part = 0; part < kWords / kPartWords; ++part) {
    uint32_t bytes = 0;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kPartWords; ++i) {
      const uint32_t at = part * kPartWords + i;
      const uint32_t x = line.word[at];
      bytes |= (x & 0xff) << 8 * i;
      indexes[at / 16] |= index_in(plan.field, x) << at % 16 * 2;
    }
    put(3 + kIndexWords + part, bytes);
  }
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kIndexWords; ++i) {
    put(3 + i, indexes[i]);
  }
}

// Calls put(i, word) for each word of the image, once, in any order.
template <uint32_t kWords, class Put>
BOBBIN_HD void write_image(const Line<kWords>& line, const Plan& plan, Put&& put) {
  if (plan.code == kRaw || plan.code == kRepeat) {
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kWords; ++i) {
      if (i < 2 || plan.code == kRaw) {
        put(i, line.word[i]);
      }
    }
  } else if (plan.code == kCpack) {
    write_cpack(line, plan, put);
  } else if (plan.code >= kFpc) {
    write_fpc(line, plan.field[0], put);
  } else if (plan.code != kZeros) {
    const Bdi bdi = bdi_of(plan.code);
    if (bdi.value_log == 3) {
      write_bdi<uint64_t>(line, plan, bdi.width, put);
    } else if (bdi.value_log == 2) {
      write_bdi<uint32_t>(line, plan, bdi.width, put);
    } else {
      write_bdi<uint16_t>(line, plan, bdi.width, put);
    }
  }
}

}  // namespace bobbin::codec::line
