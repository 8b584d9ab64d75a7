// SPDX-License-Identifier: Apache-2.0
// What the kernels of a batch share: how a frame's bytes are read, and what one kernel leaves for the next.
//
// A batch is decoded in slices, and a slice in up to kRounds rounds, since scratch memory is limited. Stages:
//
//   measure    one thread per frame     headers; how much scratch the frame needs
//   place      one block                a place for every frame, and its round
//   describe   one thread per frame     its blocks, and units of work for the two entropy stages
//   literals   one warp per unit        Huffman streams to bytes
//   chain      8 lanes per unit         FSE states to a bit position and three symbols per sequence
//   values     one warp per unit        positions and offsets of all copies, as far as a block knows them
//   execute    one warp per frame       offsets that come from earlier blocks; the copies
//              or all warps             of large frames: see split_kernel.hpp
//   checksum   4 lanes per frame
//
// A unit is a run of blocks that use the same tables. The first three stages check everything that headers
// say, the next three everything that streams say about a block, execute what depends on the blocks before
// it: how far offsets reach, and the content's size.
#pragma once

#include <bit>
#include <cstdint>

#include "bobbin/zstd.hpp"
#include "core/bits.hpp"
#include "core/portable.hpp"
#include "simt/cta.hpp"

namespace bobbin::zstd {

using simt::Global;
using simt::Quad;

inline constexpr uint32_t kRounds = 2;
inline constexpr uint64_t kPartAlignment = 256;  // of arrays in scratch memory
// Limits of what the kernels decode; other frames are left to the CPU.
inline constexpr uint64_t kMaxDeviceContent = uint64_t{1} << 28;
inline constexpr uint64_t kMaxDeviceOffset = kMaxDeviceContent - (uint64_t{1} << 18) - 2;  // see Copy
inline constexpr uint32_t kMostBlockBytes = uint32_t{128} << 10;
inline constexpr uint64_t kMaxDeviceStored = (uint64_t{1} << 28) - 16;

// Blocks that are no longer than a few bytes would need more scratch than content.
[[nodiscard]] BOBBIN_HD uint32_t most_blocks(uint32_t content) {
  return 16 + content / 256;
}

// The lowest `count` bits of a value; count is below 32.
[[nodiscard]] BOBBIN_HD uint32_t low_bits(uint32_t value, uint32_t count) {
  return value & ((uint32_t{1} << count) - 1);
}

// 32 bits from bit `shift` (0 to 31) of two words.
[[nodiscard]] BOBBIN_HD uint32_t funnel(uint32_t low, uint32_t high, uint32_t shift) {
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> shift);
}

// Bytes in global memory at any address, read by aligned words. The words that hold the first and the last
// byte can be read entirely.
template <class Word>
struct ByteWords {
  Global<Word> words;
  uint32_t skew = 0;  // where in its word the first byte lies
  uint32_t size = 0;  // bytes

  template <class Byte>
  [[nodiscard]] BOBBIN_HD static ByteWords of(Byte* bytes, uint64_t size) {
    const auto address = reinterpret_cast<uintptr_t>(bytes);
    const auto skew = static_cast<uint32_t>(address % 4);
    return {
        {reinterpret_cast<Word*>(address - skew), (skew + size + 3) / 4}, skew, static_cast<uint32_t>(size)};
  }

  // `at` is below the size. What follows the last word reads as if it repeated.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t word(Cta& cta, uint32_t at) const {
    const uint32_t index = (skew + at) / 4;
    const uint32_t low = cta.load(words, index);
    const uint32_t high = cta.load(words, index + 1 < words.size ? index + 1 : index);
    return funnel(low, high, 8 * ((skew + at) % 4));
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t byte(Cta& cta, uint32_t at) const {
    return cta.load(words, (skew + at) / 4) >> (8 * ((skew + at) % 4)) & 255;
  }
};
using FrameBytes = ByteWords<const uint32_t>;

// A backward bit stream: `position` is how many bits are left.
struct BackwardStream {
  FrameBytes bytes;
  uint32_t first_bit = 0;  // of the stream, counted from the first word
  uint32_t last_word = 0;

