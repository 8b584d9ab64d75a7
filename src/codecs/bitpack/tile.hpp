// SPDX-License-Identifier: Apache-2.0
// Tile functions of bit-packing, for this codec's kernels and for those that build on packed vectors.
//
// Formula: core/lanes.hpp. Row r of a vector starts in packed register r*W/T and may extend into the next;
// all lanes shift alike, so a thread shifts 32-bit words that hold one, two or four lanes (64-bit words for
// 64-bit lanes).
//
// Shape: a row or register is 128 bytes, cut into eight *slices* of 16. To unpack, a thread processes slice c
// (a *column*) of all T rows or of a part of them: it loads each register's slice once, 16 bytes at a time,
// and passes each row's slice to a sink, in registers. The width is a constant there, selected by with_width
// at run time per vector: shifts and masks are then constants, two instructions per word. To compare, a
// thread processes one 32-bit word of all registers, and a warp covers a vector (two of 64-bit values).
//
// Shared memory: none. Preconditions (checked by validate): every register of a vector lies inside `packed`.
// Cost per value: W/8 bytes read and T/8 written; about one instruction per byte written.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/lanes.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::bitpack {

using simt::Global;
using simt::Quad;

inline constexpr uint32_t kSlices = kRegisterBytes / sizeof(Quad);

template <class T>
inline constexpr uint32_t kSliceLength = sizeof(Quad) / sizeof(T);

// The word type that a thread computes in.
template <class T>
using LaneWord = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class Word>
struct PackedWords {
  static constexpr uint32_t kCount = sizeof(Quad) / sizeof(Word);
  Word word[kCount];

  BOBBIN_HD static PackedWords of(const Quad& quad) {
    PackedWords words;
    for (uint32_t i = 0; i < kCount; ++i) {
      if constexpr (sizeof(Word) == 8) {
        words.word[i] = uint64_t{quad.word[2 * i + 1]} << 32 | quad.word[2 * i];
      } else {
        words.word[i] = quad.word[i];
      }
    }
    return words;
  }
  [[nodiscard]] BOBBIN_HD Quad quad() const {
    Quad quad;
    for (uint32_t i = 0; i < kCount; ++i) {
      if constexpr (sizeof(Word) == 8) {
        quad.word[2 * i] = static_cast<uint32_t>(word[i]);
        quad.word[2 * i + 1] = static_cast<uint32_t>(word[i] >> 32);
      } else {
        quad.word[i] = word[i];
      }
    }
    return quad;
  }
};

// Value i of a slice.
template <class T>
BOBBIN_HD T value_in(const Quad& quad, uint32_t i) {
  using Word = LaneWord<T>;
  constexpr uint32_t kPerWord = sizeof(Word) / sizeof(T);
  return static_cast<T>(PackedWords<Word>::of(quad).word[i / kPerWord] >> (i % kPerWord * kBits<T>));
}

// What a thread needs to know about a vector: where it starts, its width, and what to add to its values.
template <class T>
struct Frame {
  uint64_t first_register = 0;
  uint32_t width = 0;
  T reference = 0;
};

// The Finish for sources whose unpacked integers are the values.
struct AsIs {
  [[nodiscard]] BOBBIN_HD const Quad& operator()(const Quad& quad) const { return quad; }
};

// The patches of a source that has none.
struct NoPatches {
  struct Run {};  // patches for one thread

  // The patches that thread `place` of `places` applies to vector v. `places` is a multiple of eight; the
  // first eight threads have the eight columns. Its loads may overlap with unpacking.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Run run(Cta& /*cta*/, uint64_t /*v*/, uint32_t /*place*/,
                                  uint32_t /*places*/) const {
    return {};
  }
  [[nodiscard]] BOBBIN_HD static constexpr bool none() { return true; }
  // Calls write(index in the vector, value) for each patch of a run.
  template <class Cta, class Write>
  BOBBIN_HD void apply(Cta& /*cta*/, const Run& /*run*/, Write&& /*write*/) const {}
};

// How a block of DecodeKernel works; chosen by measurement (docs/perf/patched.md).
struct DecodeShape {
  uint32_t quads;       // decoded per block
  uint32_t row_parts;   // of a column's rows, with one thread each
  uint32_t min_blocks;  // resident per SM: limits the registers of a thread
  // An upper limit on resident blocks, since device memory is faster with few concurrent runs of writes. 0:
  // none.
  uint32_t most_blocks = 0;

