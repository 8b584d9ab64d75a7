// SPDX-License-Identifier: Apache-2.0
// Streams, the form of each block, and the frame's bytes in scratch: one warp per frame.
#pragma once

#include "codecs/zstd/checksum_kernel.hpp"
#include "codecs/zstd/encode_slice.hpp"
#include "codecs/zstd/tables_kernel.hpp"

namespace bobbin::zstd {

// Bits to global memory that begins at a multiple of 4 bytes. Bytes from `limit` on are counted, not written.
template <class Cta>
struct GlobalBits {
  Cta& cta;
  Global<uint8_t> bytes;
  uint32_t at = 0;
  uint32_t limit = 0;
  uint64_t pending = 0;
  uint32_t filled = 0;

  // Up to 32 bits.
  BOBBIN_HD void put(uint64_t value, uint32_t count) {
    pending |= value << filled;
    filled += count;
    while (filled >= 32) {
      put_word_or_byte();
    }
  }
  BOBBIN_HD void end_backward() {
    put(1, 1);
    put(0, (8 - filled % 8) % 8);
    while (filled != 0) {
      put_byte();
    }
  }

 private:
  BOBBIN_HD void put_word_or_byte() {
    if (at % 4 != 0 || at + 4 > limit) {
      put_byte();
      return;
    }
    const Global<uint32_t> words{reinterpret_cast<uint32_t*>(bytes.data), bytes.size / 4};
    cta.store(words, at / 4, static_cast<uint32_t>(pending));
    at += 4;
    pending >>= 32;
    filled -= 32;
  }
  BOBBIN_HD void put_byte() {
    if (at < limit) {
      cta.store(bytes, at, static_cast<uint8_t>(pending));
    }
    ++at;
    pending >>= 8;
    filled -= 8;
  }
};

struct BlocksKernel {
  static constexpr uint32_t kThreads = simt::kWarpSize;
  static constexpr uint32_t kMostBlocksPerFrame = kMaxLinkedFrame / 256;

  struct Shared {
    EncoderTables tables;
    simt::Shared<uint32_t, kMostBlocksPerFrame> sequence_bytes;
    simt::Shared<uint32_t, 4 * kMostBlocksPerFrame> literal_streams;  // where they go; 0: nowhere
  };

  EncodeSlice slice;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    constexpr uint32_t kQuads = TablesKernel::kTableQuads;
    auto& tables = simt::seen_as<simt::Shared<Quad, kQuads>>(shared.tables);
    const auto from = slice.part<const Quad>(cta.block(), 0, kQuads);
    for (uint32_t i = cta.lane(); i < kQuads; i += simt::kWarpSize) {
      cta.store(tables, i, cta.load(from, i));
    }
    cta.sync_warp();
    put_streams(cta, shared);
    cta.sync_warp();
    Image<Cta> image{cta,
                     slice.part<uint8_t>(cta.block(), slice.layout.image,
                                         EncodeLayout::most_bytes(slice.frame_bytes, slice.block_bytes))};
    const uint32_t size = slice.size(cta.block());
    image.put({kFrameMagic, sizeof kFrameMagic});
    image.put(frame_header(size, slice.checksum));
    for (uint32_t i = cta.lane(); i < 4 * slice.num_blocks(cta.block()); i += simt::kWarpSize) {
      cta.store(shared.literal_streams, i, uint32_t{0});
    }
    cta.sync_warp();
    put_blocks(cta, shared, image);
    cta.sync_warp();
    put_literal_streams(cta, shared, image.bytes);
    if (slice.checksum) {
      const uint64_t sum = ResultKernel::hash<2>(cta, slice.bytes(cta.block()), size);
      image.put({sum, kChecksumBytes});
    }
    if (cta.lane() == 0) {
      cta.store(slice.sizes, cta.block(), image.at);
    }
  }

 private:
  // The frame in scratch memory. All lanes write to it together.
  template <class Cta>
  struct Image {
    Cta& cta;
    Global<uint8_t> bytes;
    uint32_t at = 0;

