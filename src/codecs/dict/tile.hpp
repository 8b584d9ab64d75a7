// SPDX-License-Identifier: Apache-2.0
// Maps decoded codes to entries: to values for numbers, or to one bit per entry.
//
// Formula: entries[min(code, last)]. Shape: a thread makes 16 bytes of output at a time, several times;
// neighbouring lanes have neighbouring 16 bytes, and their codes are one load. Entries are read through the
// caches: a dictionary of 48 KiB stays in L1, one of 2^20 entries in L2.
//
// Packed codes are unpacked in the same kernel, eight vectors per block into shared memory (8 or 16 KiB), and
// are not written to device memory.
//
// Preconditions (checked by validate): at least one entry if there are codes. Cost per value: a code and an
// entry read, a value written; besides, entries are written once, as are codes that are not packed.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codecs/bitpack/tile.hpp"
#include "core/bits.hpp"
#include "core/lanes.hpp"
#include "core/portable.hpp"
#include "core/scalar.hpp"
#include "simt/bitmap.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::dict {

using simt::Global;
using simt::Quad;

// Codes of rows, and the last valid code.
template <class Code>
struct CodeSource {
  Global<const Code> codes;
  uint32_t last;  // entry: greater codes mean it too

  [[nodiscard]] BOBBIN_HD uint32_t entry_of(uint32_t code) const { return code < last ? code : last; }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t entry(Cta& cta, uint64_t i) const {
    return entry_of(cta.load(codes, i));
  }

  // Entries of the kCount codes from index kCount * group on, in as few loads as possible.
  template <uint32_t kCount, class Cta>
  BOBBIN_HD void entries(Cta& cta, uint64_t group, uint32_t (&to)[kCount]) const {
    constexpr uint32_t kBytes = kCount * sizeof(Code);
    using Small =
        std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>;
    using Word = std::conditional_t<(kBytes >= sizeof(Quad)), Quad, Small>;
    constexpr uint32_t kWords = kBytes / sizeof(Word);
    constexpr uint32_t kPerWord = sizeof(Word) / sizeof(Code);
    const Global<const Word> words{reinterpret_cast<const Word*>(codes.data), codes.size / kPerWord};
    BOBBIN_UNROLL
    for (uint32_t w = 0; w < kWords; ++w) {
      const Word word = cta.load_once(words, group * kWords + w);
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < kPerWord; ++k) {
        to[w * kPerWord + k] = entry_of(code_in(word, k));
      }
    }
  }

 private:
  template <class Word>
  BOBBIN_HD static uint32_t code_in(const Word& word, uint32_t k) {
    const auto bit = static_cast<uint32_t>(8 * sizeof(Code)) * k;
    if constexpr (std::is_same_v<Word, Quad>) {
      return static_cast<Code>(word.word[bit / 32] >> (bit % 32));
    } else {
      return static_cast<Code>(word >> bit);
    }
  }
};

// Packs values into a quad.
template <class T, uint32_t kCount = sizeof(Quad) / sizeof(T)>
BOBBIN_HD Quad quad_of(const T (&values)[kCount]) {
  Quad quad{};
  BOBBIN_UNROLL
  for (uint32_t k = 0; k < kCount; ++k) {
    if constexpr (sizeof(T) == 8) {
      quad.word[2 * k] = static_cast<uint32_t>(values[k]);
      quad.word[2 * k + 1] = static_cast<uint32_t>(values[k] >> 32);
    } else {
      const auto bit = static_cast<uint32_t>(8 * sizeof(T)) * k;
      quad.word[bit / 32] |= uint32_t{values[k]} << (bit % 32);
    }
  }
  return quad;
}

// Writes the values of all rows.
template <class T, class Code>
struct GatherKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kQuads = 4;  // per thread
  static constexpr uint32_t kValues = sizeof(Quad) / sizeof(T);
  using Shared = simt::NoShared;

  CodeSource<Code> source;
  Global<const T> entries;
  Global<T> out;  // aligned to 16 bytes

  static uint64_t blocks(uint64_t rows) { return ceil_div<uint64_t>(rows, kThreads * kQuads * kValues); }

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const Global<Quad> quads{reinterpret_cast<Quad*>(out.data), out.size / kValues};
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < kQuads; ++k) {
      const uint64_t q = (uint64_t{cta.block()} * kQuads + k) * kThreads + cta.thread();
      if ((q + 1) * kValues <= out.size) {
        cta.store_once(quads, q, values_of(cta, q));
      } else {
        for (uint64_t i = q * kValues; i < out.size; ++i) {
          cta.store(out, i, cta.load(entries, source.entry(cta, i)));
        }
      }
    }
  }

 private:
  template <class Cta>
  BOBBIN_HD Quad values_of(Cta& cta, uint64_t q) const {
    uint32_t numbers[kValues];
    source.template entries<kValues>(cta, q, numbers);
    T values[kValues];
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < kValues; ++k) {
      values[k] = cta.load(entries, numbers[k]);
    }
    return quad_of(values);
  }
};

// The same from packed codes; a source has `packed` and frame(v).
template <class T, class Code, class Source>
struct UnpackKernel {
  static constexpr uint32_t kVectors = 8;
  static constexpr uint32_t kParts = 4;  // parts of a column's rows
  static constexpr uint32_t kColumns = kVectors * bitpack::kSlices;
  static constexpr uint32_t kThreads = kColumns * kParts;
  static constexpr uint32_t kPartRows = kRows<Code> / kParts;
  static constexpr uint32_t kCodes = kVectors * kVectorLength;
  static constexpr uint32_t kVectorQuads = kVectorLength * sizeof(Code) / sizeof(Quad);
  static constexpr uint32_t kValues = sizeof(Quad) / sizeof(T);
  // As many codes as there are values in 16 bytes.
  using Word = std::conditional_t<kValues * sizeof(Code) == 2, uint16_t,
                                  std::conditional_t<kValues * sizeof(Code) == 4, uint32_t, uint64_t>>;
  static_assert(sizeof(Word) == kValues * sizeof(Code));
  struct Shared {
    simt::Shared<Quad, kVectors * kVectorQuads> codes;
  };

