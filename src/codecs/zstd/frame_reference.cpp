// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/frame_reference.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace bobbin::codec::zstd::frame_reference {
namespace {

using Bytes = std::span<const uint8_t>;

Bytes as_numbers(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

Status corrupt(const char* why) {
  return {StatusCode::corrupt, why};
}

// ---- Reading ----

class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] Bytes rest() const { return bytes_; }

  Result<Bytes> take(uint64_t count) {
    BOBBIN_RETURN_IF(count > bytes_.size(), StatusCode::corrupt, "the input ends too early");
    const Bytes taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

  // A little-endian number of up to 8 bytes.
  Result<uint64_t> number(uint64_t count) {
    BOBBIN_ASSIGN(const Bytes taken, take(count));
    uint64_t value = 0;
    for (size_t i = 0; i < taken.size(); ++i) {
      value |= uint64_t{taken[i]} << (8 * i);
    }
    return value;
  }

 private:
  Bytes bytes_;
};

// Bits from the lowest of the first byte on; a number's lowest bit comes first.
class ForwardBits {
 public:
  explicit ForwardBits(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] uint64_t used_bytes() const { return (position_ + 7) / 8; }

  Result<uint32_t> read(uint32_t count) {
    BOBBIN_RETURN_IF(position_ + count > 8 * bytes_.size(), StatusCode::corrupt,
                     "a table description ends too early");
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; ++i, ++position_) {
      const uint32_t bit = bytes_[position_ / 8] >> (position_ % 8) & 1U;
      value |= bit << i;
    }
    return value;
  }

 private:
  Bytes bytes_;
  uint64_t position_ = 0;
};

// Bits from the end mark, the highest set bit of the last byte, down to the first byte's lowest; a number's
// highest bit comes first.
class BackwardBits {
 public:
  static Result<BackwardBits> open(Bytes bytes) {
    BOBBIN_RETURN_IF(bytes.empty() || bytes.back() == 0, StatusCode::corrupt, "a bit stream has no end mark");
    const auto mark = static_cast<uint64_t>(std::bit_width(bytes.back())) - 1;
    return BackwardBits(bytes, 8 * (bytes.size() - 1) + mark);
  }

  [[nodiscard]] uint64_t left() const { return left_; }

  Result<uint32_t> read(uint32_t count) {
    BOBBIN_RETURN_IF(count > left_, StatusCode::corrupt, "a bit stream is too short");
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; ++i) {
      --left_;
      const uint32_t bit = bytes_[left_ / 8] >> (left_ % 8) & 1U;
      value = value << 1 | bit;
    }
    return value;
  }

 private:
  BackwardBits(Bytes bytes, uint64_t left) : bytes_(bytes), left_(left) {}

  Bytes bytes_;
  uint64_t left_;
};

// ---- FSE tables (RFC 8878, 4.1) ----

struct FseState {
  uint8_t symbol = 0;
  uint32_t bits = 0;  // to read for the next state, and what to add to them
  uint32_t baseline = 0;
};

struct FseTable {
  uint32_t accuracy = 0;
  std::vector<FseState> states;
};

constexpr int kLessThanOne = -1;

struct Distribution {
  uint32_t accuracy = 0;
  std::vector<int> probabilities;
};

// A probability plus one, in 0 .. points + 1. The smallest values take one bit less than the others.
Result<uint32_t> read_probability(ForwardBits& bits, uint32_t points) {
  const uint32_t largest = points + 1;
  const auto width = static_cast<uint32_t>(std::bit_width(largest));
  const uint32_t num_short = (1U << width) - 1 - largest;
  BOBBIN_ASSIGN(const uint32_t low, bits.read(width - 1));
  if (low < num_short) {
    return low;
  }
  BOBBIN_ASSIGN(const uint32_t high, bits.read(1));
  return high == 0 ? low : low + (1U << (width - 1)) - num_short;
}

