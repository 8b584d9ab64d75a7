// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/sequences.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/copy.hpp"

namespace bobbin::zstd {
namespace {

constexpr std::array<uint32_t, 36> kLiteralBases{
    0,  1,  2,  3,  4,  5,  6,  7,  8,   9,   10,  11,   12,   13,   14,   15,    16,    18,
    20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
constexpr std::array<uint8_t, 36> kLiteralExtra{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  1,  1,
                                                1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
constexpr std::array<uint32_t, 53> kMatchBases{
    3,  4,  5,  6,  7,  8,  9,  10,  11,  12,  13,   14,   15,   16,   17,    18,    19,   20,
    21, 22, 23, 24, 25, 26, 27, 28,  29,  30,  31,   32,   33,   34,   35,    37,    39,   41,
    43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539};
constexpr std::array<uint8_t, 53> kMatchExtra{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0, 0,
                                              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  1,  1,  1, 1,
                                              2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
constexpr std::array<int16_t, 36> kLiteralDefault{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
                                                  2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
constexpr std::array<int16_t, 29> kOffsetDefault{1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                                 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};
constexpr std::array<int16_t, 53> kMatchDefault{1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                                1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                                1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};

Status damaged(const char* what) {
  return {StatusCode::corrupt, std::string("zstd: sequences: ") + what};
}

enum class Mode : uint8_t { predefined, rle, described, repeat };

Status set_table(SequenceTable& table, SequenceField field, Mode mode, std::span<const uint8_t>& bytes) {
  size_t used = 0;
  switch (mode) {
    case Mode::predefined:
      table.use_default(field);
      break;
    case Mode::rle:
      if (bytes.empty()) {
        return damaged("a table is missing");
      }
      BOBBIN_TRY(table.repeat_symbol(field, bytes[0]));
      used = 1;
      break;
    case Mode::described:
      BOBBIN_TRY(table.read(field, bytes, used));
      break;
    case Mode::repeat:
      if (!table.present) {
        return damaged("a table is to be reused, but there is none yet");
      }
      break;
  }
  bytes = bytes.subspan(used);
  return {};
}

// How many sequences there are; moves `bytes` past the count.
Result<uint32_t> read_count(std::span<const uint8_t>& bytes) {
  if (bytes.empty()) {
    return damaged("the section is missing");
  }
  const uint32_t first = bytes[0];
  const size_t size = first < 128 ? 1 : first < 255 ? 2 : 3;
  if (bytes.size() < size) {
    return damaged("the count is cut off");
  }
  const uint32_t count = size == 1   ? first
                         : size == 2 ? (first - 128) << 8 | bytes[1]
                                     : (bytes[1] | uint32_t{bytes[2]} << 8) + 0x7F00;
  bytes = bytes.subspan(size);
  return count;
}

Status read_tables(std::span<const uint8_t>& bytes, Tables& tables) {
  if (bytes.empty()) {
    return damaged("the modes are missing");
  }
  const uint32_t modes = bytes[0];
  BOBBIN_RETURN_IF((modes & 3) != 0, StatusCode::corrupt, "zstd: sequences: reserved bits are set");
  bytes = bytes.subspan(1);
  const auto mode = [&](uint32_t shift) { return static_cast<Mode>(modes >> shift & 3); };
  BOBBIN_TRY(set_table(tables.literal_length, SequenceField::literal_length, mode(6), bytes));
  BOBBIN_TRY(set_table(tables.offset, SequenceField::offset, mode(4), bytes));
  return set_table(tables.match_length, SequenceField::match_length, mode(2), bytes);
}

struct Sequence {
  uint32_t literals;
  uint32_t match;
  uint32_t offset_value;  // 1 to 3: one of the recent offsets
};

// The three interleaved state machines.
class SequenceReader {
 public:
  explicit SequenceReader(const Tables& tables)
      : literal_(tables.literal_length.states.data()),
        offset_(tables.offset.states.data()),
        match_(tables.match_length.states.data()) {}

  [[nodiscard]] bool start(std::span<const uint8_t> bytes, const Tables& tables) {
    if (!bits_.start(bytes.data(), bytes.size())) {
      return false;
    }
    literal_state_ = bits_.read(tables.literal_length.log);
    offset_state_ = bits_.read(tables.offset.log);
    match_state_ = bits_.read(tables.match_length.log);
    return bits_.position() >= 0;
  }

  // False where the stream is too short. The states do not move on after the last sequence.
  template <bool kLast>
  [[nodiscard]] BOBBIN_INLINE bool next(Sequence& sequence) {
    const SequenceState literal = literal_[literal_state_];
    const SequenceState offset = offset_[offset_state_];
    const SequenceState match = match_[match_state_];
    const uint32_t lengths = uint32_t{match.extra} + literal.extra;
    const uint32_t states = kLast ? 0 : uint32_t{literal.bits} + match.bits + offset.bits;
    if (bits_.position() < int64_t{offset.extra} + lengths + states) [[unlikely]] {
      return false;
    }
    uint64_t extra = 0;
    uint64_t state_bits = 0;
    if (offset.extra + lengths + states <= 56) [[likely]] {
      const uint64_t all = bits_.read(offset.extra + lengths + states);
      extra = all >> states;
      state_bits = all;
      sequence.offset_value = offset.base + static_cast<uint32_t>(extra >> lengths);
    } else {
      sequence.offset_value = offset.base + static_cast<uint32_t>(bits_.read(offset.extra));
      extra = bits_.read(lengths);
      state_bits = bits_.read(states);
    }
    sequence.match = match.base + low_bits(extra >> literal.extra, match.extra);
    sequence.literals = literal.base + low_bits(extra, literal.extra);
    if constexpr (!kLast) {
      literal_state_ = literal.next + low_bits(state_bits >> (match.bits + offset.bits), literal.bits);
      match_state_ = match.next + low_bits(state_bits >> offset.bits, match.bits);
      offset_state_ = offset.next + low_bits(state_bits, offset.bits);
    }
    return true;
  }

  [[nodiscard]] bool at_end() const { return bits_.position() == 0; }

 private:
  BOBBIN_INLINE static uint32_t low_bits(uint64_t value, uint32_t count) {
    return static_cast<uint32_t>(value) & ((uint32_t{1} << count) - 1);
  }

  BackwardBits bits_;
  const SequenceState* literal_;
  const SequenceState* offset_;
  const SequenceState* match_;
  uint64_t literal_state_ = 0;
  uint64_t offset_state_ = 0;
  uint64_t match_state_ = 0;
};

// The offset that a value stands for, 0 for an invalid one; keeps the recent ones up to date.
BOBBIN_INLINE uint32_t resolve_offset(uint32_t value, uint32_t literals, std::array<uint32_t, 3>& recent) {
  if (value > 3) [[likely]] {
    recent[2] = recent[1];
    recent[1] = recent[0];
    return recent[0] = value - 3;
  }
  const uint32_t index = value - 1 + (literals == 0 ? 1 : 0);
  if (index == 0) {
    return recent[0];
  }
  const uint32_t offset = index < 3 ? recent[index] : recent[0] - 1;
  recent[2] = index == 1 ? recent[2] : recent[1];
  recent[1] = recent[0];
  return recent[0] = offset;
}

// Copies literals and matches of one block.
class Executor {
 public:
  Executor(std::span<const uint8_t> literals, uint32_t max_block_bytes, Content& content)
      : literal_(literals.data()),
        literals_left_(literals.size()),
        room_(std::min<uint64_t>(max_block_bytes, static_cast<uint64_t>(content.end - content.at))),
        content_(content) {}

  // False where literals run out, the block gets too large, or the offset reaches before everything.
  [[nodiscard]] BOBBIN_INLINE bool run(const Sequence& sequence, uint32_t offset) {
    const uint64_t produced = static_cast<uint64_t>(content_.at - content_.begin) + sequence.literals;
    if (sequence.literals > literals_left_ || uint64_t{sequence.literals} + sequence.match > room_ ||
        offset - 1 >= std::min(produced, content_.window_bytes)) [[unlikely]] {
      return run_rarely(sequence, offset, produced);
    }
    copy_literals(sequence.literals);
    copy_match(content_.at, offset, sequence.match, content_.end);
    content_.at += sequence.match;
    room_ -= sequence.literals + sequence.match;
    return true;
  }

  [[nodiscard]] bool finish() {
    if (literals_left_ > room_) {
      return false;
    }
    if (literals_left_ != 0) {  // an empty output may have no address
      std::memcpy(content_.at, literal_, literals_left_);
      content_.at += literals_left_;
    }
    return true;
  }

 private:
  BOBBIN_INLINE void copy_literals(uint32_t count) {
    if (content_.end - content_.at >= static_cast<ptrdiff_t>(count + kCopySlack)) [[likely]] {
      copy_over(content_.at, literal_, count);
    } else {
      std::memcpy(content_.at, literal_, count);
    }
    content_.at += count;
    literal_ += count;
    literals_left_ -= count;
  }

  // A match may begin in the dictionary while the window still reaches it.
  [[gnu::noinline]] bool run_rarely(const Sequence& sequence, uint32_t offset, uint64_t produced) {
    const uint64_t reach =
        produced <= content_.window_bytes ? produced + content_.dictionary.size() : content_.window_bytes;
    if (sequence.literals > literals_left_ || uint64_t{sequence.literals} + sequence.match > room_ ||
        offset == 0 || offset > reach) {
      return false;
    }
    copy_literals(sequence.literals);
    uint32_t match = sequence.match;
    if (offset > produced) {
      const auto before = static_cast<uint32_t>(offset - produced);
      const uint32_t count = std::min(match, before);
      std::memcpy(content_.at, content_.dictionary.data() + content_.dictionary.size() - before, count);
      content_.at += count;
      match -= count;
    }
    if (match > 0) {  // a copy of nothing would still read, from before the content
      copy_match(content_.at, offset, match, content_.end);
      content_.at += match;
    }
    room_ -= sequence.literals + sequence.match;
    return true;
  }

  const uint8_t* literal_;
  uint64_t literals_left_;
  uint64_t room_;
  Content& content_;
};

Status decode_and_run(std::span<const uint8_t> bytes, uint32_t count, Tables& tables, Executor& executor) {
  SequenceReader reader(tables);
  if (!reader.start(bytes, tables)) {
    return damaged("the stream is too short or has no end mark");
  }
  std::array<uint32_t, 3> recent = tables.recent_offsets;
  Sequence sequence{};
  for (uint32_t i = 0; i < count; ++i) {
    if (!(i + 1 < count ? reader.next<false>(sequence) : reader.next<true>(sequence))) [[unlikely]] {
      return damaged("the stream is too short");
    }
    if (!executor.run(sequence, resolve_offset(sequence.offset_value, sequence.literals, recent)))
        [[unlikely]] {
      return damaged("a copy reaches outside its source, its block or the output");
    }
  }
  if (!reader.at_end()) {
    return damaged("the stream is too long");
  }
  tables.recent_offsets = recent;
  return {};
}

}  // namespace

FieldLimits limits_of(SequenceField field) {
  switch (field) {
    case SequenceField::literal_length:
      return {9, 36};
    case SequenceField::offset:
      return {8, 32};
    case SequenceField::match_length:
      break;
  }
  return {9, 53};
}

FseCounts default_counts(SequenceField field) {
  FseCounts counts{.log = field == SequenceField::offset ? 5u : 6u};
  const auto set = [&](std::span<const int16_t> defaults) {
    counts.num_symbols = static_cast<uint32_t>(defaults.size());
    std::ranges::copy(defaults, counts.count.begin());
  };
  switch (field) {
    case SequenceField::literal_length:
      set(kLiteralDefault);
      break;
    case SequenceField::offset:
      set(kOffsetDefault);
      break;
    case SequenceField::match_length:
      set(kMatchDefault);
      break;
  }
  return counts;
}

SequenceState symbol_state(SequenceField field, uint32_t symbol) {
  switch (field) {
    case SequenceField::literal_length:
      return {.base = kLiteralBases[symbol], .extra = kLiteralExtra[symbol]};
    case SequenceField::offset:
      return {.base = uint32_t{1} << symbol, .extra = static_cast<uint8_t>(symbol)};
    case SequenceField::match_length:
      break;
  }
  return {.base = kMatchBases[symbol], .extra = kMatchExtra[symbol]};
}

void SequenceTable::build(SequenceField field, const FseCounts& counts) {
  std::array<FseState, size_t{1} << kMaxLog> plain;
  const size_t size = size_t{1} << counts.log;
  build_fse_states(counts, plain);
  for (size_t i = 0; i < size; ++i) {
    states[i] = symbol_state(field, plain[i].symbol);
    states[i].next = plain[i].next;
    states[i].bits = plain[i].bits;
  }
  log = counts.log;
  present = true;
}

Status SequenceTable::read(SequenceField field, std::span<const uint8_t> bytes, size_t& used) {
  const FieldLimits limits = limits_of(field);
  BOBBIN_ASSIGN(const FseCounts counts, read_fse_counts(bytes, limits.max_log, limits.num_symbols, used));
  build(field, counts);
  return {};
}

Status SequenceTable::repeat_symbol(SequenceField field, uint32_t symbol) {
  if (symbol >= limits_of(field).num_symbols) {
    return damaged("a symbol above its field's limit");
  }
  states[0] = symbol_state(field, symbol);
  log = 0;
  present = true;
  return {};
}

void SequenceTable::use_default(SequenceField field) {
  build(field, default_counts(field));
}

Status run_sequences(std::span<const uint8_t> bytes, std::span<const uint8_t> literals,
                     uint32_t max_block_bytes, Tables& tables, Content& content) {
  BOBBIN_ASSIGN(const uint32_t count, read_count(bytes));
  Executor executor(literals, max_block_bytes, content);
  if (count == 0) {
    if (!bytes.empty()) {
      return damaged("bytes after a count of zero");
    }
  } else {
    BOBBIN_TRY(read_tables(bytes, tables));
    BOBBIN_TRY(decode_and_run(bytes, count, tables, executor));
  }
  return executor.finish() ? Status() : damaged("the literals do not fit into the block or the output");
}

}  // namespace bobbin::zstd
