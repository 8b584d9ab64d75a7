// SPDX-License-Identifier: Apache-2.0
// The FSE states of sequences: the one chain that cannot be cut. It does as little as possible per sequence:
// three table loads, one sum, three new states; values come later, one thread per sequence.
//
// A step waits for its table loads and for nothing else. An entry has all that a step needs of a state, and
// bits are loaded as soon as it is known where they end, before it is known how many belong to states. Eight
// sequences are decoded without a test. If it turns out that they needed more bits than were there, they are
// done again one by one.
//
// A block has the tables of eight units, 5 KiB each. Four warps build them, and two use them: each with four
// lanes per unit, a lane per block. Frames with one block use one lane in four of one warp; frames of 16
// small blocks that share tables use all. If there are so few chains that all of them can run at the same
// time, a block has two units.
#pragma once

#include "codecs/zstd/fse_kernel.hpp"
#include "codecs/zstd/measure_kernel.hpp"
#include "codecs/zstd/sector_ring.hpp"
#include "core/bit_scan.hpp"
#include "core/permute_bytes.hpp"

namespace bobbin::zstd {

struct DefaultCounts {
  int8_t count[kFields][kMaxTableSymbols];
  uint32_t log[kFields];
  uint32_t symbols[kFields];
};

// A state of one of the three tables: everything a step needs of it, in one load.
struct ChainEntry {
  static constexpr uint32_t kBits = 9;     // where the number of bits for the next state is; below: the state
  static constexpr uint32_t kSymbol = 16;  // a byte: three entries have their symbols at the same place
  static constexpr uint32_t kUsed = 24;    // all bits that it takes, as a negative number

  [[nodiscard]] BOBBIN_HD static uint32_t pack(uint32_t number, uint32_t symbol, uint32_t log,
                                               uint32_t extra) {
    const uint32_t bits = log - (31 - leading_zeros(number));
    const uint32_t next = (number << bits) - (uint32_t{1} << log);
    return next | bits << kBits | symbol << kSymbol | (0 - (bits + extra)) << kUsed;
  }
  // The next state, if the bits that follow are 0.
  [[nodiscard]] BOBBIN_HD static uint32_t next(uint32_t entry) { return low_bits(entry, kBits); }
  [[nodiscard]] BOBBIN_HD static uint32_t bits(uint32_t entry) { return entry >> kBits & 15; }
  // What three states take from a position. Sums of the bits below do not reach the highest eight.
  [[nodiscard]] BOBBIN_HD static int32_t used(uint32_t sum) { return static_cast<int32_t>(sum) >> kUsed; }
};

template <uint32_t kGroups>
struct ChainKernel {
  static constexpr uint32_t kWarps = ceil_div<uint32_t>(kGroups, 2);  // that build tables
  static constexpr uint32_t kDecoders = kWarps < 2 ? 1 : 2;           // warps that use them
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kLanes = simt::kWarpSize / kGroups;
  static constexpr uint32_t kStates = 512;    // of a table; those of offsets have half of them
  static constexpr uint32_t kEntries = 1280;  // of three tables
  static constexpr uint32_t kAtOnce = 8;      // sequences
  // A sequence of more bits is done again. A position is that of the bits that are loaded for a sequence,
  // this many (whole bytes) below the end of its own.
  static constexpr int32_t kMostBits = 56;

  static constexpr uint32_t kTables = kFields * kGroups;
  static constexpr uint32_t kLogBits = 8;

  struct Shared {
    simt::Shared<uint32_t, kGroups * kEntries> entries;
    SectorRing::Words ring[kDecoders];  // the first is also Described, while tables are built
  };
  // Table t is of field t % kFields.
  struct Described {
    simt::Shared<int16_t, kTables * kMaxTableSymbols> counts;
    simt::Shared<uint32_t, kTables> shapes;  // logs, and above them numbers of symbols; 0: there is no table
    simt::Shared<uint16_t, kWarps * kMaxTableSymbols> work;
    simt::Shared<uint32_t, kGroups> stream_at;  // of the first block
    simt::Shared<uint32_t, 1> number;           // of the first unit
  };