  template <class T>
  static constexpr uint32_t parts() {
    return sizeof(T) < 4 ? 1 : 4;
  }
};

// Calls f with the width as a constant: std::integral_constant<uint32_t, width>. A binary search, so that 65
// widths cost seven branches.
template <uint32_t kLow, uint32_t kHigh, class F>
BOBBIN_HD void with_width_in(uint32_t width, F&& f) {
  if constexpr (kLow == kHigh) {
    f(std::integral_constant<uint32_t, kLow>{});
  } else {
    constexpr uint32_t kMiddle = (kLow + kHigh) / 2;
    if (width <= kMiddle) {
      with_width_in<kLow, kMiddle>(width, f);
    } else {
      with_width_in<kMiddle + 1, kHigh>(width, f);
    }
  }
}
template <class T, class F>
BOBBIN_HD void with_width(uint32_t width, F&& f) {
  with_width_in<0, kBits<T>>(width, f);
}

struct RowSpan {
  uint32_t first;
  uint32_t end;
};

// Unpacks rows of column `slice` of a vector, and calls sink(row, quad) for each. Width and rows are
// constants where this is called (with_width): on a GPU, where it is inlined, all shifts are resolved; the
// emulator's compiler compiles it once for all widths.
template <class T, class Cta, class Sink>
BOBBIN_HD void unpack_column(Cta& cta, Global<const Quad> packed, uint64_t first_register, uint32_t slice,
                             uint32_t width, RowSpan rows, Sink&& sink) {
  using Word = LaneWord<T>;
  const uint64_t base = first_register * kSlices + slice;
  PackedWords<Word> low{};
  PackedWords<Word> high{};
  if (width != 0) {
    high = PackedWords<Word>::of(
        cta.load(packed, base + RowCut<T, Word>::of(rows.first, width).low_register * kSlices));
  }
  BOBBIN_UNROLL
  for (uint32_t row = rows.first; row < rows.end; ++row) {
    const auto cut = RowCut<T, Word>::of(row, width);
    const bool is_first = row == rows.first;
    // `high` is the last register loaded; the next is loaded when a row starts past it.
    if (width != 0 && (is_first || cut.low_register != RowCut<T, Word>::of(row - 1, width).low_register)) {
      low = high;
      if (!is_first && RowCut<T, Word>::of(row - 1, width).high_register != cut.low_register) {
        low = PackedWords<Word>::of(cta.load(packed, base + cut.low_register * kSlices));
        high = low;
      }
    }
    if (cut.high_mask != 0) {
      high = PackedWords<Word>::of(cta.load(packed, base + cut.high_register * kSlices));
    }
    PackedWords<Word> out;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < PackedWords<Word>::kCount; ++i) {
      out.word[i] = cut.high_mask != 0 ? cut.extract(low.word[i], high.word[i])
                                       : static_cast<Word>((low.word[i] >> cut.shift) & cut.low_mask);
    }
    sink(row, out.quad());
  }
}

// Unpacks one slice of one row at a width known only at run time: for the edges of arrays.
template <class T, class Cta>
BOBBIN_HD Quad unpack_slice(Cta& cta, Global<const Quad> packed, const Frame<T>& frame, uint32_t row,
                            uint32_t slice) {
  using Word = LaneWord<T>;
  if (frame.width == 0) {
    return Quad{};
  }
  const auto cut = RowCut<T, Word>::of(row, frame.width);
  const auto low =
      PackedWords<Word>::of(cta.load(packed, (frame.first_register + cut.low_register) * kSlices + slice));
  const auto high =
      PackedWords<Word>::of(cta.load(packed, (frame.first_register + cut.high_register) * kSlices + slice));
  PackedWords<Word> out;
  for (uint32_t i = 0; i < PackedWords<Word>::kCount; ++i) {
    out.word[i] = cut.extract(low.word[i], high.word[i]);
  }
  return out.quad();
}