  // Returns the position at its start, or -1 if the end mark is missing.
  template <class Cta>
  BOBBIN_HD int32_t start(Cta& cta, const FrameBytes& from, uint32_t at, uint32_t size) {
    bytes = from;
    first_bit = 8 * (from.skew + at);
    last_word = size == 0 ? 0 : (from.skew + at + size - 1) / 4;
    const uint32_t last = size == 0 ? 0 : from.byte(cta, at + size - 1);
    return last == 0 ? -1 : static_cast<int32_t>(8 * size - 9 + bit_width(last));
  }

  // 32 bits from `position` on, which is not below 0; those after the stream's last word are unspecified.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t bits_at(Cta& cta, int32_t position) const {
    const uint32_t bit = first_bit + static_cast<uint32_t>(position);
    const uint32_t index = bit / 32;
    const uint32_t low = cta.load(bytes.words, index);
    const uint32_t high = cta.load(bytes.words, index < last_word ? index + 1 : index);
    return funnel(low, high, bit % 32);
  }

  [[nodiscard]] BOBBIN_HD static uint32_t bit_width(uint32_t value) {
    return 32 - static_cast<uint32_t>(std::countl_zero(value));
  }
};

// What measure and place find out about a frame.
struct alignas(16) FrameInfo {
  uint32_t verdict;      // of measure
  uint32_t first_block;  // where its header lies
  uint32_t max_block;
  uint32_t window;
  uint32_t content;  // of the header; kNoContent: not stated
  uint32_t checksum;
  uint32_t has_checksum;
  uint32_t num_blocks;
  uint32_t literal_units;
  uint32_t sequence_units;
  uint32_t literals;   // bytes of Huffman literals
  uint32_t sequences;  // records
  uint32_t round;
  uint32_t begin;  // of the frame's scratch, in quads
  uint32_t bytes;  // of content, from values on
  uint32_t unused;

  static constexpr uint32_t kNoContent = UINT32_MAX;
};

// One block that produces content or changes tables.
struct alignas(16) Block {
  uint32_t at;               // of its stored bytes, in the frame
  uint32_t size;             // of a raw or repeated block: content bytes
  uint32_t literals;         // number and kinds: see below
  uint32_t literals_at;      // in the frame, after their header
  uint32_t literals_stored;  // bytes
  uint32_t literals_begin;   // in the frame's scratch for literals
  uint32_t sequences;
  uint32_t sequences_begin;  // in the frame's scratch for records

  static constexpr uint32_t kCountBits = 20;
  static constexpr uint32_t kLiteralKind = 20;   // 2 bits: raw, repeated, Huffman, Huffman with an older tree
  static constexpr uint32_t kFourStreams = 22;   // 1 bit
  static constexpr uint32_t kBlockKind = 23;     // 2 bits: raw, repeated, compressed
  static constexpr uint32_t kLiteralUnit = 25;   // 1 bit: a unit begins here
  static constexpr uint32_t kSequenceUnit = 26;  // 1 bit

  [[nodiscard]] BOBBIN_HD uint32_t num_literals() const { return low_bits(literals, kCountBits); }
  [[nodiscard]] BOBBIN_HD uint32_t literal_kind() const { return literals >> kLiteralKind & 3; }
  [[nodiscard]] BOBBIN_HD bool has_huffman() const { return literal_kind() >= 2; }
  [[nodiscard]] BOBBIN_HD bool four_streams() const { return (literals >> kFourStreams & 1) != 0; }
  [[nodiscard]] BOBBIN_HD uint32_t kind() const { return literals >> kBlockKind & 3; }
  [[nodiscard]] BOBBIN_HD bool starts_literal_unit() const { return (literals >> kLiteralUnit & 1) != 0; }
  [[nodiscard]] BOBBIN_HD bool starts_sequence_unit() const { return (literals >> kSequenceUnit & 1) != 0; }
  // Where the sequences section begins: after the literals.
  [[nodiscard]] BOBBIN_HD uint32_t sequences_at() const { return literals_at + literals_stored; }

