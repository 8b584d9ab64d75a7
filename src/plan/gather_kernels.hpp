// SPDX-License-Identifier: Apache-2.0
// Kernels that write a few of a column's values: those of given rows, and those that a bitmap selects.
#pragma once

#include <bit>
#include <cstdint>

#include "core/bit_scan.hpp"
#include "plan/fetch.hpp"
#include "plan/stage.hpp"
#include "plan/strided.hpp"
#include "simt/cta.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::plan {

// What both need.
struct Gather {
  ColumnPlan column;
  uint64_t begin = 0;  // rows, counted from the first vector's start
  uint64_t end = 0;
  Bytes out;  // the output
  Powers powers;

  template <class T, class Cta>
  BOBBIN_HD void store(Cta& cta, uint64_t at, uint64_t value) const {
    const Global<T> to{reinterpret_cast<T*>(const_cast<std::byte*>(out.data)), out.size / sizeof(T)};
    cta.store(to, at, static_cast<T>(value));
  }
  template <class Cta>
  BOBBIN_HD void store_any(Cta& cta, uint64_t at, uint64_t value) const {
    with_bytes(column.bytes, [&](auto zero) { store<decltype(zero)>(cta, at, value); });
  }
};

// out[i] = value indices[i]. An index past the end sets `fault`, and zero is written.
struct TakeKernel : Gather {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Global<const uint64_t> indices;
  Global<uint32_t> fault;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i >= indices.size) {
      return;
    }
    const uint64_t index = cta.load_once(indices, i);
    if (index >= end - begin) {
      cta.template atomic_or<simt::Order::relaxed>(fault, 0, 1U);
      store_any(cta, i, 0);
      return;
    }
    store_any(cta, i, Fetcher<Cta>{cta, powers, begin}.fetch(column, begin + index));
  }
};

// Counts the rows that a bitmap selects in each vector.
struct CountKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kThreadsPerVector = 8;
  static constexpr uint32_t kVectors = kThreads / kThreadsPerVector;
  using Shared = simt::NoShared;

  Global<const uint32_t> bitmap;  // aligned to 16 bytes
  uint64_t begin;
  uint64_t end;
  Global<uint64_t> counts;

  // The existing rows among those of word `lane` of vector v.
  BOBBIN_HD static uint32_t inside(uint64_t v, uint32_t lane, uint64_t begin, uint64_t end) {
    const uint64_t first = v * kVectorLength + lane * 32;
    const auto below = [&](uint64_t bound) {
      const uint64_t rows = bound > first ? bound - first : 0;
      return low_mask<uint32_t>(rows < 32 ? static_cast<uint32_t>(rows) : 32);
    };
    return below(end) & ~below(begin);
  }

  // Eight threads per vector, 16 bytes each.
  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t index = uint64_t{cta.block()} * kThreads + cta.thread();
    const uint64_t v = index / kThreadsPerVector;
    const Global<const Quad> quads{reinterpret_cast<const Quad*>(bitmap.data), bitmap.size / 4};
    uint32_t count = 0;
    if (v < counts.size) {
      const Quad quad = cta.load(quads, index);
      const auto first = static_cast<uint32_t>(index % kThreadsPerVector) * 4;
      for (uint32_t w = 0; w < 4; ++w) {
        count += static_cast<uint32_t>(std::popcount(quad.word[w] & inside(v, first + w, begin, end)));
      }
    }
    for (uint32_t distance = 1; distance < kThreadsPerVector; distance *= 2) {
      count += cta.shfl_xor(count, distance);
    }
    if (v < counts.size && index % kThreadsPerVector == 0) {
      cta.store(counts, v, uint64_t{count});
    }
  }
};

