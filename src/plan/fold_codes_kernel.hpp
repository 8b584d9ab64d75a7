// SPDX-License-Identifier: Apache-2.0
// Counts the rows that a bitmap selects, and sums their integers, by dictionary code.
//
// Shape: for_each_row(). Totals of few entries are kept in shared memory (32 KiB), in several copies so that
// lanes seldom meet, and added up at the end; otherwise they are added directly in global memory.
// Preconditions: at least one entry. Cost: a code, a value and a bit read, and two or three additions per
// selected row.
#pragma once

#include <cstdint>

#include "codecs/dict/tile.hpp"
#include "plan/column_input.hpp"
#include "plan/row_bitmap.hpp"
#include "plan/values.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

// What is kept for each entry, in 64-bit words: rows, and the two parts of a WideSum.
struct CodeTotalWords {
  enum : uint32_t { count, low, high, kWords };
};

template <class Code>
struct FoldCodesKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kRoom = 4096;  // words
  using Word = unsigned long long;         // the type that CUDA's atomic additions in shared memory have
  struct Shared {
    simt::Shared<Word, kRoom> words;
  };

  codec::dict::CodeSource<Code> source;
  Bytes values;  // integers of the size and sign below, one per code
  uint32_t bytes = 0;
  bool is_signed = false;
  Global<const uint32_t> rows;  // bit first + i belongs to row i
  uint64_t first = 0;
  Global<uint64_t> totals;  // CodeTotalWords per entry

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const auto most = static_cast<uint32_t>(kRoom / totals.size);  // copies that fit
    const uint32_t copies = most < simt::kWarpSize ? most : simt::kWarpSize;
    const auto here = static_cast<uint32_t>(totals.size) * copies;
    for (uint32_t i = cta.thread(); i < here; i += kThreads) {
      cta.store(shared.words, i, Word{0});
    }
    cta.sync();
    for_each_row<kWarps>(cta, rows, first, source.codes.size, [&](uint64_t row) {
      const uint32_t at = source.entry(cta, row) * CodeTotalWords::kWords;
      const WideSum value = value_at(cta, row);
      if (copies != 0) {
        add<Word>(cta, shared.words, at * copies + cta.lane() % copies, copies, value);
      } else {
        add<uint64_t>(cta, totals, at, 1, value);
      }
    });
    cta.sync();
    for (uint32_t i = cta.thread(); i < here; i += kThreads) {
      if (const auto part = static_cast<uint64_t>(cta.load(shared.words, i)); part != 0) {
        cta.template atomic_add<simt::Order::relaxed>(totals, i / copies, part);
      }
    }
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD WideSum value_at(Cta& cta, uint64_t i) const {
    WideSum sum;
    switch (bytes) {
      case 1:
        add_to<uint8_t>(sum, cta.load(view_as<uint8_t>(values), i), is_signed);
        break;
      case 2:
        add_to<uint16_t>(sum, cta.load(view_as<uint16_t>(values), i), is_signed);
        break;
      case 4:
        add_to<uint32_t>(sum, cta.load(view_as<uint32_t>(values), i), is_signed);
        break;
      default:
        add_to<uint64_t>(sum, cta.load(view_as<uint64_t>(values), i), is_signed);
    }
    return sum;
  }
  // To words that are `apart` from each other.
  template <class W, class Cta, class Words>
  BOBBIN_HD static void add(Cta& cta, Words& words, uint64_t at, uint32_t apart, const WideSum& value) {
    constexpr auto kRelaxed = simt::Order::relaxed;
    cta.template atomic_add<kRelaxed>(words, at + CodeTotalWords::count * apart, W{1});
    cta.template atomic_add<kRelaxed>(words, at + CodeTotalWords::low * apart, static_cast<W>(value.low));
    if (value.high != 0) {
      cta.template atomic_add<kRelaxed>(words, at + CodeTotalWords::high * apart, static_cast<W>(value.high));
    }
  }
};

}  // namespace bobbin::plan
