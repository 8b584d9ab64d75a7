// SPDX-License-Identifier: Apache-2.0
// The FSE states of sequences: the one chain that cannot be cut. It does as little as possible per sequence:
// three table loads, one read, three new states; values come later, one thread per sequence.
//
// A warp has the tables of eight units, 2.5 KiB each, and four lanes for the blocks of each. Frames with one
// block use one lane in four; frames of small blocks that share tables use all. If there are so few chains
// that all of them can run at the same time, a warp has two units: chains then wait less for each other.
#pragma once

#include "codecs/zstd/fse_kernel.hpp"
#include "codecs/zstd/measure_kernel.hpp"
#include "codecs/zstd/stream_ring.hpp"
#include "core/bit_scan.hpp"

namespace bobbin::zstd {

struct DefaultCounts {
  int8_t count[kFields][kMaxTableSymbols];
  uint32_t log[kFields];
  uint32_t symbols[kFields];
};

template <uint32_t kGroups>
struct ChainKernel {
  static constexpr uint32_t kThreads = simt::kWarpSize;
  static constexpr uint32_t kLanes = simt::kWarpSize / kGroups;
  static constexpr uint32_t kEntries = 1280;  // 512 for literal lengths, 256 for offsets, 512 for matches

  using Counts = simt::Shared<int16_t, kGroups * kMaxTableSymbols>;
  using Ring = StreamRing<8>;
  struct Shared {
    simt::Shared<uint16_t, kGroups * kEntries> entries;
    Ring::Words ring;  // also Counts, while tables are built
    simt::Shared<uint16_t, kMaxTableSymbols> work;
    simt::Shared<uint8_t, 2 * kMaxTableSymbols> extra;  // bits of a symbol: literal lengths, then matches
  };

  Slice slice;
  uint32_t round;
  DefaultCounts defaults;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    list_extra(cta);
    const Span units = slice.span(cta, Divided::sequence_units, round);
    while (true) {
      const uint32_t number = units.begin + kGroups * take_ticket(cta, slice, round, Ticket::chain);
      if (number >= units.end) {
        return;
      }
      Work work;
      if (number + group(cta) < units.end) {
        work = find(cta, number + group(cta));
      }
      uint32_t stream_at = 0;
      work.active = build(cta, work, stream_at);
      decode(cta, work, stream_at);
      cta.sync_warp();  // the tables are used up
    }
  }

 private:
  template <class Cta>
  BOBBIN_HD static void list_extra(Cta& cta) {
    auto& extra = cta.template shared<Shared>().extra;
    for (uint32_t s = cta.lane(); s < kMaxTableSymbols; s += simt::kWarpSize) {
      const bool literal = s < FieldRules::num_symbols(kLiteralField);
      const bool match = s < FieldRules::num_symbols(kMatchField);
      cta.store(extra, s, static_cast<uint8_t>(literal ? LengthSymbols::literal_extra(s) : 0));
      cta.store(extra, kMaxTableSymbols + s, static_cast<uint8_t>(match ? LengthSymbols::match_extra(s) : 0));
    }
    cta.sync_warp();
  }

  // What a group of lanes works on.
  struct Work {
    bool active = false;
    uint32_t frame = 0;
    uint32_t num_blocks = 0;
    FrameBytes bytes{};
    Global<Block> blocks{};
    Global<Quad> records{};   // pairs
    Global<uint32_t> unit{};  // a SequenceUnit
    uint32_t first = 0;       // its first block
    uint32_t logs = 0;        // of the tables, 8 bits each
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t group(Cta& cta) {
    return cta.lane() / kLanes;
  }
  [[nodiscard]] BOBBIN_HD static uint32_t table_at(uint32_t group, uint32_t field) {
    return group * kEntries + (field == kLiteralField ? 0 : field == kOffsetField ? 512 : 768);
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Work find(Cta& cta, uint32_t number) const {
    Work work;
    work.frame =
        frame_of_unit(cta, slice.first_sequence_unit, slice.span(cta, Divided::frames, round), number);
    const FrameInfo info = cta.load(slice.infos, work.frame);
    const Region region = Region::of(info);
    const BatchFrame frame = slice.frame(cta, work.frame);
    work.active = true;
    work.num_blocks = info.num_blocks;
    work.bytes = FrameBytes::of(frame.in, frame.in_bytes);
    work.blocks = slice.part<Block>(info, region.blocks, info.num_blocks);
    work.records = slice.part<Quad>(info, region.sequences, info.sequences / 2);
    const auto units = slice.part<SequenceUnit>(info, region.sequence_units, info.sequence_units);
    const uint64_t index = number - cta.load(slice.first_sequence_unit, work.frame);
    work.unit = {reinterpret_cast<uint32_t*>(units.data + index), sizeof(SequenceUnit) / 4};
    work.first = cta.load(work.unit, 0);
    return work;
  }

  // Where the modes of a block with sequences are: after their number.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t modes_at(Cta& cta, const FrameBytes& bytes, const Block& block) {
    const uint32_t first = bytes.byte(cta, block.sequences_at());
    return block.sequences_at() + (first < 128 ? 1 : first < 255 ? 2 : 3);
  }

