// SPDX-License-Identifier: Apache-2.0
// The FSE states of sequences: the one chain that cannot be cut. It does as little as possible per sequence:
// three table loads, one read, three new states; values come later, one thread per sequence.
//
// A warp has the tables of four units, 5 KiB each, and eight lanes for the blocks of each. Frames with one
// block use one lane in eight, which measured best; frames of small blocks that share tables use all.
#pragma once

#include "codecs/zstd/fse_kernel.hpp"
#include "codecs/zstd/measure_kernel.hpp"

namespace bobbin::zstd {

struct DefaultCounts {
  int8_t count[kFields][kMaxTableSymbols];
  uint32_t log[kFields];
  uint32_t symbols[kFields];
};

struct ChainKernel {
  static constexpr uint32_t kThreads = simt::kWarpSize;
  static constexpr uint32_t kGroups = 4;
  static constexpr uint32_t kLanes = simt::kWarpSize / kGroups;
  static constexpr uint32_t kEntries = 1280;  // 512 for literal lengths, 256 for offsets, 512 for matches

  struct Shared {
    simt::Shared<uint32_t, kGroups * kEntries> entries;
    simt::Shared<int16_t, kGroups * kMaxTableSymbols> counts;
    simt::Shared<uint16_t, kMaxTableSymbols> work;
  };

  Slice slice;
  uint32_t round;
  DefaultCounts defaults;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
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
    [[nodiscard]] BOBBIN_HD FseShape read(Cta& cta, const Work& work, const DefaultCounts& defaults,
                                          uint32_t field, Counts& counts, uint32_t to) {
      const uint32_t mode = modes >> (6 - 2 * field) & 3;
      FseShape shape{};
      if (mode == 0) {
        shape = {.log = defaults.log[field], .symbols = defaults.symbols[field], .used = 0};
        for (uint32_t s = 0; s < shape.symbols; ++s) {
          cta.store(counts, to + s, static_cast<int16_t>(defaults.count[field][s]));
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
    [[nodiscard]] BOBBIN_HD bool pass(Cta& cta, const Work& work, const DefaultCounts& defaults,
                                      uint32_t field, Counts& counts, uint32_t to) {
      for (uint32_t f = 0; f < field; ++f) {
        const uint32_t mode = modes >> (6 - 2 * f) & 3;
        if (mode != 3 && read(cta, work, defaults, f, counts, to).symbols == 0) {
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
          sound = descriptions.pass(cta, work, defaults, field, shared.counts, own_counts);
        }
      }
      if (sound) {
        shape = descriptions.read(cta, work, defaults, field, shared.counts, own_counts);
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
    const auto extra = [field](uint32_t s) { return FieldRules::extra_bits(field, s); };
    if (shape.log != 0) {
      build_table(cta, shared.counts, g * kMaxTableSymbols, shape, shared.work, shared.entries,
                  table_at(g, field), extra);
    } else if (cta.lane() == 0) {
      const auto symbol = static_cast<uint32_t>(cta.load(shared.counts, g * kMaxTableSymbols));
      cta.store(shared.entries, table_at(g, field), FseEntry::pack(0, 0, symbol, extra(symbol)));
    }
  }

  // The unit's blocks, eight at a time.
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

  // False where the stream has too few or too many bits.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool run_chain(Cta& cta, const Work& work, const Block& block,
                                         uint32_t begin) const {
    const auto& entries = cta.template shared<Shared>().entries;
    const uint32_t tables = group(cta) * kEntries;
    BackwardStream stream;
    int32_t position = stream.start(cta, work.bytes, begin, block.at + block.size - begin);
    const auto first_state = [&](uint32_t field) {
      const uint32_t log = work.logs >> (8 * field) & 255;
      position -= static_cast<int32_t>(log);
      return position < 0 ? 0 : low_bits(stream.bits_at(cta, position), log);
    };
    uint32_t literal = first_state(kLiteralField);
    uint32_t offset = first_state(kOffsetField);
    uint32_t match = first_state(kMatchField);
    if (position < 0) {
      return false;
    }
    const uint64_t to = block.sequences_begin / 2;
    uint64_t kept = 0;
    for (uint32_t i = 0; i < block.sequences; ++i) {
      const uint32_t l = cta.load(entries, tables + literal);
      const uint32_t o = cta.load(entries, tables + 512 + offset);
      const uint32_t m = cta.load(entries, tables + 768 + match);
      const uint64_t record = Symbols::pack(static_cast<uint32_t>(position), FseEntry::symbol(l),
                                            FseEntry::symbol(o), FseEntry::symbol(m));
      if (i % 2 != 0) {
        store_pair(cta, work.records, to + i / 2, kept, record);
      }
      kept = record;
      const uint32_t match_bits = FseEntry::bits(m);
      const uint32_t offset_bits = FseEntry::bits(o);
      uint32_t taken = FseEntry::all_bits(l) + FseEntry::all_bits(o) + FseEntry::all_bits(m);
      if (i + 1 == block.sequences) {  // the states do not move on
        taken -= FseEntry::bits(l) + match_bits + offset_bits;
        position -= static_cast<int32_t>(taken);
        break;
      }
      position -= static_cast<int32_t>(taken);
      if (position < 0) {
        return false;
      }
      const uint32_t bits = stream.bits_at(cta, position);
      literal = FseEntry::next(l) + low_bits(bits >> (match_bits + offset_bits), FseEntry::bits(l));
      match = FseEntry::next(m) + low_bits(bits >> offset_bits, match_bits);
      offset = FseEntry::next(o) + low_bits(bits, offset_bits);
    }
    // After the last record: where the stream begins, for those who read the values.
    const bool alone = block.sequences % 2 == 0;
    store_pair(cta, work.records, to + block.sequences / 2, alone ? begin : kept, alone ? 0 : begin);
    return position == 0;
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
