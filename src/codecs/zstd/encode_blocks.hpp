// SPDX-License-Identifier: Apache-2.0
// How a frame's blocks are written: which form each takes, its headers, its streams. The same source for the
// CPU and for devices.
#pragma once

#include "codecs/zstd/encode_tables.hpp"
#include "codecs/zstd/frame.hpp"
#include "codecs/zstd/parse.hpp"

namespace bobbin::zstd {

inline constexpr uint32_t kFourStreamsFrom = 256;  // literals
inline constexpr uint32_t kJumpTableBytes = 6;
inline constexpr uint32_t kMinHuffmanLiterals = 6;

// A number of some bytes, little-endian.
struct Number {
  uint64_t value = 0;
  uint32_t bytes = 0;
};

// The symbol of a value, and how many of its bits are written out.
struct Coded {
  uint32_t symbol;
  uint32_t extra;
  uint32_t bits;

  [[nodiscard]] BOBBIN_HD static Coded literals(uint32_t v) {
    const uint32_t s = v < 16   ? v
                       : v < 24 ? 16 + (v - 16) / 2
                       : v < 32 ? 20 + (v - 24) / 4
                       : v < 48 ? 22 + (v - 32) / 8
                       : v < 64 ? 24
                                : BackwardStream::bit_width(v) + 18;
    return low(v, s, LengthSymbols::literal_extra(s));
  }
  [[nodiscard]] BOBBIN_HD static Coded match(uint32_t v) {
    const uint32_t above = v - 3;
    const uint32_t s = above < 32    ? above
                       : above < 40  ? 32 + (above - 32) / 2
                       : above < 48  ? 36 + (above - 40) / 4
                       : above < 64  ? 38 + (above - 48) / 8
                       : above < 96  ? 40 + (above - 64) / 16
                       : above < 128 ? 42
                                     : BackwardStream::bit_width(above) + 35;
    return low(above, s, LengthSymbols::match_extra(s));
  }
  [[nodiscard]] BOBBIN_HD static Coded offset(uint32_t value) {
    const uint32_t bits = BackwardStream::bit_width(value) - 1;
    return low(value, bits, bits);
  }

 private:
  // The bits written out are always the value's lowest.
  [[nodiscard]] BOBBIN_HD static Coded low(uint32_t value, uint32_t symbol, uint32_t bits) {
    return {symbol, low_bits(value, bits), bits};
  }
};

// Bits that are put into a stream at once: up to 32.
struct GatheredBits {
  uint32_t value = 0;
  uint32_t count = 0;

  BOBBIN_HD void put(uint32_t more, uint32_t bits) {
    value |= more << count;
    count += bits;
  }
};

// The sequences at(0) .. at(count-1), one at least, from the last to the first: the reverse of how they are
// read. Returns the bits after their end: a copy, because an object of its own stays in registers.
template <class Cta, class At, class Bits>
[[gnu::always_inline]] BOBBIN_HD Bits put_sequences(Cta& cta, EncoderTables& tables, uint32_t count, At&& at,
                                                    Bits bits) {
  const FieldCoder literal_coder = field_coder(cta, tables, kLiteralField);
  const FieldCoder offset_coder = field_coder(cta, tables, kOffsetField);
  const FieldCoder match_coder = field_coder(cta, tables, kMatchField);
  const bool codes_literals = literal_coder.log != 0;  // a table of one symbol takes no bits
  const bool codes_offsets = offset_coder.log != 0;
  const bool codes_matches = match_coder.log != 0;
  uint32_t literal_state = 0;
  uint32_t offset_state = 0;
  uint32_t match_state = 0;
  CodedSequence upcoming = at(count - 1);  // loaded one step early: stores of bits keep later loads waiting
  for (uint32_t i = count; i-- > 0;) {
    const CodedSequence sequence = upcoming;
    upcoming = at(i == 0 ? 0 : i - 1);
    const Coded literal = Coded::literals(sequence.literals);
    const Coded match = Coded::match(sequence.match);
    const Coded offset = Coded::offset(sequence.offset_value);
    if (i + 1 == count) {
      match_state = codes_matches ? match_coder.start(cta, match.symbol) : 0;
      offset_state = codes_offsets ? offset_coder.start(cta, offset.symbol) : 0;
      literal_state = codes_literals ? literal_coder.start(cta, literal.symbol) : 0;
    } else {
      GatheredBits of_states;  // at most 9, 8 and 9
      offset_state = codes_offsets ? offset_coder.put(cta, offset_state, offset.symbol, of_states) : 0;
      match_state = codes_matches ? match_coder.put(cta, match_state, match.symbol, of_states) : 0;
      literal_state = codes_literals ? literal_coder.put(cta, literal_state, literal.symbol, of_states) : 0;
      bits.put(of_states.value, of_states.count);
    }
    GatheredBits of_lengths;  // at most 16 each
    of_lengths.put(literal.extra, literal.bits);
    of_lengths.put(match.extra, match.bits);
    bits.put(of_lengths.value, of_lengths.count);
    bits.put(offset.extra, offset.bits);
  }
  if (codes_matches) {
    match_coder.finish(match_state, bits);
  }
  if (codes_offsets) {
    offset_coder.finish(offset_state, bits);
  }
  if (codes_literals) {
    literal_coder.finish(literal_state, bits);
  }
  bits.end_backward();
  return bits;
}

// The literals at(begin) .. at(end-1), from the last to the first. As above.
template <class Cta, class At, class Bits>
BOBBIN_HD void put_literals(Cta& cta, const EncoderTables& tables, uint32_t begin, uint32_t end, At&& at,
                            Bits bits) {
  const auto put = [&](uint32_t i, auto& to) {
    const uint32_t code = cta.load(tables.codes, at(i));
    to.put(code & 2047, code >> 11);
  };
  uint32_t i = end;
  for (; i - begin >= 2; i -= 2) {
    GatheredBits two;
    put(i - 1, two);
    put(i - 2, two);
    bits.put(two.value, two.count);
  }
  if (i != begin) {
    put(i - 1, bits);
  }
  bits.end_backward();
}

// Which of a block's literals a stream has.
struct LiteralStreams {
  uint32_t count = 0;  // of literals

