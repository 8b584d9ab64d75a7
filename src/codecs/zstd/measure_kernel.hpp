// SPDX-License-Identifier: Apache-2.0
// Headers of frames and blocks: what they say is checked here, and nowhere later.
#pragma once

#include "codecs/zstd/tile.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::zstd {

// Frame headers.
struct HeaderReader {
  static constexpr uint32_t kMagic = 0xFD2FB528;
  static constexpr uint32_t kSkippable = 0x184D2A50;

  const Slice& slice;
  FrameInfo info{};
  bool skippable = false;

  BOBBIN_HD explicit HeaderReader(const Slice& s) : slice(s) {}

  BOBBIN_HD bool refuse(Verdict verdict) {
    info.verdict = static_cast<uint32_t>(verdict);
    return false;
  }

  template <class Cta>
  BOBBIN_HD bool read(Cta& cta, const BatchFrame& frame) {
    if (frame.in_bytes > kMaxDeviceStored || frame.out_bytes > slice.max_content) {
      return refuse(Verdict::needs_cpu);
    }
    const FrameBytes bytes = FrameBytes::of(frame.in, frame.in_bytes);
    uint32_t at = 0;
    if (!slice.magicless) {
      if (bytes.size < 4) {
        return refuse(Verdict::corrupt);
      }
      const uint32_t magic = bytes.word(cta, 0);
      if (magic != kMagic) {
        return read_other(cta, bytes, magic);
      }
      at = 4;
    }
    return read_descriptor(cta, bytes, at, frame.out_bytes);
  }

 private:
  // Skippable frames have no content; older formats are unsupported.
  template <class Cta>
  BOBBIN_HD bool read_other(Cta& cta, const FrameBytes& bytes, uint32_t magic) {
    if ((magic & ~uint32_t{15}) == kSkippable) {
      skippable = true;
      return bytes.size >= 8 && bytes.word(cta, 4) <= bytes.size - 8 ? true : refuse(Verdict::corrupt);
    }
    constexpr uint32_t kFirstLegacy = 0xFD2FB522;
    constexpr uint32_t kOldestLegacy = 0xFD2FB51E;
    const bool legacy = (magic >= kFirstLegacy && magic < kMagic) || magic == kOldestLegacy;
    return refuse(legacy ? Verdict::unsupported : Verdict::corrupt);
  }

  template <class Cta>
  BOBBIN_HD bool read_descriptor(Cta& cta, const FrameBytes& bytes, uint32_t at, uint64_t capacity) {
    if (at >= bytes.size) {
      return refuse(Verdict::corrupt);
    }
    const uint32_t descriptor = bytes.byte(cta, at);
    const bool single = (descriptor >> 5 & 1) != 0;
    const uint32_t id_bytes = (uint32_t{1} << (descriptor & 3)) >> 1;
    const uint32_t size_flag = descriptor >> 6;
    const uint32_t size_bytes = size_flag != 0 ? uint32_t{1} << size_flag : single ? 1 : 0;
    const uint32_t header = 1 + (single ? 0 : 1) + id_bytes + size_bytes;
    if (bytes.size - at < header) {
      return refuse(Verdict::corrupt);
    }
    if ((descriptor >> 3 & 1) != 0) {
      return refuse(Verdict::unsupported);
    }
    uint64_t window = single ? 0 : window_of(bytes.byte(cta, at + 1));
    const uint32_t id_at = at + 1 + (single ? 0 : 1);
    uint64_t content = read_size(cta, bytes, id_at + id_bytes, size_bytes);
    content += size_bytes == 2 ? 256 : 0;
    window = single ? content : window;
    if (window > slice.max_window) {
      return refuse(Verdict::unsupported);
    }
    if (read_size(cta, bytes, id_at, id_bytes) != 0) {
      return refuse(Verdict::needs_cpu);
    }
    if (size_bytes != 0 && content > capacity) {
      return refuse(Verdict::too_small);
    }
    if ((window < capacity ? window : capacity) > kMaxDeviceOffset) {
      return refuse(Verdict::needs_cpu);
    }
    info.first_block = at + header;
    info.window = static_cast<uint32_t>(window < kMaxDeviceContent ? window : kMaxDeviceContent);
    info.max_block = info.window < kMostBlockBytes ? info.window : kMostBlockBytes;
    info.content = size_bytes != 0 ? static_cast<uint32_t>(content) : FrameInfo::kNoContent;
    info.has_checksum = descriptor >> 2 & 1;
    return true;
  }

