// SPDX-License-Identifier: Apache-2.0
// The copies. A team of warps goes through a frame, a tile of sequences at a time.
#pragma once

#include <type_traits>

#include "codecs/zstd/team_output.hpp"
#include "codecs/zstd/warp_output.hpp"

namespace bobbin::zstd {

template <uint32_t kTeamWarps>
struct ExecuteKernel {
  using Output = std::conditional_t<kTeamWarps == 1, WarpOutput, TeamOutput<kTeamWarps>>;
  using Tile = typename Output::Tile;
  using Runs = CopyRuns<kTeamWarps>;
  using Members = typename Runs::Members;
  static constexpr uint32_t kTeam = Members::kThreads;
  static constexpr uint32_t kThreads = kTeam < 128 ? 128 : kTeam;
  static constexpr uint32_t kTeams = kThreads / kTeam;
  // Copies wait for memory. With a warp per frame, 40 warps per SM with eight loads each are faster than 48
  // with four.
  static constexpr uint32_t kMinBlocks = kTeamWarps == 1 ? 10 : 4;

  struct Shared {
    Tile tiles[kTeams];
  };

  Slice slice;
  uint32_t round;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const Span frames = slice.span(cta, Divided::frames, round);
    Tile& tile = cta.template shared<Shared>().tiles[cta.thread() / kTeam];
    while (true) {
      const uint32_t frame = frames.begin + Members::agree(cta, tile.runs.team, [&] { return ticket(cta); });
      if (frame >= frames.end) {
        return;
      }
      Members::sync(cta);
      if (cta.all(slice.is_ok(cta, frame))) {
        decode_frame(cta, tile, frame);
      }
    }
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t ticket(Cta& cta) const {
    return cta.template atomic_add<simt::Order::relaxed>(
        slice.tickets, round * kTickets + static_cast<uint32_t>(Ticket::execute), uint32_t{1});
  }

  template <class Cta>
  BOBBIN_HD void decode_frame(Cta& cta, Tile& tile, uint32_t index) const {
    FrameInfo info = cta.load(slice.infos, index);
    const Verdict verdict = run_frame(cta, tile, index, info);
    Members::sync(cta);  // all have read what the frame's information was
    if (Members::rank(cta) == 0) {
      cta.store(slice.infos, index, info);
      slice.refuse(cta, index, verdict);
    }
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Verdict run_frame(Cta& cta, Tile& tile, uint32_t index, FrameInfo& info) const {
    const BatchFrame frame = slice.frame(cta, index);
    const auto capacity = static_cast<uint32_t>(frame.out_bytes);
    const auto blocks = slice.part<Block>(info, Region::of(info).blocks, info.num_blocks);
    const Output output{{reinterpret_cast<uint8_t*>(frame.out), capacity}, tile};
    const Global<const uint8_t> in{reinterpret_cast<const uint8_t*>(frame.in), frame.in_bytes};
    Runs::keep_recent(cta, tile.runs, Recent::at_frame_start());
    uint32_t produced = 0;
    for (uint32_t b = 0; b < info.num_blocks; ++b) {
      const Block block = cta.load(blocks, b);
      const uint32_t bytes = block.content();
      if (bytes > capacity - produced) {
        return Verdict::too_small;
      }
      if (!block.is_ready()) {
        const Literals literals =
            Literals::of(slice, info, in, block.plain_literals(), block.plain_literals_from());
        Runs::copy_literals(cta, output, produced, bytes, literals, 0);
        Members::sync(cta);
      } else if (!run_block(cta, output, produced, info, in, std::bit_cast<ReadyBlock>(block))) {
        return Verdict::corrupt;
      }
      produced += bytes;
    }
    info.bytes = produced;
    return info.content == FrameInfo::kNoContent || info.content == produced ? Verdict::ok : Verdict::corrupt;
  }

  // False where an offset reaches too far.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool run_block(Cta& cta, const Output& output, uint32_t produced,
                                         const FrameInfo& info, Global<const uint8_t> in,
                                         const ReadyBlock& block) const {
    const BlockCopies copies{
        .records = slice.part<uint64_t>(info, Region::of(info).sequences, info.sequences),
        .literals = Literals::of(slice, info, in, block.literals, block.literals_from),
        .begin = produced,
        .window = info.window};
    const uint32_t last = block.sequences_begin + block.sequences;
    typename Runs::Shared& shared = output.tile.runs;
    if (!Runs::copy(cta, shared, output, copies, block.sequences_begin, last)) {
      return false;
    }
    const uint64_t end = cta.load(copies.records, last);
    const uint32_t rest = low_bits(block.literals, Block::kCountBits) - Copy::literal(end);
    Runs::copy_literals(cta, output, produced + Copy::place(end), rest, copies.literals, Copy::literal(end));
    const Recent recent{{block.first_recent, block.second_recent, block.third_recent}};
    const Recent older{{cta.load(shared.recent, 0), cta.load(shared.recent, 1), cta.load(shared.recent, 2)}};
    Members::sync(cta);
    Runs::keep_recent(cta, shared, recent.after(older));
    return true;
  }
};

}  // namespace bobbin::zstd