// Writes the selected values consecutively, one warp per vector. If few are selected (kFetch), each is
// fetched individually; other vectors are decoded in shared memory by a second kernel. Neither reads a vector
// without selected rows.
template <bool kFetch>
struct FilterKernel : Gather {
  static constexpr uint32_t kWarps = 4;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  // A fetch reads a sector of at least 32 bytes: beyond about 1 in 16, all of the vector is read anyway.
  static constexpr uint32_t kFew = 64;
  struct Shared {
    std::conditional_t<kFetch, simt::NoShared, StageMemory<kWarps>> staging;
  };

  static constexpr uint32_t kGroup = 8;  // vectors that a warp checks together

  Global<const uint32_t> bitmap;
  Global<const uint64_t> starts;  // output position of each vector's selected values, and their total
  bool all = false;               // not only vectors with more than kFew

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t vectors = starts.size - 1;
    const uint64_t stride = uint64_t{cta.num_blocks()} * kWarps * kGroup;
    for (uint64_t first = (uint64_t{cta.block()} * kWarps + cta.warp()) * kGroup; first < vectors;
         first += stride) {
      const uint64_t own = first + cta.lane();
      uint32_t todo = cta.ballot(cta.lane() < kGroup && own < vectors && is_ours(cta, own));
      for (; todo != 0; todo &= todo - 1) {
        write_vector(cta, first + trailing_zeros(todo));
      }
    }
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool is_ours(Cta& cta, uint64_t v) const {
    const uint64_t count = cta.load(starts, v + 1) - cta.load(starts, v);
    return count != 0 && (kFetch ? count <= kFew : all || count > kFew);
  }

  template <class Cta>
  BOBBIN_HD void write_vector(Cta& cta, uint64_t v) const {
    const uint32_t word =
        cta.load(bitmap, v * simt::kWarpSize + cta.lane()) & CountKernel::inside(v, cta.lane(), begin, end);
    const auto own = static_cast<uint32_t>(std::popcount(word));
    const uint64_t to = cta.load(starts, v) + simt::sum_through(cta, own) - own;
    if constexpr (kFetch) {
      fetch_bits(cta, v, word, to);
    } else {
      decode_vector(cta, v, word, to);
    }
  }

  template <class Cta>
  BOBBIN_HD void fetch_bits(Cta& cta, uint64_t v, uint32_t word, uint64_t to) const {
    const Fetcher<Cta> fetcher{cta, powers, begin};
    for (; word != 0; word &= word - 1) {
      const uint64_t row = v * kVectorLength + cta.lane() * 32 + trailing_zeros(word);
      store_any(cta, to++, fetcher.fetch(column, row));
    }
  }

  // 32 adjacent values at a time, which are adjacent in the output too.
  template <class Cta>
  BOBBIN_HD void decode_vector(Cta& cta, uint64_t v, uint32_t word, uint64_t to) const {
    auto& staging = cta.template shared<Shared>().staging;
    const uint64_t left = end - v * kVectorLength;
    if (column.form != ColumnForm::plain) {
      Stager<Cta, kWarps>{cta, staging, powers, v,
                          left < kVectorLength ? static_cast<uint32_t>(left) : kVectorLength}
          .decode(column);
    }
    with_bytes(column.bytes, [&](auto zero) {
      using T = decltype(zero);
      auto& values = staging.template as<T>();
      const uint32_t first = staging.template first<T>(cta.warp()) + cta.lane();
      for (uint32_t r = 0; r < simt::kWarpSize; ++r) {
        const uint32_t rows = cta.shfl(word, r);
        const uint64_t here = cta.shfl(to, r);
        if ((rows >> cta.lane() & 1) != 0) {
          const auto before = static_cast<uint32_t>(std::popcount(rows & low_mask<uint32_t>(cta.lane())));
          const uint64_t row = v * kVectorLength + r * simt::kWarpSize + cta.lane();
          const T value = column.form == ColumnForm::plain
                              ? cta.load(view_as<T>(column.nodes[0].extra), row - begin)
                              : cta.load(values, first + r * simt::kWarpSize);
          store<T>(cta, here + before, value);
        }
      }
    });
    cta.sync_warp();  // before the next vector is loaded
  }
};

}  // namespace bobbin::plan
