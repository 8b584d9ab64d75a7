// SPDX-License-Identifier: Apache-2.0
// Writes the image of a line, once it is known how the line is compressed (choose.hpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include "codecs/line/choose.hpp"

namespace bobbin::codec::line {

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

template <class T, BaseRule kRule, uint32_t kWords, class Put>
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
    const auto apart = static_cast<T>(x - base);
    const bool alone = kRule == BaseRule::middle ? !is_delta(apart, width) : is_delta(x, width);
    const T delta = alone ? x : apart;
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

// The image of a code of BDI, if it is one. The fixed codes' widths are constants, so that most shifts are
// too.
template <Algorithms kTried, uint32_t kWords, class Put>
BOBBIN_HD void write_any_bdi(const Line<kWords>& line, const Plan& plan, Put&& put) {
  switch (plan.code) {
    case 3:
      return write_bdi<uint64_t, kTried.rule>(line, plan, 8, put);
    case 4:
      return write_bdi<uint64_t, kTried.rule>(line, plan, 16, put);
    case 5:
      return write_bdi<uint64_t, kTried.rule>(line, plan, 32, put);
    case 6:
      return write_bdi<uint32_t, kTried.rule>(line, plan, 8, put);
    case 7:
      return write_bdi<uint32_t, kTried.rule>(line, plan, 16, put);
    case 8:
      return write_bdi<uint16_t, kTried.rule>(line, plan, 8, put);
    default:
      break;
  }
  if constexpr (kTried.any_width) {
    switch (plan.code >> 5) {
      case 1:
        return write_bdi<uint16_t, kTried.rule>(line, plan, plan.code & 31, put);
      case 2:
        return write_bdi<uint32_t, kTried.rule>(line, plan, plan.code & 31, put);
      case 3:
        return write_bdi<uint64_t, kTried.rule>(line, plan, plan.code & 31, put);
      default:
        break;
    }
  }
}

// Calls put(i, word) for each word of the image, once, in any order; the plan is that of choose<kTried>().
template <Algorithms kTried = kBest, uint32_t kWords, class Put>
BOBBIN_HD void write_image(const Line<kWords>& line, const Plan& plan, Put&& put) {
  if (plan.code == kRaw || plan.code == kRepeat) {
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kWords; ++i) {
      if (i < 2 || plan.code == kRaw) {
        put(i, line.word[i]);
      }
    }
    return;
  }
  if constexpr (kTried.cpack) {
    if (plan.code == kCpack) {
      return write_cpack(line, plan, put);
    }
  }
  if constexpr (kTried.fpc) {
    if (plan.code >= kFpc) {
      return write_fpc(line, plan.field[0], put);
    }
  }
  write_any_bdi<kTried>(line, plan, put);
}

}  // namespace bobbin::codec::line