  [[nodiscard]] BOBBIN_HD bool four() const { return count >= kFourStreamsFrom; }
  [[nodiscard]] BOBBIN_HD uint32_t begin(uint32_t stream) const {
    return four() ? stream * ((count + 3) / 4) : 0;
  }
  [[nodiscard]] BOBBIN_HD uint32_t end(uint32_t stream) const {
    return four() && stream < 3 ? begin(stream + 1) : count;
  }
  // With the end mark.
  [[nodiscard]] BOBBIN_HD static uint32_t bytes(uint32_t bits) { return bits / 8 + 1; }
};

// What the forms of a block would take.
struct BlockCosts {
  uint32_t bytes = 0;  // of content
  uint32_t literals = 0;
  uint32_t sequences = 0;
  uint32_t huffman_bytes = 0;   // all streams, with the jump table; ignored where there is no tree
  uint32_t sequence_bytes = 0;  // of the stream
  bool repeats = false;         // all bytes of the block are equal
  bool literals_repeat = false;
};

enum LiteralsKind : uint32_t { kRawLiterals, kRepeatedLiterals, kHuffmanLiterals, kAgainLiterals };

// The form that a block takes.
struct BlockPlan {
  BlockKind kind = BlockKind::raw;
  uint32_t stored = 0;         // bytes after the block's header
  uint32_t literals_kind = 0;  // from here on: of a compressed block
  bool has_tables = false;
  Number literals_header{};
  Number sequences_header{};     // the count, and the modes if there are sequences
  uint32_t literals_stored = 0;  // bytes after their header, with the tree

  [[nodiscard]] BOBBIN_HD bool has_tree() const { return literals_kind == kHuffmanLiterals; }
};

// Plans the blocks of a frame, in order. The first that has Huffman literals carries the tree, the first that
// has sequences the tables; all others refer to them.
class FramePlanner {
 public:
  // The bytes of the tree's description, and of all tables' with their modes.
  template <class Cta>
  BOBBIN_HD FramePlanner(Cta& cta, const EncoderTables& tables) {
    tree_bytes_ = cta.load(tables.shape, EncoderTables::kTreeBytes);
    for (uint32_t field = 0; field < kFields; ++field) {
      table_bytes_ += cta.load(tables.shape, EncoderTables::kDescribedBytes + field);
      modes_ |= cta.load(tables.shape, EncoderTables::kMode + field) << (6 - 2 * field);
    }
  }

  // The decoder knows the tree already, from a dictionary.
  BOBBIN_HD void skip_tree() { tree_written_ = true; }

