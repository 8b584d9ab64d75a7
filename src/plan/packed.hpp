// SPDX-License-Identifier: Apache-2.0
// A packed vector in the registers of a warp: tests and sums that never write a value anywhere.
//
// Shape: one warp per vector; each thread holds W words of 32 bits, which are 32 values of W bits. For 32-bit
// values they are those of one lane. A lane of 64-bit values is shared by two threads, with half of its rows
// each; 16- and 8-bit values are two and four in a word. Spread<T> defines which thread has which value;
// words are loaded in an order that needs as few exchanges as possible to become strided.
//
// Preconditions: the vector is complete, and its width is W. Cost per value: a shift, a subtraction, a
// comparison and an or to test it; a shift, a mask, a bit test and an addition to sum it.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "codecs/alp/stage.hpp"
#include "codecs/bitpack/tile.hpp"
#include "core/dot_bytes.hpp"
#include "core/lanes.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

using codec::bitpack::PackedRange;
using simt::Global;

// Which of a vector's values a thread has.
template <class T>
struct Spread {
  static constexpr uint32_t kPerWord = kBits<T> < 32 ? 32 / kBits<T> : 1;
  // The word of a register that a lane loads, chosen so that the lowest bits of its position are those to
  // exchange.
  BOBBIN_HD static constexpr uint32_t word(uint32_t lane) {
    if (kBits<T> == 16) {
      return lane >> 1 | (lane & 1) << 4;
    }
    return kBits<T> == 8 ? lane >> 2 | (lane & 3) << 3 : lane;
  }
  // The position in the vector of value n of a lane.
  BOBBIN_HD static constexpr uint32_t index(uint32_t lane, uint32_t n) {
    if (kBits<T> == 64) {
      return (lane / 16 * 32 + n) * 16 + lane % 16;
    }
    return n / kPerWord * kLanes<T> + word(lane) * kPerWord + n % kPerWord;
  }
  // The bit of value n, in packed order, in the thread's word of 32 bits.
  BOBBIN_HD static constexpr uint32_t bit(uint32_t n) { return kBits<T> == 64 ? n / 2 | n % 2 << 4 : n; }

  // The inverse of bit().
  BOBBIN_HD static constexpr uint32_t number(uint32_t bit) {
    return kBits<T> == 64 ? bit % 16 * 2 + bit / 16 : bit;
  }

  // Converts a thread's word of such bits to a strided word, and back.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t exchange(Cta& cta, uint32_t bits) {
    if constexpr (kBits<T> == 64) {
      bits = codec::bitpack::swap_index_bits(cta, bits, 4, 4);
    } else if constexpr (kBits<T> < 32) {
      BOBBIN_UNROLL
      for (uint32_t bit = 0; 1U << bit < kPerWord; ++bit) {
        bits = codec::bitpack::swap_index_bits(cta, bits, bit, bit);
      }
    }
    return bits;
  }
};

// A thread's 32 values of W bits, W at least 1.
template <class T, uint32_t W>
struct Lane {
  static constexpr bool kSmall = W <= 32;
  using Value = std::conditional_t<kSmall, uint32_t, uint64_t>;

  uint32_t words[W];

  template <class Cta>
  BOBBIN_HD void load(Cta& cta, Global<const simt::Quad> packed, uint64_t first_register) {
    const auto all = words_of(packed);
    const uint64_t first = first_register * kPerRegister + first_word(cta.lane());
    set(cta.lane(), [&](uint32_t k) { return cta.load(all, first + k); });
  }
  // The same for a vector that may be partial: zeros where there are no words.
  template <class Cta>
  BOBBIN_HD void load_some(Cta& cta, Global<const simt::Quad> packed, uint64_t first_register) {
    const auto all = words_of(packed);
    const uint64_t first = first_register * kPerRegister + first_word(cta.lane());
    set(cta.lane(), [&](uint32_t k) { return first + k < all.size ? cta.load(all, first + k) : Word{0}; });
  }
  // The same for a vector whose words were copied to shared memory.
  template <class Cta, uint32_t N>
  BOBBIN_HD void load_copied(Cta& cta, simt::Shared<simt::Quad, N>& copied, uint32_t first_quad) {
    constexpr uint32_t kPerQuad = sizeof(simt::Quad) / sizeof(Word);
    auto& all = simt::seen_as<simt::Shared<Word, N * kPerQuad>>(copied);
    const uint32_t first = first_quad * kPerQuad + first_word(cta.lane());
    set(cta.lane(), [&](uint32_t k) { return cta.load(all, first + k); });
  }