  // Reads table descriptions one after another, in the blocks that have them. Used by one lane per group.
  struct Descriptions {
    uint32_t block = UINT32_MAX;
    uint32_t modes = 0;
    uint32_t at = 0;
    uint32_t end = 0;

    template <class Cta>
    BOBBIN_HD void open(Cta& cta, const Work& work, uint32_t which) {
      const Block from = cta.load(work.blocks, which);
      block = which;
      at = modes_at(cta, work.bytes, from);
      modes = work.bytes.byte(cta, at++);
      end = from.at + from.size;
    }

    // The next description; a shape that uses 0 bytes and has no symbols means damage.
    template <class Cta, class Counts>
    [[nodiscard]] BOBBIN_HD FseShape read(Cta& cta, const Work& work, const DefaultCounts& known,
                                          uint32_t field, Counts& counts, uint32_t to) {
      const uint32_t mode = modes >> (6 - 2 * field) & 3;
      FseShape shape{};
      if (mode == 0) {
        shape = {.log = known.log[field], .symbols = known.symbols[field], .used = 0};
        for (uint32_t s = 0; s < shape.symbols; ++s) {
          cta.store(counts, to + s, static_cast<int16_t>(known.count[field][s]));
        }
      } else if (mode == 1 && at < end) {
        const uint32_t symbol = work.bytes.byte(cta, at);
        shape.used = 1;
        shape.symbols = symbol < FieldRules::num_symbols(field) ? 1 : 0;
        cta.store(counts, to, static_cast<int16_t>(symbol));
      } else if (mode == 2 && at < end) {
        shape = read_counts(cta, work.bytes, at, end, FieldRules::max_log(field),
                            FieldRules::num_symbols(field), counts, to);
        shape.symbols = shape.used == 0 ? 0 : shape.symbols;
      }
      at += shape.used;
      return shape;
    }

    // Passes over what comes before a field.
    template <class Cta, class Counts>
    [[nodiscard]] BOBBIN_HD bool pass(Cta& cta, const Work& work, const DefaultCounts& known, uint32_t field,
                                      Counts& counts, uint32_t to) {
      for (uint32_t f = 0; f < field; ++f) {
        const uint32_t mode = modes >> (6 - 2 * f) & 3;
        if (mode != 3 && read(cta, work, known, f, counts, to).symbols == 0) {
          return false;
        }
      }
      return true;
    }
  };

  // Builds the tables of all groups. False for a group that has none; its frame is refused if it is damaged.
  template <class Cta>
  BOBBIN_HD bool build(Cta& cta, Work& work, uint32_t& stream_at) const {
    auto& shared = cta.template shared<Shared>();
    auto& counts = simt::seen_as<Counts>(shared.ring);
    const bool leads = cta.lane() % kLanes == 0 && work.active;
    const uint32_t own_counts = group(cta) * kMaxTableSymbols;
    Descriptions descriptions;
    bool sound = leads;
    if (leads) {
      stream_at = modes_at(cta, work.bytes, cta.load(work.blocks, work.first)) + 1;
    }
    for (uint32_t field = 0; field < kFields; ++field) {
      FseShape shape{};
      if (sound) {
        const uint32_t described = cta.load(work.unit, 1 + field);
        if (descriptions.block != described) {
          descriptions.open(cta, work, described);
          sound = descriptions.pass(cta, work, defaults, field, counts, own_counts);
        }
      }
      if (sound) {
        shape = descriptions.read(cta, work, defaults, field, counts, own_counts);
        sound = shape.symbols != 0;
        stream_at = descriptions.block == work.first ? descriptions.at : stream_at;
      }
      cta.sync_warp();
      work.logs |= cta.shfl(shape.log, group(cta) * kLanes) << (8 * field);
      for (uint32_t g = 0; g < kGroups; ++g) {
        const FseShape of_group{.log = cta.shfl(shape.log, g * kLanes),
                                .symbols = cta.shfl(sound ? shape.symbols : 0, g * kLanes)};
        build_one(cta, shared, of_group, g, field);
      }
      cta.sync_warp();
    }
    if (leads && !sound) {
      slice.refuse(cta, work.frame, Verdict::corrupt);
    }
    stream_at = cta.shfl(stream_at, group(cta) * kLanes);
    return cta.shfl(static_cast<uint32_t>(sound), group(cta) * kLanes) != 0;
  }

  template <class Cta>
  BOBBIN_HD static void build_one(Cta& cta, Shared& shared, const FseShape& shape, uint32_t g,
                                  uint32_t field) {
    if (shape.symbols == 0) {
      return;
    }
    const auto& counts = simt::seen_as<const Counts>(shared.ring);
    if (shape.log != 0) {
      build_table(cta, counts, g * kMaxTableSymbols, shape, shared.work, shared.entries, table_at(g, field));
    } else if (cta.lane() == 0) {
      const auto symbol = static_cast<uint32_t>(cta.load(counts, g * kMaxTableSymbols));
      cta.store(shared.entries, table_at(g, field), FseEntry::pack(1, symbol));
    }
  }

