// SPDX-License-Identifier: Apache-2.0
// Huffman-coded literals. A warp builds the table of a unit and decodes its blocks, eight at a time, with one
// lane per stream.
#pragma once

#include "codecs/zstd/fse_kernel.hpp"
#include "codecs/zstd/measure_kernel.hpp"

namespace bobbin::zstd {

// A Huffman table in shared memory: for the next `log` bits a symbol, and how many of them it takes.
struct HuffmanBuilder {
  static constexpr uint32_t kMaxBits = 11;
  static constexpr uint32_t kMaxSymbols = 256;
  static constexpr uint32_t kOwned = kMaxSymbols / simt::kWarpSize;  // symbols of a lane
  static constexpr uint32_t kWeightLog = 6;

  struct Shared {
    simt::Shared<uint16_t, 1 << kMaxBits> table;
    simt::Shared<uint8_t, kMaxSymbols> weights;
    simt::Shared<uint16_t, 1 << kWeightLog> states;
    simt::Shared<int16_t, kMaxTableSymbols> counts;
    simt::Shared<uint16_t, kMaxTableSymbols> work;
  };

  // What a tree's description came to.
  struct Tree {
    uint32_t log = 0;   // 0: it is damaged
    uint32_t used = 0;  // bytes
  };

  // Reads the tree in bytes at .. at+size-1 of a frame and fills the table. By a whole warp.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Tree build(Cta& cta, Shared& shared, const FrameBytes& bytes, uint32_t at,
                                            uint32_t size) {
    const uint32_t header = size == 0 ? 0 : bytes.byte(cta, at);
    uint32_t count = 0;
    Tree tree;
    if (header >= 128) {
      count = header - 127;
      tree.used = 1 + (count + 1) / 2;
      if (tree.used > size) {
        return {};
      }
      for (uint32_t i = cta.lane(); i < count; i += simt::kWarpSize) {
        const uint32_t two = bytes.byte(cta, at + 1 + i / 2);
        cta.store(shared.weights, i, static_cast<uint8_t>(i % 2 == 0 ? two >> 4 : two & 15));
      }
    } else {
      tree.used = 1 + header;
      if (header == 0 || tree.used > size) {
        return {};
      }
      count = read_weights(cta, shared, bytes, at + 1, at + tree.used);
    }
    cta.sync_warp();
    tree.log = count == 0 ? 0 : complete(cta, shared, count);
    if (tree.log != 0) {
      fill(cta, shared, count + 1, tree.log);
    }
    return tree;
  }