Result<Distribution> read_distribution(ByteReader& in, uint32_t max_accuracy, uint32_t max_symbol) {
  ForwardBits bits(in.rest());
  BOBBIN_ASSIGN(const uint32_t stored_accuracy, bits.read(4));
  Distribution result{.accuracy = stored_accuracy + 5, .probabilities = {}};
  BOBBIN_RETURN_IF(result.accuracy > max_accuracy, StatusCode::corrupt,
                   "the accuracy of a table is too high");
  uint32_t points = 1U << result.accuracy;
  while (points > 0) {
    BOBBIN_RETURN_IF(result.probabilities.size() > max_symbol, StatusCode::corrupt,
                     "a table has too many symbols");
    BOBBIN_ASSIGN(const uint32_t value, read_probability(bits, points));
    const int probability = static_cast<int>(value) - 1;
    result.probabilities.push_back(probability);
    points -= probability == kLessThanOne ? 1 : value - 1;
    // After a zero: how many more follow it, 3 meaning that another such count follows.
    uint32_t zeros = probability == 0 ? 3 : 0;
    while (zeros == 3) {
      BOBBIN_ASSIGN(zeros, bits.read(2));
      result.probabilities.insert(result.probabilities.end(), zeros, 0);
    }
  }
  BOBBIN_ASSIGN(const Bytes description, in.take(bits.used_bytes()));
  (void)description;
  return result;
}

FseTable make_table(const Distribution& distribution) {
  const uint32_t size = 1U << distribution.accuracy;
  FseTable table{.accuracy = distribution.accuracy, .states = std::vector<FseState>(size)};
  std::vector<uint32_t> next;
  uint32_t end = size;
  for (size_t symbol = 0; symbol < distribution.probabilities.size(); ++symbol) {
    const int probability = distribution.probabilities[symbol];
    next.push_back(probability == kLessThanOne ? 1U : static_cast<uint32_t>(probability));
    if (probability == kLessThanOne) {
      table.states[--end].symbol = static_cast<uint8_t>(symbol);
    }
  }
  uint32_t position = 0;
  for (size_t symbol = 0; symbol < distribution.probabilities.size(); ++symbol) {
    for (int i = 0; i < distribution.probabilities[symbol]; ++i) {
      table.states[position].symbol = static_cast<uint8_t>(symbol);
      do {
        position = (position + (size >> 1) + (size >> 3) + 3) % size;
      } while (position >= end);
    }
  }
  for (FseState& state : table.states) {
    const uint32_t number = next[state.symbol]++;
    state.bits = distribution.accuracy + 1 - static_cast<uint32_t>(std::bit_width(number));
    state.baseline = (number << state.bits) - size;
  }
  return table;
}

Result<FseTable> read_table(ByteReader& in, uint32_t max_accuracy, uint32_t max_symbol) {
  BOBBIN_ASSIGN(const Distribution distribution, read_distribution(in, max_accuracy, max_symbol));
  return make_table(distribution);
}

// ---- Huffman trees (RFC 8878, 4.2) ----

constexpr uint32_t kMaxCodeBits = 11;
constexpr uint32_t kMaxWeightAccuracy = 6;
constexpr size_t kMaxWeights = 255;

struct HuffmanTree {
  uint32_t max_bits = 0;
  // By the length of codes: the symbols in order of their codes, which are consecutive numbers.
  std::array<std::vector<uint8_t>, kMaxCodeBits + 1> symbols;
  std::array<uint32_t, kMaxCodeBits + 1> first_code{};
};

// Two states take turns. The weights end where a state needs more bits than are left.
Result<std::vector<uint8_t>> read_weights_by_fse(Bytes bytes) {
  ByteReader in(bytes);
  BOBBIN_ASSIGN(const FseTable table, read_table(in, kMaxWeightAccuracy, kMaxCodeBits));
  BOBBIN_ASSIGN(BackwardBits bits, BackwardBits::open(in.rest()));
  std::array<uint32_t, 2> states{};
  for (uint32_t& state : states) {
    BOBBIN_ASSIGN(state, bits.read(table.accuracy));
  }
  std::vector<uint8_t> weights;
  for (size_t turn = 0;; turn = 1 - turn) {
    const FseState& state = table.states[states[turn]];
    weights.push_back(state.symbol);
    if (state.bits > bits.left()) {
      weights.push_back(table.states[states[1 - turn]].symbol);
      break;
    }
    BOBBIN_RETURN_IF(weights.size() >= kMaxWeights, StatusCode::corrupt,
                     "a Huffman tree has too many weights");
    BOBBIN_ASSIGN(const uint32_t low, bits.read(state.bits));
    states[turn] = state.baseline + low;
  }
  BOBBIN_RETURN_IF(weights.size() > kMaxWeights, StatusCode::corrupt, "a Huffman tree has too many weights");
  return weights;
}