  [[nodiscard]] BOBBIN_HD static uint64_t window_of(uint32_t descriptor) {
    const uint64_t base = uint64_t{1} << (10 + (descriptor >> 3));
    return base + base / 8 * (descriptor & 7);
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint64_t read_size(Cta& cta, const FrameBytes& bytes, uint32_t at,
                                                    uint32_t count) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; ++i) {
      value |= uint64_t{bytes.byte(cta, at + i)} << (8 * i);
    }
    return value;
  }
};

// A walk over a frame's blocks. Measure does it to count, describe to write down what there is.
struct BlockWalk {
  FrameBytes bytes;
  FrameInfo& info;  // counts are added up here
  uint32_t capacity;

  uint32_t at = 0;
  uint32_t tree = kNone;  // the block that has the latest one
  uint32_t tables[3] = {kNone, kNone, kNone};
  uint32_t literal_run = kUnitBlocks;  // blocks in the current unit
  uint32_t sequence_run = kUnitBlocks;
  uint64_t produced = 0;  // content bytes, at least
  uint32_t headers = 0;   // of all blocks: empty ones take time too

  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint32_t kHeaderBytes = 3;

  BOBBIN_HD BlockWalk(const FrameBytes& b, FrameInfo& i, uint64_t c)
      : bytes(b), info(i), capacity(static_cast<uint32_t>(c)), at(i.first_block) {
    info.num_blocks = info.literal_units = info.sequence_units = info.literals = info.sequences = 0;
  }

  BOBBIN_HD bool refuse(Verdict verdict) const {
    info.verdict = static_cast<uint32_t>(verdict);
    return false;
  }

  // Calls emit(block, *this) for each block that matters.
  template <class Cta, class Emit>
  BOBBIN_HD bool run(Cta& cta, Emit&& emit) {
    for (bool last = false; !last;) {
      Parsed parsed;
      if (!read_header(cta, parsed, last)) {
        return false;
      }
      read_body(cta, parsed);
      if (!take(parsed, emit, true)) {
        return false;
      }
    }
    return read_checksum(cta);
  }

  // The same by all lanes of a warp, which read 32 blocks at the same time. Only their headers are one after
  // another: each says where the next one is. Lanes call emit() in turn.
  template <class Cta, class Emit>
  BOBBIN_HD bool run_by_warp(Cta& cta, Emit&& emit) {
    for (bool last = false; !last;) {
      Parsed own;
      uint32_t count = 0;
      bool sound = true;
      for (; count < simt::kWarpSize && !last && sound; ++count) {
        Parsed parsed;
        sound = read_header(cta, parsed, last);
        if (cta.lane() == count) {
          own = parsed;
        }
      }
      count -= sound ? 0 : 1;
      const uint32_t refused = info.verdict;
      info.verdict = 0;
      if (cta.lane() < count) {
        read_body(cta, own);
      }
      for (uint32_t i = 0; i < count; ++i) {
        if (!take(own.of_lane(cta, i), emit, cta.lane() == i)) {
          return false;
        }
      }
      if (!sound) {
        info.verdict = refused;
        return false;
      }
    }
    return read_checksum(cta);
  }

 private:
  // What a block's own bytes say.
  struct Parsed {
    Block block{};
    uint32_t modes = 0;  // of sequences, if there are some
    bool sound = true;