  Source source;
  uint32_t last;
  Global<const T> entries;
  Global<T> out;  // values offset .. end-1; aligned to 16 bytes
  uint64_t offset;
  uint64_t end;

  static uint64_t blocks(uint64_t end) { return ceil_div<uint64_t>(end, kCodes); }

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    unpack(cta, shared);
    cta.sync();
    auto& words = simt::seen_as<simt::Shared<Word, kCodes / kValues>>(shared.codes);
    auto& codes = simt::seen_as<simt::Shared<Code, kCodes>>(shared.codes);
    const Global<Quad> quads{reinterpret_cast<Quad*>(out.data), out.size / kValues};
    for (uint32_t q = cta.thread(); q < kCodes / kValues; q += kThreads) {
      const uint64_t first = uint64_t{cta.block()} * kCodes + q * kValues;
      if (offset % kValues == 0 && first >= offset && first + kValues <= end) {
        const Word word = cta.load(words, q);
        T values[kValues];
        BOBBIN_UNROLL
        for (uint32_t k = 0; k < kValues; ++k) {
          values[k] = value_of(cta, static_cast<Code>(word >> (8 * sizeof(Code) * k)));
        }
        cta.store_once(quads, (first - offset) / kValues, quad_of(values));
      } else {
        put_each(cta, codes, first, q * kValues);
      }
    }
  }

 private:
  template <class Cta>
  BOBBIN_HD T value_of(Cta& cta, Code code) const {
    return cta.load(entries, code < last ? code : last);
  }
  // Stores the values from index `first` on that belong to the array; their codes begin at `at`.
  template <class Cta>
  BOBBIN_HD void put_each(Cta& cta, const simt::Shared<Code, kCodes>& codes, uint64_t first,
                          uint32_t at) const {
    for (uint32_t k = 0; k < kValues; ++k) {
      if (first + k >= offset && first + k < end) {
        cta.store(out, first + k - offset, value_of(cta, cta.load(codes, at + k)));
      }
    }
  }

  template <class Cta>
  BOBBIN_HD void unpack(Cta& cta, Shared& shared) const {
    const uint32_t part = cta.thread() / kColumns;
    const uint32_t in_tile = cta.thread() % kColumns / bitpack::kSlices;
    const uint32_t slice = cta.thread() % bitpack::kSlices;
    const uint64_t vector = uint64_t{cta.block()} * kVectors + in_tile;
    const uint32_t to = in_tile * kVectorQuads + slice;
    if (vector * kVectorLength >= end) {
      return;
    }
    const bitpack::Frame<Code> frame = source.frame(cta, vector);
    const auto put = [&](uint32_t row, const Quad& quad) {
      cta.store(shared.codes, to + row * bitpack::kSlices,
                bitpack::add_reference<Code>(quad, frame.reference));
    };
    const uint64_t left = end - vector * kVectorLength;
    if (left >= kVectorLength) {
      bitpack::with_width_in<0, (kBits<Code> + 1) * kParts - 1>(
          frame.width * kParts + part, [&]<uint32_t I>(std::integral_constant<uint32_t, I>) {
            constexpr uint32_t kFirst = I % kParts * kPartRows;
            bitpack::unpack_column<Code>(cta, source.packed, frame.first_register, slice, I / kParts,
                                         {kFirst, kFirst + kPartRows}, put);
          });
      return;
    }
    const uint32_t rows = num_rows(static_cast<uint32_t>(left), kBits<Code>);
    for (uint32_t row = part * kPartRows; row < (part + 1) * kPartRows && row < rows; ++row) {
      put(row, bitpack::unpack_slice<Code>(cta, source.packed, frame, row, slice));
    }
  }
};

// One bit per entry: whether it is in a range (ValueRange).
template <class T>
struct TestKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Global<const T> entries;
  Global<uint32_t> bitmap;
  bool are_floats;
  T low;
  T span;
  bool negated;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    simt::store_bits(cta, bitmap, i, i < entries.size && holds(cta.load(entries, i)));
  }

 private:
  [[nodiscard]] BOBBIN_HD bool holds(T bits) const {
    using Signed = std::make_signed_t<T>;
    const T key = are_floats ? static_cast<T>(turn_negative(static_cast<Signed>(bits))) : bits;
    return (static_cast<T>(key - low) <= span) != negated;
  }
};

// Maps one bit per entry to one per row: bit `first + i` is row i's. Writes all words of `bitmap`.
template <class Code>
struct LookUpKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  CodeSource<Code> source;
  Global<const uint32_t> passes;
  uint64_t first;
  Global<uint32_t> bitmap;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t bit = uint64_t{cta.block()} * kThreads + cta.thread();
    const bool is_row = bit >= first && bit - first < source.codes.size;
    simt::store_bits(cta, bitmap, bit, is_row && passes_at(cta, bit - first));
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool passes_at(Cta& cta, uint64_t i) const {
    const uint32_t entry = source.entry(cta, i);
    return (cta.load(passes, entry / 32) >> (entry % 32) & 1) != 0;
  }
};

}  // namespace bobbin::codec::dict