Result<std::vector<uint8_t>> read_weights(ByteReader& in) {
  BOBBIN_ASSIGN(const uint64_t header, in.number(1));
  if (header < 128) {
    BOBBIN_ASSIGN(const Bytes bytes, in.take(header));
    return read_weights_by_fse(bytes);
  }
  const uint64_t count = header - 127;
  BOBBIN_ASSIGN(const Bytes pairs, in.take((count + 1) / 2));
  std::vector<uint8_t> weights;
  for (uint64_t i = 0; i < count; ++i) {
    weights.push_back(i % 2 == 0 ? pairs[i / 2] >> 4 : pairs[i / 2] & 15);
  }
  return weights;
}

// The weight that completes the sum to the next power of two; sets the number of bits of the longest code.
Result<uint8_t> last_weight(const std::vector<uint8_t>& weights, uint32_t& max_bits) {
  uint32_t sum = 0;
  for (const uint8_t weight : weights) {
    BOBBIN_RETURN_IF(weight > kMaxCodeBits, StatusCode::corrupt, "a Huffman weight is too large");
    sum += weight == 0 ? 0 : 1U << (weight - 1);
  }
  BOBBIN_RETURN_IF(sum == 0, StatusCode::corrupt, "all Huffman weights are zero");
  max_bits = static_cast<uint32_t>(std::bit_width(sum));
  BOBBIN_RETURN_IF(max_bits > kMaxCodeBits, StatusCode::corrupt, "a Huffman code is too long");
  const uint32_t missing = (1U << max_bits) - sum;
  BOBBIN_RETURN_IF(!std::has_single_bit(missing), StatusCode::corrupt,
                   "the Huffman weights leave no power of two");
  return static_cast<uint8_t>(std::bit_width(missing));
}

Result<HuffmanTree> read_tree(ByteReader& in) {
  HuffmanTree tree;
  BOBBIN_ASSIGN(std::vector<uint8_t> weights, read_weights(in));
  BOBBIN_ASSIGN(const uint8_t last, last_weight(weights, tree.max_bits));
  weights.push_back(last);
  for (size_t symbol = 0; symbol < weights.size(); ++symbol) {
    if (weights[symbol] > 0) {
      tree.symbols[tree.max_bits + 1 - weights[symbol]].push_back(static_cast<uint8_t>(symbol));
    }
  }
  BOBBIN_RETURN_IF(tree.symbols[tree.max_bits].size() < 2, StatusCode::corrupt,
                   "fewer than two symbols have the longest Huffman code");
  // The longest codes start at 0; shorter ones continue after the prefixes of longer ones.
  for (uint32_t length = tree.max_bits; length > 1; --length) {
    const auto count = static_cast<uint32_t>(tree.symbols[length].size());
    tree.first_code[length - 1] = (tree.first_code[length] + count) / 2;
  }
  return tree;
}

Result<uint8_t> read_symbol(const HuffmanTree& tree, BackwardBits& bits) {
  uint32_t code = 0;
  for (uint32_t length = 1; length <= tree.max_bits; ++length) {
    BOBBIN_ASSIGN(const uint32_t bit, bits.read(1));
    code = code << 1 | bit;
    const std::vector<uint8_t>& symbols = tree.symbols[length];
    if (code >= tree.first_code[length] && code - tree.first_code[length] < symbols.size()) {
      return symbols[code - tree.first_code[length]];
    }
  }
  return corrupt("no Huffman code has these bits");
}

// ---- What blocks inherit from blocks before them, or from a dictionary ----

struct FieldRules {
  uint32_t max_accuracy;
  uint32_t max_symbol;
};
enum Field : size_t { kLiteralLengths, kOffsets, kMatchLengths, kNumFields };
constexpr std::array<FieldRules, kNumFields> kRules{{{9, 35}, {8, 31}, {9, 52}}};

struct History {
  std::optional<HuffmanTree> tree;
  std::array<std::optional<FseTable>, kNumFields> tables;
  std::array<uint64_t, 3> offsets{1, 4, 8};
};

