// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/sequences.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/copy.hpp"
#include "core/bmi2.hpp"

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

Status damaged_sequences(const char* what) {
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
        return damaged_sequences("a table is missing");
      }
      BOBBIN_TRY(table.repeat_symbol(field, bytes[0]));
      used = 1;
      break;
    case Mode::described:
      BOBBIN_TRY(table.read(field, bytes, used));
      break;
    case Mode::repeat:
      if (!table.present) {
        return damaged_sequences("a table is to be reused, but there is none yet");
      }
      break;
  }
  bytes = bytes.subspan(used);
  return {};
}

// How many sequences there are; moves `bytes` past the count.
Result<uint32_t> read_count(std::span<const uint8_t>& bytes) {
  if (bytes.empty()) {
    return damaged_sequences("the section is missing");
  }
  const uint32_t first = bytes[0];
  const size_t size = first < 128 ? 1 : first < 255 ? 2 : 3;
  if (bytes.size() < size) {
    return damaged_sequences("the count is cut off");
  }
  const uint32_t count = size == 1   ? first
                         : size == 2 ? (first - 128) << 8 | bytes[1]
                                     : (bytes[1] | uint32_t{bytes[2]} << 8) + 0x7F00;
  bytes = bytes.subspan(size);
  return count;
}

Status read_tables(std::span<const uint8_t>& bytes, Tables& tables) {
  if (bytes.empty()) {
    return damaged_sequences("the modes are missing");
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
    BackwardBits bits;
    if (!bits.start(bytes.data(), bytes.size())) {
      return false;
    }
    literal_state_ = static_cast<uint32_t>(bits.read(tables.literal_length.log));
    offset_state_ = static_cast<uint32_t>(bits.read(tables.offset.log));
    match_state_ = static_cast<uint32_t>(bits.read(tables.match_length.log));
    bytes_ = bytes.data();
    position_ = bits.position();
    return position_ >= 0;
  }

  // Whether next_inside() may be called: its load must not begin before the stream.
  [[nodiscard]] BOBBIN_INLINE bool inside() const { return position_ >= kLoadBits; }

  // The next 57 bits or more are loaded before it is known how many of them the states ask for, so that the
  // load does not wait for the states. False where the sequence needs more: nothing has happened then.
  [[nodiscard]] BOBBIN_INLINE bool next_inside(Sequence& sequence) {
    const SequenceState literal = literal_[literal_state_];
    const SequenceState offset = offset_[offset_state_];
    const SequenceState match = match_[match_state_];
    const int64_t byte = (position_ - kLoadBits) >> 3;
    const uint64_t window = load<uint64_t>(bytes_ + byte);
    const auto above = static_cast<uint32_t>(position_ - 8 * byte);  // 57 to 64 bits
    const uint32_t after_offset = above - offset.extra;
    const uint32_t after_match = after_offset - match.extra;
    const uint32_t after_literal = after_match - literal.extra;
    const uint32_t after_states = after_literal - literal.bits - match.bits - offset.bits;
    if (static_cast<int32_t>(after_states) < 0) [[unlikely]] {
      return false;
    }
    sequence.offset_value = offset.base + low_bits(window >> (after_offset % 64), offset.extra);
    sequence.match = match.base + low_bits(window >> (after_match % 64), match.extra);
    sequence.literals = literal.base + low_bits(window >> (after_literal % 64), literal.extra);
    uint64_t states = window >> (after_states % 64);
    offset_state_ = offset.next + low_bits(states, offset.bits);
    states >>= offset.bits;
    match_state_ = match.next + low_bits(states, match.bits);
    states >>= match.bits;
    literal_state_ = literal.next + low_bits(states, literal.bits);
    position_ = 8 * byte + after_states;
    return true;
  }

  // False where the stream is too short. The states do not move on after the last sequence.
  [[nodiscard]] bool next(Sequence& sequence, bool last) {
    const SequenceState literal = literal_[literal_state_];
    const SequenceState offset = offset_[offset_state_];
    const SequenceState match = match_[match_state_];
    const uint32_t lengths = uint32_t{match.extra} + literal.extra;
    const uint32_t states = last ? 0 : uint32_t{literal.bits} + match.bits + offset.bits;
    if (position_ < int64_t{offset.extra} + lengths + states) {
      return false;
    }
    sequence.offset_value = offset.base + read(offset.extra);
    sequence.match = match.base + read(match.extra);
    sequence.literals = literal.base + read(literal.extra);
    if (!last) {
      literal_state_ = literal.next + read(literal.bits);
      match_state_ = match.next + read(match.bits);
      offset_state_ = offset.next + read(offset.bits);
    }
    return true;
  }

  [[nodiscard]] bool at_end() const { return position_ == 0; }

 private:
  static constexpr int64_t kLoadBits = 57;

  BOBBIN_INLINE static uint32_t low_bits(uint64_t value, uint32_t count) {
    return static_cast<uint32_t>(value & ((uint64_t{1} << count) - 1));
  }
  // Up to 32 bits that are there.
  uint32_t read(uint32_t count) {
    position_ -= count;
    return low_bits(load<uint64_t>(bytes_ + position_ / 8) >> (position_ % 8), count);
  }

  const SequenceState* literal_;
  const SequenceState* offset_;
  const SequenceState* match_;
  const uint8_t* bytes_ = nullptr;
  int64_t position_ = 0;
  uint32_t literal_state_ = 0;
  uint32_t offset_state_ = 0;
  uint32_t match_state_ = 0;
};