  // Value n with its highest bit at the top of the word. The bits below it belong to other values.
  [[nodiscard]] BOBBIN_HD Value at_top(uint32_t n) const {
    if constexpr (kBits<T> < 32) {
      const auto cut = RowCut<T, uint32_t>::of(n / Spread<T>::kPerWord, W);
      const uint32_t up = n % Spread<T>::kPerWord * kBits<T>;
      return cut.high_mask == 0
                 ? words[cut.low_register] << (32 - W - cut.shift - up)
                 : cut.extract(words[cut.low_register], words[cut.high_register]) << (32 - W - up);
    } else if constexpr (kSmall) {
      return static_cast<uint32_t>(both(n * W / 32) << (64 - W - n * W % 32) >> 32);
    } else {
      return value(n) << (64 - W);
    }
  }

  [[nodiscard]] BOBBIN_HD Value value(uint32_t n) const {
    if constexpr (kBits<T> < 32) {
      return shifted(n / Spread<T>::kPerWord) >> n % Spread<T>::kPerWord * kBits<T> &
             bobbin::low_mask<uint32_t>(W);
    } else if constexpr (kSmall) {
      return piece(n * W) & bobbin::low_mask<uint32_t>(W);
    } else {
      const uint32_t high = piece(n * W + 32) & bobbin::low_mask<uint32_t>(W - 32);
      return static_cast<uint64_t>(high) << 32 | piece(n * W);
    }
  }

  // `sum` plus value n times a constant: one instruction if the type has 8 or 16 bits and values fill it.
  template <uint32_t kFactor>
  [[nodiscard]] BOBBIN_HD uint32_t add_scaled(uint32_t n, uint32_t sum) const {
    if constexpr (kBits<T> == 8 && kFactor < 256) {
      return dot_bytes(four(n / 4), kFactor << n % 4 * 8, sum);
    } else if constexpr (kBits<T> == 16 && kFactor < 256) {
      return dot_halves(two(n / 2), kFactor << n % 2 * 8, sum);
    } else {
      return sum + static_cast<uint32_t>(value(n)) * kFactor;
    }
  }

  // Two neighbouring 16-bit values, from number 2 k on, one per half of the word.
  [[nodiscard]] BOBBIN_HD uint32_t two(uint32_t k) const {
    static_assert(kBits<T> == 16);
    return shifted(k) & bobbin::low_mask<uint32_t>(W) * 0x00010001;
  }

  // Four neighbouring 8-bit values, from number 4 k on, one per byte.
  [[nodiscard]] BOBBIN_HD uint32_t four(uint32_t k) const {
    static_assert(kBits<T> == 8);
    return shifted(k) & bobbin::low_mask<uint32_t>(W) * 0x01010101;
  }

 private:
  // For 8 and 16 bits: the values of a row at the lowest bits of their places. The bits above belong to
  // others.
  [[nodiscard]] BOBBIN_HD uint32_t shifted(uint32_t row) const {
    const auto cut = RowCut<T, uint32_t>::of(row, W);
    return cut.high_mask == 0 ? words[cut.low_register] >> cut.shift
                              : cut.extract(words[cut.low_register], words[cut.high_register]);
  }
  // 32 bits of the thread's stream, starting at some bit; zeros past its end.
  [[nodiscard]] BOBBIN_HD uint32_t piece(uint32_t from) const {
    return static_cast<uint32_t>(both(from / 32) >> from % 32);
  }
  // Word k and the one above it.
  [[nodiscard]] BOBBIN_HD uint64_t both(uint32_t k) const {
    return static_cast<uint64_t>(k + 1 < W ? words[k + 1] : 0) << 32 | words[k];
  }

  // What is loaded at a time, and how many of them a register has.
  using Word = std::conditional_t<kBits<T> == 64, uint64_t, uint32_t>;
  static constexpr uint32_t kPerRegister = kRegisterBytes / sizeof(Word);