    // The number that lane 0 has.
    BOBBIN_HD void put(const Number& number) {
      if (cta.lane() == 0) {
        for (uint32_t i = 0; i < number.bytes; ++i) {
          cta.store(bytes, at + i, static_cast<uint8_t>(number.value >> (8 * i)));
        }
      }
      at += number.bytes;
    }
    template <class At>
    BOBBIN_HD void copy(uint32_t count, At&& byte_at) {
      for (uint32_t i = cta.lane(); i < count; i += simt::kWarpSize) {
        cta.store(bytes, at + i, static_cast<uint8_t>(byte_at(i)));
      }
      at += count;
    }
  };

  // The streams of sequences, one lane per block. One that would be larger than its block is cut off: the
  // block is then stored raw.
  template <class Cta>
  BOBBIN_HD void put_streams(Cta& cta, Shared& shared) const {
    for (uint32_t block = cta.lane(); block < slice.num_blocks(cta.block()); block += simt::kWarpSize) {
      const uint32_t count = cta.load(slice.records(cta.block()), block).sequences;
      const auto sequences = slice.sequences(cta.block(), block);
      const GlobalBits<Cta> bits{cta, slice.stream(cta.block(), block), 0, slice.block_bytes};
      const auto at = [&](uint32_t i) { return PackedSequence::unpack(cta.load(sequences, i)); };
      cta.store(shared.sequence_bytes, block,
                count == 0 ? 0 : put_sequences(cta, shared.tables, count, at, bits).at);
    }
  }

  // Huffman streams, one lane for each, to where put_blocks() left room for them.
  template <class Cta>
  BOBBIN_HD void put_literal_streams(Cta& cta, Shared& shared, const Global<uint8_t>& image) const {
    for (uint32_t i = cta.lane(); i < 4 * slice.num_blocks(cta.block()); i += simt::kWarpSize) {
      const uint32_t at = cta.load(shared.literal_streams, i);
      if (at == 0) {
        continue;
      }
      const LiteralStreams streams{cta.load(slice.records(cta.block()), i / 4).literals};
      const auto literals = slice.literals<uint32_t>(cta.block(), i / 4);
      uint32_t loaded = UINT32_MAX;
      uint32_t word = 0;
      const auto literal = [&](uint32_t k) {
        word = k / 4 == loaded ? word : cta.load(literals, k / 4);
        loaded = k / 4;
        return word >> (8 * (k % 4)) & 255;
      };
      const GlobalBits<Cta> bits{cta, image, at, static_cast<uint32_t>(image.size)};
      put_literals(cta, shared.tables, streams.begin(i % 4), streams.end(i % 4), literal, bits);
    }
  }

  template <class Cta>
  BOBBIN_HD void put_blocks(Cta& cta, Shared& shared, Image<Cta>& image) const {
    FramePlanner planner(cta, shared.tables);
    const uint32_t num_blocks = slice.num_blocks(cta.block());
    for (uint32_t block = 0; block < num_blocks; ++block) {
      const BlockRecord record = cta.load(slice.records(cta.block()), block);
      const auto literals = slice.literals<uint8_t>(cta.block(), block);
      const FrameBytes bytes = slice.bytes(cta.block());
      const uint32_t begin = block * slice.block_bytes;
      const auto content = [&](uint32_t i) { return bytes.byte(cta, begin + i); };
      const auto literal = [&](uint32_t i) -> uint32_t { return cta.load(literals, i); };
      uint32_t stream_bits[4];
      BlockCosts costs{.bytes = slice.block_size(cta.block(), block),
                       .literals = record.literals,
                       .sequences = record.sequences,
                       .huffman_bytes = measure(cta, shared.tables, record.literals, literal, stream_bits),
                       .sequence_bytes = cta.load(shared.sequence_bytes, block)};
      costs.repeats = all_equal(cta, costs.bytes, content);
      costs.literals_repeat = all_equal(cta, record.literals, literal);
      const BlockPlan plan = planner.plan(costs);
      image.put(FramePlanner::block_header(plan, costs.bytes, block + 1 == num_blocks));
      if (plan.kind != BlockKind::compressed) {
        image.copy(plan.stored, content);
        continue;
      }
      image.put(plan.literals_header);
      put_literals_section(cta, shared, plan, block, record.literals, literal, stream_bits, image);
      put_sequences_section(cta, shared.tables, plan, block, costs.sequence_bytes, image);
    }
    if (num_blocks == 0) {
      image.put({1, kBlockHeaderBytes});  // an empty raw block, the last
    }
  }