// The three recent offsets.
struct RecentOffsets {
  uint32_t first;
  uint32_t second;
  uint32_t third;

  // The offset that a value stands for, 0 for an invalid one.
  BOBBIN_INLINE uint32_t resolve(uint32_t value, uint32_t literals) {
    if (value > 3) {
      third = second;
      second = first;
      return first = value - 3;
    }
    const uint32_t index = value - 1 + (literals == 0 ? 1 : 0);
    const uint32_t offset = index == 0 ? first : index == 1 ? second : index == 2 ? third : first - 1;
    third = index >= 2 ? second : third;
    second = index >= 1 ? first : second;
    return first = offset;
  }
};

// Where the copies of one block are. A value, of which the compiler keeps a copy in registers.
struct Copies {
  const uint8_t* literal;
  const uint8_t* literals_end;
  uint8_t* at;
  const uint8_t* begin;     // of the frame
  const uint8_t* easy_end;  // up to here a copy may write kCopySlack bytes too many
  uint64_t window_bytes;

  // False, without doing anything, where a copy is not easy: it lies near the output's end, reaches into the
  // dictionary, or is an error.
  [[nodiscard]] BOBBIN_INLINE bool run(const Sequence& sequence, uint32_t offset) {
    const uint64_t produced = static_cast<uint64_t>(at - begin) + sequence.literals;
    if (sequence.literals > static_cast<uint64_t>(literals_end - literal) ||
        int64_t{sequence.literals} + sequence.match > easy_end - at ||
        uint64_t{offset} - 1 >= std::min(produced, window_bytes)) [[unlikely]] {
      return false;
    }
    copy_over(at, literal, sequence.literals);
    literal += sequence.literals;
    uint8_t* const match = at + sequence.literals;  // only now: an empty output may have no address
    copy_match_over(match, offset, sequence.match);
    at = match + sequence.match;
    return true;
  }
};

// Copies literals and matches of one block.
class Executor {
 public:
  Executor(std::span<const uint8_t> literals, uint32_t max_block_bytes, Content& content)
      : content_(content),
        block_end_(content.at + std::min<uint64_t>(max_block_bytes, room_of(content))),
        copies_{literals.data(), literals.data() + literals.size(), content.at,
                content.begin,   easy_end(content, block_end_),     content.window_bytes} {}

  Copies& copies() { return copies_; }

  // False where literals run out, the block gets too large, or the offset reaches before everything. Writes
  // only bytes of the block.
  [[nodiscard]] bool run(const Sequence& sequence, uint32_t offset) {
    const uint64_t produced = static_cast<uint64_t>(copies_.at - content_.begin) + sequence.literals;
    const uint64_t reach =
        produced <= content_.window_bytes ? produced + content_.dictionary.size() : content_.window_bytes;
    if (sequence.literals > static_cast<uint64_t>(copies_.literals_end - copies_.literal) ||
        int64_t{sequence.literals} + sequence.match > block_end_ - copies_.at || offset == 0 ||
        offset > reach) {
      return false;
    }
    copy_literals(sequence.literals);
    uint32_t match = sequence.match;
    if (offset > produced) {  // a match may begin in the dictionary while the window still reaches it
      const auto before = static_cast<uint32_t>(offset - produced);
      const uint32_t count = std::min(match, before);
      std::memcpy(copies_.at, content_.dictionary.data() + content_.dictionary.size() - before, count);
      copies_.at += count;
      match -= count;
    }
    copy_match_exactly(copies_.at, offset, match);
    copies_.at += match;
    return true;
  }

