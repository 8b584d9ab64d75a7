// SPDX-License-Identifier: Apache-2.0
// Encoding on a device: many frames of up to 64 KiB, with the bytes of the CPU encoder. Stages, for a slice
// of the content at a time:
//
//   link     one block of threads per frame   match_kernels.hpp, once per key
//   parse    one thread per block of content  links to sequences and literals
//   tables   one warp per frame               occurrences, then the entropy tables (one lane)
//   blocks   one warp per frame               streams, the form of each block, the frame's bytes in scratch
//   place    one block of threads             where each frame goes
//   copy     one block of threads per frame   frames to their places
//
// A frame's scratch: tables, block records, sequences (8 bytes per 3 bytes of content at most), literals, and
// an area that first holds the links, then the streams of sequences and the frame itself.
#pragma once

#include "codecs/zstd/checksum_kernel.hpp"
#include "codecs/zstd/encode_blocks.hpp"
#include "codecs/zstd/match_kernels.hpp"
#include "codecs/zstd/parse_block.hpp"
#include "core/bit_scan.hpp"

namespace bobbin::zstd {

// What the parse leaves for the stages after it.
struct alignas(8) BlockRecord {
  uint32_t literals;
  uint32_t sequences;
};

// A sequence in 8 bytes: a block has up to 64 KiB.
struct PackedSequence {
  [[nodiscard]] BOBBIN_HD static uint64_t pack(const CodedSequence& s) {
    return uint64_t{s.literals} | uint64_t{s.match} << 20 | uint64_t{s.offset_value} << 40;
  }
  [[nodiscard]] BOBBIN_HD static CodedSequence unpack(uint64_t packed) {
    return {low_bits(static_cast<uint32_t>(packed), 20), low_bits(static_cast<uint32_t>(packed >> 20), 20),
            static_cast<uint32_t>(packed >> 40)};
  }
};

// How a frame's scratch is divided, in bytes.
struct EncodeLayout {
  uint32_t num_blocks = 0;       // of a full frame
  uint32_t sequence_stride = 0;  // sequences from block to block
  uint32_t byte_stride = 0;      // bytes of literals, or of a stream, from block to block
  uint64_t records = 0;
  uint64_t sequences = 0;
  uint64_t literals = 0;
  uint64_t area = 0;
  uint64_t long_links = 0;
  uint64_t image = 0;
  uint64_t stride = 0;  // from frame to frame

  // The most bytes of a frame with this much content.
  [[nodiscard]] BOBBIN_HD static uint64_t most_bytes(uint64_t content, uint32_t block_bytes) {
    return content + kBlockHeaderBytes * (content / block_bytes + 1) + 18 + kChecksumBytes;
  }

  [[nodiscard]] static EncodeLayout of(uint32_t frame_bytes, uint32_t block_bytes, bool long_key) {
    EncodeLayout layout;
    layout.num_blocks = ceil_div<uint32_t>(frame_bytes, block_bytes);
    layout.sequence_stride = block_bytes / kMinRecentMatch + 1;
    layout.byte_stride = round_up<uint32_t>(block_bytes, 16);
    layout.records = round_up<uint64_t>(sizeof(EncoderTables), 16);
    layout.sequences = layout.records + round_up<uint64_t>(layout.num_blocks * sizeof(BlockRecord), 16);
    layout.literals =
        layout.sequences + round_up<uint64_t>(uint64_t{layout.num_blocks} * layout.sequence_stride * 8, 16);
    layout.area = layout.literals + uint64_t{layout.num_blocks} * layout.byte_stride;
    const uint64_t one_key = round_up<uint64_t>(uint64_t{2} * frame_bytes, 16);
    layout.long_links = layout.area + one_key;
    layout.image = layout.area + uint64_t{layout.num_blocks} * layout.byte_stride;
    const uint64_t after_links = layout.long_links + (long_key ? one_key : 0);
    const uint64_t after_image = layout.image + most_bytes(frame_bytes, block_bytes);
    layout.stride = round_up<uint64_t>(after_links < after_image ? after_image : after_links, 256);
    return layout;
  }
};

// A slice of the content: what all kernels are given.
struct EncodeSlice {
  const std::byte* in = nullptr;
  uint64_t in_bytes = 0;
  uint64_t num_frames = 0;
  uint32_t frame_bytes = 0;
  uint32_t block_bytes = 0;
  ParseSettings settings{};
  bool checksum = false;
  EncodeLayout layout{};
  uint8_t* scratch = nullptr;
  Global<uint32_t> sizes;            // of the slice's frames
  Global<uint64_t> ends;             // in the output, of the slice's frames
  const uint64_t* before = nullptr;  // where the slice's first frame goes; nullptr: 0
  std::byte* out = nullptr;

