// SPDX-License-Identifier: Apache-2.0
// The copies of frames that are so large that each is worked on by the whole device. What a block takes from
// those before it is found by scans, so that all blocks are alike; then the content is cut into steps, and a
// step into segments, between sequences:
//
//   place blocks   one block per frame       where each block begins, and the recent offsets before it
//   locate         one thread per segment    its first block and sequence
//   segments       8 warps per segment       a cell for each byte of the step: the byte itself, or where in
//                                            an earlier segment of the step it is copied from
//   settle         one thread per 4 bytes    follows these copies, and writes the output
//
// Output before the step is complete, so that what comes from there is known at once. A copy leads to an
// earlier segment each time: a byte takes no more of them than a step has segments, whatever the frame holds.
#pragma once

#include "codecs/zstd/run_table.hpp"

namespace bobbin::zstd {

// A block from `place blocks` on, in the same memory.
struct alignas(16) PlacedBlock {
  uint32_t first_recent;  // offsets before the block
  uint32_t begin;         // of its content
  uint32_t literals;      // as in Block; the bytes of a raw or repeated block are literals as well
  uint32_t literals_from;
  uint32_t second_recent;
  uint32_t third_recent;
  uint32_t sequences;
  uint32_t sequences_begin;

  [[nodiscard]] BOBBIN_HD uint32_t num_literals() const { return low_bits(literals, Block::kCountBits); }
};
static_assert(sizeof(PlacedBlock) == sizeof(Block));

struct PlaceBlocksKernel {
  static constexpr uint32_t kThreads = 512;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  struct Shared {
    simt::Shared<uint32_t, kWarps> bytes;
    simt::Shared<uint32_t, 3 * kWarps> recent;
  };

  Slice slice;
  uint32_t round;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint32_t index = cta.block();
    FrameInfo info = cta.load(slice.infos, index);
    const bool takes_part = info.round == round && slice.is_ok(cta, index);
    cta.sync();  // all have read what one will change
    if (!takes_part) {
      return;
    }
    const Before all = place(cta, info);
    if (cta.thread() != 0) {
      return;
    }
    const bool too_much = all.bytes > slice.frame(cta, index).out_bytes;
    info.bytes = too_much ? 0 : static_cast<uint32_t>(all.bytes);
    cta.store(slice.infos, index, info);
    if (too_much) {
      slice.refuse(cta, index, Verdict::too_small);
    } else if (info.content != FrameInfo::kNoContent && info.content != info.bytes) {
      slice.refuse(cta, index, Verdict::corrupt);
    }
  }

 private:
  // What a number of blocks come to.
  struct Before {
    uint64_t bytes = 0;
    LongRecent recent = LongRecent::at_frame_start();

    BOBBIN_HD void add(uint64_t more, const LongRecent& then) {
      bytes += more;
      recent = then.after(recent);
    }
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Before place(Cta& cta, const FrameInfo& info) const {
    const uint64_t at = Region::of(info).blocks;
    const auto blocks = slice.part<Block>(info, at, info.num_blocks);
    const auto placed = slice.part<PlacedBlock>(info, at, info.num_blocks);
    Before before;
    for (uint32_t first = 0; first < info.num_blocks; first += kThreads) {
      const uint32_t b = first + cta.thread();
      Block block{};
      if (b < info.num_blocks) {
        block = cta.load(blocks, b);
      }
      const Before own = scan(cta, block, before);
      if (b < info.num_blocks) {
        cta.store(placed, b, placed_block(block, own));
      }
    }
    return before;
  }