    template <class Cta>
    [[nodiscard]] BOBBIN_HD Parsed of_lane(Cta& cta, uint32_t i) const {
      Parsed parsed;
      parsed.block.at = cta.shfl(block.at, i);
      parsed.block.size = cta.shfl(block.size, i);
      parsed.block.literals = cta.shfl(block.literals, i);
      parsed.block.literals_at = cta.shfl(block.literals_at, i);
      parsed.block.literals_stored = cta.shfl(block.literals_stored, i);
      parsed.block.sequences = cta.shfl(block.sequences, i);
      parsed.modes = cta.shfl(modes, i);
      parsed.sound = cta.shfl(sound ? 1U : 0U, i) != 0;
      return parsed;
    }
  };

  template <class Cta>
  BOBBIN_HD bool read_header(Cta& cta, Parsed& parsed, bool& last) {
    if (bytes.size - at < kHeaderBytes) {
      return refuse(Verdict::corrupt);
    }
    const uint32_t word = bytes.word(cta, at);
    last = (word & 1) != 0;
    const uint32_t kind = word >> 1 & 3;
    Block& block = parsed.block;
    block.at = at + kHeaderBytes;
    block.size = word >> 3 & 0x1fffff;
    block.literals = kind << Block::kBlockKind;
    const uint32_t stored = kind == 1 ? 1 : block.size;
    if (kind == 3 || block.size > info.max_block || stored > bytes.size - block.at) {
      return refuse(Verdict::corrupt);
    }
    at = block.at + stored;
    return true;
  }

  template <class Cta>
  BOBBIN_HD void read_body(Cta& cta, Parsed& parsed) const {
    if (parsed.block.kind() == 2) {
      parsed.sound = read_literals(cta, parsed.block) && read_sequences(cta, parsed);
    }
  }

  // Adds the next block to what is known of the frame.
  template <class Emit>
  BOBBIN_HD bool take(Parsed parsed, Emit&& emit, bool emits) {
    Block& block = parsed.block;
    const bool compressed = block.kind() == 2;
    if (!parsed.sound || (compressed && block.has_huffman() && !place_coded(block))) {
      return refuse(Verdict::corrupt);
    }
    if (!add(compressed ? block.num_literals() + 3 * block.sequences : block.size)) {
      return false;
    }
    if (block.sequences != 0 && !place_sequences(parsed.modes, block)) {
      return refuse(Verdict::corrupt);
    }
    if (compressed || block.size != 0) {
      if (emits) {
        emit(block, *this);
      }
      ++info.num_blocks;
    }
    return ++headers <= most_blocks(capacity) || refuse(Verdict::needs_cpu);
  }

  BOBBIN_HD bool add(uint32_t content) {
    produced += content;
    return produced <= capacity ? true : refuse(Verdict::too_small);
  }

  template <class Cta>
  BOBBIN_HD bool read_checksum(Cta& cta) const {
    if (info.has_checksum != 0) {
      if (bytes.size - at < 4) {
        return refuse(Verdict::corrupt);
      }
      info.checksum = bytes.word(cta, at);
    }
    return true;
  }