struct Dictionary {
  uint32_t id = 0;
  Bytes content;
  History history;
};

constexpr uint32_t kDictionaryMagic = 0xEC30A437;

Result<Dictionary> read_dictionary(Bytes bytes) {
  Dictionary dictionary{.id = 0, .content = bytes, .history = {}};
  if (bytes.empty()) {
    return dictionary;
  }
  BOBBIN_RETURN_IF(bytes.size() < 8, StatusCode::corrupt, "a dictionary has at least 8 bytes");
  ByteReader in(bytes);
  BOBBIN_ASSIGN(const uint64_t magic, in.number(4));
  if (magic != kDictionaryMagic) {
    return dictionary;
  }
  BOBBIN_ASSIGN(const uint64_t id, in.number(4));
  BOBBIN_RETURN_IF(id == 0, StatusCode::corrupt, "the dictionary's id is 0");
  dictionary.id = static_cast<uint32_t>(id);
  BOBBIN_ASSIGN(dictionary.history.tree, read_tree(in));
  for (const Field field : {kOffsets, kMatchLengths, kLiteralLengths}) {
    BOBBIN_ASSIGN(dictionary.history.tables[field],
                  read_table(in, kRules[field].max_accuracy, kRules[field].max_symbol));
  }
  for (uint64_t& offset : dictionary.history.offsets) {
    BOBBIN_ASSIGN(offset, in.number(4));
  }
  dictionary.content = in.rest();
  for (const uint64_t offset : dictionary.history.offsets) {
    BOBBIN_RETURN_IF(offset == 0 || offset > dictionary.content.size(), StatusCode::corrupt,
                     "a recent offset of the dictionary is out of range");
  }
  return dictionary;
}

// ---- Literals (RFC 8878, 3.1.1.3.1) ----

enum LiteralsKind : uint8_t { kRawLiterals, kRepeatedLiteral, kCompressedLiterals, kTreelessLiterals };

struct LiteralsHeader {
  uint64_t kind = 0;
  uint64_t size = 0;
  uint64_t stored_size = 0;
  uint64_t num_streams = 1;
};

Result<LiteralsHeader> read_literals_header(ByteReader& in) {
  if (in.rest().empty()) {
    return corrupt("a block ends before its literals");
  }
  const uint32_t kind = in.rest().front() & 3U;
  const uint32_t format = in.rest().front() >> 2 & 3U;
  LiteralsHeader header{.kind = kind};
  if (kind == kRawLiterals || kind == kRepeatedLiteral) {
    constexpr std::array<uint32_t, 4> kBytes{1, 2, 1, 3};
    BOBBIN_ASSIGN(const uint64_t bits, in.number(kBytes[format]));
    header.size = bits >> (format % 2 == 0 ? 3 : 4);
    header.stored_size = kind == kRawLiterals ? header.size : 1;
    return header;
  }
  constexpr std::array<uint32_t, 4> kBytes{3, 3, 4, 5};
  constexpr std::array<uint32_t, 4> kSizeBits{10, 10, 14, 18};
  BOBBIN_ASSIGN(const uint64_t bits, in.number(kBytes[format]));
  const uint64_t mask = (uint64_t{1} << kSizeBits[format]) - 1;
  header.size = bits >> 4 & mask;
  header.stored_size = bits >> (4 + kSizeBits[format]) & mask;
  header.num_streams = format == 0 ? 1 : 4;
  return header;
}

Status decode_stream(const HuffmanTree& tree, Bytes stream, uint64_t count, std::vector<uint8_t>& literals) {
  BOBBIN_ASSIGN(BackwardBits bits, BackwardBits::open(stream));
  for (uint64_t i = 0; i < count; ++i) {
    BOBBIN_ASSIGN(const uint8_t symbol, read_symbol(tree, bits));
    literals.push_back(symbol);
  }
  return bits.left() == 0 ? Status() : corrupt("a Huffman stream has bits left");
}