  // Returns what is before the thread's block; `before` moves on past the blocks of all threads.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Before scan(Cta& cta, const Block& block, Before& before) {
    auto& shared = cta.template shared<Shared>();
    const uint32_t bytes = block.content();
    const uint32_t bytes_through = simt::sum_through(cta, bytes);
    const LongRecent through = recent_through(cta, block);
    if (cta.lane() == simt::kWarpSize - 1) {
      cta.store(shared.bytes, cta.warp(), bytes_through);
      for (uint32_t i = 0; i < 3; ++i) {
        cta.store(shared.recent, 3 * cta.warp() + i, through.slot[i]);
      }
    }
    cta.sync();
    Before own = before;
    for (uint32_t w = 0; w < kWarps; ++w) {
      const LongRecent recent{{cta.load(shared.recent, 3 * w), cta.load(shared.recent, 3 * w + 1),
                               cta.load(shared.recent, 3 * w + 2)}};
      const uint32_t of_warp = cta.load(shared.bytes, w);
      before.add(of_warp, recent);
      if (w < cta.warp()) {
        own.add(of_warp, recent);
      }
    }
    const LongRecent earlier{
        {cta.shfl_up(through.slot[0], 1), cta.shfl_up(through.slot[1], 1), cta.shfl_up(through.slot[2], 1)}};
    own.add(bytes_through - bytes, cta.lane() == 0 ? LongRecent::same() : earlier);
    cta.sync();
    return own;
  }

  // What the blocks of the warp's lanes, up to the own one, do to the recent offsets.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static LongRecent recent_through(Cta& cta, const Block& block) {
    LongRecent through = LongRecent::same();
    if (block.is_ready()) {
      const auto ready = std::bit_cast<ReadyBlock>(block);
      through = {
          {long_slot(ready.first_recent), long_slot(ready.second_recent), long_slot(ready.third_recent)}};
    }
    BOBBIN_UNROLL
    for (uint32_t distance = 1; distance < simt::kWarpSize; distance *= 2) {
      const LongRecent earlier{{cta.shfl_up(through.slot[0], distance),
                                cta.shfl_up(through.slot[1], distance),
                                cta.shfl_up(through.slot[2], distance)}};
      if (cta.lane() >= distance) {
        through = through.after(earlier);
      }
    }
    return through;
  }

  [[nodiscard]] BOBBIN_HD static PlacedBlock placed_block(const Block& block, const Before& before) {
    const bool ready = block.is_ready();
    return {
        .first_recent = before.recent.slot[0],
        .begin = static_cast<uint32_t>(before.bytes),
        .literals = ready ? block.literals : block.plain_literals(),
        .literals_from = ready ? std::bit_cast<ReadyBlock>(block).literals_from : block.plain_literals_from(),
        .second_recent = before.recent.slot[1],
        .third_recent = before.recent.slot[2],
        .sequences = ready ? block.sequences : 0,
        .sequences_begin = block.sequences_begin};
  }
};

// A frame's parts, for the kernels that follow.
struct PlacedFrame {
  Global<PlacedBlock> blocks{};
  Global<uint64_t> records{};

  [[nodiscard]] BOBBIN_HD static PlacedFrame of(const Slice& slice, const FrameInfo& info) {
    const Region region = Region::of(info);
    return {slice.part<PlacedBlock>(info, region.blocks, info.num_blocks),
            slice.part<uint64_t>(info, region.sequences, info.sequences)};
  }
};

struct LocateKernel {
  static constexpr uint32_t kThreads = 128;
  using Shared = simt::NoShared;

  Slice slice;
  uint32_t round;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    const auto index = static_cast<uint32_t>(i / slice.split.starts_per_frame);
    if (index >= slice.frames.size) {
      return;
    }
    const FrameInfo info = cta.load(slice.infos, index);
    if (info.round == round && slice.is_ok(cta, index)) {
      const auto segment = static_cast<uint32_t>(i % slice.split.starts_per_frame);
      cta.store(slice.starts, i, find(cta, info, uint64_t{segment} * slice.split.segment_bytes));
    }
  }

 private:
  // The first sequence, or a block's last literals, that begins at `wanted` or later.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD SegmentStart find(Cta& cta, const FrameInfo& info, uint64_t wanted) const {
    const PlacedFrame frame = PlacedFrame::of(slice, info);
    if (wanted >= info.bytes) {
      return {info.num_blocks, 0, info.bytes, 0};
    }
    uint32_t b = 0;
    for (uint32_t end = info.num_blocks; end - b > 1;) {
      const uint32_t middle = b + (end - b) / 2;
      (cta.load(frame.blocks, middle).begin <= wanted ? b : end) = middle;
    }
    const PlacedBlock block = cta.load(frame.blocks, b);
    const auto place = static_cast<uint32_t>(wanted - block.begin);
    if (place == 0) {
      return {b, 0, block.begin, 0};
    }
    // Records 0 .. before-1 begin earlier; the last one stands for the literals after all sequences.
    uint32_t before = 0;
    for (uint32_t end = block.sequences == 0 ? 0 : block.sequences + 1; before < end;) {
      const uint32_t middle = before + (end - before) / 2;
      const bool earlier = place_of(cta, frame, block, middle) < place;
      before = earlier ? middle + 1 : before;
      end = earlier ? end : middle;
    }
    if (block.sequences != 0 && before <= block.sequences) {
      return {b, before, block.begin + place_of(cta, frame, block, before), 0};
    }
    const bool is_last = b + 1 == info.num_blocks;
    return {b + 1, 0, is_last ? info.bytes : cta.load(frame.blocks, b + 1).begin, 0};
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t place_of(Cta& cta, const PlacedFrame& frame,
                                                   const PlacedBlock& block, uint32_t i) {
    return Copy::place(cta.load(frame.records, block.sequences_begin + i));
  }
};