  template <class Cta, class At>
  [[nodiscard]] BOBBIN_HD static bool all_equal(Cta& cta, uint32_t count, At&& at) {
    const uint32_t first = count == 0 ? 0 : at(0);
    for (uint32_t i = 0; i < count; i += simt::kWarpSize) {
      if (cta.any(i + cta.lane() < count && at(i + cta.lane() < count ? i + cta.lane() : 0) != first)) {
        return false;
      }
    }
    return count != 0;
  }

  // The bits of each stream, and the bytes of all with the jump table.
  template <class Cta, class At>
  [[nodiscard]] BOBBIN_HD static uint32_t measure(Cta& cta, const EncoderTables& tables, uint32_t count,
                                                  At&& literal, uint32_t (&stream_bits)[4]) {
    const LiteralStreams streams{count};
    uint32_t bytes = streams.four() ? kJumpTableBytes : 0;
    BOBBIN_UNROLL
    for (uint32_t stream = 0; stream < 4; ++stream) {
      uint32_t bits = 0;
      const uint32_t end = stream == 0 || streams.four() ? streams.end(stream) : 0;
      for (uint32_t i = streams.begin(stream) + cta.lane(); i < end; i += simt::kWarpSize) {
        bits += cta.load(tables.codes, literal(i)) >> 11;
      }
      stream_bits[stream] = cta.reduce_add(bits);
      bytes += stream == 0 || streams.four() ? LiteralStreams::bytes(stream_bits[stream]) : 0;
    }
    return bytes;
  }

  template <class Cta, class At>
  BOBBIN_HD static void put_literals_section(Cta& cta, Shared& shared, const BlockPlan& plan, uint32_t block,
                                             uint32_t count, At&& literal, const uint32_t (&stream_bits)[4],
                                             Image<Cta>& image) {
    const EncoderTables& tables = shared.tables;
    if (plan.literals_kind == kRawLiterals || plan.literals_kind == kRepeatedLiterals) {
      image.copy(plan.literals_stored, literal);
      return;
    }
    if (plan.has_tree()) {
      image.copy(cta.load(tables.shape, EncoderTables::kTreeBytes),
                 [&](uint32_t i) { return cta.load(tables.tree, i); });
    }
    const LiteralStreams streams{count};
    if (streams.four()) {
      image.put({uint64_t{LiteralStreams::bytes(stream_bits[0])} |
                     uint64_t{LiteralStreams::bytes(stream_bits[1])} << 16 |
                     uint64_t{LiteralStreams::bytes(stream_bits[2])} << 32,
                 kJumpTableBytes});
    }
    for (uint32_t stream = 0; stream < (streams.four() ? 4 : 1); ++stream) {
      if (cta.lane() == stream) {
        cta.store(shared.literal_streams, 4 * block + stream, image.at);
      }
      image.at += LiteralStreams::bytes(stream_bits[stream]);
    }
  }

  template <class Cta>
  BOBBIN_HD void put_sequences_section(Cta& cta, const EncoderTables& tables, const BlockPlan& plan,
                                       uint32_t block, uint32_t stream_bytes, Image<Cta>& image) const {
    image.put(plan.sequences_header);
    for (uint32_t field = 0; plan.has_tables && field < kFields; ++field) {
      image.copy(cta.load(tables.shape, EncoderTables::kDescribedBytes + field),
                 [&](uint32_t i) { return cta.load(tables.described, field * kMaxTableBytes + i); });
    }
    const auto stream = slice.stream(cta.block(), block);
    image.copy(stream_bytes, [&](uint32_t i) { return cta.load(stream, i); });
  }
};

}  // namespace bobbin::zstd