  // From values on: whether it has sequences and has become a ReadyBlock.
  [[nodiscard]] BOBBIN_HD bool is_ready() const { return kind() == 2 && sequences != 0; }
  // Bytes of content, from values on.
  [[nodiscard]] BOBBIN_HD uint32_t content() const {
    return kind() == 2 && sequences == 0 ? num_literals() : size;
  }
  // All bytes of a block without sequences count as literals: their kinds, and where they begin. Of Huffman
  // literals, in the frame's scratch for literals.
  [[nodiscard]] BOBBIN_HD uint32_t plain_literals() const {
    return kind() == 2 ? literals : size | kind() << kLiteralKind;
  }
  [[nodiscard]] BOBBIN_HD uint32_t plain_literals_from() const {
    return kind() != 2 ? at : has_huffman() ? literals_begin : literals_at;
  }
};

// The same memory from values on, for a block with sequences: what execute needs of it.
struct alignas(16) ReadyBlock {
  uint32_t first_recent;   // what the block does to the recent offsets: see Recent
  uint32_t bytes;          // of content
  uint32_t literals;       // as in Block
  uint32_t literals_from;  // in the frame; of Huffman literals, in the frame's scratch for literals
  uint32_t second_recent;
  uint32_t third_recent;
  uint32_t sequences;  // both as in Block
  uint32_t sequences_begin;
};
static_assert(sizeof(ReadyBlock) == sizeof(Block));

// Blocks from `first` on that use these tables; each table is described in the block named.
struct alignas(8) LiteralUnit {
  uint32_t first;
  uint32_t tree;
};
struct alignas(16) SequenceUnit {
  uint32_t first;
  uint32_t described[3];  // literal lengths, offsets, match lengths
};
// Longer runs are several units, so that their tables are built in several places at once.
inline constexpr uint32_t kUnitBlocks = 16;

// A sequence as the chain leaves it: where its extra bits end, and its symbols.
struct Symbols {
  [[nodiscard]] BOBBIN_HD static uint32_t position(uint64_t record) { return static_cast<uint32_t>(record); }
  [[nodiscard]] BOBBIN_HD static uint32_t literal(uint64_t record) { return record >> 32 & 255; }
  [[nodiscard]] BOBBIN_HD static uint32_t match(uint64_t record) { return record >> 40 & 255; }
  [[nodiscard]] BOBBIN_HD static uint32_t offset(uint64_t record) { return record >> 48 & 255; }
};

// What sequences do to the three recent offsets. Each new one is a number, or one of the old ones less some
// steps: such functions can be composed in any grouping.
template <uint32_t kSlotBit>
struct RecentOf {
  uint32_t slot[3];

  static constexpr uint32_t kOld = uint32_t{1} << 31;
  static constexpr uint32_t kSlot = kSlotBit;                 // 2 bits: which old one; below: less how much
  static constexpr uint32_t kMostOffset = uint32_t{1} << 30;  // is refused later; larger ones become this

  [[nodiscard]] BOBBIN_HD static uint32_t old(uint32_t slot, uint32_t less = 0) {
    return kOld | slot << kSlot | less;
  }
  [[nodiscard]] BOBBIN_HD static RecentOf same() { return {{old(0), old(1), old(2)}}; }
  [[nodiscard]] BOBBIN_HD static RecentOf at_frame_start() { return {{1, 4, 8}}; }

  [[nodiscard]] BOBBIN_HD static bool is_repeat(uint32_t value) { return value <= 3; }
  // The offset that any other value means.
  [[nodiscard]] BOBBIN_HD static uint32_t number(uint32_t value) {
    return value - 3 < kMostOffset ? value - 3 : kMostOffset;
  }
  // What a sequence does whose offset value is 1 or more.
  [[nodiscard]] BOBBIN_HD static RecentOf of(uint32_t value, bool no_literals) {
    const uint32_t which = value - 1 + (no_literals ? 1 : 0);
    const bool is_new = !is_repeat(value);
    const uint32_t first = is_new ? number(value) : which < 3 ? old(which) : old(0, 1);
    const bool unchanged = !is_new && which == 0;
    const bool keeps_third = !is_new && which <= 1;
    return {{first, unchanged ? old(1) : old(0), keeps_third ? old(2) : old(1)}};
  }