// The cells of a step of a frame.
struct StepCells {
  Global<uint32_t> cells{};
  Global<Quad> quads{};  // the same, four at a time
  uint32_t skew = 0;  // of the output's first byte in its word: the bytes of a word have the cells of a quad
  uint32_t step = 0;  // the position where the step begins, at most

  static constexpr uint32_t kKnown = uint32_t{1} << 31;  // the byte itself; otherwise a position

  [[nodiscard]] BOBBIN_HD static StepCells of(const Slice& slice, uint32_t frame, const std::byte* out,
                                              uint32_t step) {
    uint32_t* const data = slice.cells.data + uint64_t{frame} * slice.split.cells_per_frame;
    return {{data, slice.split.cells_per_frame},
            {reinterpret_cast<Quad*>(data), slice.split.cells_per_frame / 4},
            static_cast<uint32_t>(reinterpret_cast<uintptr_t>(out) % 4),
            step * slice.split.step_bytes};
  }
  [[nodiscard]] BOBBIN_HD uint32_t index(uint32_t position) const { return position + skew - step; }
  // `word` counts from the one that holds the output's first byte.
  [[nodiscard]] BOBBIN_HD uint32_t quad(uint32_t word) const { return word - step / 4; }
};

struct SegmentKernel {
  static constexpr uint32_t kTeamWarps = 8;
  using Runs = CopyRuns<kTeamWarps>;
  using Members = Runs::Members;
  static constexpr uint32_t kThreads = Runs::kTeam;
  static constexpr uint32_t kMinBlocks = 4;
  using Table = RunTable<kTeamWarps>;
  struct Shared {
    Runs::Shared runs;
    Table::Shared table;
  };