 private:
  // Weights coded by FSE. Returns their number; 0 if they are damaged.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t read_weights(Cta& cta, Shared& shared, const FrameBytes& bytes,
                                                       uint32_t begin, uint32_t end) {
    FseShape shape;
    if (cta.lane() == 0) {
      shape = read_counts(cta, bytes, begin, end, kWeightLog, kMaxBits + 1, shared.counts, 0);
    }
    cta.sync_warp();
    shape = {cta.shfl(shape.log, 0), cta.shfl(shape.symbols, 0), cta.shfl(shape.used, 0)};
    if (shape.used == 0) {
      return 0;
    }
    build_table(cta, shared.counts, 0, shape, shared.work, shared.states, 0);
    uint32_t count = 0;
    if (cta.lane() == 0) {
      count = run_weights(cta, shared, bytes, begin + shape.used, end, shape.log);
    }
    return cta.shfl(count, 0);
  }

  // Two states take turns; where one lacks bits to go on, the other's symbol is the last.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t run_weights(Cta& cta, Shared& shared, const FrameBytes& bytes,
                                                      uint32_t begin, uint32_t end, uint32_t log) {
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
      const uint32_t entry = cta.load(shared.states, now);
      const uint32_t bits = FseEntry::bits(entry, log);
      cta.store(shared.weights, count++, static_cast<uint8_t>(FseEntry::symbol(entry)));
      if (position < static_cast<int32_t>(bits)) {
        const uint32_t last = FseEntry::symbol(cta.load(shared.states, other));
        cta.store(shared.weights, count++, static_cast<uint8_t>(last));
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
  [[nodiscard]] BOBBIN_HD static uint32_t complete(Cta& cta, Shared& shared, uint32_t count) {
    uint32_t sum = 0;
    uint32_t ones = 0;
    bool too_large = false;
    for (uint32_t i = cta.lane(); i < count; i += simt::kWarpSize) {
      const uint32_t w = cta.load(shared.weights, i);
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
      cta.store(shared.weights, count, static_cast<uint8_t>(last));
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
  BOBBIN_HD static void fill(Cta& cta, Shared& shared, uint32_t count, uint32_t log) {
    const auto weight = [&](uint32_t k) {
      const uint32_t s = cta.lane() * kOwned + k;
      return s < count ? uint32_t{cta.load(shared.weights, s)} : 0;
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
    clear(cta, shared, log);
    cta.sync_warp();
    Counters before{through.low - own.low, through.high - own.high};
    for (uint32_t k = 0; k < kOwned; ++k) {
      const uint32_t w = weight(k);
      if (w != 0) {
        const uint32_t place = cta.load(shared.work, w) + (before.of(w) << (w - 1));
        const uint32_t symbol = cta.lane() * kOwned + k;
        cta.store(shared.table, place, static_cast<uint16_t>(symbol | (log + 1 - w) << 8));
      }
      before.add(w);
    }
    cta.sync_warp();
    spread(cta, shared, log);
    cta.sync_warp();
  }

  template <class Cta>
  BOBBIN_HD static void clear(Cta& cta, Shared& shared, uint32_t log) {
    for (uint32_t i = cta.lane(); i < uint32_t{1} << log; i += simt::kWarpSize) {
      cta.store(shared.table, i, uint16_t{0});
    }
  }

  // Entries that are still zero become what the entry before them is.
  template <class Cta>
  BOBBIN_HD static void spread(Cta& cta, Shared& shared, uint32_t log) {
    const uint32_t size = uint32_t{1} << log;
    const uint32_t up_to_own = ~uint32_t{0} >> (31 - cta.lane());
    uint32_t carried = 0;
    for (uint32_t first = 0; first < size; first += simt::kWarpSize) {
      const uint32_t i = first + cta.lane();
      const uint32_t entry = i < size ? cta.load(shared.table, i) : 0;
      const uint32_t set = cta.ballot(entry != 0) & up_to_own;
      const uint32_t nearest = cta.shfl(entry, 31 - static_cast<uint32_t>(std::countl_zero(set | 1)));
      const uint32_t value = set != 0 ? nearest : carried;
      if (i < size) {
        cta.store(shared.table, i, static_cast<uint16_t>(value));
      }
      carried = cta.shfl(value, 31);
    }
  }
};

struct LiteralsKernel {
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kMinBlocks = 10;  // 48 registers: with 40 it spills
  static constexpr uint32_t kStreams = 4;
  static constexpr uint32_t kBlocks = simt::kWarpSize / kStreams;  // at a time

  struct Shared {
    HuffmanBuilder::Shared warps[kWarps];
  };

  Slice slice;
  uint32_t round;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const Span units = slice.span(cta, Divided::literal_units, round);
    while (true) {
      const uint32_t number = units.begin + take_ticket(cta, slice, round, Ticket::literals);
      if (number >= units.end) {
        return;
      }
      decode_unit(cta, number);
      cta.sync_warp();
    }
  }

 private:
  struct Work {
    FrameBytes bytes{};
    Global<Block> blocks{};
    Global<uint8_t> literals{};
    LiteralUnit unit{};
    uint32_t log = 0;
    uint32_t tree_bytes = 0;  // in front of the first block's streams
  };

  template <class Cta>
  BOBBIN_HD void decode_unit(Cta& cta, uint32_t number) const {
    const uint32_t frame_index =
        frame_of_unit(cta, slice.first_literal_unit, slice.span(cta, Divided::frames, round), number);
    const FrameInfo info = cta.load(slice.infos, frame_index);
    const Region region = Region::of(info);
    const BatchFrame frame = slice.frame(cta, frame_index);
    const auto units = slice.part<LiteralUnit>(info, region.literal_units, info.literal_units);
    Work work;
    work.bytes = FrameBytes::of(frame.in, frame.in_bytes);
    work.blocks = slice.part<Block>(info, region.blocks, info.num_blocks);
    work.literals = slice.part<uint8_t>(info, region.literals, round_up<uint32_t>(info.literals, 8));
    work.unit = cta.load(units, number - cta.load(slice.first_literal_unit, frame_index));
    const Block with_tree = cta.load(work.blocks, work.unit.tree);
    auto& shared = cta.template shared<Shared>().warps[cta.warp()];
    const auto tree =
        HuffmanBuilder::build(cta, shared, work.bytes, with_tree.literals_at, with_tree.literals_stored);
    work.log = tree.log;
    work.tree_bytes = work.unit.tree == work.unit.first ? tree.used : 0;
    const bool sound = tree.log != 0 && decode_blocks(cta, work, shared);
    if (!cta.all(sound) && cta.lane() == 0) {
      slice.refuse(cta, frame_index, Verdict::corrupt);
    }
  }

  // False for a lane whose stream is damaged.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool decode_blocks(Cta& cta, const Work& work,
                                             const HuffmanBuilder::Shared& shared) const {
    bool sound = true;
    for (uint32_t passed = 0; passed < kUnitBlocks; passed += kBlocks) {
      uint32_t index = 0;
      const bool has_one = find_block(cta, work, passed + cta.lane() / kStreams, index);
      if (!cta.any(has_one)) {
        break;
      }
      Stream stream;
      if (has_one) {
        stream = find_stream(cta, work, index);
        sound &= stream.sound;
      }
      cta.sync_warp();  // lanes have looked for their streams apart; they decode together
      if (has_one && stream.sound && stream.present) {
        sound &= decode_stream(cta, work, shared, stream);
      }
    }
    return sound;
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static bool find_block(Cta& cta, const Work& work, uint32_t wanted,
                                                 uint32_t& index) {
    for (index = work.unit.first; index < work.blocks.size; ++index) {
      const Block block = cta.load(work.blocks, index);
      if (index != work.unit.first && block.starts_literal_unit()) {
        return false;
      }
      if (block.kind() == 2 && block.has_huffman() && wanted-- == 0) {
        return true;
      }
    }
    return false;
  }

  struct Stream {
    bool sound = true;
    bool present = false;
    uint32_t at = 0;  // in the frame
    uint32_t size = 0;
    uint32_t to = 0;  // in the frame's literals
    uint32_t count = 0;
  };

  // The lane's stream of a block.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Stream find_stream(Cta& cta, const Work& work, uint32_t index) {
    constexpr uint32_t kJumpBytes = 6;
    const Block block = cta.load(work.blocks, index);
    const uint32_t own_tree = index == work.unit.first ? work.tree_bytes : 0;
    const uint32_t number = cta.lane() % kStreams;
    const uint32_t literals = block.num_literals();
    Stream stream{.at = block.literals_at + own_tree, .size = block.literals_stored - own_tree};
    if (!block.four_streams()) {
      stream.present = number == 0;
      stream.to = block.literals_begin;
      stream.count = literals;
      return stream;
    }
    if (stream.size < kJumpBytes + kStreams || literals < 6) {
      stream.sound = false;
      return stream;
    }
    uint32_t left = stream.size - kJumpBytes;
    uint32_t at = stream.at + kJumpBytes;
    for (uint32_t i = 0; i <= number && stream.sound; ++i) {
      const uint32_t size = i < kStreams - 1 ? work.bytes.word(cta, stream.at + 2 * i) & 0xffff : left;
      stream.sound = size <= left;
      stream.size = size;
      at += i < number ? size : 0;
      left -= size;
    }
    const uint32_t share = (literals + 3) / kStreams;
    stream.present = true;
    stream.at = at;
    stream.to = block.literals_begin + number * share;
    stream.count = number < kStreams - 1 ? share : literals - (kStreams - 1) * share;
    return stream;
  }

  // A stream's state: the position, and where the next symbol goes.
  struct Cursor {
    BackwardStream stream{};
    int32_t position = 0;
    uint32_t log = 0;
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool decode_stream(Cta& cta, const Work& work, const HuffmanBuilder::Shared& shared,
                                             const Stream& stream) const {
    constexpr uint32_t kAtOnce = 8;
    constexpr int32_t kEnough = 108;  // bits for eight symbols, and for the reads that get them
    Cursor cursor;
    cursor.log = work.log;
    cursor.position = cursor.stream.start(cta, work.bytes, stream.at, stream.size);
    if (cursor.position < 0) {
      return false;
    }
    uint32_t to = stream.to;
    const uint32_t end = stream.to + stream.count;
    const Global<uint64_t> eights{reinterpret_cast<uint64_t*>(work.literals.data), work.literals.size / 8};
    while (to < end) {
      if (to % kAtOnce == 0 && end - to >= kAtOnce && cursor.position >= kEnough) {
        const uint64_t low = four(cta, shared, cursor);
        cta.store(eights, to / kAtOnce, low | uint64_t{four(cta, shared, cursor)} << 32);
        to += kAtOnce;
      } else {
        if (cursor.position <= 0) {
          return false;
        }
        cta.store(work.literals, to++, static_cast<uint8_t>(one(cta, shared, cursor)));
      }
    }
    return cursor.position == 0;
  }

  // One symbol. Where fewer bits than the longest code's are left, zeros follow them.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t one(Cta& cta, const HuffmanBuilder::Shared& shared,
                                              Cursor& cursor) {
    const int32_t at = cursor.position - static_cast<int32_t>(cursor.log);
    const uint32_t bits = at >= 0 ? cursor.stream.bits_at(cta, at)
                                  : cursor.stream.bits_at(cta, 0) << static_cast<uint32_t>(-at);
    const uint32_t entry = cta.load(shared.table, low_bits(bits, cursor.log));
    cursor.position -= static_cast<int32_t>(entry >> 8);
    return entry & 255;
  }

  // Four symbols, from the 64 bits before the position.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t four(Cta& cta, const HuffmanBuilder::Shared& shared,
                                               Cursor& cursor) {
    const uint32_t bit = cursor.stream.first_bit + static_cast<uint32_t>(cursor.position) - 64;
    const auto& words = cursor.stream.bytes.words;
    const uint32_t index = bit / 32;
    const uint32_t middle = cta.load(words, index + 1);
    const uint32_t last = cta.load(words, index + 2 <= cursor.stream.last_word ? index + 2 : index + 1);
    uint64_t window =
        uint64_t{funnel(middle, last, bit % 32)} << 32 | funnel(cta.load(words, index), middle, bit % 32);
    uint32_t symbols = 0;
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t entry = cta.load(shared.table, static_cast<uint32_t>(window >> (64 - cursor.log)));
      window <<= entry >> 8;
      cursor.position -= static_cast<int32_t>(entry >> 8);
      symbols |= (entry & 255) << (8 * i);
    }
    return symbols;
  }
};

}  // namespace bobbin::zstd