  [[nodiscard]] BOBBIN_HD BlockPlan plan(const BlockCosts& costs) {
    BlockPlan plan;
    plan_literals(costs, plan);
    plan.has_tables = costs.sequences != 0 && !tables_written_;
    plan.sequences_header = count_header(costs.sequences);
    if (costs.sequences != 0) {
      const uint64_t modes = plan.has_tables ? modes_ : kAllRepeated;
      plan.sequences_header.value |= modes << (8 * plan.sequences_header.bytes++);
    }
    plan.stored = plan.literals_header.bytes + plan.literals_stored + plan.sequences_header.bytes +
                  (plan.has_tables ? table_bytes_ : 0) + costs.sequence_bytes;
    plan.kind = BlockKind::compressed;
    // Old tools refuse a frame that starts with an RLE block.
    if (costs.repeats && !first_) {
      plan.kind = BlockKind::rle;
      plan.stored = 1;
    } else if (plan.stored >= costs.bytes) {
      plan.kind = BlockKind::raw;
      plan.stored = costs.bytes;
    } else {
      tree_written_ = tree_written_ || plan.has_tree();
      tables_written_ = tables_written_ || plan.has_tables;
    }
    first_ = false;
    return plan;
  }

  [[nodiscard]] BOBBIN_HD static Number block_header(const BlockPlan& plan, uint32_t content, bool last) {
    const uint32_t size = plan.kind == BlockKind::rle ? content : plan.stored;
    return {size << 3 | static_cast<uint32_t>(plan.kind) << 1 | (last ? 1u : 0u), kBlockHeaderBytes};
  }

 private:
  static constexpr uint64_t kAllRepeated = kRepeatedTable << 6 | kRepeatedTable << 4 | kRepeatedTable << 2;

  BOBBIN_HD void plan_literals(const BlockCosts& costs, BlockPlan& plan) const {
    const uint32_t count = costs.literals;
    const uint32_t tree = tree_written_ ? 0 : tree_bytes_;
    const uint32_t coded = tree + costs.huffman_bytes;
    if (costs.literals_repeat && count > 3) {
      plan.literals_kind = kRepeatedLiterals;
      plan.literals_stored = 1;
      plan.literals_header = plain_header(kRepeatedLiterals, count);
    } else if (tree_bytes_ != 0 && count >= kMinHuffmanLiterals && coded + 3 < count) {
      plan.literals_kind = tree_written_ ? kAgainLiterals : kHuffmanLiterals;
      plan.literals_stored = coded;
      const uint32_t largest = coded < count ? count : coded;
      const uint32_t format = count < kFourStreamsFrom ? 0 : largest < 1024 ? 1 : largest < 16384 ? 2 : 3;
      const uint32_t bits = format < 2 ? 10 : format == 2 ? 14 : 18;
      plan.literals_header = {
          plan.literals_kind | format << 2 | uint64_t{count} << 4 | uint64_t{coded} << (4 + bits),
          (4 + 2 * bits + 7) / 8};
    } else {
      plan.literals_kind = kRawLiterals;
      plan.literals_stored = count;
      plan.literals_header = plain_header(kRawLiterals, count);
    }
  }

  [[nodiscard]] BOBBIN_HD static Number plain_header(uint32_t kind, uint32_t size) {
    return size < 32     ? Number{size << 3 | kind, 1}
           : size < 4096 ? Number{size << 4 | 1 << 2 | kind, 2}
                         : Number{size << 4 | 3 << 2 | kind, 3};
  }
  [[nodiscard]] BOBBIN_HD static Number count_header(uint32_t count) {
    return count < 128      ? Number{count, 1}
           : count < 0x7F00 ? Number{((count >> 8) + 128) | (count & 255) << 8, 2}
                            : Number{255 | (count - 0x7F00) << 8, 3};
  }

  uint32_t tree_bytes_ = 0;
  uint32_t table_bytes_ = 0;
  uint64_t modes_ = 0;
  bool first_ = true;
  bool tree_written_ = false;
  bool tables_written_ = false;
};

// Single segment: the window is the content. The magic number comes before it.
[[nodiscard]] BOBBIN_HD Number frame_header(uint64_t content, bool checksum) {
  const uint32_t kind = content < 256 ? 0 : content < 65536 + 256 ? 1 : content <= UINT32_MAX ? 2 : 3;
  const uint64_t size = content - (kind == 1 ? 256 : 0);
  return {size << 8 | kind << 6 | 1 << 5 | (checksum ? 1 << 2 : 0), 1 + (uint32_t{1} << kind)};
}

}  // namespace bobbin::zstd