  // A slot after `before`.
  [[nodiscard]] BOBBIN_HD static uint32_t after(uint32_t slot, const RecentOf& before) {
    if ((slot & kOld) == 0) {
      return slot;
    }
    const uint32_t which = slot >> kSlot & 3;
    const uint32_t less = low_bits(slot, kSlot);
    const uint32_t base = which == 0 ? before.slot[0] : which == 1 ? before.slot[1] : before.slot[2];
    return (base & kOld) != 0 ? base + less : base - less;
  }
  [[nodiscard]] BOBBIN_HD RecentOf after(const RecentOf& before) const {
    return {{after(slot[0], before), after(slot[1], before), after(slot[2], before)}};
  }
};
// In a block, where there are less than 2^16 steps, and over all blocks of a frame.
using Recent = RecentOf<16>;
using LongRecent = RecentOf<29>;
// A slot of Recent as one of LongRecent.
[[nodiscard]] BOBBIN_HD uint32_t long_slot(uint32_t slot) {
  const bool is_old = (slot & Recent::kOld) != 0;
  return is_old ? LongRecent::old(slot >> Recent::kSlot & 3, low_bits(slot, Recent::kSlot)) : slot;
}

// The same as values leaves it: where its literals and its content begin in their block, and its offset: a
// number, or a recent one from before the block. One more record says where the block's last literals begin.
struct Copy {
  static constexpr uint32_t kPlaceBits = 18;
  static constexpr uint32_t kOffsetBits = 28;
  static constexpr uint32_t kFirstOld = (uint32_t{1} << kOffsetBits) - (uint32_t{1} << (Recent::kSlot + 2));

  // A slot of Recent in 28 bits. Numbers that do not fit are larger than any offset that is allowed.
  [[nodiscard]] BOBBIN_HD static uint32_t shortened(uint32_t slot) {
    const uint32_t number = slot < kFirstOld ? slot : kFirstOld - 1;
    return (slot & Recent::kOld) != 0 ? kFirstOld + (slot & ~Recent::kOld) : number;
  }
  // And back.
  [[nodiscard]] BOBBIN_HD static uint32_t slot(uint64_t record) {
    const auto stored = static_cast<uint32_t>(record >> (2 * kPlaceBits));
    return stored < kFirstOld ? stored : Recent::kOld + (stored - kFirstOld);
  }

  [[nodiscard]] BOBBIN_HD static uint64_t pack(uint32_t literal, uint32_t place, uint32_t offset) {
    return uint64_t{literal} | uint64_t{place} << kPlaceBits | uint64_t{offset} << (2 * kPlaceBits);
  }
  [[nodiscard]] BOBBIN_HD static uint32_t literal(uint64_t record) {
    return low_bits(static_cast<uint32_t>(record), kPlaceBits);
  }
  [[nodiscard]] BOBBIN_HD static uint32_t place(uint64_t record) {
    return low_bits(static_cast<uint32_t>(record >> kPlaceBits), kPlaceBits);
  }
};

// How a frame's scratch is divided.
struct Region {
  uint64_t blocks = 0;  // all in bytes
  uint64_t literal_units = 0;
  uint64_t sequence_units = 0;
  uint64_t sequences = 0;
  uint64_t literals = 0;
  uint64_t end = 0;

  [[nodiscard]] BOBBIN_HD static Region of(uint64_t num_blocks, uint64_t num_literal_units,
                                           uint64_t num_sequence_units, uint64_t num_sequences,
                                           uint64_t num_literals) {
    Region region;
    region.sequence_units = num_blocks * sizeof(Block);
    region.literal_units = region.sequence_units + num_sequence_units * sizeof(SequenceUnit);
    region.sequences = round_up<uint64_t>(region.literal_units + num_literal_units * sizeof(LiteralUnit), 16);
    region.literals = region.sequences + num_sequences * sizeof(uint64_t);
    region.end = round_up<uint64_t>(region.literals + num_literals, 16);
    return region;
  }
  [[nodiscard]] BOBBIN_HD static Region of(const FrameInfo& info) {
    return of(info.num_blocks, info.literal_units, info.sequence_units, info.sequences, info.literals);
  }
};

