// SPDX-License-Identifier: Apache-2.0
// Codes to entries, and values to 16 bytes of output.
//
// Formula: entries[min(code, last)]. Shape: a thread makes 16 bytes of output at a time, whose codes are one
// load. Shared memory: none. Preconditions (checked by validate): at least one entry if there are codes. Cost
// per value: a code read.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/portable.hpp"
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

}  // namespace bobbin::codec::dict