  [[nodiscard]] BOBBIN_HD uint32_t size(uint64_t frame) const {
    const uint64_t left = in_bytes - frame * frame_bytes;
    return left < frame_bytes ? static_cast<uint32_t>(left) : frame_bytes;
  }
  [[nodiscard]] BOBBIN_HD FrameBytes bytes(uint64_t frame) const {
    return FrameBytes::of(in + frame * frame_bytes, size(frame));
  }
  [[nodiscard]] BOBBIN_HD uint32_t num_blocks(uint64_t frame) const {
    return (size(frame) + block_bytes - 1) / block_bytes;
  }
  [[nodiscard]] BOBBIN_HD uint32_t block_size(uint64_t frame, uint32_t block) const {
    const uint32_t left = size(frame) - block * block_bytes;
    return left < block_bytes ? left : block_bytes;
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD Global<T> part(uint64_t frame, uint64_t at, uint64_t count) const {
    return {reinterpret_cast<T*>(scratch + frame * layout.stride + at), count};
  }
  [[nodiscard]] BOBBIN_HD Global<BlockRecord> records(uint64_t frame) const {
    return part<BlockRecord>(frame, layout.records, layout.num_blocks);
  }
  [[nodiscard]] BOBBIN_HD Global<uint64_t> sequences(uint64_t frame, uint32_t block) const {
    return part<uint64_t>(frame, layout.sequences + uint64_t{block} * layout.sequence_stride * 8,
                          layout.sequence_stride);
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD Global<T> literals(uint64_t frame, uint32_t block) const {
    return part<T>(frame, layout.literals + uint64_t{block} * layout.byte_stride,
                   layout.byte_stride / sizeof(T));
  }
  [[nodiscard]] BOBBIN_HD Global<uint8_t> stream(uint64_t frame, uint32_t block) const {
    return part<uint8_t>(frame, layout.area + uint64_t{block} * layout.byte_stride, layout.byte_stride);
  }
};

struct ParseKernel {
  static constexpr uint32_t kThreads = simt::kWarpSize;  // small blocks spread evenly over the SMs
  using Shared = simt::NoShared;

  EncodeSlice slice;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t index = uint64_t{cta.block()} * kThreads + cta.thread();
    const uint64_t frame = index / slice.layout.num_blocks;
    const auto block = static_cast<uint32_t>(index % slice.layout.num_blocks);
    if (frame >= slice.num_frames || block >= slice.num_blocks(frame)) {
      return;
    }
    Input<Cta> input{cta, slice.bytes(frame),
                     slice.part<const uint16_t>(frame, slice.layout.area, slice.size(frame)),
                     slice.part<const uint16_t>(frame, slice.layout.long_links, slice.size(frame))};
    Sink<Cta> sink{cta, input.bytes, slice.sequences(frame, block), slice.literals<uint32_t>(frame, block)};
    const uint32_t begin = block * slice.block_bytes;
    const uint32_t end = begin + slice.block_size(frame, block);
    const uint32_t anchor = BlockParser<Input<Cta>, Sink<Cta>>(input, sink, slice.settings).parse(begin, end);
    sink.copy(anchor, end - anchor);
    sink.finish();
    cta.store(slice.records(frame), block, BlockRecord{sink.num_literals, sink.num_sequences});
  }

 private:
  template <class Cta>
  struct Input {
    Cta& cta;
    FrameBytes bytes;
    Global<const uint16_t> short_links;
    Global<const uint16_t> long_links;

    [[nodiscard]] BOBBIN_HD uint32_t word(uint32_t at) const { return bytes.word(cta, at); }
    [[nodiscard]] BOBBIN_HD uint32_t by_short(uint32_t at) const { return position(short_links, at); }
    [[nodiscard]] BOBBIN_HD uint32_t next_by_short(uint32_t at) const { return by_short(at); }
    [[nodiscard]] BOBBIN_HD uint32_t by_long(uint32_t at) const { return position(long_links, at); }
    [[nodiscard]] BOBBIN_HD uint32_t position(const Global<const uint16_t>& links, uint32_t at) const {
      const uint32_t link = cta.load(links, at);
      return link == kNoLink ? kNoPosition : link;
    }
    [[nodiscard]] BOBBIN_HD bool same_before(uint32_t a, uint32_t b) const {
      return bytes.byte(cta, a - 1) == bytes.byte(cta, b - 1);
    }
    [[nodiscard]] BOBBIN_HD uint32_t equal(uint32_t a, uint32_t b, uint32_t most) const {
      for (uint32_t length = 0; length < most; length += 4) {
        const uint32_t differ = word(a + length) ^ word(b + length);
        if (differ != 0) {
          const uint32_t found = length + trailing_zeros(differ) / 8;
          return found < most ? found : most;
        }
      }
      return most;
    }
  };

  template <class Cta>
  struct Sink {
    Cta& cta;
    FrameBytes bytes;
    Global<uint64_t> sequences;
    Global<uint32_t> literals;
    uint32_t num_sequences = 0;
    uint32_t num_literals = 0;
    uint64_t pending = 0;  // literals that do not fill a word yet

    BOBBIN_HD void take(uint32_t anchor, const CodedSequence& sequence) {
      cta.store(sequences, num_sequences++, PackedSequence::pack(sequence));
      copy(anchor, sequence.literals);
    }
    BOBBIN_HD void copy(uint32_t from, uint32_t count) {
      for (uint32_t i = 0; i < count; i += 4) {
        const uint32_t some = count - i < 4 ? count - i : 4;
        const uint32_t word = bytes.word(cta, from + i);
        pending |= uint64_t{some == 4 ? word : low_bits(word, 8 * some)} << (8 * (num_literals % 4));
        if (num_literals % 4 + some >= 4) {
          cta.store(literals, num_literals / 4, static_cast<uint32_t>(pending));
          pending >>= 32;
        }
        num_literals += some;
      }
    }
    BOBBIN_HD void finish() {
      if (num_literals % 4 != 0) {
        cta.store(literals, num_literals / 4, static_cast<uint32_t>(pending));
      }
    }
  };
};

struct TablesKernel {
  static constexpr uint32_t kThreads = simt::kWarpSize;

