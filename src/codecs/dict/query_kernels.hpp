// SPDX-License-Identifier: Apache-2.0
// Kernels that test entries and rows, and that find entries and sizes before strings are copied: one thread
// per entry or row.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codecs/dict/tile.hpp"
#include "core/bits.hpp"
#include "simt/bitmap.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::codec::dict {

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

// Writes the numbers 0, 1, 2 ..: indices of all entries.
struct CountUpKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Global<uint64_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < out.size) {
      cta.store(out, i, i);
    }
  }
};

// Maps the requested rows to their entries.
template <class Code>
struct EntriesKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  CodeSource<Code> source;
  Global<const uint64_t> indices;
  Global<uint64_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < indices.size) {
      cta.store(out, i, uint64_t{source.entry(cta, cta.load(indices, i))});
    }
  }
};

// Adds the total size of all rows' strings to `sum`.
template <class Code>
struct TotalKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kRows = 16;  // per thread
  using Shared = simt::NoShared;

  CodeSource<Code> source;
  Global<const uint64_t> ends;  // of entries, after a leading 0
  Global<uint64_t> sum;

  static uint64_t blocks(uint64_t rows) { return ceil_div<uint64_t>(rows, kThreads * kRows); }

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    uint64_t own = 0;
    for (uint32_t k = 0; k < kRows; ++k) {
      const uint64_t i = (uint64_t{cta.block()} * kRows + k) * kThreads + cta.thread();
      if (i < source.codes.size) {
        const uint32_t entry = source.entry(cta, i);
        own += cta.load(ends, entry + 1) - cta.load(ends, entry);
      }
    }
    const uint64_t through = simt::sum_through(cta, own);
    if (cta.lane() == simt::kWarpSize - 1) {
      cta.template atomic_add<simt::Order::relaxed>(sum, 0, through);
    }
  }
};

// Widens 32-bit offsets to 64.
struct WidenKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Global<const uint32_t> from;
  Global<uint64_t> to;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < from.size) {
      cta.store(to, i, uint64_t{cta.load(from, i)});
    }
  }
};

}  // namespace bobbin::codec::dict