  Slice slice;
  uint32_t round;
  DefaultCounts defaults;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const Span units = slice.span(cta, Divided::sequence_units, round);
    while (true) {
      if (cta.warp() == 0) {
        describe(cta, units);
      }
      cta.sync();
      const uint32_t number = cta.load(described(cta).number, 0);
      if (number >= units.end) {
        return;
      }
      Work work;
      if (cta.warp() < kDecoders) {
        work = recall(cta, number, units.end);
      }
      for (uint32_t table = cta.warp(); table < kTables; table += kWarps) {
        build(cta, table);
      }
      cta.sync();
      if (cta.warp() < kDecoders) {
        decode(cta, work);
      }
      cta.sync_warp();  // the first warp's ring is used up
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
    Global<uint64_t> records{};
    Global<uint32_t> unit{};  // a SequenceUnit
    uint32_t first = 0;       // its first block
    uint32_t logs = 0;        // of the tables, 8 bits each
    uint32_t stream_at = 0;   // of the first block
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t group(Cta& cta) {
    return cta.lane() / kLanes;
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Described& described(Cta& cta) {
    return simt::seen_as<Described>(cta.template shared<Shared>().ring[0]);
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static SectorRing::Words& ring_words(Cta& cta) {
    return cta.template shared<Shared>().ring[kDecoders == 1 ? 0 : cta.warp()];
  }
  // Tables of a kind are next to each other: each begins at a multiple of its size.
  [[nodiscard]] BOBBIN_HD static uint32_t table_at(uint32_t group, uint32_t field) {
    return field == kLiteralField ? group * kStates
           : field == kMatchField ? (kGroups + group) * kStates
                                  : 2 * kGroups * kStates + group * (kStates / 2);
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
    work.records = slice.part<uint64_t>(info, region.sequences, info.sequences);
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

  // By the first warp: takes the next units and reads what their tables are. A unit without sound ones is not
  // decoded; its frame is refused.
  template <class Cta>
  BOBBIN_HD void describe(Cta& cta, const Span& units) const {
    auto& to = described(cta);
    const uint32_t number = units.begin + kGroups * take_ticket(cta, slice, round, Ticket::chain);
    if (cta.lane() == 0) {
      cta.store(to.number, 0, number);
    }
    if (number >= units.end || cta.lane() % kLanes != 0) {
      return;
    }
    Work work;
    bool sound = number + group(cta) < units.end;
    if (sound) {
      work = find(cta, number + group(cta));
      work.stream_at = modes_at(cta, work.bytes, cta.load(work.blocks, work.first)) + 1;
    }
    Descriptions descriptions;
    for (uint32_t field = 0; field < kFields; ++field) {
      FseShape shape{};
      const uint32_t table = kFields * group(cta) + field;
      sound = sound && find_shape(cta, work, descriptions, field, table, shape);
      cta.store(to.shapes, table, sound ? shape.log | shape.symbols << kLogBits : 0);
    }
    cta.store(to.stream_at, group(cta), work.stream_at);
    if (work.active && !sound) {
      slice.refuse(cta, work.frame, Verdict::corrupt);
    }
  }

  // A group's unit, after describe().
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Work recall(Cta& cta, uint32_t number, uint32_t end) const {
    const auto& from = described(cta);
    Work work;
    if (number + group(cta) < end) {
      work = find(cta, number + group(cta));
      work.stream_at = cta.load(from.stream_at, group(cta));
      for (uint32_t field = 0; field < kFields; ++field) {
        const uint32_t shape = cta.load(from.shapes, kFields * group(cta) + field);
        work.active = work.active && shape != 0;
        work.logs |= low_bits(shape, kLogBits) << (kLogBits * field);
      }
    }
    return work;
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool find_shape(Cta& cta, Work& work, Descriptions& descriptions, uint32_t field,
                                          uint32_t table, FseShape& shape) const {
    auto& counts = described(cta).counts;
    const uint32_t to = table * kMaxTableSymbols;
    const uint32_t block = cta.load(work.unit, 1 + field);
    if (descriptions.block != block) {
      descriptions.open(cta, work, block);
      if (!descriptions.pass(cta, work, defaults, field, counts, to)) {
        return false;
      }
    }
    shape = descriptions.read(cta, work, defaults, field, counts, to);
    work.stream_at = descriptions.block == work.first ? descriptions.at : work.stream_at;
    return shape.symbols != 0;
  }

  // By a warp.
  template <class Cta>
  BOBBIN_HD static void build(Cta& cta, uint32_t table) {
    auto& entries = cta.template shared<Shared>().entries;
    const Described& from = described(cta);
    const uint32_t field = table % kFields;
    const uint32_t packed = cta.load(from.shapes, table);
    const FseShape shape{.log = low_bits(packed, kLogBits), .symbols = packed >> kLogBits};
    const uint32_t counts = table * kMaxTableSymbols;
    const uint32_t to = table_at(table / kFields, field);
    const auto pack = [&](uint32_t number, uint32_t symbol) {
      return ChainEntry::pack(number, symbol, shape.log, FieldRules::extra_bits(field, symbol));
    };
    if (shape.symbols == 0) {
      return;
    }
    if (shape.log != 0) {
      build_table(cta, from.counts, counts, shape, described(cta).work, cta.warp() * kMaxTableSymbols,
                  entries, to, pack);
    } else if (cta.lane() == 0) {
      cta.store(entries, to, pack(1, static_cast<uint32_t>(cta.load(from.counts, counts))));
    }
  }

  // The unit's blocks: each decoding warp takes four, then another takes the next four.
  template <class Cta>
  BOBBIN_HD void decode(Cta& cta, const Work& work) const {
    for (uint32_t passed = kLanes * cta.warp(); passed < kUnitBlocks; passed += kDecoders * kLanes) {
      uint32_t index = 0;
      const bool has_one = work.active && find_block(cta, work, passed + cta.lane() % kLanes, index);
      if (!cta.any(has_one)) {
        return;
      }
      Block block{};
      uint32_t begin = 0;
      if (has_one) {
        block = cta.load(work.blocks, index);
        begin = index == work.first ? work.stream_at : modes_at(cta, work.bytes, block) + 1;
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

  // Three states, and where their bits ended less kMostBits: all that a chain is.
  struct Chain {
    uint32_t literals = 0;  // where its tables begin
    uint32_t offsets = 0;
    uint32_t literal = 0;  // states, as indices of entries
    uint32_t match = 0;
    uint32_t offset = 0;
    int32_t at = 0;
  };
  static constexpr uint32_t kMatches =
      kGroups * kStates;  // from a unit's literal lengths to its match lengths

  struct Entries {
    uint32_t literal = 0;
    uint32_t match = 0;
    uint32_t offset = 0;
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Entries load(Cta& cta, const Chain& chain) {
    const auto& entries = cta.template shared<Shared>().entries;
    return {cta.load(entries, chain.literal), cta.load(entries, chain.match + kMatches),
            cta.load(entries, chain.offset)};
  }
  // Less than none: see ChainEntry.
  [[nodiscard]] BOBBIN_HD static int32_t used(const Entries& e) {
    return ChainEntry::used(e.literal + e.match + e.offset);
  }
  [[nodiscard]] BOBBIN_HD static uint64_t record(int32_t at, const Entries& e) {
    return static_cast<uint32_t>(at) | uint64_t{symbols(e)} << 32;
  }
  // A record's upper half.
  [[nodiscard]] BOBBIN_HD static uint32_t symbols(const Entries& e) {
    return permute_bytes(permute_bytes(e.literal, e.match, 0x0062), e.offset, 0x0610);
  }

  // Moves to the next states, whose bits are in a window from bit `from` on.
  BOBBIN_HD static void move(Chain& chain, const Entries& e, uint64_t window, uint32_t from) {
    const uint32_t matches_from = from + ChainEntry::bits(e.offset);
    const uint32_t literals_from = matches_from + ChainEntry::bits(e.match);
    const auto next = [&](uint32_t table, uint32_t entry, uint32_t at) {
      const uint32_t above = ~uint32_t{0} << ChainEntry::bits(entry);
      return (ChainEntry::next(entry) | table) | (static_cast<uint32_t>(shift_right(window, at)) & ~above);
    };
    chain.literal = next(chain.literals, e.literal, literals_from);
    chain.match = next(chain.literals, e.match, matches_from);
    chain.offset = next(chain.offsets, e.offset, from);
  }

  // False where the stream has too few or too many bits.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool run_chain(Cta& cta, const Work& work, const Block& block,
                                         uint32_t begin) const {
    auto& words = ring_words(cta);
    BackwardStream stream;
    const int32_t length = stream.start(cta, work.bytes, begin, block.at + block.size - begin);
    if (length < 0) {
      return false;
    }
    SectorRing ring(work.bytes, begin);
    const int32_t end = static_cast<int32_t>(ring.frame_bit() + stream.first_bit) - kMostBits;
    const uint32_t logs[3] = {work.logs & 255, work.logs >> 8 & 255, work.logs >> 16 & 255};
    Chain chain;
    chain.literals = table_at(group(cta), kLiteralField);
    chain.offsets = table_at(group(cta), kOffsetField);
    chain.at = end + length - static_cast<int32_t>(logs[0] + logs[1] + logs[2]);
    if (chain.at < end) {
      return false;
    }
    ring.start(cta, words, chain.at + kMostBits);
    const auto states = static_cast<uint32_t>(SectorRing::window(cta, words, chain.at + kMostBits));
    chain.match = chain.literals + low_bits(states, logs[kMatchField]);
    chain.offset = chain.offsets + low_bits(states >> logs[kMatchField], logs[kOffsetField]);
    chain.literal =
        chain.literals + low_bits(states >> (logs[kMatchField] + logs[kOffsetField]), logs[kLiteralField]);
    const Global<uint64_t> records{work.records.data + block.sequences_begin, uint64_t{block.sequences} + 1};
    uint32_t done = 0;
    for (; block.sequences - done > kAtOnce; done += kAtOnce) {
      if (ring.has_room(chain.at)) {
        ring.step_down(cta, words);
      }
      const Chain before = chain;
      const bool all_short = run_at_once(cta, chain, records, done);
      if (!all_short || chain.at < end || !ring.reaches(chain.at)) {
        chain = before;
        if (!run_one_by_one(cta, ring, chain, records, done, kAtOnce, end)) {
          return false;
        }
      }
    }
    const uint32_t last = block.sequences - 1;
    if (!run_one_by_one(cta, ring, chain, records, done, last - done, end)) {
      return false;
    }
    // No states come after the last ones.
    const Entries e = load(cta, chain);
    cta.store(records, last, record(chain.at, e));
    // After the last record: what positions count from, for those who read the values.
    cta.store(records, block.sequences, uint64_t{kMostBits / 8 - ring.frame_bit() / 8 - work.bytes.skew});
    const uint32_t states_bits =
        ChainEntry::bits(e.literal) + ChainEntry::bits(e.match) + ChainEntry::bits(e.offset);
    return chain.at + used(e) + static_cast<int32_t>(states_bits) == end;
  }

  // Some sequences, without a test whether their bits are in the ring: if they were not, other bits were
  // read, which lead to some states all the same, and the caller has the sequences done again. False if a
  // sequence has more than kMostBits. Bits are loaded before it is known how many a sequence takes.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static bool run_at_once(Cta& cta, Chain& chain, Global<uint64_t> records,
                                                  uint32_t done) {
    const auto& words = ring_words(cta);
    const Global<Quad> pairs{reinterpret_cast<Quad*>(records.data), records.size / 2};
    uint64_t window = SectorRing::window(cta, words, chain.at);
    int32_t left = 0;  // below 0 if one was
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kAtOnce; i += 2) {
      Quad pair{};
      BOBBIN_UNROLL
      for (uint32_t k = 0; k < 2; ++k) {
        const Entries e = load(cta, chain);
        pair.word[2 * k] = static_cast<uint32_t>(chain.at);
        pair.word[2 * k + 1] = symbols(e);
        const int32_t from = kMostBits + used(e);
        left |= from;
        move(chain, e, window, static_cast<uint32_t>(from));
        chain.at += used(e);
        window = SectorRing::window(cta, words, chain.at);
      }
      cta.store(pairs, (done + i) / 2, pair);
    }
    return left >= 0;
  }

  // Sequences done .. done+count-1, none of which is the last. False where bits are missing.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static bool run_one_by_one(Cta& cta, SectorRing& ring, Chain& chain,
                                                     Global<uint64_t> records, uint32_t done, uint32_t count,
                                                     int32_t end) {
    auto& words = ring_words(cta);
    for (uint32_t i = done; i < done + count; ++i) {
      const Entries e = load(cta, chain);
      cta.store(records, i, record(chain.at, e));
      chain.at += used(e);
      if (chain.at < end) {
        return false;
      }
      while (!ring.reaches(chain.at)) {
        ring.step_down(cta, words);
      }
      move(chain, e, SectorRing::window(cta, words, chain.at + kMostBits), 0);
    }
    return true;
  }
};

}  // namespace bobbin::zstd