  // False if it is damaged.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool read_sequences(Cta& cta, Parsed& parsed) const {
    Block& block = parsed.block;
    const uint32_t section = block.sequences_at();
    const uint32_t left = block.at + block.size - section;
    if (left == 0) {
      return false;
    }
    const uint32_t word = bytes.word(cta, section);
    const uint32_t first = word & 255;
    const uint32_t count_bytes = first < 128 ? 1 : first < 255 ? 2 : 3;
    block.sequences = count_bytes == 1   ? first
                      : count_bytes == 2 ? (first - 128) << 8 | (word >> 8 & 255)
                                         : (word >> 8 & 0xffff) + 0x7F00;
    if (left < count_bytes || 3 * block.sequences > info.max_block) {
      return false;
    }
    if (block.sequences == 0) {
      return left == count_bytes;
    }
    if (left == count_bytes) {
      return false;
    }
    parsed.modes = bytes.byte(cta, section + count_bytes);
    return true;
  }

  // Also decides where units of the entropy stages begin.
  BOBBIN_HD bool place_sequences(uint32_t modes, Block& block) {
    constexpr uint32_t kRepeat = 3;
    if ((modes & 3) != 0) {
      return false;
    }
    bool all_repeated = true;
    for (uint32_t field = 0; field < 3; ++field) {
      if ((modes >> (6 - 2 * field) & 3) != kRepeat) {
        tables[field] = info.num_blocks;
        all_repeated = false;
      }
      if (tables[field] == kNone) {
        return false;
      }
    }
    if (!all_repeated || sequence_run == kUnitBlocks) {
      block.literals |= uint32_t{1} << Block::kSequenceUnit;
      sequence_run = 0;
      ++info.sequence_units;
    }
    ++sequence_run;
    block.sequences_begin = info.sequences;
    // A record for each, one more, and pairs: the chain writes two at a time.
    info.sequences += round_up<uint32_t>(block.sequences + 1, 2);
    return true;
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool read_literals(Cta& cta, Block& block) const {
    if (block.size == 0) {
      return false;
    }
    const uint32_t word = bytes.word(cta, block.at);
    const uint32_t kind = word & 3;
    const uint32_t format = word >> 2 & 3;
    const bool coded = kind >= 2;
    const uint32_t header = coded ? (format < 2 ? 3 : format + 2) : (format == 1 ? 2 : format == 3 ? 3 : 1);
    if (block.size < header) {
      return false;
    }
    uint32_t count = 0;
    if (coded) {
      const uint64_t all = word | (header == 5 ? uint64_t{bytes.byte(cta, block.at + 4)} << 32 : 0);
      const uint32_t bits = format < 2 ? 10 : format == 2 ? 14 : 18;
      count = low_bits(static_cast<uint32_t>(all >> 4), bits);
      block.literals_stored = low_bits(static_cast<uint32_t>(all >> (4 + bits)), bits);
    } else {
      const uint32_t all = low_bits(word, 8 * header);
      count = all >> (format % 2 == 0 ? 3 : 4);
      block.literals_stored = kind == 1 ? 1 : count;
    }
    if (count > info.max_block || block.literals_stored > block.size - header) {
      return false;
    }
    block.literals_at = block.at + header;
    const uint32_t four = coded && format != 0 ? 1 : 0;
    block.literals |= count | kind << Block::kLiteralKind | four << Block::kFourStreams;
    return true;
  }

  BOBBIN_HD bool place_coded(Block& block) {
    const bool own_tree = block.literal_kind() == 2;
    tree = own_tree ? info.num_blocks : tree;
    if (tree == kNone) {
      return false;
    }
    if (own_tree || literal_run == kUnitBlocks) {
      block.literals |= uint32_t{1} << Block::kLiteralUnit;
      literal_run = 0;
      ++info.literal_units;
    }
    ++literal_run;
    block.literals_begin = info.literals;
    info.literals += block.num_literals();
    return true;
  }
};

template <uint32_t kLanes, class Cta, class Emit>
BOBBIN_HD bool walk_blocks(Cta& cta, BlockWalk& walk, Emit&& emit) {
  if constexpr (kLanes == 1) {
    return walk.run(cta, emit);
  } else {
    static_assert(kLanes == simt::kWarpSize);
    return walk.run_by_warp(cta, emit);
  }
}

// One thread for a frame, or for large frames a warp.
template <uint32_t kLanes>
struct MeasureKernel {
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kFrames = kThreads / kLanes;  // per block
  using Shared = simt::NoShared;

  Slice slice;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint32_t i = cta.block() * kFrames + cta.thread() / kLanes;
    if (i >= slice.frames.size) {
      return;
    }
    const BatchFrame frame = slice.frame(cta, i);
    HeaderReader header(slice);
    const bool is_frame = header.read(cta, frame) && !header.skippable;
    if (is_frame) {
      BlockWalk walk(FrameBytes::of(frame.in, frame.in_bytes), header.info, frame.out_bytes);
      if (walk_blocks<kLanes>(cta, walk, [](const Block&, const BlockWalk&) {}) &&
          Region::of(header.info).end > slice.max_scratch) {
        header.refuse(Verdict::needs_cpu);
      }
    }
    if (!is_frame || header.info.verdict != 0) {
      forget(header.info);
    }
    if (cta.thread() % kLanes == 0) {
      cta.store(slice.infos, i, header.info);
      cta.store(slice.verdicts, i, header.info.verdict);
    }
  }

 private:
  // A frame without blocks takes no scratch and no further part.
  BOBBIN_HD static void forget(FrameInfo& info) {
    info.num_blocks = info.literal_units = info.sequence_units = info.literals = info.sequences = 0;
    info.has_checksum = 0;
    info.content = FrameInfo::kNoContent;
  }
};

