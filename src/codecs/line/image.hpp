// SPDX-License-Identifier: Apache-2.0
// Reads parts and values of a line from its image, in device memory or in a copy in shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codecs/line/expand.hpp"
#include "simt/cta.hpp"
#include "simt/quad_values.hpp"

namespace bobbin::codec::line {

using simt::Global;
using simt::Quad;

// A code of BDI whose width is known only at run time.
template <uint32_t kLog>
struct WidthCode {
  static constexpr uint32_t kValueLog = kLog;
  uint32_t width;
};
template <class Code>
inline constexpr bool kIsWidth = requires { Code::kValueLog; };
// Any code of FPC'.
struct FpcCode {};

// Images in device memory, which may change only if they are not const.
template <class Cta, class Word>
[[nodiscard]] BOBBIN_HD uint32_t image_word(Cta& cta, Global<Word> images, uint64_t first, uint32_t i) {
  return cta.load(Global<Word>{images.data + first, images.size - first}, i);
}
template <class Cta, class Word>
[[nodiscard]] BOBBIN_HD Quad image_quad(Cta& cta, Global<Word> images, uint64_t first, uint32_t i) {
  using Like = std::conditional_t<std::is_const_v<Word>, const Quad, Quad>;
  const Global<Like> quads{reinterpret_cast<Like*>(images.data), images.size / kPartWords};
  return cta.load(quads, first / kPartWords + i);
}

// Images that were copied to shared memory.
template <class Cta, uint32_t kQuads>
[[nodiscard]] BOBBIN_HD uint32_t image_word(Cta& cta, simt::Shared<Quad, kQuads>& images, uint64_t first,
                                            uint32_t i) {
  using Words = simt::Shared<uint32_t, kQuads * kPartWords>;
  return cta.load(simt::seen_as<Words>(images), static_cast<uint32_t>(first) + i);
}
template <class Cta, uint32_t kQuads>
[[nodiscard]] BOBBIN_HD Quad image_quad(Cta& cta, simt::Shared<Quad, kQuads>& images, uint64_t first,
                                        uint32_t i) {
  return cta.load(images, static_cast<uint32_t>(first) / kPartWords + i);
}

// Words i and i + 1 of an image, which begins at an even word; so does i.
template <class Cta, class Word>
[[nodiscard]] BOBBIN_HD uint64_t image_two(Cta& cta, Global<Word> images, uint64_t first, uint32_t i) {
  using Like = std::conditional_t<std::is_const_v<Word>, const uint64_t, uint64_t>;
  const Global<Like> twos{reinterpret_cast<Like*>(images.data + first), (images.size - first) / 2};
  return cta.load(twos, i / 2);
}
template <class Cta, uint32_t kQuads>
[[nodiscard]] BOBBIN_HD uint64_t image_two(Cta& cta, simt::Shared<Quad, kQuads>& images, uint64_t first,
                                           uint32_t i) {
  using Twos = simt::Shared<uint64_t, kQuads * kPartWords / 2>;
  return cta.load(simt::seen_as<Twos>(images), (static_cast<uint32_t>(first) + i) / 2);
}

// Part `part` of the line whose image begins at a word. The code may be a constant, a WidthCode or an
// FpcCode.
template <uint32_t kLineBytes, class Cta, class Images, class Code>
[[nodiscard]] BOBBIN_HD Quad load_part(Cta& cta, Images& images, uint64_t first_word, Code code,
                                       uint32_t part) {
  const auto word_at = [&](uint32_t i) { return image_word(cta, images, first_word, i); };
  if constexpr (kIsWidth<Code>) {
    const Part words = expand_bdi<Code::kValueLog>(code.width, kLineBytes, part, word_at);
    return {{words.word[0], words.word[1], words.word[2], words.word[3]}};
  } else if constexpr (std::is_same_v<Code, FpcCode>) {
    const Part words = expand_fpc(part, word_at);
    return {{words.word[0], words.word[1], words.word[2], words.word[3]}};
  } else {
    if (code == kRaw) {
      // Images of raw lines come first in their tile, which is aligned.
      return image_quad(cta, images, first_word, part);
    }
    const Part words = expand_part(code, kLineBytes, part, word_at);
    return {{words.word[0], words.word[1], words.word[2], words.word[3]}};
  }
}

// The value at a byte of the line whose image begins at a word: fewer instructions than for a whole part.
template <class T, uint32_t kLineBytes, class Cta, class Images>
[[nodiscard]] BOBBIN_HD T load_value(Cta& cta, Images& images, uint64_t first_word, uint32_t code,
                                     uint32_t byte) {
  if (is_bdi(code) && size_t{1} << bdi_of(code).value_log == sizeof(T)) {
    const auto word_at = [&](uint32_t i) { return image_word(cta, images, first_word, i); };
    const Bdi bdi = bdi_of(code);
    const uint32_t i = byte / sizeof(T);
    const uint32_t mask = word_at(bdi.base_words() + i / 32);
    uint64_t base = word_at(0);
    if constexpr (sizeof(T) == 8) {
      base |= static_cast<uint64_t>(word_at(1)) << 32;
    }
    const uint32_t deltas = bdi.first_delta(kLineBytes);
    const uint64_t bits =
        bits_at(i * bdi.width, bdi.width, [&](uint32_t word) { return word_at(deltas + word); });
    return static_cast<T>(((mask >> i % 32 & 1) != 0 ? base : 0) +
                          static_cast<uint64_t>(sign_extended(bits, bdi.width)));
  }
  return simt::value_of_quad<T>(load_part<kLineBytes>(cta, images, first_word, code, byte / kPartBytes),
                                byte % kPartBytes / sizeof(T));
}

// Calls f with a constant, a WidthCode or an FpcCode.
template <class F>
BOBBIN_HD void with_code(uint32_t code, F&& f) {
  switch (code) {
    case kRaw:
      return f(std::integral_constant<uint32_t, kRaw>{});
    case kZeros:
      return f(std::integral_constant<uint32_t, kZeros>{});
    case kRepeat:
      return f(std::integral_constant<uint32_t, kRepeat>{});
    case 3:
      return f(std::integral_constant<uint32_t, 3>{});
    case 4:
      return f(std::integral_constant<uint32_t, 4>{});
    case 5:
      return f(std::integral_constant<uint32_t, 5>{});
    case 6:
      return f(std::integral_constant<uint32_t, 6>{});
    case 7:
      return f(std::integral_constant<uint32_t, 7>{});
    case 8:
      return f(std::integral_constant<uint32_t, 8>{});
    case kCpack:
      return f(std::integral_constant<uint32_t, kCpack>{});
    default:
      break;
  }
  switch (code >> 5) {
    case 1:
      return f(WidthCode<1>{code & 31});
    case 2:
      return f(WidthCode<2>{code & 31});
    case 3:
      return f(WidthCode<3>{code & 31});
    default:
      return f(FpcCode{});
  }
}

// The same for codes that are read fastest if all lines of a group have them; returns false for others.
template <class F>
[[nodiscard]] BOBBIN_HD bool with_simple_code(uint32_t code, F&& f) {
  switch (code) {
    case kRaw:
      f(std::integral_constant<uint32_t, kRaw>{});
      return true;
    case kZeros:
      f(std::integral_constant<uint32_t, kZeros>{});
      return true;
    case kRepeat:
      f(std::integral_constant<uint32_t, kRepeat>{});
      return true;
    case 3:
      f(std::integral_constant<uint32_t, 3>{});
      return true;
    case 4:
      f(std::integral_constant<uint32_t, 4>{});
      return true;
    case 6:
      f(std::integral_constant<uint32_t, 6>{});
      return true;
    case 7:
      f(std::integral_constant<uint32_t, 7>{});
      return true;
    default:
      return false;
  }
}

}  // namespace bobbin::codec::line