Status decode_four_streams(const HuffmanTree& tree, ByteReader& in, uint64_t size,
                           std::vector<uint8_t>& literals) {
  BOBBIN_RETURN_IF(size < 6, StatusCode::corrupt, "too few literals for four streams");
  std::array<uint64_t, 3> stored_sizes{};
  for (uint64_t& stored_size : stored_sizes) {
    BOBBIN_ASSIGN(stored_size, in.number(2));
  }
  const uint64_t each = (size + 3) / 4;
  for (const uint64_t stored_size : stored_sizes) {
    BOBBIN_ASSIGN(const Bytes stream, in.take(stored_size));
    BOBBIN_TRY(decode_stream(tree, stream, each, literals));
  }
  return decode_stream(tree, in.rest(), size - 3 * each, literals);
}

Result<std::vector<uint8_t>> decode_literals(ByteReader& in, uint64_t max_block_bytes, History& history) {
  BOBBIN_ASSIGN(const LiteralsHeader header, read_literals_header(in));
  BOBBIN_RETURN_IF(header.size > max_block_bytes, StatusCode::corrupt, "a block has too many literals");
  BOBBIN_ASSIGN(const Bytes stored, in.take(header.stored_size));
  if (header.kind == kRawLiterals) {
    return std::vector<uint8_t>(stored.begin(), stored.end());
  }
  if (header.kind == kRepeatedLiteral) {
    return std::vector<uint8_t>(header.size, stored[0]);
  }
  ByteReader section(stored);
  if (header.kind == kCompressedLiterals) {
    BOBBIN_ASSIGN(history.tree, read_tree(section));
  }
  BOBBIN_RETURN_IF(!history.tree.has_value(), StatusCode::corrupt, "there is no Huffman tree to repeat");
  std::vector<uint8_t> literals;
  if (header.num_streams == 1) {
    BOBBIN_TRY(decode_stream(*history.tree, section.rest(), header.size, literals));
  } else {
    BOBBIN_TRY(decode_four_streams(*history.tree, section, header.size, literals));
  }
  return literals;
}

// ---- Sequences (RFC 8878, 3.1.1.3.2) ----

struct LengthCode {
  uint32_t baseline;
  uint32_t bits;
};

constexpr std::array<LengthCode, 20> kLongLiteralLengths{
    {{16, 1},    {18, 1},    {20, 1},    {22, 1},     {24, 2},     {28, 2},    {32, 3},
     {40, 3},    {48, 4},    {64, 6},    {128, 7},    {256, 8},    {512, 9},   {1024, 10},
     {2048, 11}, {4096, 12}, {8192, 13}, {16384, 14}, {32768, 15}, {65536, 16}}};
constexpr std::array<LengthCode, 21> kLongMatchLengths{
    {{35, 1},    {37, 1},    {39, 1},    {41, 1},    {43, 2},     {47, 2},     {51, 3},
     {59, 3},    {67, 4},    {83, 4},    {99, 5},    {131, 7},    {259, 8},    {515, 9},
     {1027, 10}, {2051, 11}, {4099, 12}, {8195, 13}, {16387, 14}, {32771, 15}, {65539, 16}}};

LengthCode literal_length_code(uint8_t symbol) {
  return symbol < 16 ? LengthCode{symbol, 0} : kLongLiteralLengths[symbol - 16];
}

LengthCode match_length_code(uint8_t symbol) {
  return symbol < 32 ? LengthCode{symbol + 3U, 0} : kLongMatchLengths[symbol - 32];
}

Distribution predefined(Field field) {
  switch (field) {
    case kLiteralLengths:
      return {6, {4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
                  2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1}};
    case kOffsets:
      return {5,
              {1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}};
    default:
      return {6, {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1}};
  }
}

enum TableMode : uint8_t { kPredefined, kOneSymbol, kDescribed, kRepeated };

Result<FseTable> choose_table(ByteReader& in, Field field, uint32_t mode,
                              const std::optional<FseTable>& previous) {
  const FieldRules rules = kRules[field];
  switch (mode) {
    case kPredefined:
      return make_table(predefined(field));
    case kOneSymbol: {
      BOBBIN_ASSIGN(const uint64_t symbol, in.number(1));
      BOBBIN_RETURN_IF(symbol > rules.max_symbol, StatusCode::corrupt, "a symbol is out of range");
      return FseTable{.accuracy = 0, .states = {FseState{.symbol = static_cast<uint8_t>(symbol)}}};
    }
    case kDescribed:
      return read_table(in, rules.max_accuracy, rules.max_symbol);
    default:
      BOBBIN_RETURN_IF(!previous.has_value(), StatusCode::corrupt, "there is no table to repeat");
      return *previous;
  }
}

