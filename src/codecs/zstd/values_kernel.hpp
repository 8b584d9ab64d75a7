// SPDX-License-Identifier: Apache-2.0
// From symbols to copies: values of sequences, recent offsets, positions. A warp goes through a unit, 32
// sequences at a time. Blocks do not wait for each other: what they take from earlier ones stays open.
#pragma once

#include "codecs/zstd/fse_kernel.hpp"
#include "codecs/zstd/measure_kernel.hpp"
#include "core/bit_scan.hpp"

namespace bobbin::zstd {

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
    const Span units = slice.span(cta, Divided::sequence_units, round);
    while (true) {
      const uint32_t unit = units.begin + take_ticket(cta, slice, round, Ticket::values);
      if (unit >= units.end) {
        return;
      }
      const uint32_t frame =
          frame_of_unit(cta, slice.first_sequence_unit, slice.span(cta, Divided::frames, round), unit);
      if (cta.all(slice.is_ok(cta, frame)) && !run_unit(cta, frame, unit) && cta.lane() == 0) {
        slice.refuse(cta, frame, Verdict::corrupt);
      }
      cta.sync_warp();
    }
  }

 private:
  static constexpr uint32_t kBaseBits = 24;

  struct Frame {
    FrameBytes bytes{};
    Global<uint64_t> records{};
    uint32_t max_block = 0;
  };

  // False if a block is damaged.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool run_unit(Cta& cta, uint32_t index, uint32_t unit) const {
    const FrameInfo info = cta.load(slice.infos, index);
    const BatchFrame batch_frame = slice.frame(cta, index);
    const Region region = Region::of(info);
    const auto blocks = slice.part<Block>(info, region.blocks, info.num_blocks);
    const auto ready = slice.part<ReadyBlock>(info, region.blocks, info.num_blocks);
    const auto units = slice.part<SequenceUnit>(info, region.sequence_units, info.sequence_units);
    const uint32_t number = unit - cta.load(slice.first_sequence_unit, index);
    const bool is_last = number + 1 == info.sequence_units;
    const uint32_t end = is_last ? info.num_blocks : cta.load(units, number + 1).first;
    const Frame frame{.bytes = FrameBytes::of(batch_frame.in, batch_frame.in_bytes),
                      .records = slice.part<uint64_t>(info, region.sequences, info.sequences),
                      .max_block = info.max_block};
    for (uint32_t b = cta.load(units, number).first; b < end; ++b) {
      const Block block = cta.load(blocks, b);
      if (block.kind() != 2 || block.sequences == 0) {
        continue;
      }
      Place place;
      if (!run_block(cta, frame, block, place)) {
        return false;
      }
      cta.sync_warp();
      if (cta.lane() == 0) {
        cta.store(ready, b, ready_block(block, place));
      }
    }
    return true;
  }

  // Where a block's next sequences begin, and what those before did.
  struct Place {
    uint32_t literal = 0;
    uint32_t content = 0;
    Recent recent = Recent::same();
  };

  [[nodiscard]] BOBBIN_HD static ReadyBlock ready_block(const Block& block, const Place& place) {
    return {.first_recent = place.recent.slot[0],
            .bytes = place.content + block.num_literals() - place.literal,
            .literals = block.literals,
            .literals_from = block.has_huffman() ? block.literals_begin : block.literals_at,
            .second_recent = place.recent.slot[1],
            .third_recent = place.recent.slot[2],
            .sequences = block.sequences,
            .sequences_begin = block.sequences_begin};
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool run_block(Cta& cta, const Frame& frame, const Block& block,
                                         Place& place) const {
    BackwardStream stream;
    // Positions count from a byte that the chain has chosen, and noted after the last record.
    stream.bytes = frame.bytes;
    stream.last_word = (frame.bytes.skew + block.at + block.size - 1) / 4;
    stream.first_bit = 8 * (frame.bytes.skew + counted_from(cta, frame, block));
    // The next records are on their way while a group is worked on.
    uint64_t next = record_at(cta, frame, block, 0);
    for (uint32_t first = 0; first < block.sequences; first += simt::kWarpSize) {
      const uint64_t record = next;
      next = record_at(cta, frame, block, first + simt::kWarpSize);
      if (!run_group(cta, frame, block, stream, record, first, place)) {
        return false;
      }
    }
    if (cta.lane() == 0) {
      cta.store(frame.records, block.sequences_begin + block.sequences,
                Copy::pack(place.literal, place.content, 0));
    }
    return place.content + block.num_literals() - place.literal <= frame.max_block;
  }

  // The chain leaves it where the block's last record goes.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t counted_from(Cta& cta, const Frame& frame, const Block& block) {
    const uint64_t at = cta.load(frame.records, block.sequences_begin + block.sequences);
    cta.sync_warp();
    return static_cast<uint32_t>(at);
  }

  // The lane's record among those from `first` on; of a lane without a sequence, any.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint64_t record_at(Cta& cta, const Frame& frame, const Block& block,
                                                    uint32_t first) {
    const uint32_t i = first + cta.lane();
    return i < block.sequences ? cta.load(frame.records, block.sequences_begin + i) : 0;
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
  [[nodiscard]] BOBBIN_HD bool run_group(Cta& cta, const Frame& frame, const Block& block,
                                         const BackwardStream& stream, uint64_t record, uint32_t first,
                                         Place& place) const {
    const uint32_t i = first + cta.lane();
    const bool active = i < block.sequences;
    Sequence sequence;
    if (active) {
      sequence = extract(cta, stream, record);
    }
    const auto [literals, content] = sums_through(cta, sequence.literals, sequence.literals + sequence.match);
    const uint32_t left = block.sequences - first;
    const uint32_t offset =
        resolve(cta, place.recent, sequence, left < simt::kWarpSize ? left : simt::kWarpSize);
    const uint32_t end = place.content + content;
    if (cta.any(active && (place.literal + literals > block.num_literals() || end > frame.max_block))) {
      return false;
    }
    if (active) {
      cta.store(frame.records, block.sequences_begin + i,
                Copy::pack(place.literal + literals - sequence.literals,
                           end - sequence.literals - sequence.match, Copy::shortened(offset)));
    }
    place.literal += cta.shfl(literals, simt::kWarpSize - 1);
    place.content += cta.shfl(content, simt::kWarpSize - 1);
    return true;
  }

  struct Sums {
    uint32_t literals;
    uint32_t content;
  };
  // Over the lanes. `content` is not below `literals`. If all are small, both fit in one sum.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Sums sums_through(Cta& cta, uint32_t literals, uint32_t content) {
    constexpr uint32_t kSmall = (uint32_t{1} << 16) / simt::kWarpSize;
    if (cta.any(content >= kSmall)) {
      return {simt::sum_through(cta, literals), simt::sum_through(cta, content)};
    }
    const uint32_t both = simt::sum_through(cta, literals | content << 16);
    return {both & 0xffff, both >> 16};
  }

  // The offset of each lane's sequence; the block's recent ones move on. Lanes 0 .. count-1 have one.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t resolve(Cta& cta, Recent& recent, const Sequence& sequence,
                                                  uint32_t count) {
    // One at a time is shorter than a scan if there are few.
    constexpr uint32_t kFew = 3;
    const bool active = cta.lane() < count;
    const uint32_t repeats = cta.ballot(active && Recent::is_repeat(sequence.offset_value));
    if (repeats == 0) {
      const uint32_t offset = Recent::number(sequence.offset_value);
      recent = after_numbers(cta, recent, offset, 0, count);
      return offset;
    }
    const Recent own = active ? Recent::of(sequence.offset_value, sequence.literals == 0) : Recent::same();
    return count_ones(repeats) <= kFew ? resolve_few(cta, recent, own, repeats, count)
                                       : resolve_all(cta, recent, own);
  }

  // `repeats` are the lanes whose offset is a recent one.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t resolve_few(Cta& cta, Recent& recent, const Recent& own,
                                                      uint32_t repeats, uint32_t count) {
    uint32_t offset = own.slot[0];
    uint32_t done = 0;
    for (; repeats != 0; repeats &= repeats - 1) {
      const uint32_t lane = trailing_zeros(repeats);
      const Recent before = after_numbers(cta, recent, offset, done, lane);
      recent = Recent{{cta.shfl(own.slot[0], lane), cta.shfl(own.slot[1], lane), cta.shfl(own.slot[2], lane)}}
                   .after(before);
      offset = cta.lane() == lane ? recent.slot[0] : offset;
      done = lane + 1;
    }
    recent = after_numbers(cta, recent, offset, done, count);
    return offset;
  }

  // The recent offsets after those of lanes begin .. end-1, which are all new ones.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Recent after_numbers(Cta& cta, const Recent& before, uint32_t offset,
                                                      uint32_t begin, uint32_t end) {
    const uint32_t count = end - begin;
    const uint32_t last = cta.shfl(offset, (end - 1) % simt::kWarpSize);
    const uint32_t second = cta.shfl(offset, (end - 2) % simt::kWarpSize);
    const uint32_t third = cta.shfl(offset, (end - 3) % simt::kWarpSize);
    if (count > 2) {
      return {{last, second, third}};
    }
    const auto& old = before.slot;
    return {{count > 0 ? last : old[0],
             count > 1    ? second
             : count == 1 ? old[0]
                          : old[1],
             count == 2   ? old[0]
             : count == 1 ? old[1]
                          : old[2]}};
  }

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t resolve_all(Cta& cta, Recent& recent, Recent own) {
    BOBBIN_UNROLL
    for (uint32_t distance = 1; distance < simt::kWarpSize; distance *= 2) {
      const Recent before{{cta.shfl_up(own.slot[0], distance), cta.shfl_up(own.slot[1], distance),
                           cta.shfl_up(own.slot[2], distance)}};
      if (cta.lane() >= distance) {
        own = own.after(before);
      }
    }
    own = own.after(recent);
    recent = {{cta.shfl(own.slot[0], 31), cta.shfl(own.slot[1], 31), cta.shfl(own.slot[2], 31)}};
    return own.slot[0];
  }
};

}  // namespace bobbin::zstd
