// SPDX-License-Identifier: Apache-2.0
// How a line is compressed: which of the algorithms of spec.md gives the smallest image.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codecs/line/line.hpp"

namespace bobbin::codec::line {

// The rules for the base of BDI's fixed codes.
enum class BaseRule : uint8_t {
  first_large,  // the first value that is not itself a delta
  first,        // the first value, as in the paper's algorithm
  middle,       // in the middle of the values: finds a base whenever there is one
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
// What kernels read fastest: whole bytes, and mostly one base for all values of a line.
inline constexpr Algorithms kForReading{.bdi = true, .rule = BaseRule::middle};
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

// Whether a number has a width, which is less than that of its type, as two's complement.
template <class T>
[[nodiscard]] BOBBIN_HD bool is_delta(T x, uint32_t width) {
  const auto half = static_cast<T>(T{1} << (width - 1));
  return static_cast<T>(x + half) < static_cast<T>(2 * half);
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

// The base of a fixed code by one of the first two rules, 0 if no value needs one; false if one of the values
// kFirst .. kEnd-1 is not covered. `base` is that of the values before them.
template <class T, uint32_t kFirst, uint32_t kEnd, uint32_t kWords>
[[nodiscard]] BOBBIN_HD bool find_base(const Line<kWords>& line, uint32_t width, BaseRule rule, T& base) {
  if (rule == BaseRule::first) {
    base = value_of<T>(line, 0);
  } else if (base == 0) {
    BOBBIN_UNROLL
    for (uint32_t i = kEnd; i-- > kFirst;) {  // the first one remains
      const T x = value_of<T>(line, i);
      base = is_delta(x, width) ? base : x;
    }
  }
  bool fits = true;
  BOBBIN_UNROLL
  for (uint32_t i = kFirst; i < kEnd; ++i) {
    const T x = value_of<T>(line, i);
    const bool is_alone = is_delta(x, width);
    const bool has_base = is_delta(static_cast<T>(x - base), width);
    fits = fits && (is_alone || has_base);
  }
  return fits;
}

// The base in the middle of the values 0 .. kEnd-1, or of those of them that are not themselves deltas; false
// if they are too far apart. Distances are from one of the values. If the width is small they have 32 bits,
// which takes half of the instructions.
template <class T, uint32_t kWidth, bool kAll, uint32_t kEnd, uint32_t kWords>
[[nodiscard]] BOBBIN_HD bool find_middle(const Line<kWords>& line, T& base) {
  using Distance = std::conditional_t<kWidth == 32, int64_t, int32_t>;
  using Signed = std::make_signed_t<T>;
  T from = value_of<T>(line, 0);
  if constexpr (!kAll) {
    BOBBIN_UNROLL
    for (uint32_t i = kEnd; i-- > 0;) {  // the first one remains
      const T x = value_of<T>(line, i);
      from = is_delta(x, kWidth) ? from : x;
    }
  }
  Distance least = 0;
  Distance most = 0;
  T beyond = 0;
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kEnd; ++i) {
    const T x = value_of<T>(line, i);
    const auto all = static_cast<Signed>(x - from);
    const bool counts = kAll || !is_delta(x, kWidth);
    const auto distance = static_cast<Distance>(counts ? all : Signed{0});
    beyond |= counts ? static_cast<T>(all ^ static_cast<Signed>(distance)) : T{0};
    most = distance > most ? distance : most;
    least = distance < least ? distance : least;
  }
  base = static_cast<T>(from + static_cast<T>(least) + (T{1} << (kWidth - 1)));
  using Size = std::make_unsigned_t<Distance>;
  return beyond == 0 && static_cast<Size>(most) - static_cast<Size>(least) < Size{1} << kWidth;
}

template <class T, uint32_t kWidth, BaseRule kRule, uint32_t kWords>
BOBBIN_HD void try_fixed(const Line<kWords>& line, Plan& best) {
  constexpr uint32_t kValues = kWords * 4 / sizeof(T);
  constexpr uint32_t kSome = 4;
  const uint32_t code = code_of_width(value_log_of(sizeof(T)), kWidth, kWords * 4);
  if (!improves(code, best, kWords * 4)) {
    return;
  }
  T base = 0;
  bool fits = false;
  // Most lines are ruled out by their first values.
  if constexpr (kRule == BaseRule::middle) {
    fits = find_middle<T, kWidth, false, kSome>(line, base) &&
           (find_middle<T, kWidth, true, kValues>(line, base) ||
            find_middle<T, kWidth, false, kValues>(line, base));
  } else {
    fits = find_base<T, 0, kSome>(line, kWidth, kRule, base) &&
           find_base<T, kSome, kValues>(line, kWidth, kRule, base);
  }
  if (fits) {
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
  constexpr bool kRepeats = kTried.bdi || kTried.any_width;
  // Most lines are ruled out by their first words.
  if (line.word[2] == line.word[0] && line.word[3] == line.word[1]) {
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
    if (kRepeats && other == 0) {
      return {.code = kRepeat};
    }
  }
  Plan best;
  if constexpr (kTried.any_width) {
    try_any_width<uint32_t>(line, best);
    try_any_width<uint64_t>(line, best);
    try_any_width<uint16_t>(line, best);
  }
  if constexpr (kTried.bdi) {
    // Smallest images first: once one fits, larger ones are not tried.
    try_fixed<uint64_t, 8, kTried.rule>(line, best);
    try_fixed<uint32_t, 8, kTried.rule>(line, best);
    try_fixed<uint64_t, 16, kTried.rule>(line, best);
    try_fixed<uint32_t, 16, kTried.rule>(line, best);
    try_fixed<uint64_t, 32, kTried.rule>(line, best);
    try_fixed<uint16_t, 8, kTried.rule>(line, best);
  }
  if constexpr (kTried.fpc) {
    try_fpc(line, best);
  }
  if constexpr (kTried.cpack) {
    try_cpack(line, best);
  }
  return best;
}

}  // namespace bobbin::codec::line