  [[nodiscard]] bool finish() {
    const auto left = static_cast<size_t>(copies_.literals_end - copies_.literal);
    if (static_cast<ptrdiff_t>(left) > block_end_ - copies_.at) {
      return false;
    }
    copy_literals(left);
    content_.at = copies_.at;
    return true;
  }

 private:
  static uint64_t room_of(const Content& content) { return static_cast<uint64_t>(content.end - content.at); }

  // The block's last bytes are easy too, unless the output ends there.
  static const uint8_t* easy_end(const Content& content, const uint8_t* block_end) {
    const size_t after = static_cast<size_t>(content.end - block_end);
    const size_t lacking = after < kCopySlack ? kCopySlack - after : 0;
    return block_end - std::min<uint64_t>(lacking, static_cast<uint64_t>(block_end - content.at));
  }

  void copy_literals(size_t count) {
    if (count != 0) {  // an empty output may have no address
      std::memcpy(copies_.at, copies_.literal, count);
      copies_.at += count;
      copies_.literal += count;
    }
  }

  Content& content_;
  const uint8_t* block_end_;
  Copies copies_;
};

// A sequence that was read, but whose copies are not easy.
struct Stop {
  bool set = false;
  Sequence sequence{};
  uint32_t offset = 0;
};

// Reads sequences from the middle of a stream and copies what is easy to copy. Returns how many of `count` it
// read. Works on values, which the compiler can keep in registers.
BOBBIN_INLINE uint32_t run_easy(SequenceReader& reader_at, Copies& copies_at, RecentOffsets& recent_at,
                                uint32_t count, Stop& stop) {
  SequenceReader reader = reader_at;
  Copies copies = copies_at;
  RecentOffsets recent = recent_at;
  Sequence sequence{};
  uint32_t done = 0;
  while (done < count && reader.inside() && reader.next_inside(sequence)) {
    ++done;
    const uint32_t offset = recent.resolve(sequence.offset_value, sequence.literals);
    if (!copies.run(sequence, offset)) [[unlikely]] {
      stop = {true, sequence, offset};
      break;
    }
  }
  reader_at = reader;
  copies_at = copies;
  recent_at = recent;
  return done;
}

uint32_t run_easy_anywhere(SequenceReader& reader, Copies& copies, RecentOffsets& recent, uint32_t count,
                           Stop& stop) {
  return run_easy(reader, copies, recent, count, stop);
}

BOBBIN_BMI2 uint32_t run_easy_bmi2(SequenceReader& reader, Copies& copies, RecentOffsets& recent,
                                   uint32_t count, Stop& stop) {
  return run_easy(reader, copies, recent, count, stop);
}

Status decode_and_run(std::span<const uint8_t> bytes, uint32_t count, Tables& tables, Executor& executor) {
  SequenceReader reader(tables);
  if (!reader.start(bytes, tables)) {
    return damaged_sequences("the stream is too short or has no end mark");
  }
  const auto run_some = have_bmi2() ? &run_easy_bmi2 : &run_easy_anywhere;
  RecentOffsets recent{tables.recent_offsets[0], tables.recent_offsets[1], tables.recent_offsets[2]};
  for (uint32_t done = 0; done < count;) {
    Stop stop;
    done += run_some(reader, executor.copies(), recent, count - 1 - done, stop);
    if (!stop.set) {
      ++done;
      if (!reader.next(stop.sequence, done == count)) {
        return damaged_sequences("the stream is too short");
      }
      stop.offset = recent.resolve(stop.sequence.offset_value, stop.sequence.literals);
    }
    if (!executor.copies().run(stop.sequence, stop.offset) && !executor.run(stop.sequence, stop.offset)) {
      return damaged_sequences("a copy reaches outside its source, its block or the output");
    }
  }
  if (!reader.at_end()) {
    return damaged_sequences("the stream is too long");
  }
  tables.recent_offsets = {recent.first, recent.second, recent.third};
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
    return damaged_sequences("a symbol above its field's limit");
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
      return damaged_sequences("bytes after a count of zero");
    }
  } else {
    BOBBIN_TRY(read_tables(bytes, tables));
    BOBBIN_TRY(decode_and_run(bytes, count, tables, executor));
  }
  return executor.finish() ? Status()
                           : damaged_sequences("the literals do not fit into the block or the output");
}

}  // namespace bobbin::zstd