// Adds `reference` to every value of a slice, modulo 2^T.
template <class T>
BOBBIN_HD Quad add_reference(const Quad& quad, T reference) {
  using Word = LaneWord<T>;
  auto words = PackedWords<Word>::of(quad);
  const auto add = replicate<T, Word>(reference);
  for (Word& word : words.word) {
    word = lane_add<T, Word>(word, add);
  }
  return words.quad();
}

// The slice whose first value has index `first`, with values from index `count` on set to zero.
template <class T>
BOBBIN_HD Quad keep_first(const Quad& quad, uint32_t first, uint32_t count) {
  using Word = LaneWord<T>;
  constexpr uint32_t kPerWord = sizeof(Word) / sizeof(T);
  auto words = PackedWords<Word>::of(quad);
  for (uint32_t i = 0; i < kSliceLength<T>; ++i) {
    if (first + i >= count) {
      words.word[i / kPerWord] &= ~(static_cast<Word>(static_cast<T>(~T{0})) << (i % kPerWord * kBits<T>));
    }
  }
  return words.quad();
}

// Builds the slice of packed register k: `load_row(r)` returns the slice of row r's values, each below
// 2^width.
template <class T, class LoadRow>
BOBBIN_HD Quad pack_slice(uint32_t k, uint32_t width, uint32_t rows, LoadRow&& load_row) {
  using Word = LaneWord<T>;
  const uint32_t first = k * kBits<T> / width;
  const uint32_t past = ceil_div((k + 1) * kBits<T>, width);
  PackedWords<Word> packed{};
  for (uint32_t row = first; row < (past < rows ? past : rows); ++row) {
    const auto values = PackedWords<Word>::of(load_row(row));
    for (uint32_t i = 0; i < PackedWords<Word>::kCount; ++i) {
      packed.word[i] |= place_row<T, Word>(values.word[i], row, width, k);
    }
  }
  return packed.quad();
}

// The values u of W bits with u + add <= `span` modulo 2^T: again a range upwards from `low` modulo 2^W, or
// empty.
template <class T>
struct PackedRange {
  T low = 0;
  T span = 0;
  bool empty = false;

  BOBBIN_HD static PackedRange of(T add, T span, uint32_t width) {
    const T all = static_cast<T>(~T{0});
    const T top = low_mask<T>(width);
    const auto start = static_cast<T>(T{0} - add);
    const auto to_end = static_cast<T>(all - start);  // values before the range wraps around
    const bool wraps = span > to_end;
    const auto wrapped = static_cast<T>(span - to_end - 1);  // it continues from 0 up to here
    if (start > top) {
      return {0, wrapped < top ? wrapped : top, !wraps};
    }
    const auto room = static_cast<T>(top - start);
    if (span <= room) {
      return {start, span, false};
    }
    return {start, static_cast<T>(wraps ? room + wrapped + 1 : room), false};
  }
};

// Where one warp's comparison puts its bits: after test_column, lane i holds `word(half)` of its vector's
// bitmap.
template <class T>
struct TestShape {
  static constexpr uint32_t kLanesPerWord = kBits<T> < 32 ? 32 / kBits<T> : 1;
  static constexpr uint32_t kWordsPerRegister = kLanes<T> / kLanesPerWord;          // threads per vector
  static constexpr uint32_t kVectorsPerWarp = simt::kWarpSize / kWordsPerRegister;  // two for 64 bits
  static constexpr uint32_t kHalves = kRows<T> * kLanesPerWord / 32;  // words per thread: two for 64
  // How many index bits of the thread are exchanged with index bits of its word, and from which bit on.
  static constexpr uint32_t kSwaps = kBits<T> == 8 ? 3 : kBits<T> == 32 ? 5 : 4;
  static constexpr uint32_t kFirstBit = kBits<T> == 8 ? 2 : kBits<T> == 16 ? 1 : 0;

  // The bit of a thread's word for row r and lane j of its column.
  BOBBIN_HD static constexpr uint32_t bit(uint32_t row, uint32_t j) {
    if (kBits<T> == 64) {
      return (row % 32) / 2 | (row % 2) << 4;
    }
    return row * kLanesPerWord + j;
  }
  BOBBIN_HD static constexpr uint32_t word(uint32_t lane, uint32_t half) {
    if (kBits<T> == 64) {
      return half * 16 + lane % 16;
    }
    return lane % (1U << kSwaps) * (32U >> kSwaps) + (lane >> kSwaps);
  }
};