// One block scans what all frames need. Rounds get equal shares.
struct PlaceKernel {
  static constexpr uint32_t kThreads = 512;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  struct Shared {
    simt::Shared<uint64_t, 3 * kWarps> sums;
  };

  Slice slice;
  uint64_t share_limit;  // quads of scratch per round, without the last frame's excess

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    for (uint32_t i = cta.thread(); i < slice.tickets.size; i += kThreads) {
      cta.store(slice.tickets, i, uint32_t{0});
    }
    const auto count = static_cast<uint32_t>(slice.infos.size);
    Needs of_thread{};
    for (uint32_t i = cta.thread(); i < count; i += kThreads) {
      add(of_thread, needs_of(cta, i));
    }
    const Needs total = scan(cta, of_thread, {}).through;
    const uint64_t rounds = ceil_div<uint64_t>(total.quads, share_limit);
    const uint64_t share = rounds < 2 ? share_limit : ceil_div<uint64_t>(total.quads, rounds) + 1;
    Needs before{};
    for (uint32_t first = 0; first < count; first += kThreads) {
      const Needs own = needs_of(cta, first + cta.thread());
      const Scanned scanned = scan(cta, own, before);
      place(cta, first + cta.thread(), own, scanned.own, share);
      before = scanned.through;
    }
  }

 private:
  struct Needs {
    uint64_t quads = 0;
    uint64_t literal_units = 0;
    uint64_t sequence_units = 0;
  };
  struct Scanned {
    Needs own;      // of all frames before the thread's
    Needs through;  // with all frames of this step
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Needs needs_of(Cta& cta, uint32_t i) const {
    if (i >= slice.infos.size) {
      return {};
    }
    const FrameInfo info = cta.load(slice.infos, i);
    return {Region::of(info).end / sizeof(Quad), info.literal_units, info.sequence_units};
  }

  template <class Cta>
  BOBBIN_HD Scanned scan(Cta& cta, const Needs& own, const Needs& before) const {
    auto& sums = cta.template shared<Shared>().sums;
    const Needs through{simt::sum_through(cta, own.quads), simt::sum_through(cta, own.literal_units),
                        simt::sum_through(cta, own.sequence_units)};
    if (cta.lane() == simt::kWarpSize - 1) {
      cta.store(sums, 3 * cta.warp(), through.quads);
      cta.store(sums, 3 * cta.warp() + 1, through.literal_units);
      cta.store(sums, 3 * cta.warp() + 2, through.sequence_units);
    }
    cta.sync();
    Scanned result{before, before};
    for (uint32_t w = 0; w < kWarps; ++w) {
      const Needs sum{cta.load(sums, 3 * w), cta.load(sums, 3 * w + 1), cta.load(sums, 3 * w + 2)};
      add(result.through, sum);
      if (w < cta.warp()) {
        add(result.own, sum);
      }
    }
    add(result.own, {through.quads - own.quads, through.literal_units - own.literal_units,
                     through.sequence_units - own.sequence_units});
    cta.sync();
    return result;
  }
  BOBBIN_HD static void add(Needs& to, const Needs& more) {
    to.quads += more.quads;
    to.literal_units += more.literal_units;
    to.sequence_units += more.sequence_units;
  }

  template <class Cta>
  BOBBIN_HD void place(Cta& cta, uint32_t i, const Needs& own, const Needs& before, uint64_t share) const {
    if (i >= slice.infos.size) {
      return;
    }
    FrameInfo info = cta.load(slice.infos, i);
    const uint64_t round = before.quads / share;
    info.round = static_cast<uint32_t>(round < kRounds ? round : kRounds - 1);
    info.begin = static_cast<uint32_t>(before.quads - info.round * share);
    cta.store(slice.infos, i, info);
    cta.store(slice.first_literal_unit, i, static_cast<uint32_t>(before.literal_units));
    cta.store(slice.first_sequence_unit, i, static_cast<uint32_t>(before.sequence_units));
    // A round that begins with the next frame; the first begins with the first, those left out at the end.
    const uint64_t next = i + 1 == slice.infos.size ? kRounds : (before.quads + own.quads) / share;
    if (i == 0) {
      begin_round(cta, 0, 0, {});
    }
    for (uint64_t r = round + 1; r <= next && r <= kRounds; ++r) {
      begin_round(cta, static_cast<uint32_t>(r), i + 1,
                  {0, before.literal_units + own.literal_units, before.sequence_units + own.sequence_units});
    }
  }
  template <class Cta>
  BOBBIN_HD void begin_round(Cta& cta, uint32_t round, uint32_t frame, const Needs& before) const {
    const auto set = [&](Divided what, uint64_t first) {
      cta.store(slice.rounds, static_cast<uint32_t>(what) * (kRounds + 1) + round,
                static_cast<uint32_t>(first));
    };
    set(Divided::frames, frame);
    set(Divided::literal_units, before.literal_units);
    set(Divided::sequence_units, before.sequence_units);
  }
};

