// SPDX-License-Identifier: Apache-2.0
// Huffman-coded literals. A warp builds the tables of some units and decodes their blocks, some at a time,
// with one lane per stream.
#pragma once

#include "codecs/zstd/huffman_kernel.hpp"
#include "codecs/zstd/measure_kernel.hpp"
#include "codecs/zstd/stream_ring.hpp"
#include "core/bit_scan.hpp"
#include "core/permute_bytes.hpp"

namespace bobbin::zstd {

template <uint32_t kGroups>
struct LiteralsKernel {
  static constexpr uint32_t kThreads = simt::kWarpSize;
  static constexpr uint32_t kLanes = simt::kWarpSize / kGroups;
  static constexpr uint32_t kStreams = 4;
  static constexpr uint32_t kBlocks = kLanes / kStreams;  // of a unit, at a time
  using Builder = HuffmanBuilder<kGroups>;
  using Ring = StreamRing<16>;

  struct Shared {
    typename Builder::Shared builder;
    Ring::Words ring;
  };

  Slice slice;
  uint32_t round;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const Span units = slice.span(cta, Divided::literal_units, round);
    while (true) {
      const uint32_t number = units.begin + kGroups * take_ticket(cta, slice, round, Ticket::literals);
      if (number >= units.end) {
        return;
      }
      Work work;
      if (number + cta.lane() / kLanes < units.end) {
        work = find(cta, number + cta.lane() / kLanes);
      }
      cta.sync_warp();
      build(cta, work);
      cta.sync_warp();
      if (!decode_blocks(cta, work)) {
        slice.refuse(cta, work.frame, Verdict::corrupt);
      }
      cta.sync_warp();
    }
  }

 private:
  // What a group of lanes works on.
  struct Work {
    uint32_t frame = 0;
    FrameBytes bytes{};
    Global<Block> blocks{};
    Global<uint8_t> literals{};
    LiteralUnit unit{};
    uint32_t log = 0;         // 0: there is nothing to do
    uint32_t tree_bytes = 0;  // in front of the first block's streams
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Work find(Cta& cta, uint32_t number) const {
    Work work;
    work.frame =
        frame_of_unit(cta, slice.first_literal_unit, slice.span(cta, Divided::frames, round), number);
    const FrameInfo info = cta.load(slice.infos, work.frame);
    const Region region = Region::of(info);
    const BatchFrame frame = slice.frame(cta, work.frame);
    const auto units = slice.part<LiteralUnit>(info, region.literal_units, info.literal_units);
    work.bytes = FrameBytes::of(frame.in, frame.in_bytes);
    work.blocks = slice.part<Block>(info, region.blocks, info.num_blocks);
    work.literals = slice.part<uint8_t>(info, region.literals, round_up<uint32_t>(info.literals, 8));
    work.unit = cta.load(units, number - cta.load(slice.first_literal_unit, work.frame));
    return work;
  }

  // The tables of all groups.
  template <class Cta>
  BOBBIN_HD void build(Cta& cta, Work& work) const {
    auto& shared = cta.template shared<Shared>();
    auto& read = simt::seen_as<typename Builder::Descriptions>(shared.ring);
    const bool present = work.blocks.size != 0;
    const Block with_tree = present ? cta.load(work.blocks, work.unit.tree) : Block{};
    const auto tree = Builder::build(cta, shared.builder, read, work.bytes, with_tree.literals_at,
                                     with_tree.literals_stored);
    work.log = tree.log;
    work.tree_bytes = work.unit.tree == work.unit.first ? tree.used : 0;
    if (present && tree.log == 0) {
      slice.refuse(cta, work.frame, Verdict::corrupt);
    }
  }

