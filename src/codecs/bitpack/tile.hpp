// SPDX-License-Identifier: Apache-2.0
// Tile functions of bit-packing, for this codec's kernels and for those that build on packed vectors.
//
// Formula: core/lanes.hpp. Row r of a vector lies in packed register r*W/T, and in the next when it straddles;
// all lanes shift alike, so a thread shifts 32-bit words that hold one, two or four lanes side by side
// (64-bit words for 64-bit lanes).
//
// Shape: a row is 128 bytes, cut into eight *slices* of 16 bytes. A thread unpacks one slice of one row: two loads
// of 16 bytes, one Quad of values in registers, which it hands to a sink. Eight neighbouring threads make a row,
// a warp four rows at a time and 32 rows (4 KiB of values) in all. Widths are run-time numbers: each vector may have
// its own, and one kernel serves all.
//
// Shared memory: none. Preconditions (checked by validate): every register of a vector lies inside `packed`.
// Cost: W/8 bytes read and T/8 written a value; about two instructions a byte written.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/lanes.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::bitpack {

using simt::Global;
using simt::Quad;

inline constexpr uint32_t kSlices = kRegisterBytes / sizeof(Quad);
// Rows a warp unpacks at a time, and in all.
inline constexpr uint32_t kRowsAtOnce = simt::kWarpSize / kSlices;
inline constexpr uint32_t kRowsPerWarp = 32;

template <class T>
inline constexpr uint32_t kSliceLength = sizeof(Quad) / sizeof(T);

// The word a thread computes in.
template <class T>
using LaneWord = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class Word>
struct Words {
  static constexpr uint32_t kCount = sizeof(Quad) / sizeof(Word);
  Word word[kCount];

  BOBBIN_HD static Words of(const Quad& quad) {
    Words words;
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
  return static_cast<T>(Words<Word>::of(quad).word[i / kPerWord] >> (i % kPerWord * kBits<T>));
}

// What a thread must know of a vector: where it starts, its width, and what to add to its values.
template <class T>
struct Frame {
  uint64_t first_register = 0;
  uint32_t width = 0;
  T reference = 0;
};

template <class T, class Cta>
BOBBIN_HD Quad unpack_slice(Cta& cta, Global<const Quad> packed, const Frame<T>& frame, uint32_t row, uint32_t slice) {
  using Word = LaneWord<T>;
  if (frame.width == 0) {
    return Quad{};
  }
  const auto cut = RowCut<T, Word>::of(row, frame.width);
  const auto low =
      Words<Word>::of(cta.load(packed, (frame.first_register + cut.low_register) * kSlices + slice));
  const auto high =
      Words<Word>::of(cta.load(packed, (frame.first_register + cut.high_register) * kSlices + slice));
  Words<Word> out;
  for (uint32_t i = 0; i < Words<Word>::kCount; ++i) {
    out.word[i] = cut.extract(low.word[i], high.word[i]);
  }
  return out.quad();
}

// Adds `reference` to every value of a slice, modulo 2^T.
template <class T>
BOBBIN_HD Quad add_reference(const Quad& quad, T reference) {
  using Word = LaneWord<T>;
  auto words = Words<Word>::of(quad);
  const auto add = replicate<T, Word>(reference);
  for (Word& word : words.word) {
    word = lane_add<T, Word>(word, add);
  }
  return words.quad();
}

// The slice whose first value has number `first`, with values numbered `count` and up set to zero.
template <class T>
BOBBIN_HD Quad keep_first(const Quad& quad, uint32_t first, uint32_t count) {
  using Word = LaneWord<T>;
  constexpr uint32_t kPerWord = sizeof(Word) / sizeof(T);
  auto words = Words<Word>::of(quad);
  for (uint32_t i = 0; i < kSliceLength<T>; ++i) {
    if (first + i >= count) {
      words.word[i / kPerWord] &= ~(static_cast<Word>(static_cast<T>(~T{0})) << (i % kPerWord * kBits<T>));
    }
  }
  return words.quad();
}

// The slice of packed register k: `load_row(r)` gives the slice of row r's values, each below 2^width.
template <class T, class LoadRow>
BOBBIN_HD Quad pack_slice(uint32_t k, uint32_t width, uint32_t rows, LoadRow&& load_row) {
  using Word = LaneWord<T>;
  const uint32_t first = k * kBits<T> / width;
  const uint32_t past = ceil_div((k + 1) * kBits<T>, width);
  Words<Word> packed{};
  for (uint32_t row = first; row < (past < rows ? past : rows); ++row) {
    const auto values = Words<Word>::of(load_row(row));
    for (uint32_t i = 0; i < Words<Word>::kCount; ++i) {
      packed.word[i] |= place_row<T, Word>(values.word[i], row, width, k);
    }
  }
  return packed.quad();
}

// What a sink gets: a slice of unpacked values and whence it comes.
template <class T>
struct Slice {
  uint64_t vector = 0;
  uint32_t row = 0;
  uint32_t slice = 0;
  bool inside = false;  // false past the last row: `values` holds nothing then
  T reference = 0;
  Quad values{};

