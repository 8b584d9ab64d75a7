// SPDX-License-Identifier: Apache-2.0
// From symbols to copies: values of sequences, recent offsets, positions. A warp goes through a frame, 32
// sequences at a time. Everything that execution relies on is checked here.
#pragma once

#include "codecs/zstd/fse_kernel.hpp"
#include "codecs/zstd/measure_kernel.hpp"

namespace bobbin::zstd {

// What sequences do to the three recent offsets. Each new one is a number, or one of the old ones less some
// steps: such functions can be composed in any grouping.
struct Recent {
  uint32_t slot[3];

  static constexpr uint32_t kOld = uint32_t{1} << 31;
  static constexpr uint32_t kSlot = 16;                       // 2 bits: which old one; below: less how much
  static constexpr uint32_t kMostOffset = uint32_t{1} << 30;  // is refused later; larger ones become this

  [[nodiscard]] BOBBIN_HD static uint32_t old(uint32_t slot, uint32_t less = 0) {
    return kOld | slot << kSlot | less;
  }
  [[nodiscard]] BOBBIN_HD static Recent same() { return {{old(0), old(1), old(2)}}; }

  // What a sequence does whose offset value is 1 or more.
  [[nodiscard]] BOBBIN_HD static Recent of(uint32_t value, bool no_literals) {
    const uint32_t which = value - 1 + (no_literals ? 1 : 0);
    const bool is_new = value > 3;
    const uint32_t number = value - 3 < kMostOffset ? value - 3 : kMostOffset;
    const uint32_t first = is_new ? number : which < 3 ? old(which) : old(0, 1);
    const bool unchanged = !is_new && which == 0;
    const bool keeps_third = !is_new && which <= 1;
    return {{first, unchanged ? old(1) : old(0), keeps_third ? old(2) : old(1)}};
  }

  // A slot after `before`.
  [[nodiscard]] BOBBIN_HD static uint32_t after(uint32_t slot, const Recent& before) {
    if ((slot & kOld) == 0) {
      return slot;
    }
    const uint32_t which = slot >> kSlot & 3;
    const uint32_t less = low_bits(slot, kSlot);
    const uint32_t base = which == 0 ? before.slot[0] : which == 1 ? before.slot[1] : before.slot[2];
    return (base & kOld) != 0 ? base + less : base - less;
  }
  [[nodiscard]] BOBBIN_HD Recent after(const Recent& before) const {
    return {{after(slot[0], before), after(slot[1], before), after(slot[2], before)}};
  }
};

struct ValuesKernel {
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kLengths = 64;  // symbols of one kind, rounded up

  struct Shared {
    simt::Shared<uint32_t, 2 * kLengths> lengths;  // base, and extra bits above it: literals, then matches
  };

  Slice slice;
  uint32_t round;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& lengths = cta.template shared<Shared>().lengths;
    for (uint32_t s = cta.thread(); s < kLengths; s += kThreads) {
      const uint32_t literal = s < 36 ? s : 0;
      const uint32_t match = s < 53 ? s : 0;
      cta.store(lengths, s,
                LengthSymbols::literal_base(literal) | LengthSymbols::literal_extra(literal) << kBaseBits);
      cta.store(lengths, kLengths + s,
                LengthSymbols::match_base(match) | LengthSymbols::match_extra(match) << kBaseBits);
    }
    cta.sync();
    const Span frames = slice.span(cta, Divided::frames, round);
    while (true) {
      const uint32_t frame = frames.begin + take_ticket(cta, slice, round, Ticket::values);
      if (frame >= frames.end) {
        return;
      }
      if (cta.all(slice.is_ok(cta, frame))) {
        FrameInfo info = cta.load(slice.infos, frame);
        const Verdict verdict = run_frame(cta, frame, info);
        cta.sync_warp();
        if (cta.lane() == 0) {
          cta.store(slice.infos, frame, info);
          slice.refuse(cta, frame, verdict);
        }
      }
    }
  }

 private:
  static constexpr uint32_t kBaseBits = 24;

  struct Frame {
    FrameBytes bytes{};
    Global<uint64_t> records{};
    uint32_t max_block = 0;
    uint32_t window = 0;
    uint32_t capacity = 0;
    uint32_t produced = 0;
    Recent recent{};  // numbers
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Verdict run_frame(Cta& cta, uint32_t index, FrameInfo& info) const {
    const BatchFrame batch_frame = slice.frame(cta, index);
    const Region region = Region::of(info);
    const auto blocks = slice.part<Block>(info, region.blocks, info.num_blocks);
    Frame frame{.bytes = FrameBytes::of(batch_frame.in, batch_frame.in_bytes),
                .records = slice.part<uint64_t>(info, region.sequences, info.sequences),
                .max_block = info.max_block,
                .window = info.window,
                .capacity = static_cast<uint32_t>(batch_frame.out_bytes),
                .recent = {{1, 4, 8}}};
    for (uint32_t b = 0; b < info.num_blocks; ++b) {
      const Block block = cta.load(blocks, b);
      const Verdict verdict = block.kind() == 2 ? run_block(cta, frame, block) : add(frame, block.size);
      if (verdict != Verdict::ok) {
        return verdict;
      }
    }
    info.bytes = frame.produced;
    return info.content == FrameInfo::kNoContent || info.content == frame.produced ? Verdict::ok
                                                                                   : Verdict::corrupt;
  }