  [[nodiscard]] BOBBIN_HD static Global<const Word> words_of(Global<const simt::Quad> packed) {
    return {reinterpret_cast<const Word*>(packed.data), packed.size * (sizeof(simt::Quad) / sizeof(Word))};
  }
  // Rows 0 .. 31 of a 64-bit lane are the stream's first W words of 32 bits, rows 32 .. 63 the other W; if W
  // is odd, those start in the middle of a 64-bit word.
  [[nodiscard]] BOBBIN_HD static uint32_t first_word(uint32_t lane) {
    return kBits<T> == 64 ? lane / 16 * (W / 2) * kPerRegister + lane % 16 : Spread<T>::word(lane);
  }
  // read(k): a word of the vector, `k` after the lane's first.
  template <class Read>
  BOBBIN_HD void set(uint32_t lane, Read&& read) {
    if constexpr (kBits<T> == 64) {
      constexpr uint32_t kLoads = (W + 1) / 2;
      uint32_t pieces[2 * kLoads];
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < kLoads; ++k) {
        const uint64_t word = read(k * kPerRegister);
        pieces[2 * k] = static_cast<uint32_t>(word);
        pieces[2 * k + 1] = static_cast<uint32_t>(word >> 32);
      }
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < W; ++k) {
        words[k] = W % 2 == 0 || lane < 16 ? pieces[k] : pieces[W % 2 == 0 ? k : k + 1];
      }
    } else {
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < W; ++k) {
        words[k] = read(k * kPerRegister);
      }
    }
  }
};

// Value i of a packed vector whose width is between 1 and 32, without its reference: one or two words of 32
// bits.
template <class T, class Cta>
[[nodiscard]] BOBBIN_HD uint32_t pick_narrow(Cta& cta, Global<const simt::Quad> packed,
                                             uint32_t first_register, uint32_t width, uint32_t i) {
  static_assert(kBits<T> >= 32);
  const Global<const uint32_t> words{reinterpret_cast<const uint32_t*>(packed.data), packed.size * 4};
  constexpr uint32_t kPerWord = kBits<T> / 32;  // of T bits
  const uint32_t bit = i / kLanes<T> * width;
  const uint64_t first = uint64_t{first_register} * 32 + i % kLanes<T> * kPerWord;
  const auto place = [&](uint32_t word) { return first + word / kPerWord * 32 + word % kPerWord; };
  const uint32_t low = cta.load(words, place(bit / 32));
  const uint32_t high = cta.load(words, place((bit + width - 1) / 32));
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> bit % 32) & low_mask<uint32_t>(width);
}

// Shifts `misses` up, with a one below if a value minus `low` is more than `span`: this is the carry of an
// addition. Three instructions on a GPU, two of the ALU.
BOBBIN_HD void shift_in_miss(uint32_t value, uint32_t low, uint32_t span, uint32_t& misses) {
#ifdef __CUDA_ARCH__
  asm("{\n .reg .u32 above, rest;\n sub.u32 above, %1, %2;\n add.cc.u32 rest, above, %3;\n"
      " addc.u32 %0, %0, %0;\n}"
      : "+r"(misses)
      : "r"(value), "r"(low), "r"(~span));
#else
  misses = misses * 2 + (value - low <= span ? 0 : 1);
#endif
}

// One bit for each value in the range, in the thread's order (Spread::bit).
template <class T, uint32_t W>
[[nodiscard]] BOBBIN_HD uint32_t test_lane(const Lane<T, W>& lane, const PackedRange<T>& range) {
  using Value = typename Lane<T, W>::Value;
  // With the value at the top of the word, zeros below `low` and ones below `span` make the bits below it
  // irrelevant.
  constexpr uint32_t kBelow = kBits<Value> - W;
  const Value low = static_cast<Value>(range.low) << kBelow;
  const Value span = static_cast<Value>(range.span) << kBelow | bobbin::low_mask<Value>(kBelow);
  uint32_t misses = 0;
  BOBBIN_UNROLL
  for (uint32_t bit = 32; bit-- > 0;) {
    const Value value = lane.at_top(Spread<T>::number(bit));
    if constexpr (sizeof(Value) == 4) {
      shift_in_miss(value, low, span, misses);
    } else {
      misses = misses * 2 + (static_cast<Value>(value - low) <= span ? 0 : 1);
    }
  }
  return ~misses;
}

// The highest bits of bytes that are in a range. Values of less than 8 bits need no second comparison.
template <uint32_t W>
[[nodiscard]] BOBBIN_HD uint32_t bytes_within(uint32_t bytes, uint32_t from, uint32_t to) {
  constexpr uint32_t kTops = kLaneOnes<8> << 7;
  return W == 8 ? lanes_within<8>(bytes, from, to)
                : ((bytes | kTops) - from) & ((to | kTops) - bytes) & kTops;
}

