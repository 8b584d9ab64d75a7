// SPDX-License-Identifier: Apache-2.0
// Huffman tables in shared memory: groups of lanes read descriptions, a whole warp builds the tables.
#pragma once

#include "codecs/zstd/fse_kernel.hpp"

namespace bobbin::zstd {

// Huffman tables in shared memory: for the next `log` bits how many of them the symbol takes, and above these
// 8 bits the symbol.
template <uint32_t kTables>
struct HuffmanBuilder {
  static constexpr uint32_t kLanes = simt::kWarpSize / kTables;  // of a group
  static constexpr uint32_t kMaxBits = 11;
  static constexpr uint32_t kEntries = uint32_t{1} << kMaxBits;
  static constexpr uint32_t kMaxSymbols = 256;
  static constexpr uint32_t kOwned = kMaxSymbols / simt::kWarpSize;  // symbols of a lane
  static constexpr uint32_t kWeightLog = 6;

  using Table = simt::Shared<uint16_t, kEntries>;

  struct Shared {
    Table tables[kTables];
    simt::Shared<uint16_t, kMaxTableSymbols> work;
  };
  // Only while tables are built.
  struct Descriptions {
    simt::Shared<uint8_t, kTables * kMaxSymbols> weights;
    simt::Shared<uint16_t, kTables << kWeightLog> states;
    simt::Shared<int16_t, kTables * kMaxTableSymbols> counts;
  };

  // What a tree's description came to.
  struct Tree {
    uint32_t log = 0;   // 0: it is damaged
    uint32_t used = 0;  // bytes
  };

  // Each group of lanes reads the tree in bytes at .. at+size-1 of its frame; the warp fills all tables.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Tree build(Cta& cta, Shared& shared, Descriptions& read,
                                            const FrameBytes& bytes, uint32_t at, uint32_t size) {
    const uint32_t header = size == 0 ? 0 : bytes.byte(cta, at);
    const uint32_t nibbles = header < 128 ? 0 : header - 127;
    Tree tree{.used = 1 + (header < 128 ? header : (nibbles + 1) / 2)};
    const bool sound = header != 0 && tree.used <= size;
    for (uint32_t i = cta.lane() % kLanes; sound && i < nibbles; i += kLanes) {
      const uint32_t two = bytes.byte(cta, at + 1 + i / 2);
      cta.store(read.weights, first_weight(cta) + i, static_cast<uint8_t>(i % 2 == 0 ? two >> 4 : two & 15));
    }
    uint32_t count = read_weights(cta, shared, read, bytes, sound && nibbles == 0, at + 1, at + tree.used);
    count = sound && nibbles != 0 ? nibbles : count;
    cta.sync_warp();
    for (uint32_t t = 0; t < kTables; ++t) {
      const uint32_t weights = cta.shfl(count, t * kLanes);
      const uint32_t log = weights == 0 ? 0 : complete(cta, read, t * kMaxSymbols, weights);
      if (log != 0) {
        fill(cta, shared, read, t, weights + 1, log);
      }
      tree.log = cta.lane() / kLanes == t ? log : tree.log;
    }
    return tree;
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t first_weight(Cta& cta) {
    return cta.lane() / kLanes * kMaxSymbols;
  }

  // Weights coded by FSE, of the groups that have such ones. The first lane of a group returns their number;
  // 0 if they are damaged.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t read_weights(Cta& cta, Shared& shared, Descriptions& read,
                                                       const FrameBytes& bytes, bool coded, uint32_t begin,
                                                       uint32_t end) {
    const bool leads = coded && cta.lane() % kLanes == 0;
    FseShape own;
    if (leads) {
      own = read_counts(cta, bytes, begin, end, kWeightLog, kMaxBits + 1, read.counts,
                        cta.lane() / kLanes * kMaxTableSymbols);
    }
    cta.sync_warp();
    for (uint32_t t = 0; t < kTables; ++t) {
      const FseShape shape{cta.shfl(own.log, t * kLanes), cta.shfl(own.symbols, t * kLanes),
                           cta.shfl(own.used, t * kLanes)};
      if (shape.used != 0) {
        build_table(cta, read.counts, t * kMaxTableSymbols, shape, shared.work, read.states, t << kWeightLog);
      }
    }
    return leads && own.used != 0 ? run_weights(cta, read, bytes, begin + own.used, end, own.log) : 0;
  }