  [[nodiscard]] BOBBIN_HD static Verdict add(Frame& frame, uint32_t bytes) {
    if (bytes > frame.capacity - frame.produced) {
      return Verdict::too_small;
    }
    frame.produced += bytes;
    return Verdict::ok;
  }

  // Where a block's next sequences begin.
  struct Place {
    uint32_t literal = 0;
    uint32_t content = 0;
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Verdict run_block(Cta& cta, Frame& frame, const Block& block) const {
    Place place;
    BackwardStream stream;
    // Positions count from the stream's first byte, which is found from its end.
    stream.bytes = frame.bytes;
    stream.last_word = (frame.bytes.skew + block.at + block.size - 1) / 4;
    stream.first_bit = block.sequences == 0 ? 0 : 8 * (frame.bytes.skew + stream_at(cta, frame, block));
    for (uint32_t first = 0; first < block.sequences; first += simt::kWarpSize) {
      const Verdict verdict = run_group(cta, frame, block, stream, first, place);
      if (verdict != Verdict::ok) {
        return verdict;
      }
    }
    if (block.sequences != 0 && cta.lane() == 0) {
      cta.store(frame.records, block.sequences_begin + block.sequences,
                Copy::pack(place.literal, place.content, 0));
    }
    const uint32_t bytes = place.content + block.num_literals() - place.literal;
    return bytes > frame.max_block ? Verdict::corrupt : add(frame, bytes);
  }

  // The chain leaves it where the block's last record goes.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t stream_at(Cta& cta, const Frame& frame, const Block& block) {
    const uint64_t at = cta.load(frame.records, block.sequences_begin + block.sequences);
    cta.sync_warp();
    return static_cast<uint32_t>(at);
  }

  struct Sequence {
    uint32_t literals = 0;
    uint32_t match = 0;
    uint32_t offset_value = 0;
  };

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Sequence extract(Cta& cta, const BackwardStream& stream, uint64_t record) {
    const auto& lengths = cta.template shared<Shared>().lengths;
    const uint32_t literal = cta.load(lengths, Symbols::literal(record));
    const uint32_t match = cta.load(lengths, kLengths + Symbols::match(record));
    const uint32_t offset_bits = Symbols::offset(record);
    const uint32_t literal_bits = literal >> kBaseBits;
    const uint32_t match_bits = match >> kBaseBits;
    const uint32_t offset_at = Symbols::position(record) - offset_bits;
    const uint32_t lengths_at = offset_at - match_bits - literal_bits;
    const uint32_t offset = stream.bits_at(cta, static_cast<int32_t>(offset_at));
    const uint32_t both = stream.bits_at(cta, static_cast<int32_t>(lengths_at));
    return {low_bits(literal, kBaseBits) + low_bits(both, literal_bits),
            low_bits(match, kBaseBits) + low_bits(both >> literal_bits, match_bits),
            (uint32_t{1} << offset_bits) + low_bits(offset, offset_bits)};
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD Verdict run_group(Cta& cta, Frame& frame, const Block& block,
                                            const BackwardStream& stream, uint32_t first,
                                            Place& place) const {
    const uint32_t i = first + cta.lane();
    const bool active = i < block.sequences;
    Sequence sequence;
    if (active) {
      sequence = extract(cta, stream, cta.load(frame.records, block.sequences_begin + i));
    }
    const uint32_t literals = simt::sum_through(cta, sequence.literals);
    const uint32_t content = simt::sum_through(cta, sequence.literals + sequence.match);
    const uint32_t offset = resolve(cta, frame, sequence, active);
    const uint32_t end = place.content + content;
    const uint32_t before_match = frame.produced + end - sequence.match;
    const uint32_t reach = before_match < frame.window ? before_match : frame.window;
    const bool damaged = active && (place.literal + literals > block.num_literals() ||
                                    end > frame.max_block || offset - 1 >= reach);
    const bool too_large = active && end > frame.capacity - frame.produced;
    if (cta.any(damaged || too_large)) {
      return cta.any(damaged && !too_large) ? Verdict::corrupt : Verdict::too_small;
    }
    if (active) {
      cta.store(frame.records, block.sequences_begin + i,
                Copy::pack(place.literal + literals - sequence.literals,
                           end - sequence.literals - sequence.match, offset));
    }
    place.literal += cta.shfl(literals, simt::kWarpSize - 1);
    place.content += cta.shfl(content, simt::kWarpSize - 1);
    return Verdict::ok;
  }

  // The offset of each lane's sequence; the frame's recent ones move on.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t resolve(Cta& cta, Frame& frame, const Sequence& sequence,
                                                  bool active) {
    Recent own = active ? Recent::of(sequence.offset_value, sequence.literals == 0) : Recent::same();
    BOBBIN_UNROLL
    for (uint32_t distance = 1; distance < simt::kWarpSize; distance *= 2) {
      const Recent before{{cta.shfl_up(own.slot[0], distance), cta.shfl_up(own.slot[1], distance),
                           cta.shfl_up(own.slot[2], distance)}};
      if (cta.lane() >= distance) {
        own = own.after(before);
      }
    }
    own = own.after(frame.recent);
    frame.recent = {{cta.shfl(own.slot[0], 31), cta.shfl(own.slot[1], 31), cta.shfl(own.slot[2], 31)}};
    return own.slot[0];
  }
};

}  // namespace bobbin::zstd