  struct Shared {
    EncoderTables tables;
    Occurrences occurrences;
    TableWork work;
  };
  static constexpr uint32_t kTableQuads = sizeof(EncoderTables) / sizeof(Quad);
  static_assert(sizeof(EncoderTables) % sizeof(Quad) == 0);

  EncodeSlice slice;
  DefaultCounts defaults;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    clear(cta, shared.tables);
    clear(cta, shared.occurrences);
    cta.sync_warp();
    for (uint32_t block = 0; block < slice.num_blocks(cta.block()); ++block) {
      count(cta, shared.occurrences, block);
    }
    cta.sync_warp();
    const uint32_t leaves = sort_leaves(cta, shared.occurrences, shared.work, cta.lane(), simt::kWarpSize);
    cta.sync_warp();
    if (cta.lane() == 0) {
      TableBuilder<Cta> builder(cta, shared.occurrences, shared.work, shared.tables);
      builder.build_tree(leaves);
      for (uint32_t field = 0; field < kFields; ++field) {
        builder.build_field(field, defaults);
      }
    }
    cta.sync_warp();
    const auto& from = simt::seen_as<simt::Shared<Quad, kTableQuads>>(shared.tables);
    const auto to = slice.part<Quad>(cta.block(), 0, kTableQuads);
    for (uint32_t i = cta.lane(); i < kTableQuads; i += simt::kWarpSize) {
      cta.store(to, i, cta.load(from, i));
    }
  }

 private:
  template <class Cta, class T>
  BOBBIN_HD static void clear(Cta& cta, T& what) {
    auto& quads = simt::seen_as<simt::Shared<Quad, sizeof(T) / sizeof(Quad)>>(what);
    for (uint32_t i = cta.lane(); i < sizeof(T) / sizeof(Quad); i += simt::kWarpSize) {
      cta.store(quads, i, Quad{});
    }
  }