  // The unit's blocks, four at a time.
  template <class Cta>
  BOBBIN_HD void decode(Cta& cta, const Work& work, uint32_t stream_at) const {
    for (uint32_t passed = 0; passed < kUnitBlocks; passed += kLanes) {
      uint32_t index = 0;
      const bool has_one = work.active && find_block(cta, work, passed + cta.lane() % kLanes, index);
      if (!cta.any(has_one)) {
        return;
      }
      Block block{};
      uint32_t begin = 0;
      if (has_one) {
        block = cta.load(work.blocks, index);
        begin = index == work.first ? stream_at : modes_at(cta, work.bytes, block) + 1;
      }
      cta.sync_warp();  // lanes have looked for their blocks apart; chains run together
      if (has_one && !run_chain(cta, work, block, begin)) {
        slice.refuse(cta, work.frame, Verdict::corrupt);
      }
    }
  }

  // The unit's block number `wanted` that has sequences.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static bool find_block(Cta& cta, const Work& work, uint32_t wanted,
                                                 uint32_t& index) {
    for (index = work.first; index < work.num_blocks; ++index) {
      const Block block = cta.load(work.blocks, index);
      if (index != work.first && block.starts_sequence_unit()) {
        return false;
      }
      if (block.sequences != 0 && wanted-- == 0) {
        return true;
      }
    }
    return false;
  }

  // One of a chain's three states.
  struct State {
    uint32_t log = 0;
    uint32_t base = 0;   // of its table, less the number of states
    uint32_t index = 0;  // in all entries
    uint32_t entry = 0;

    BOBBIN_HD State(const Work& work, uint32_t group, uint32_t field)
        : log(work.logs >> (8 * field) & 255), base(table_at(group, field) - (uint32_t{1} << log)) {}

    template <class Cta>
    BOBBIN_HD void load(Cta& cta) {
      entry = cta.load(cta.template shared<Shared>().entries, index);
    }
    [[nodiscard]] BOBBIN_HD uint32_t symbol() const { return FseEntry::symbol(entry); }
    // Takes the highest bits of `left` for the next state; returns how many.
    BOBBIN_HD uint32_t move(uint32_t& left) { return move(FseEntry::number(entry), left); }
    BOBBIN_HD void begin(uint32_t& left) { move(1, left); }

   private:
    BOBBIN_HD uint32_t move(uint32_t number, uint32_t& left) {
      const uint32_t bits = log - (31 - leading_zeros(number));
      index = base + shift_in(number, left, bits);
      left <<= bits;
      return bits;
    }
  };

  // False where the stream has too few or too many bits.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool run_chain(Cta& cta, const Work& work, const Block& block,
                                         uint32_t begin) const {
    auto& shared = cta.template shared<Shared>();
    BackwardStream stream;
    const int32_t length = stream.start(cta, work.bytes, begin, block.at + block.size - begin);
    if (length < 0) {
      return false;
    }
    // Nothing below the frame's start is read: 8 bytes of headers or more are before the first stream.
    Ring ring(work.bytes.words);
    const uint32_t end = ring.bits_before() + stream.first_bit;
    uint32_t at = end + static_cast<uint32_t>(length);
    ring.start(cta, shared.ring, at);
    State literal(work, group(cta), kLiteralField);
    State offset(work, group(cta), kOffsetField);
    State match(work, group(cta), kMatchField);
    uint32_t bits = ring.below(cta, shared.ring, at);
    literal.begin(bits);
    offset.begin(bits);
    match.begin(bits);
    at -= literal.log + offset.log + match.log;
    const uint64_t to = block.sequences_begin / 2;
    uint64_t kept = 0;
    // A position may fall below the end: it stays there, and records after it are not used.
    for (uint32_t i = 0;;) {
      literal.load(cta);
      offset.load(cta);
      match.load(cta);
      const uint64_t record = Symbols::pack(at - end, literal.symbol(), offset.symbol(), match.symbol());
      if (i % 2 != 0) {
        store_pair(cta, work.records, to + i / 2, kept, record);
      }
      kept = record;
      at -= offset.symbol() + cta.load(shared.extra, literal.symbol()) +
            cta.load(shared.extra, kMaxTableSymbols + match.symbol());
      if (++i == block.sequences || at < end) {
        break;
      }
      bits = ring.below(cta, shared.ring, at);
      at -= literal.move(bits);
      at -= match.move(bits);
      at -= offset.move(bits);
    }
    // After the last record: where the stream begins, for those who read the values.
    const bool alone = block.sequences % 2 == 0;
    store_pair(cta, work.records, to + block.sequences / 2, alone ? begin : kept, alone ? 0 : begin);
    return at == end;
  }

  template <class Cta>
  BOBBIN_HD static void store_pair(Cta& cta, Global<Quad> records, uint64_t at, uint64_t first,
                                   uint64_t second) {
    cta.store(records, at,
              Quad{{static_cast<uint32_t>(first), static_cast<uint32_t>(first >> 32),
                    static_cast<uint32_t>(second), static_cast<uint32_t>(second >> 32)}});
  }
};

}  // namespace bobbin::zstd
