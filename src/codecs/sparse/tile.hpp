// SPDX-License-Identifier: Apache-2.0
// Writes the fill value and the exceptions, after those and their positions are decoded.
//
// A tile is 8192 rows, 256 threads (codecs/ranks.hpp). The positions inside the tile mark their rows; a
// marked row's value has the count of positions before it as index. A thread writes 16 bytes at a time, and
// loads a value for a marked row only. Shared memory: only the marks. Preconditions (checked by validate):
// positions ascend strictly. Cost: per position 4 bytes and a value are read.
#pragma once

#include <cstdint>

#include "codecs/ranks.hpp"
#include "codecs/sparse/sparse.hpp"

namespace bobbin::codec::sparse {

template <class T>
struct FilledValues {
  static constexpr uint32_t kFirstMark = 0;

  simt::Global<const T> values;  // of the positions
  T fill;

  static FilledValues of(const Array& array, simt::Global<const T> values) {
    return {values, static_cast<T>(fill_of(array).bits)};
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD T value(Cta& cta, const ascending::Ranks::Word& word, uint32_t row) const {
    return word.marked(row) ? cta.load(values, word.through(row) - 1) : fill;
  }
  // The values from a row on, as many as fit.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD simt::Quad quad(Cta& cta, const ascending::Ranks::Word& word, uint32_t row) const {
    return simt::quad_of<T>([&](uint32_t i) { return value(cta, word, row + i); });
  }
};

}  // namespace bobbin::codec::sparse