  // False for a lane whose stream is damaged.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool decode_blocks(Cta& cta, const Work& work) const {
    bool sound = true;
    uint32_t index = work.unit.first;
    uint32_t passed = cta.lane() % kLanes / kStreams;  // blocks of other lanes before the lane's next one
    bool has_one = work.log != 0;
    for (uint32_t done = 0; done < kUnitBlocks; done += kBlocks) {
      has_one = has_one && find_block(cta, work, passed, index);
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
        sound &= decode_stream(cta, work, stream);
      }
      cta.sync_warp();
      passed = kBlocks - 1;
      ++index;
    }
    return sound;
  }

  // From `index` on, the unit's next block with Huffman streams after `passed` others.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static bool find_block(Cta& cta, const Work& work, uint32_t passed,
                                                 uint32_t& index) {
    for (; index < work.blocks.size; ++index) {
      const Block block = cta.load(work.blocks, index);
      if (index != work.unit.first && block.starts_literal_unit()) {
        return false;
      }
      if (block.kind() == 2 && block.has_huffman() && passed-- == 0) {
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

  // A stream's state.
  struct Cursor {
    Ring ring{};
    uint32_t log = 0;
    uint32_t end = 0;  // of the stream: its first bit
    uint32_t at = 0;   // bits below this one are left
  };

  // The table of the lane's group.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static typename Builder::Table& table_of(Cta& cta) {
    return cta.template shared<Shared>().builder.tables[cta.lane() / kLanes];
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool decode_stream(Cta& cta, const Work& work, const Stream& stream) const {
    BackwardStream backward;
    const int32_t length = backward.start(cta, work.bytes, stream.at, stream.size);
    if (length < 0) {
      return false;
    }
    auto& shared = cta.template shared<Shared>();
    Cursor cursor{.ring = Ring(work.bytes.words), .log = work.log};
    cursor.end = cursor.ring.bits_before() + backward.first_bit;
    cursor.at = cursor.end + static_cast<uint32_t>(length);
    cursor.ring.start(cta, shared.ring, cursor.at);
    constexpr uint32_t kAtOnce = 8;
    const uint32_t end = stream.to + stream.count;
    const uint32_t aligned = round_up(stream.to, kAtOnce);
    const uint32_t last = end / kAtOnce * kAtOnce;
    uint32_t to = stream.to;
    bool sound = one_by_one(cta, work, cursor, to, aligned < end ? aligned : end);
    const Global<uint64_t> eights{reinterpret_cast<uint64_t*>(work.literals.data), work.literals.size / 8};
    for (; sound && to < last; to += kAtOnce) {
      cta.store(eights, to / kAtOnce, eight(cta, cursor, sound));
    }
    return sound && one_by_one(cta, work, cursor, to, end) && cursor.at == cursor.end;
  }

  // Literals to .. end-1. False where the stream has too few bits.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static bool one_by_one(Cta& cta, const Work& work, Cursor& cursor, uint32_t& to,
                                                 uint32_t end) {
    for (; to < end; ++to) {
      if (cursor.at <= cursor.end) {
        return false;
      }
      cta.store(work.literals, to, static_cast<uint8_t>(one(cta, cursor)));
    }
    return true;
  }

  // One symbol. Where fewer bits than the longest code's are left, zeros follow them; then `at` may fall
  // below the end. At least 8 bytes of headers are before a frame's first stream, so 32 bits can be read.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t one(Cta& cta, Cursor& cursor) {
    auto& shared = cta.template shared<Shared>();
    const uint32_t bits = cursor.ring.below(cta, shared.ring, cursor.at);
    const uint32_t left = cursor.at - cursor.end;
    const uint32_t absent = left < 32 ? ~uint32_t{0} >> left : 0;
    const uint32_t entry = cta.load(table_of(cta), (bits & ~absent) >> (32 - cursor.log));
    cursor.at -= entry & 255;
    return entry >> 8;
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint64_t eight(Cta& cta, Cursor& cursor, bool& sound) {
    constexpr uint32_t kMostBits = 8 * Builder::kMaxBits;
    if (cursor.at >= cursor.end + kMostBits) {
      return eight_at_once(cta, cursor);
    }
    uint64_t symbols = 0;
    for (uint32_t i = 0; i < 8; ++i) {
      sound &= cursor.at > cursor.end;
      symbols |= sound ? uint64_t{one(cta, cursor)} << (8 * i) : 0;
    }
    return symbols;
  }

  // From the 128 bits below the position: four symbols are in the upper 64, and four more after these.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint64_t eight_at_once(Cta& cta, Cursor& cursor) {
    constexpr uint32_t kWindow = 128;
    static_assert(kWindow <= Ring::kMostBelow && 4 * Builder::kMaxBits + 64 <= kWindow);
    auto& ring = cta.template shared<Shared>().ring;
    cursor.ring.reach(cta, ring, cursor.at, kWindow);
    const uint32_t bit = cursor.at - kWindow;
    uint32_t words[4];
    uint32_t lower = Ring::word(cta, ring, bit / 32);
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t upper = Ring::word(cta, ring, bit / 32 + 1 + i);
      words[i] = funnel(lower, upper, bit % 32);
      lower = upper;
    }
    uint32_t taken = 0;
    const uint32_t low = four(cta, cursor, words[3], words[2], taken);
    const bool next = taken >= 32;
    const uint32_t first = next ? words[2] : words[3];
    const uint32_t second = next ? words[1] : words[2];
    const uint32_t third = next ? words[0] : words[1];
    cursor.at -= taken;
    const uint32_t high =
        four(cta, cursor, shift_left(first, second, taken), shift_left(second, third, taken), taken);
    cursor.at -= taken;
    return low | uint64_t{high} << 32;
  }

  // Four symbols from the 64 bits of two words; `taken` becomes how many they take.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t four(Cta& cta, const Cursor& cursor, uint32_t high, uint32_t low,
                                               uint32_t& taken) {
    uint32_t entries[4];
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < 4; ++i) {
      entries[i] = cta.load(table_of(cta), high >> (32 - cursor.log));
      high = shift_left(high, low, entries[i]);
      low <<= entries[i] % 32;
    }
    taken = (entries[0] + entries[1] + entries[2] + entries[3]) & 255;
    return permute_bytes(permute_bytes(entries[0], entries[1], 0x0051),
                         permute_bytes(entries[2], entries[3], 0x0051), 0x5410);
  }
};

}  // namespace bobbin::zstd