// The same as test_lane() for widths that fill bytes, and a range that does not wrap around: four values at a
// time, a byte each. A dot product moves the four results to their places in the thread's word.
template <class T, uint32_t W>
inline constexpr bool kTestsBytes = kBits<T> >= 32 && (W == 4 || W == 8);
// Group g of a thread's values, in bytes: 0 to 7.
template <class T, uint32_t W>
[[nodiscard]] BOBBIN_HD uint32_t bytes_of(const Lane<T, W>& lane, uint32_t g) {
  static_assert(kTestsBytes<T, W>);
  constexpr uint32_t kPerByte = 8 / W;
  return lane.words[g / kPerByte] >> g % kPerByte * W & low_mask<uint32_t>(W) * kLaneOnes<8>;
}
// A bit for each value, in the thread's order, from the highest bits of bytes: found(g) has those of group g.
template <class T, uint32_t W, class F>
[[nodiscard]] BOBBIN_HD uint32_t bits_of_bytes(F&& found) {
  // 16 bits of the word each, multiplied by 256, since results are the highest bits of bytes.
  uint32_t first = 0;
  uint32_t second = 0;
  BOBBIN_UNROLL
  for (uint32_t k = W; k-- > 0;) {
    if constexpr (kBits<T> == 64 && W == 8) {  // bits of even values, then those of odd ones
      const uint32_t hits = found(k * (8 / W));
      first = dot_bytes(hits, 0x00040002, first << 2);
      second = dot_bytes(hits, 0x04000200, second << 2);
    } else if constexpr (kBits<T> == 64) {
      first = dot_bytes(found(k * (8 / W)), 0x10080402, first << 4);
      second = dot_bytes(found(k * (8 / W) + 1), 0x10080402, second << 4);
    } else {
      uint32_t& half = k < W / 2 ? first : second;
      if constexpr (W == 8) {
        half = dot_bytes(found(k * (8 / W)), 0x10080402, half << 4);
      } else {
        half = dot_bytes(found(k * (8 / W) + 1), 0x80200802, half << 7);
        half = dot_bytes(found(k * (8 / W)), 0x80200802, half << 1);
      }
    }
  }
  return first >> 8 | second << 8;
}
template <class T, uint32_t W>
[[nodiscard]] BOBBIN_HD uint32_t test_bytes(const Lane<T, W>& lane, uint32_t low, uint32_t span) {
  const uint32_t from = low * kLaneOnes<8>;
  const uint32_t to = (low + span) * kLaneOnes<8>;
  return bits_of_bytes<T, W>([&](uint32_t g) { return bytes_within<W>(bytes_of(lane, g), from, to); });
}

// A sum of integers: low + high * 2^32. Each part has room for 2^31 values.
struct WideSum {
  uint64_t low = 0;
  uint64_t high = 0;  // for negative numbers: modulo 2^64
};

// The count and the sum of the values in a range that does not wrap around, with `low` subtracted from each.
struct RangeSum {
  uint32_t count = 0;
  WideSum sum;
};

// Bytes from `from` to `to` (in all bytes of these), each 1 or 0. Even and odd bytes have room for a ninth
// bit, by which two additions compare. This takes as many instructions as lanes_within(), but fewer of the
// ALU.
[[nodiscard]] BOBBIN_HD uint32_t ones_within(uint32_t bytes, uint32_t from, uint32_t to) {
  constexpr uint32_t kEven = 0x00ff00ff;
  constexpr uint32_t kNinth = 0x01000100;
  const uint32_t even = bytes & kEven;
  const uint32_t odd = bytes >> 8 & kEven;
  const uint32_t least = kNinth - (from & kEven);
  const uint32_t most = kNinth + (to & kEven);
  return (((even + least) & (most - even) & kNinth) >> 8) + ((odd + least) & (most - odd) & kNinth);
}