  template <class Cta>
  BOBBIN_HD void count(Cta& cta, Occurrences& occurrences, uint32_t block) const {
    const BlockRecord record = cta.load(slice.records(cta.block()), block);
    const auto literals = slice.literals<uint32_t>(cta.block(), block);
    const auto add = [&](auto& array, uint32_t symbol) {
      cta.template atomic_add<simt::Order::relaxed>(array, symbol, uint32_t{1});
    };
    for (uint32_t i = 4 * cta.lane(); i < record.literals; i += 4 * simt::kWarpSize) {
      uint32_t word = cta.load(literals, i / 4);
      for (uint32_t k = i; k < record.literals && k < i + 4; ++k, word >>= 8) {
        add(occurrences.literals, word & 255);
      }
    }
    const auto sequences = slice.sequences(cta.block(), block);
    for (uint32_t i = cta.lane(); i < record.sequences; i += simt::kWarpSize) {
      const CodedSequence s = PackedSequence::unpack(cta.load(sequences, i));
      add(occurrences.fields, kLiteralField * kMaxTableSymbols + Coded::literals(s.literals).symbol);
      add(occurrences.fields, kOffsetField * kMaxTableSymbols + Coded::offset(s.offset_value).symbol);
      add(occurrences.fields, kMatchField * kMaxTableSymbols + Coded::match(s.match).symbol);
    }
  }
};

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
      const uint64_t sum = ResultKernel::hash(cta, slice.bytes(cta.block()), size);
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
      GlobalBits<Cta> bits{cta, slice.stream(cta.block(), block), 0, slice.block_bytes};
      if (count != 0) {
        put_sequences(
            cta, shared.tables, count,
            [&](uint32_t i) { return PackedSequence::unpack(cta.load(sequences, i)); }, bits);
      }
      cta.store(shared.sequence_bytes, block, bits.at);
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
      GlobalBits<Cta> bits{cta, image, at, static_cast<uint32_t>(image.size)};
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

// Where each frame ends in the output. One block.
struct PlaceFramesKernel {
  static constexpr uint32_t kThreads = 1024;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;

  struct Shared {
    simt::Shared<uint64_t, kWarps> totals;
  };

  EncodeSlice slice;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& totals = cta.template shared<Shared>().totals;
    uint64_t before = slice.before == nullptr ? 0 : cta.load(Global<const uint64_t>{slice.before, 1}, 0);
    for (uint64_t first = 0; first < slice.num_frames; first += kThreads) {
      const uint64_t i = first + cta.thread();
      const uint64_t own = i < slice.num_frames ? cta.load(slice.sizes, i) : 0;
      const uint64_t through = simt::sum_through(cta, own);
      if (cta.lane() == simt::kWarpSize - 1) {
        cta.store(totals, cta.warp(), through);
      }
      cta.sync();
      const uint64_t sums = simt::sum_through(cta, cta.load(totals, cta.lane()));
      const uint64_t earlier = cta.shfl(sums, cta.warp() == 0 ? 0 : cta.warp() - 1);
      if (i < slice.num_frames) {
        cta.store(slice.ends, i, before + through + (cta.warp() == 0 ? 0 : earlier));
      }
      before += cta.shfl(sums, simt::kWarpSize - 1);
      cta.sync();
    }
  }
};

// Frames to their places, by aligned words of the output.
struct CopyFramesKernel {
  static constexpr uint32_t kThreads = 128;
  using Shared = simt::NoShared;

  EncodeSlice slice;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint32_t size = cta.load(slice.sizes, cta.block());
    const uint64_t begin = cta.load(slice.ends, cta.block()) - size;
    const auto from =
        FrameBytes::of(slice.scratch + cta.block() * slice.layout.stride + slice.layout.image, size);
    const auto to = ByteWords<uint32_t>::of(slice.out + begin, size);
    const Global<std::byte> bytes{slice.out + begin, size};
    const uint32_t head = (4 - to.skew) % 4 < size ? (4 - to.skew) % 4 : size;
    const uint32_t words = (size - head) / 4;
    const uint32_t first = to.skew == 0 ? 0 : 1;
    for (uint32_t i = cta.thread(); i < words; i += kThreads) {
      cta.store(to.words, first + i, from.word(cta, head + 4 * i));
    }
    const auto put_byte = [&](uint32_t i) { cta.store(bytes, i, static_cast<std::byte>(from.byte(cta, i))); };
    if (cta.thread() < head) {
      put_byte(cta.thread());
    }
    const uint32_t tail = head + 4 * words + cta.thread();
    if (tail < size) {
      put_byte(tail);
    }
  }
};

}  // namespace bobbin::zstd