// No frame of this much content needs more: every sequence makes 3 bytes at least, every literal is one.
[[nodiscard]] BOBBIN_HD uint64_t most_scratch(uint64_t content) {
  const uint64_t blocks = most_blocks(static_cast<uint32_t>(content));
  return Region::of(blocks, blocks, blocks, content / 3 + 2 * blocks, 0).end + 16;
}

// What rounds divide among them: place leaves where each round begins, and how many there are in all.
enum class Divided : uint32_t { frames, literal_units, sequence_units };
inline constexpr uint32_t kDivided = 3;

struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// How the content of large frames is cut: see split_kernel.hpp.
struct SplitPlan {
  uint32_t step_bytes = 0;  // a multiple of segment_bytes; 0: frames are not split
  uint32_t segment_bytes = 0;
  uint32_t cells_per_frame = 0;
  uint32_t starts_per_frame = 0;

  [[nodiscard]] BOBBIN_HD uint32_t segments_per_step() const { return step_bytes / segment_bytes; }
};

// Where a segment begins: a sequence of a block, or the literals after its last one.
struct alignas(16) SegmentStart {
  uint32_t block;
  uint32_t sequence;
  uint32_t position;  // in the content
  uint32_t unused;
};

// Counters from which warps take their work.
enum class Ticket : uint32_t { literals, chain, values, execute };
inline constexpr uint32_t kTickets = 4;

// A slice of the batch on the device: what all kernels are given.
struct Slice {
  Global<const BatchFrame> frames;
  Global<FrameResult> results;
  Global<FrameInfo> infos;
  Global<uint32_t> verdicts;
  Global<uint32_t> first_literal_unit;  // of each frame, among those of the slice
  Global<uint32_t> first_sequence_unit;
  Global<uint32_t> rounds;   // kRounds + 1 of each thing that is divided
  Global<uint32_t> tickets;  // kTickets for each round, zero
  Global<Quad> scratch;
  Global<uint32_t> cells;  // only if frames are split
  Global<SegmentStart> starts;
  SplitPlan split;
  uint64_t max_scratch = 0;  // bytes for a frame; one that needs more is left to the CPU
  uint64_t max_window = 0;
  uint32_t max_content = 0;  // capacity of a frame's output
  bool magicless = false;
  bool verify_checksums = true;

  template <class Cta>
  [[nodiscard]] BOBBIN_HD BatchFrame frame(Cta& cta, uint32_t i) const {
    const Global<const uint64_t> words{reinterpret_cast<const uint64_t*>(frames.data), 4 * frames.size};
    static_assert(sizeof(BatchFrame) == 32);
    return {reinterpret_cast<const std::byte*>(cta.load(words, 4 * uint64_t{i})),
            cta.load(words, 4 * uint64_t{i} + 1),
            reinterpret_cast<std::byte*>(cta.load(words, 4 * uint64_t{i} + 2)),
            cta.load(words, 4 * uint64_t{i} + 3)};
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD Span span(Cta& cta, Divided what, uint32_t round) const {
    const uint32_t at = static_cast<uint32_t>(what) * (kRounds + 1) + round;
    return {cta.load(rounds, at), cta.load(rounds, at + 1)};
  }
  // Verdicts are words of their own: several warps may refuse a frame while others read about it.
  template <class Cta>
  BOBBIN_HD void refuse(Cta& cta, uint32_t i, Verdict verdict) const {
    cta.template atomic_store<simt::Order::relaxed>(verdicts, i, static_cast<uint32_t>(verdict));
  }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD bool is_ok(Cta& cta, uint32_t i) const {
    return cta.template atomic_load<simt::Order::relaxed>(verdicts, i) == 0;
  }
  template <class T>
  [[nodiscard]] BOBBIN_HD Global<T> part(const FrameInfo& info, uint64_t at, uint64_t count) const {
    return {reinterpret_cast<T*>(reinterpret_cast<uint8_t*>(scratch.data + info.begin) + at), count};
  }
};

}  // namespace bobbin::zstd