Result<uint64_t> read_num_sequences(ByteReader& in) {
  BOBBIN_ASSIGN(const uint64_t first, in.number(1));
  if (first < 128) {
    return first;
  }
  if (first < 255) {
    BOBBIN_ASSIGN(const uint64_t low, in.number(1));
    return ((first - 128) << 8) + low;
  }
  BOBBIN_ASSIGN(const uint64_t rest, in.number(2));
  return rest + 0x7F00;
}

struct Sequence {
  uint64_t literal_length = 0;
  uint64_t offset_value = 0;
  uint64_t match_length = 0;
};

class SequenceReader {
 public:
  SequenceReader(BackwardBits bits, const History& history) : bits_(bits), tables_(history.tables) {}

  Status start() {
    for (const Field field : {kLiteralLengths, kOffsets, kMatchLengths}) {
      BOBBIN_ASSIGN(states_[field], bits_.read(tables_[field]->accuracy));
    }
    return {};
  }

  Result<Sequence> read() {
    const uint32_t offset_bits = state(kOffsets).symbol;
    const LengthCode match = match_length_code(state(kMatchLengths).symbol);
    const LengthCode literals = literal_length_code(state(kLiteralLengths).symbol);
    BOBBIN_ASSIGN(const uint64_t offset, bits_.read(offset_bits));
    BOBBIN_ASSIGN(const uint64_t more_match, bits_.read(match.bits));
    BOBBIN_ASSIGN(const uint64_t more_literals, bits_.read(literals.bits));
    return Sequence{.literal_length = literals.baseline + more_literals,
                    .offset_value = (uint64_t{1} << offset_bits) + offset,
                    .match_length = match.baseline + more_match};
  }

  // Not after the last sequence: there are no bits for it.
  Status advance() {
    for (const Field field : {kLiteralLengths, kMatchLengths, kOffsets}) {
      BOBBIN_ASSIGN(const uint32_t low, bits_.read(state(field).bits));
      states_[field] = state(field).baseline + low;
    }
    return {};
  }

  [[nodiscard]] uint64_t bits_left() const { return bits_.left(); }

 private:
  [[nodiscard]] const FseState& state(Field field) const { return tables_[field]->states[states_[field]]; }

  BackwardBits bits_;
  const std::array<std::optional<FseTable>, kNumFields>& tables_;
  std::array<uint32_t, kNumFields> states_{};
};

// The offset that a value means, which becomes the most recent one.
Result<uint64_t> resolve_offset(const Sequence& sequence, std::array<uint64_t, 3>& recent) {
  if (sequence.offset_value > 3) {
    recent = {sequence.offset_value - 3, recent[0], recent[1]};
    return recent[0];
  }
  const uint64_t index = sequence.offset_value - (sequence.literal_length == 0 ? 0 : 1);
  const uint64_t offset = index < 3 ? recent[index] : recent[0] - 1;
  BOBBIN_RETURN_IF(offset == 0, StatusCode::corrupt, "an offset is 0");
  if (index == 1) {
    recent = {offset, recent[0], recent[2]};
  } else if (index > 1) {
    recent = {offset, recent[0], recent[1]};
  }
  return offset;
}

// ---- Frames (RFC 8878, 3.1.1) ----

constexpr uint64_t kMaxBlockBytes = uint64_t{128} << 10;

struct FrameHeader {
  std::optional<uint64_t> content_bytes;
  uint64_t window_bytes = 0;
  uint64_t dictionary_id = 0;
  bool has_checksum = false;

  [[nodiscard]] uint64_t max_block_bytes() const { return std::min(window_bytes, kMaxBlockBytes); }
};