  // The number of the first value, in the vector and in all.
  [[nodiscard]] BOBBIN_HD uint32_t in_vector() const { return row * kLanes<T> + slice * kSliceLength<T>; }
  [[nodiscard]] BOBBIN_HD uint64_t first() const { return vector * kVectorLength + in_vector(); }
};

// One thread's share of a warp's 32 rows: unpacks its eight slices, then hands each to sink(slice); all lanes of the
// warp call the sink together. `frame_of(v)` tells where vector v is. Rows are counted through all vectors; those
// at or past `end_row` are not read. All loads are issued before the first sink runs: a sink's stores
// might alias later loads, so the compiler would not move them.
template <class T, class Cta, class FrameOf, class Sink>
BOBBIN_HD void unpack_rows(Cta& cta, Global<const Quad> packed, uint64_t first_row, uint64_t end_row,
                           FrameOf&& frame_of, Sink&& sink) {
  constexpr uint32_t kSteps = kRowsPerWarp / kRowsAtOnce;
  constexpr uint32_t kVectors = kRows<T> < kRowsPerWarp ? kRowsPerWarp / kRows<T> : 1;
  constexpr uint32_t kStepsPerVector = kSteps / kVectors;
  const uint32_t group = cta.lane() / kSlices;
  const uint64_t first_vector = first_row / kRows<T>;

  Frame<T> frames[kVectors];
  BOBBIN_UNROLL
  for (uint32_t i = 0; i < kVectors; ++i) {
    if ((first_vector + i) * kRows<T> < end_row) {
      frames[i] = frame_of(first_vector + i);
    }
  }
  Slice<T> slices[kSteps];
  BOBBIN_UNROLL
  for (uint32_t step = 0; step < kSteps; ++step) {
    const Frame<T>& frame = frames[step / kStepsPerVector];
    Slice<T>& part = slices[step];
    part.vector = first_vector + step / kStepsPerVector;
    part.row = static_cast<uint32_t>(first_row % kRows<T>) + step % kStepsPerVector * kRowsAtOnce + group;
    part.slice = cta.lane() % kSlices;
    part.inside = first_row + step * kRowsAtOnce + group < end_row;
    part.reference = frame.reference;
    if (part.inside) {
      part.values = unpack_slice<T>(cta, packed, frame, part.row, part.slice);
    }
  }
  BOBBIN_UNROLL
  for (const Slice<T>& part : slices) {
    sink(part);
  }
}

// The sink that stores values: those of a slice of the array, `offset` .. `end`-1, to out[0] on.
template <class T>
struct StoreValues {
  Global<T> out;
  uint64_t offset;
  uint64_t end;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta, const Slice<T>& part) const {
    constexpr uint32_t kLength = kSliceLength<T>;
    const uint64_t first = part.first();
    // Only a slice of the array that starts on 16 bytes keeps every Quad aligned.
    if (offset % kLength == 0 && first >= offset && first + kLength <= end) {
      const Global<Quad> quads{reinterpret_cast<Quad*>(out.data), out.size / kLength};
      cta.store_once(quads, (first - offset) / kLength, add_reference<T>(part.values, part.reference));
      return;
    }
    for (uint32_t i = 0; i < kLength; ++i) {
      if (first + i >= offset && first + i < end) {
        cta.store(out, first + i - offset, static_cast<T>(value_in<T>(part.values, i) + part.reference));
      }
    }
  }
};

// The sink that tests values: bit i of the bitmap is set when value i lies in the range (see ValueRange).
// Writes all 32 words of each vector.
template <class T>
struct TestValues {
  Global<uint32_t> bitmap;
  T low;
  T span;
  bool negated;
  uint64_t end;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta, const Slice<T>& part) const {
    constexpr uint32_t kLength = kSliceLength<T>;
    constexpr uint32_t kThreadsPerWord = 32 / kLength;
    const T shift = static_cast<T>(part.reference - low);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < kLength; ++i) {
      const bool hit = (static_cast<T>(value_in<T>(part.values, i) + shift) <= span) != negated;
      bits |= static_cast<uint32_t>(hit && part.first() + i < end) << i;
    }
    bits <<= part.in_vector() % 32;
    for (uint32_t distance = 1; distance < kThreadsPerWord; distance *= 2) {
      bits |= cta.shfl_xor(bits, distance);
    }
    if (cta.lane() % kThreadsPerWord == 0 && part.vector * kVectorLength < end) {
      cta.store(bitmap, part.vector * (kVectorLength / 32) + part.in_vector() / 32, bits);
    }
  }
};

}  // namespace bobbin::codec::bitpack