  Slice slice;
  uint32_t round;
  uint32_t step;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint32_t per_step = slice.split.segments_per_step();
    const uint32_t index = cta.block() / per_step;
    const FrameInfo info = cta.load(slice.infos, index);
    // Others may refuse the frame at any time: one thread's view is everyone's.
    auto& shared = cta.template shared<Shared>();
    const bool is_ok =
        Members::agree(cta, shared.runs.team, [&] { return slice.is_ok(cta, index) ? 1U : 0U; }) != 0;
    if (info.round != round || !is_ok) {
      return;
    }
    cta.sync();
    const uint64_t first = uint64_t{index} * slice.split.starts_per_frame + uint64_t{step} * per_step;
    const uint64_t own = first + cta.block() % per_step;
    const SegmentStart start = cta.load(slice.starts, own);
    const SegmentStart end = cta.load(slice.starts, own + 1);
    if (start.position == end.position) {
      return;
    }
    const BatchFrame frame = slice.frame(cta, index);
    const Cells cells{shared,
                      StepCells::of(slice, index, frame.out, step),
                      {reinterpret_cast<uint8_t*>(frame.out), frame.out_bytes},
                      start.position,
                      cta.load(slice.starts, first).position};
    const Global<const uint8_t> in{reinterpret_cast<const uint8_t*>(frame.in), frame.in_bytes};
    if (!copy(cta, cells, info, in, start, end) && cta.thread() == 0) {
      slice.refuse(cta, index, Verdict::corrupt);
    }
  }

 private:
  // Where a segment's copies go.
  struct Cells {
    Shared& shared;
    StepCells cells;
    Global<uint8_t> out;
    uint32_t begin;  // of the segment
    uint32_t known;  // output before this is complete

    [[nodiscard]] BOBBIN_HD uint32_t skew() const { return cells.skew; }
    [[nodiscard]] BOBBIN_HD static uint32_t literal(uint32_t byte) { return StepCells::kKnown | byte; }
    template <class Cta>
    [[nodiscard]] BOBBIN_HD uint32_t copied(Cta& cta, uint32_t from) const {
      if (from >= begin) {
        return cta.load(cells.cells, cells.index(from));
      }
      return from < known ? literal(cta.load(out, from)) : from;
    }
    template <class Cta>
    BOBBIN_HD void store(Cta& cta, uint32_t at, uint32_t cell) const {
      cta.store(cells.cells, cells.index(at), cell);
    }
    template <class Cta>
    BOBBIN_HD void store_four(Cta& cta, uint32_t word, const uint32_t (&four)[4]) const {
      cta.store(cells.quads, cells.quad(word), Quad{{four[0], four[1], four[2], four[3]}});
    }

    template <class Cta>
    BOBBIN_HD void copy_tile(Cta& cta, uint32_t first, const TileSequence& lane,
                             const Members::Survey& survey, const Literals& literals) const {
      const Extent extent = Extent::of(skew(), first, survey.end);
      Table::list(cta, shared.table, lane, survey.taken, extent);
      for (uint32_t w = Members::rank(cta); 4 * w < extent.end; w += kThreads) {
        copy_word(cta, extent, w, literals);
      }
      cta.sync();
    }

   private:
    template <class Cta>
    BOBBIN_HD void copy_word(Cta& cta, const Extent& extent, uint32_t w, const Literals& literals) const {
      Table::Source sources[4];
      Table::find(cta, shared.table, w, sources);
      uint32_t four[4] = {};
      BOBBIN_UNROLL
      for (uint32_t b = 0; b < 4; ++b) {
        if (extent.has(4 * w + b)) {
          const auto source = Table::follow(cta, shared.table, extent, sources[b]);
          four[b] = source.is_literal() ? literal(literals.at(cta, source.at())) : copied(cta, source.at());
        }
      }
      if (extent.has_word(w)) {
        store_four(cta, extent.first_word + w, four);
        return;
      }
      for (uint32_t b = 0; b < 4; ++b) {
        if (extent.has(4 * w + b)) {
          store(cta, extent.origin + 4 * w + b, four[b]);
        }
      }
    }
  };

  // False where an offset reaches too far.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool copy(Cta& cta, const Cells& cells, const FrameInfo& info,
                                    Global<const uint8_t> in, const SegmentStart& start,
                                    const SegmentStart& end) const {
    const PlacedFrame frame = PlacedFrame::of(slice, info);
    for (uint32_t b = start.block; b <= end.block && b < info.num_blocks; ++b) {
      const PlacedBlock block = cta.load(frame.blocks, b);
      const uint32_t first = b == start.block ? start.sequence : 0;
      const uint32_t last = b == end.block ? end.sequence : block.sequences + 1;
      const BlockCopies copies{.records = frame.records,
                               .literals = Literals::of(slice, info, in, block.literals, block.literals_from),
                               .begin = block.begin,
                               .window = info.window};
      const uint32_t sequences = last < block.sequences ? last : block.sequences;
      if (first < sequences) {
        const Recent recent{{block.first_recent, block.second_recent, block.third_recent}};
        Runs::keep_recent(cta, cells.shared.runs, recent);
        if (!Runs::copy(cta, cells.shared.runs, cells, copies, block.sequences_begin + first,
                        block.sequences_begin + sequences)) {
          return false;
        }
      }
      if (last > block.sequences) {
        copy_rest(cta, cells, copies, block);
        cta.sync();
      }
    }
    return true;
  }

  // The literals after a block's last sequence.
  template <class Cta>
  BOBBIN_HD static void copy_rest(Cta& cta, const Cells& cells, const BlockCopies& copies,
                                  const PlacedBlock& block) {
    uint64_t end = 0;
    if (block.sequences != 0) {
      end = cta.load(copies.records, block.sequences_begin + block.sequences);
    }
    Runs::copy_literals(cta, cells, block.begin + Copy::place(end), block.num_literals() - Copy::literal(end),
                        copies.literals, Copy::literal(end));
  }
};

