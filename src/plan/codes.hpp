// SPDX-License-Identifier: Apache-2.0
// A packed vector of dictionary codes in the registers of a warp, strided, and what the codes mean.
//
// Shape: one warp per vector; after unpacking, codes of 8 and 16 bits are four and two in a word, and are
// exchanged with those of neighbouring lanes in the same way as bits (Spread::exchange). Entries, and the
// bits of matching codes, are read through the caches. Preconditions: codes have 8, 16 or 32 bits. The vector
// may be partial.
#pragma once

#include <cstdint>

#include "plan/column_input.hpp"
#include "plan/packed.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// The thread's codes: code r belongs to row 32 r + lane.
struct Codes {
  uint32_t at[32];

  // Unpacks the codes of a vector; `reference` is that of its frame.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Codes of(Cta& cta, const ColumnPlan& column, uint32_t first_register,
                                          uint32_t width, uint32_t reference) {
    const auto packed = view_as<Quad>(column.frames().packed);
    Codes codes;
    switch (column.packed_bytes()) {
      case 1:
        codes.unpack<uint8_t>(cta, packed, first_register, width, reference);
        break;
      case 2:
        codes.unpack<uint16_t>(cta, packed, first_register, width, reference);
        break;
      default:
        codes.unpack<uint32_t>(cta, packed, first_register, width, reference);
    }
    return codes;
  }

  // Calls f(r, entry) for the codes of `rows`: T is the entries' type. Several loads are in flight before the
  // first is used.
  template <class T, class Cta, class F>
  BOBBIN_HD void for_each_entry(Cta& cta, const Node& dictionary, uint32_t rows, F&& f) const {
    constexpr uint32_t kAtOnce = 8;
    BOBBIN_UNROLL
    for (uint32_t first = 0; first < 32; first += kAtOnce) {
      T entries[kAtOnce];
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        const bool counts = (rows >> (first + k) & 1) != 0;
        entries[k] = counts ? dictionary.entry<T>(cta, at[first + k]) : T{0};
      }
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < kAtOnce; ++k) {
        if ((rows >> (first + k) & 1) != 0) {
          f(first + k, entries[k]);
        }
      }
    }
  }

  // The bits of `rows` whose codes match.
  template <class Cta, class Passes>
  [[nodiscard]] BOBBIN_HD uint32_t test(Cta& cta, uint32_t rows, Passes&& passes) const {
    uint32_t hits = 0;
    BOBBIN_UNROLL
    for (uint32_t r = 0; r < 32; ++r) {
      hits |= (rows >> r & 1) != 0 && passes(cta, at[r]) ? 1U << r : 0;
    }
    return hits;
  }

 private:
  template <class T, class Cta>
  BOBBIN_HD void unpack(Cta& cta, Global<const Quad> packed, uint32_t first_register, uint32_t width,
                        uint32_t reference) {
    constexpr uint32_t kPerWord = Spread<T>::kPerWord;
    uint32_t words[32 / kPerWord] = {};
    codec::bitpack::with_width_in<0, kBits<T>>(width, [&]<uint32_t W>(std::integral_constant<uint32_t, W>) {
      if constexpr (W != 0) {
        Lane<T, W> lane;
        lane.load_some(cta, packed, first_register);
        BOBBIN_UNROLL
        for (uint32_t n = 0; n < 32; ++n) {
          words[n / kPerWord] |= lane.value(n) << (n % kPerWord * kBits<T> % 32);
        }
      }
    });
    BOBBIN_UNROLL
    for (uint32_t k = 0; k < 32 / kPerWord; ++k) {
      BOBBIN_UNROLL
      for (uint32_t bit = 0; 1U << bit < kPerWord; ++bit) {
        constexpr uint32_t kCodeBit = kBits<T> == 8 ? 3 : 4;  // above those of bits in a code
        words[k] = codec::bitpack::swap_index_bits(cta, words[k], bit, kCodeBit + bit);
      }
      BOBBIN_UNROLL
      for (uint32_t j = 0; j < kPerWord; ++j) {
        at[k * kPerWord + j] = static_cast<T>((words[k] >> (j * kBits<T> % 32)) + reference);
      }
    }
  }
};

}  // namespace bobbin::plan