// For widths that divide 8: four values at a time, one byte each, with the result of the test in the highest
// bit of the byte, or in the lowest if the value takes the whole byte.
template <class T, uint32_t W>
[[nodiscard]] BOBBIN_HD RangeSum sum_bytes_in_range(const Lane<T, W>& lane, uint32_t low, uint32_t span) {
  constexpr uint32_t kOnes = kLaneOnes<8>;
  constexpr uint32_t kHit = W == 8 ? 1 : 128;
  const uint32_t from = low * kOnes;
  const uint32_t to = (low + span) * kOnes;
  uint32_t sum = 0;  // both are multiplied by kHit
  uint32_t count = 0;
  BOBBIN_UNROLL
  for (uint32_t n = 0; n < 32 / 4; ++n) {
    constexpr uint32_t kPerByte = 8 / W;
    const uint32_t bytes = lane.words[n / kPerByte] >> n % kPerByte * W & low_mask<uint32_t>(W) * kOnes;
    const uint32_t hits = W == 8 ? ones_within(bytes, from, to) : bytes_within<W>(bytes, from, to);
    sum = dot_bytes(bytes, hits, sum);
    count = dot_bytes(hits, kOnes, count);
  }
  return {count / kHit, {(sum - low * count) / kHit, 0}};
}

// For all other widths.
template <class T, uint32_t W>
[[nodiscard]] BOBBIN_HD RangeSum sum_values_in_range(const Lane<T, W>& lane, uint64_t low, uint64_t span) {
  using Value = typename Lane<T, W>::Value;
  constexpr uint32_t kBelow = kBits<Value> - W;
  const Value from = static_cast<Value>(low) << kBelow;
  const Value most = static_cast<Value>(span) << kBelow | bobbin::low_mask<Value>(kBelow);
  // Narrow values leave room above their sum for the count, so that one addition handles both.
  constexpr uint32_t kCountBit = W <= 20 ? 25 : 0;
  std::conditional_t<(W <= 20), uint32_t, uint64_t> sum = 0;
  uint64_t high = 0;
  uint32_t count = 0;
  BOBBIN_UNROLL
  for (uint32_t n = 0; n < 32; ++n) {
    const auto above = static_cast<Value>(lane.at_top(n) - from);
    if (above <= most) {
      const Value value = above >> kBelow;
      if constexpr (kCountBit != 0) {
        sum += static_cast<uint32_t>(value) + (1U << kCountBit);
      } else {
        sum += static_cast<uint32_t>(value);
        high += static_cast<uint64_t>(value) >> 32;
        ++count;
      }
    }
  }
  if constexpr (kCountBit != 0) {
    return {static_cast<uint32_t>(sum >> kCountBit), {sum & bobbin::low_mask<uint32_t>(kCountBit), 0}};
  } else {
    return {count, {sum, high}};
  }
}

template <class T, uint32_t W>
[[nodiscard]] BOBBIN_HD RangeSum sum_in_range(const Lane<T, W>& lane, uint64_t low, uint64_t span) {
  if constexpr (8 % W == 0) {
    return sum_bytes_in_range(lane, static_cast<uint32_t>(low), static_cast<uint32_t>(span));
  } else {
    return sum_values_in_range(lane, low, span);
  }
}

// The constants that convert packed integers to doubles without an integer multiplication: a product of
// doubles is rounded in the same way as the exact product of integers converted to a double, as long as that
// has at most 64 bits.
struct WideScaling {
  double reference;  // minus 2^52, whose exponent is combined with the packed integer
  double up;
  double down;

  // Whether this holds for all integers that `width` bits can add to the reference.
  BOBBIN_HD static bool fits(int64_t reference, uint32_t width, double up) {
    constexpr int64_t kMost = int64_t{1} << 51;
    if (width > kMaxWidth || reference > kMost || reference < -kMost) {
      return false;
    }
    constexpr double kOverflow = 9.2e18;  // 2^63 is a little more
    const auto last = reference + static_cast<int64_t>(low_mask<uint64_t>(width));
    return static_cast<double>(reference) * up > -kOverflow && static_cast<double>(last) * up < kOverflow;
  }
  static constexpr uint32_t kMaxWidth = 51;

  [[nodiscard]] BOBBIN_HD double operator()(uint64_t packed) const {
    constexpr uint64_t kExponent = uint64_t{0x433} << 52;  // of 2^52
    return (std::bit_cast<double>(kExponent | packed) + reference) * up * down;
  }
};

// A thread's two chains of a sum of floats: see RealSum.
struct alignas(16) Chains {
  double first = 0;
  double second = 0;
};

}  // namespace bobbin::plan
