// SPDX-License-Identifier: Apache-2.0
// Decodes codes to numbers.
//
// Shape: a thread makes 16 bytes of output at a time, several times; neighbouring lanes have neighbouring 16
// bytes, and their codes are one load. Entries are read through the caches: a dictionary of 48 KiB stays in
// L1, one of 2^20 entries in L2.
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
#include "codecs/dict/tile.hpp"
#include "core/bits.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::dict {

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

}  // namespace bobbin::codec::dict
