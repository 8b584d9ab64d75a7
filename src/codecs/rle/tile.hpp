// SPDX-License-Identifier: Apache-2.0
// Expands runs whose ends and values are decoded.
//
// A tile is 8192 rows, 256 threads (codecs/ranks.hpp). The ends inside the tile mark the rows where runs
// begin, so a row's run is the count of ends up to it. A thread writes 16 bytes at a time, and loads a value
// where a run begins. Shared memory: only the marks. Preconditions (checked by validate): ends ascend
// strictly, and the last is not below the array's last row. Cost: per run an end and a value are read; the
// value several times if the run is longer than 16 bytes, but then from a cache.
#pragma once

#include <cstdint>

#include "codecs/codec.hpp"
#include "codecs/ranks.hpp"

namespace bobbin::codec::rle {

template <class T>
struct RunValues {
  // An end at the tile's first row belongs to a run before the tile.
  static constexpr uint32_t kFirstMark = 1;

  simt::Global<const T> values;

  static RunValues of(const Array& /*array*/, simt::Global<const T> values) { return {values}; }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD T value(Cta& cta, const ascending::Ranks::Word& word, uint32_t row) const {
    return cta.load(values, word.through(row));
  }
  // The values from a row on, as many as fit.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD simt::Quad quad(Cta& cta, const ascending::Ranks::Word& word, uint32_t row) const {
    uint64_t run = word.through(row);
    T value = cta.load(values, run);
    return simt::quad_of<T>([&](uint32_t i) {
      if (i != 0 && word.marked(row + i)) {
        value = cta.load(values, ++run);
      }
      return value;
    });
  }
};

}  // namespace bobbin::codec::rle