Result<FrameHeader> read_frame_header(ByteReader& in) {
  constexpr std::array<uint32_t, 4> kIdBytes{0, 1, 2, 4};
  BOBBIN_ASSIGN(const uint64_t descriptor, in.number(1));
  BOBBIN_RETURN_IF((descriptor & 8) != 0, StatusCode::corrupt, "a reserved bit of the frame header is set");
  const bool single_segment = (descriptor & 32) != 0;
  FrameHeader header{.content_bytes = {}, .has_checksum = (descriptor & 4) != 0};
  if (!single_segment) {
    BOBBIN_ASSIGN(const uint64_t window, in.number(1));
    const uint64_t base = uint64_t{1} << (10 + (window >> 3));
    header.window_bytes = base + base / 8 * (window & 7);
  }
  BOBBIN_ASSIGN(header.dictionary_id, in.number(kIdBytes[descriptor & 3]));
  const uint64_t size_code = descriptor >> 6;
  if (size_code > 0 || single_segment) {
    BOBBIN_ASSIGN(const uint64_t size, in.number(uint64_t{1} << size_code));
    header.content_bytes = size_code == 1 ? size + 256 : size;
  }
  if (single_segment) {
    header.window_bytes = *header.content_bytes;
  }
  return header;
}

class FrameDecoder {
 public:
  FrameDecoder(const FrameHeader& header, const Dictionary& dictionary, uint64_t max_bytes,
               std::vector<std::byte>& out)
      : header_(header),
        dictionary_(dictionary.content),
        history_(dictionary.history),
        max_bytes_(max_bytes),
        out_(out),
        begin_(out.size()) {}

  Status decode(ByteReader& in) {
    bool last = false;
    while (!last) {
      BOBBIN_ASSIGN(const uint64_t block, in.number(3));
      last = (block & 1) != 0;
      BOBBIN_TRY(decode_block(in, block >> 1 & 3, block >> 3));
    }
    BOBBIN_RETURN_IF(header_.content_bytes.value_or(produced()) != produced(), StatusCode::corrupt,
                     "the content's size differs from that in the header");
    if (header_.has_checksum) {
      BOBBIN_ASSIGN(const uint64_t checksum, in.number(4));
      BOBBIN_RETURN_IF(checksum != (XXH64(out_.data() + begin_, produced(), 0) & 0xFFFFFFFF),
                       StatusCode::corrupt, "the checksum does not match");
    }
    return {};
  }

 private:
  [[nodiscard]] uint64_t produced() const { return out_.size() - begin_; }

  Status append(uint8_t byte) {
    BOBBIN_RETURN_IF(out_.size() - block_begin_ >= header_.max_block_bytes(), StatusCode::corrupt,
                     "a block's content is too large");
    BOBBIN_RETURN_IF(out_.size() >= max_bytes_, StatusCode::invalid_argument, "the output is too small");
    out_.push_back(static_cast<std::byte>(byte));
    return {};
  }

  Status append_all(Bytes bytes) {
    for (const uint8_t byte : bytes) {
      BOBBIN_TRY(append(byte));
    }
    return {};
  }

  Status decode_block(ByteReader& in, uint64_t kind, uint64_t size) {
    block_begin_ = out_.size();
    BOBBIN_RETURN_IF(size > header_.max_block_bytes(), StatusCode::corrupt, "a block is too large");
    BOBBIN_RETURN_IF(kind == 3, StatusCode::corrupt, "a block has the reserved type");
    BOBBIN_ASSIGN(const Bytes stored, in.take(kind == 1 ? 1 : size));
    if (kind == 0) {
      return append_all(stored);
    }
    if (kind == 1) {
      return append_all(std::vector<uint8_t>(size, stored[0]));
    }
    return decode_compressed(ByteReader(stored));
  }

  Status decode_compressed(ByteReader in) {
    BOBBIN_ASSIGN(const std::vector<uint8_t> literals,
                  decode_literals(in, header_.max_block_bytes(), history_));
    BOBBIN_ASSIGN(const uint64_t count, read_num_sequences(in));
    Bytes left(literals);
    if (count > 0) {
      BOBBIN_TRY(choose_tables(in));
      BOBBIN_TRY(execute_sequences(in.rest(), count, left));
    } else {
      BOBBIN_RETURN_IF(!in.rest().empty(), StatusCode::corrupt, "bytes follow a count of zero sequences");
    }
    return append_all(left);
  }