// Exchanges bit `1 << thread_bit` of the thread's index with bit `1 << word_bit` of the bit's index in its
// word: half of the word stays, the other half comes from the neighbour, shifted up or down.
template <class Cta>
BOBBIN_HD uint32_t swap_index_bits(Cta& cta, uint32_t word, uint32_t thread_bit, uint32_t word_bit) {
  constexpr uint32_t kLowBits[] = {0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff};
  const bool upper = (cta.lane() >> thread_bit & 1) != 0;
  const uint32_t stays = upper ? ~kLowBits[word_bit] : kLowBits[word_bit];
  const uint32_t down = upper ? 1U << word_bit : 32 - (1U << word_bit);
  const uint32_t other = cta.shfl_xor(word, 1U << thread_bit);
  const uint32_t moved = other >> down | other << (32 - down);
  return (word & stays) | (moved & ~stays);
}

// Tests a whole vector, whose width is not 0; the warp works together. `words` are the packed registers as
// words of LaneWord<T>; the thread reads word `column` of each. Fills one word per half: bit b is set if its
// value is in the range.
template <class T, class Cta>
BOBBIN_HD void test_column(Cta& cta, Global<const LaneWord<T>> words, uint64_t first_word, uint32_t width,
                           PackedRange<T> range, uint32_t (&hits)[TestShape<T>::kHalves]) {
  using Word = LaneWord<T>;
  using Shape = TestShape<T>;
  // A value is compared at the top of a word without clearing the bits below it: `low` is a multiple of
  // 2^(bits-width) and `span` is filled with ones below, so those bits do not affect the result.
  const uint32_t below = kBits<Word> - width;
  const Word low = static_cast<Word>(range.low) << below;
  const Word span = static_cast<Word>(range.span) << below | bobbin::low_mask<Word>(below);
  Word registers[kBits<T>];
  BOBBIN_UNROLL
  for (uint32_t k = 0; k < width; ++k) {
    registers[k] = cta.load(words, first_word + k * Shape::kWordsPerRegister);
  }
  BOBBIN_UNROLL
  for (uint32_t row = 0; row < kRows<T>; ++row) {
    const auto cut = RowCut<T, Word>::of(row, width);
    BOBBIN_UNROLL
    for (uint32_t j = 0; j < Shape::kLanesPerWord; ++j) {
      Word at_top;
      if (cut.high_mask == 0) {
        at_top = registers[cut.low_register] << (below - cut.shift - j * kBits<T>);
      } else if (kBits<T> == kBits<Word>) {
        const uint32_t down = cut.shift + width - kBits<Word>;
        at_top = registers[cut.low_register] >> down | registers[cut.high_register] << (kBits<Word> - down);
      } else {
        at_top = cut.extract(registers[cut.low_register], registers[cut.high_register])
                 << (below - j * kBits<T>);
      }
      if (static_cast<Word>(at_top - low) <= span) {
        hits[row * Shape::kLanesPerWord / 32] |= 1U << Shape::bit(row, j);
      }
    }
  }
}

// Packs a column of a whole vector, the inverse of unpack_column: `load_row(r)` returns the slice of row r's
// values, each below 2^width; sink(k, quad) receives each packed register's slice.
template <class T, class LoadRow, class Sink>
BOBBIN_HD void pack_column(uint32_t width, LoadRow&& load_row, Sink&& sink) {
  using Word = LaneWord<T>;
  PackedWords<Word> packed{};
  BOBBIN_UNROLL
  for (uint32_t row = 0; row < kRows<T> && width != 0; ++row) {
    const uint32_t k = row * width / kBits<T>;
    const auto values = PackedWords<Word>::of(load_row(row));
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < PackedWords<Word>::kCount; ++i) {
      packed.word[i] |= place_row<T, Word>(values.word[i], row, width, k);
    }
    if ((row + 1) * width >= (k + 1) * kBits<T>) {
      sink(k, packed.quad());
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < PackedWords<Word>::kCount; ++i) {
        const bool straddles = (row + 1) * width > (k + 1) * kBits<T>;
        packed.word[i] = straddles ? place_row<T, Word>(values.word[i], row, width, k + 1) : 0;
      }
    }
  }
}

}  // namespace bobbin::codec::bitpack