struct SettleKernel {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kBytes = 4;  // per thread
  using Shared = simt::NoShared;

  Slice slice;
  uint32_t round;
  uint32_t step;

  uint32_t blocks_per_frame;

  // As many blocks for a frame as have something to do.
  [[nodiscard]] static uint32_t most_blocks(const SplitPlan& split) {
    return ceil_div<uint32_t>(split.cells_per_frame, kBytes * kThreads);
  }

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint32_t index = cta.block() / blocks_per_frame;
    const FrameInfo info = cta.load(slice.infos, index);
    if (info.round != round || !slice.is_ok(cta, index)) {
      return;
    }
    const uint32_t per_step = slice.split.segments_per_step();
    const uint64_t first = uint64_t{index} * slice.split.starts_per_frame + uint64_t{step} * per_step;
    const uint32_t begin = cta.load(slice.starts, first).position;
    const uint32_t end = cta.load(slice.starts, first + per_step).position;
    if (begin == end) {
      return;
    }
    const BatchFrame frame = slice.frame(cta, index);
    const StepCells cells = StepCells::of(slice, index, frame.out, step);
    const Extent extent = Extent::of(cells.skew, begin, end - begin);
    // Bytes that come first are settled first: ways that lead to them become short.
    const uint32_t first_word = cta.block() % blocks_per_frame * kThreads + cta.thread();
    for (uint32_t w = first_word; 4 * w < extent.end; w += blocks_per_frame * kThreads) {
      settle(cta, cells, extent, w, frame);
    }
  }

 private:
  template <class Cta>
  BOBBIN_HD static void settle(Cta& cta, const StepCells& cells, const Extent& extent, uint32_t w,
                               const BatchFrame& frame) {
    const Quad stored = cta.load(cells.quads, cells.quad(extent.first_word + w));
    uint32_t four[kBytes];
    BOBBIN_UNROLL
    for (uint32_t b = 0; b < kBytes; ++b) {
      four[b] = extent.has(4 * w + b) ? stored.word[b] : StepCells::kKnown;
    }
    // Each step is written down, so that all who follow this way now skip what has been followed: the steps
    // that are left halve each time. Loads first: they do not wait for each other.
    while ((four[0] & four[1] & four[2] & four[3] & StepCells::kKnown) == 0) {
      uint32_t next[kBytes];
      BOBBIN_UNROLL
      for (uint32_t b = 0; b < kBytes; ++b) {
        next[b] = four[b];
        if ((four[b] & StepCells::kKnown) == 0) {
          next[b] = cta.template atomic_load<simt::Order::relaxed>(cells.cells, cells.index(four[b]));
        }
      }
      BOBBIN_UNROLL
      for (uint32_t b = 0; b < kBytes; ++b) {
        if (next[b] != four[b]) {
          const uint32_t own = cells.index(extent.origin + 4 * w + b);
          cta.template atomic_store<simt::Order::relaxed>(cells.cells, own, next[b]);
          four[b] = next[b];
        }
      }
    }
    write(cta, extent, w, frame, four);
  }

  template <class Cta>
  BOBBIN_HD static void write(Cta& cta, const Extent& extent, uint32_t w, const BatchFrame& frame,
                              const uint32_t (&four)[kBytes]) {
    const auto out = ByteWords<uint32_t>::of(frame.out, frame.out_bytes);
    const Global<uint8_t> bytes{reinterpret_cast<uint8_t*>(frame.out), frame.out_bytes};
    uint32_t word = 0;
    BOBBIN_UNROLL
    for (uint32_t b = 0; b < kBytes; ++b) {
      const uint32_t position = extent.origin + 4 * w + b;
      word |= (four[b] & 255) << (8 * b);
      if (extent.has(4 * w + b) && !extent.has_word(w)) {
        cta.store(bytes, position, static_cast<uint8_t>(four[b]));
      }
    }
    if (extent.has_word(w)) {
      cta.store(out.words, extent.first_word + w, word);
    }
  }
};

}  // namespace bobbin::zstd