  Status choose_tables(ByteReader& in) {
    BOBBIN_ASSIGN(const uint64_t modes, in.number(1));
    BOBBIN_RETURN_IF((modes & 3) != 0, StatusCode::corrupt, "a reserved bit of the sequences is set");
    for (const Field field : {kLiteralLengths, kOffsets, kMatchLengths}) {
      const auto mode = static_cast<uint32_t>(modes >> (6 - 2 * field) & 3);
      BOBBIN_ASSIGN(history_.tables[field], choose_table(in, field, mode, history_.tables[field]));
    }
    return {};
  }

  Status execute_sequences(Bytes stream, uint64_t count, Bytes& literals) {
    BOBBIN_ASSIGN(const BackwardBits bits, BackwardBits::open(stream));
    SequenceReader reader(bits, history_);
    BOBBIN_TRY(reader.start());
    for (uint64_t i = 0; i < count; ++i) {
      BOBBIN_ASSIGN(const Sequence sequence, reader.read());
      BOBBIN_TRY(execute(sequence, literals));
      if (i + 1 < count) {
        BOBBIN_TRY(reader.advance());
      }
    }
    return reader.bits_left() == 0 ? Status() : corrupt("the sequences have bits left");
  }

  Status execute(const Sequence& sequence, Bytes& literals) {
    BOBBIN_RETURN_IF(sequence.literal_length > literals.size(), StatusCode::corrupt,
                     "a sequence has more literals than there are");
    BOBBIN_TRY(append_all(literals.first(sequence.literal_length)));
    literals = literals.subspan(sequence.literal_length);
    BOBBIN_ASSIGN(const uint64_t offset, resolve_offset(sequence, history_.offsets));
    // The dictionary is in reach until the window is full, then all of it is out of reach (RFC 8878, 5).
    const uint64_t reach =
        produced() > header_.window_bytes ? header_.window_bytes : produced() + dictionary_.size();
    BOBBIN_RETURN_IF(offset > reach, StatusCode::corrupt, "an offset reaches too far back");
    for (uint64_t i = 0; i < sequence.match_length; ++i) {
      const bool in_dictionary = offset > produced();
      BOBBIN_TRY(append(in_dictionary ? dictionary_[dictionary_.size() + produced() - offset]
                                      : static_cast<uint8_t>(out_[out_.size() - offset])));
    }
    return {};
  }

  const FrameHeader& header_;
  Bytes dictionary_;
  History history_;
  uint64_t max_bytes_;
  std::vector<std::byte>& out_;
  size_t begin_;
  size_t block_begin_ = 0;
};

constexpr uint64_t kFrameMagic = 0xFD2FB528;
constexpr uint64_t kSkippableMagic = 0x184D2A50;  // and the 15 numbers after it

Status decode_next(ByteReader& in, const Limits& limits, const Dictionary& dictionary,
                   std::vector<std::byte>& out) {
  BOBBIN_ASSIGN(const uint64_t magic, in.number(4));
  if (magic >= kSkippableMagic && magic < kSkippableMagic + 16) {
    BOBBIN_ASSIGN(const uint64_t size, in.number(4));
    BOBBIN_ASSIGN(const Bytes skipped, in.take(size));
    (void)skipped;
    return {};
  }
  BOBBIN_RETURN_IF(magic != kFrameMagic, StatusCode::corrupt, "this is not a zstd frame");
  BOBBIN_ASSIGN(const FrameHeader header, read_frame_header(in));
  BOBBIN_RETURN_IF(header.window_bytes > limits.max_window, StatusCode::unsupported,
                   "the window is above the limit");
  BOBBIN_RETURN_IF(header.dictionary_id != 0 && header.dictionary_id != dictionary.id,
                   StatusCode::invalid_argument, "the frame needs another dictionary");
  return FrameDecoder(header, dictionary, limits.max_bytes, out).decode(in);
}

}  // namespace

Result<std::vector<std::byte>> decode(std::span<const std::byte> frames, const Limits& limits,
                                      std::span<const std::byte> dictionary) {
  BOBBIN_ASSIGN(const Dictionary parsed, read_dictionary(as_numbers(dictionary)));
  std::vector<std::byte> out;
  ByteReader in(as_numbers(frames));
  while (!in.rest().empty()) {
    BOBBIN_TRY(decode_next(in, limits, parsed, out));
  }
  return out;
}

}  // namespace bobbin::codec::zstd::frame_reference