// Writes down a round's blocks and units.
template <uint32_t kLanes>
struct DescribeKernel {
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kFrames = kThreads / kLanes;  // per block
  using Shared = simt::NoShared;

  Slice slice;
  uint32_t round;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint32_t i = cta.block() * kFrames + cta.thread() / kLanes;
    if (i >= slice.frames.size) {
      return;
    }
    const FrameInfo info = cta.load(slice.infos, i);
    if (info.num_blocks == 0 || info.round != round) {
      return;
    }
    const Region region = Region::of(info);
    const auto blocks = slice.part<Block>(info, region.blocks, info.num_blocks);
    const auto literal_units = slice.part<LiteralUnit>(info, region.literal_units, info.literal_units);
    const auto sequence_units = slice.part<SequenceUnit>(info, region.sequence_units, info.sequence_units);
    const BatchFrame frame = slice.frame(cta, i);
    FrameInfo counts = info;
    BlockWalk walk(FrameBytes::of(frame.in, frame.in_bytes), counts, frame.out_bytes);
    walk_blocks<kLanes>(cta, walk, [&](const Block& block, const BlockWalk& now) {
      const uint32_t index = now.info.num_blocks;
      cta.store(blocks, index, block);
      if (block.starts_literal_unit()) {
        cta.store(literal_units, now.info.literal_units - 1, LiteralUnit{index, now.tree});
      }
      if (block.starts_sequence_unit()) {
        cta.store(sequence_units, now.info.sequence_units - 1,
                  SequenceUnit{index, {now.tables[0], now.tables[1], now.tables[2]}});
      }
    });
  }
};

// Takes the next piece of work for a warp. All lanes take part.
template <class Cta>
[[nodiscard]] BOBBIN_HD uint32_t take_ticket(Cta& cta, const Slice& slice, uint32_t round, Ticket ticket) {
  uint32_t number = 0;
  if (cta.lane() == 0) {
    number = cta.template atomic_add<simt::Order::relaxed>(
        slice.tickets, round * kTickets + static_cast<uint32_t>(ticket), uint32_t{1});
  }
  return cta.shfl(number, 0);
}

// The last of these frames whose first unit is not after `unit`: it is the one that has it.
template <class Cta>
[[nodiscard]] BOBBIN_HD uint32_t frame_of_unit(Cta& cta, Global<uint32_t> first_units, const Span& frames,
                                               uint32_t unit) {
  uint32_t first = frames.begin;
  uint32_t end = frames.end;
  while (end - first > 1) {
    const uint32_t middle = first + (end - first) / 2;
    if (cta.load(first_units, middle) <= unit) {
      first = middle;
    } else {
      end = middle;
    }
  }
  return first;
}

}  // namespace bobbin::zstd