  // Two states take turns; where one lacks bits to go on, the other's symbol is the last.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t run_weights(Cta& cta, Descriptions& read, const FrameBytes& bytes,
                                                      uint32_t begin, uint32_t end, uint32_t log) {
    const uint32_t states = cta.lane() / kLanes << kWeightLog;
    BackwardStream stream;
    int32_t position = stream.start(cta, bytes, begin, end - begin);
    position -= static_cast<int32_t>(2 * log);
    if (position < 0) {
      return 0;
    }
    const uint32_t both = stream.bits_at(cta, position);
    uint32_t now = low_bits(both >> log, log);
    uint32_t other = low_bits(both, log);
    for (uint32_t count = 0; count + 2 < kMaxSymbols;) {
      const uint32_t entry = cta.load(read.states, states + now);
      const uint32_t bits = FseEntry::bits(entry, log);
      cta.store(read.weights, first_weight(cta) + count++, static_cast<uint8_t>(FseEntry::symbol(entry)));
      if (position < static_cast<int32_t>(bits)) {
        const uint32_t last = FseEntry::symbol(cta.load(read.states, states + other));
        cta.store(read.weights, first_weight(cta) + count++, static_cast<uint8_t>(last));
        return count;
      }
      position -= static_cast<int32_t>(bits);
      now = FseEntry::next(entry, log, bits, low_bits(stream.bits_at(cta, position), bits));
      const uint32_t swapped = now;
      now = other;
      other = swapped;
    }
    return 0;
  }

  // The last symbol's weight fills the sum up to a power of two. Returns the longest code's bits, 0 if there
  // is no such weight.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t complete(Cta& cta, Descriptions& read, uint32_t first,
                                                   uint32_t count) {
    uint32_t sum = 0;
    uint32_t ones = 0;
    bool too_large = false;
    for (uint32_t i = cta.lane(); i < count; i += simt::kWarpSize) {
      const uint32_t w = cta.load(read.weights, first + i);
      too_large |= w > kMaxBits;
      ones += w == 1 ? 1 : 0;
      sum += (uint32_t{1} << (w & 15)) >> 1;
    }
    sum = cta.reduce_add(sum);
    ones = cta.reduce_add(ones);
    const uint32_t log = BackwardStream::bit_width(sum);
    if (cta.any(too_large) || sum == 0 || log > kMaxBits) {
      return 0;
    }
    const uint32_t left = (uint32_t{1} << log) - sum;
    const uint32_t last = BackwardStream::bit_width(left);
    ones += last == 1 ? 1 : 0;
    if (!std::has_single_bit(left) || ones < 2 || ones % 2 != 0) {
      return 0;
    }
    if (cta.lane() == 0) {
      cta.store(read.weights, first + count, static_cast<uint8_t>(last));
    }
    cta.sync_warp();
    return log;
  }

  // Six counters of ten bits in a word, for weights 0 to 5 or 6 to 11.
  struct Counters {
    uint64_t low = 0;
    uint64_t high = 0;

    BOBBIN_HD void add(uint32_t w) {
      low += w < 6 ? uint64_t{1} << (10 * w) : 0;
      high += w < 6 ? 0 : uint64_t{1} << (10 * (w - 6));
    }
    [[nodiscard]] BOBBIN_HD uint32_t of(uint32_t w) const {
      return static_cast<uint32_t>((w < 6 ? low >> (10 * w) : high >> (10 * (w - 6))) & 1023);
    }
  };

  // A symbol of weight w fills 2^(w-1) entries; lighter ones come first, equal ones in their order.
  template <class Cta>
  BOBBIN_HD static void fill(Cta& cta, Shared& shared, const Descriptions& read, uint32_t table,
                             uint32_t count, uint32_t log) {
    Table& entries = shared.tables[table];
    const auto weight = [&](uint32_t k) {
      const uint32_t s = cta.lane() * kOwned + k;
      return s < count ? uint32_t{cta.load(read.weights, table * kMaxSymbols + s)} : 0;
    };
    Counters own;
    for (uint32_t k = 0; k < kOwned; ++k) {
      own.add(weight(k));
    }
    const Counters through{simt::sum_through(cta, own.low), simt::sum_through(cta, own.high)};
    const Counters all{cta.shfl(through.low, 31), cta.shfl(through.high, 31)};
    // Lane w knows where symbols of weight w begin.
    uint32_t start = 0;
    for (uint32_t w = 1; w < cta.lane() && w <= kMaxBits; ++w) {
      start += all.of(w) << (w - 1);
    }
    cta.store(shared.work, cta.lane(), static_cast<uint16_t>(start));
    clear(cta, entries, log);
    cta.sync_warp();
    Counters before{through.low - own.low, through.high - own.high};
    for (uint32_t k = 0; k < kOwned; ++k) {
      const uint32_t w = weight(k);
      if (w != 0) {
        const uint32_t place = cta.load(shared.work, w) + (before.of(w) << (w - 1));
        const uint32_t symbol = cta.lane() * kOwned + k;
        cta.store(entries, place, static_cast<uint16_t>((log + 1 - w) | symbol << 8));
      }
      before.add(w);
    }
    cta.sync_warp();
    spread(cta, entries, log);
    cta.sync_warp();
  }

  template <class Cta>
  BOBBIN_HD static void clear(Cta& cta, Table& entries, uint32_t log) {
    for (uint32_t i = cta.lane(); i < uint32_t{1} << log; i += simt::kWarpSize) {
      cta.store(entries, i, uint16_t{0});
    }
  }

  // Entries that are still zero become what the entry before them is.
  template <class Cta>
  BOBBIN_HD static void spread(Cta& cta, Table& entries, uint32_t log) {
    const uint32_t size = uint32_t{1} << log;
    const uint32_t up_to_own = ~uint32_t{0} >> (31 - cta.lane());
    uint32_t carried = 0;
    for (uint32_t first = 0; first < size; first += simt::kWarpSize) {
      const uint32_t i = first + cta.lane();
      const uint32_t entry = i < size ? cta.load(entries, i) : 0;
      const uint32_t set = cta.ballot(entry != 0) & up_to_own;
      const uint32_t nearest = cta.shfl(entry, 31 - static_cast<uint32_t>(std::countl_zero(set | 1)));
      const uint32_t value = set != 0 ? nearest : carried;
      if (i < size) {
        cta.store(entries, i, static_cast<uint16_t>(value));
      }
      carried = cta.shfl(value, 31);
    }
  }
};

}  // namespace bobbin::zstd
