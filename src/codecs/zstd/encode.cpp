// SPDX-License-Identifier: Apache-2.0
// Frames: one set of entropy tables for all of a frame's blocks.
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include "codecs/zstd/frame.hpp"
#include "codecs/zstd/fse_encode.hpp"
#include "codecs/zstd/huffman_encode.hpp"
#include "codecs/zstd/parse.hpp"
#include "codecs/zstd/sequences.hpp"
#include "codecs/zstd/zstd.hpp"
#include "core/bits.hpp"
#include "core/parallel.hpp"

namespace bobbin::zstd {
namespace {

constexpr size_t kFourStreamsFrom = 256;  // literals
constexpr size_t kMaxSequenceBytes = 12;  // three states and three values of the most bits

// The symbol of a value, and how many of its bits are written out.
struct Coded {
  uint32_t symbol;
  uint32_t extra;
  uint32_t bits;
};

Coded code_literals(uint32_t value) {
  static constexpr std::array<uint8_t, 48> kFrom16{
      16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 20, 20, 21, 21, 21, 21, 22, 22, 22, 22, 22, 22, 22, 22,
      23, 23, 23, 23, 23, 23, 23, 23, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24};
  const uint32_t symbol = value < 16   ? value
                          : value < 64 ? kFrom16[value - 16]
                                       : static_cast<uint32_t>(std::bit_width(value)) + 18;
  const SequenceState state = symbol_state(SequenceField::literal_length, symbol);
  return {symbol, value - state.base, state.extra};
}

Coded code_match(uint32_t value) {
  static constexpr std::array<uint8_t, 96> kFrom32{
      32, 32, 33, 33, 34, 34, 35, 35, 36, 36, 36, 36, 37, 37, 37, 37, 38, 38, 38, 38, 38, 38, 38, 38,
      39, 39, 39, 39, 39, 39, 39, 39, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
      41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 42, 42, 42, 42, 42, 42, 42, 42,
      42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42};
  const uint32_t above = value - 3;
  const uint32_t symbol = above < 32    ? above
                          : above < 128 ? kFrom32[above - 32]
                                        : static_cast<uint32_t>(std::bit_width(above)) + 35;
  const SequenceState state = symbol_state(SequenceField::match_length, symbol);
  return {symbol, value - state.base, state.extra};
}

Coded code_offset(uint32_t value) {
  const auto bits = static_cast<uint32_t>(std::bit_width(value)) - 1;
  return {bits, value - (uint32_t{1} << bits), bits};
}

// One of the three tables that sequences are coded with.
class FieldCoder {
 public:
  FieldCoder(SequenceField field, std::span<const uint32_t> occurrences) : field_(field) {
    const auto used =
        static_cast<uint32_t>(std::ranges::count_if(occurrences, [](uint32_t n) { return n > 0; }));
    uint64_t total = 0;
    for (uint32_t s = 0; s < occurrences.size(); ++s) {
      total += occurrences[s];
      only_ = occurrences[s] > 0 ? s : only_;
    }
    if (used <= 1) {
      mode_ = kRle;
      return;
    }
    const FieldLimits limits = limits_of(field);
    counts_ = normalise(occurrences, choose_log(total, used, limits.max_log));
    write_fse_counts(counts_, description_);
    const FseCounts predefined = default_counts(field);
    const double own = cost(occurrences, counts_) + 8.0 * static_cast<double>(description_.size());
    if (cost(occurrences, predefined) <= own) {
      mode_ = kPredefined;
      counts_ = predefined;
      description_.clear();
    }
    encoder_.emplace(counts_);
  }

  [[nodiscard]] uint32_t mode() const { return mode_; }
  void put_description(std::vector<uint8_t>& out) const {
    if (mode_ == kRle) {
      out.push_back(static_cast<uint8_t>(only_));
    }
    out.insert(out.end(), description_.begin(), description_.end());
  }
  void start(uint32_t symbol) {
    if (encoder_.has_value()) {
      encoder_->start(symbol);
    }
  }
  void put(uint32_t symbol, BitWriter& bits) {
    if (encoder_.has_value()) {
      encoder_->put(symbol, bits);
    }
  }
  void finish(BitWriter& bits) const {
    if (encoder_.has_value()) {
      encoder_->finish(bits);
    }
  }

  static constexpr uint32_t kPredefined = 0;
  static constexpr uint32_t kRle = 1;
  static constexpr uint32_t kDescribed = 2;
  static constexpr uint32_t kRepeat = 3;

 private:
  // In bits; infinite where a symbol that occurs has no code.
  static double cost(std::span<const uint32_t> occurrences, const FseCounts& counts) {
    double bits = 0;
    for (uint32_t s = 0; s < occurrences.size(); ++s) {
      if (occurrences[s] == 0) {
        continue;
      }
      const int32_t count = s < counts.num_symbols ? counts.count[s] : 0;
      bits += count == 0 ? HUGE_VAL : occurrences[s] * (counts.log - std::log2(count < 0 ? 1 : count));
    }
    return bits;
  }

  SequenceField field_;
  uint32_t mode_ = kDescribed;
  uint32_t only_ = 0;
  FseCounts counts_;
  std::vector<uint8_t> description_;
  std::optional<FseEncoder> encoder_;
};

struct Statistics {
  std::array<uint32_t, 256> literals{};
  std::array<uint32_t, 36> literal_lengths{};
  std::array<uint32_t, 32> offsets{};
  std::array<uint32_t, 53> match_lengths{};

  explicit Statistics(std::span<const ParsedBlock> blocks) {
    for (const ParsedBlock& block : blocks) {
      for (const uint8_t literal : block.literals) {
        ++literals[literal];
      }
      for (const CodedSequence& sequence : block.sequences) {
        ++literal_lengths[code_literals(sequence.literals).symbol];
        ++offsets[code_offset(sequence.offset_value).symbol];
        ++match_lengths[code_match(sequence.match).symbol];
      }
    }
  }
};

// Writes a frame's blocks. The first that has Huffman literals carries the tree, the first that has sequences
// the tables; all others refer to them.
class BlockWriter {
 public:
  explicit BlockWriter(const Statistics& statistics)
      : huffman_(make_huffman_code(statistics.literals)),
        literal_lengths_(SequenceField::literal_length, statistics.literal_lengths),
        offsets_(SequenceField::offset, statistics.offsets),
        match_lengths_(SequenceField::match_length, statistics.match_lengths) {}

  void put(const ParsedBlock& parsed, std::span<const uint8_t> bytes, bool first, bool last,
           std::vector<uint8_t>& out) {
    std::vector<uint8_t> block;
    const bool tree_before = tree_written_;
    const bool tables_before = tables_written_;
    put_literals(parsed.literals, block);
    put_sequences(parsed.sequences, block);
    // Old tools refuse a frame that starts with an RLE block.
    const bool repeats =
        !first && std::ranges::find_if(bytes, [&](uint8_t b) { return b != bytes[0]; }) == bytes.end();
    BlockKind kind = BlockKind::compressed;
    if (repeats || block.size() >= bytes.size()) {
      kind = repeats ? BlockKind::rle : BlockKind::raw;
      block.assign(bytes.begin(), repeats ? bytes.begin() + 1 : bytes.end());
      tree_written_ = tree_before;
      tables_written_ = tables_before;
    }
    const auto size = static_cast<uint32_t>(kind == BlockKind::rle ? bytes.size() : block.size());
    put_number(size << 3 | static_cast<uint32_t>(kind) << 1 | (last ? 1 : 0), kBlockHeaderBytes, out);
    out.insert(out.end(), block.begin(), block.end());
  }

  static void put_number(uint64_t value, size_t bytes, std::vector<uint8_t>& out) {
    for (size_t i = 0; i < bytes; ++i) {
      out.push_back(static_cast<uint8_t>(value >> (8 * i)));
    }
  }

 private:
  enum LiteralsKind : uint32_t { kRaw = 0, kRepeated = 1, kHuffman = 2, kHuffmanAgain = 3 };

  static void put_plain_header(uint32_t kind, size_t size, std::vector<uint8_t>& out) {
    if (size < 32) {
      put_number(size << 3 | kind, 1, out);
    } else if (size < 4096) {
      put_number(size << 4 | 1 << 2 | kind, 2, out);
    } else {
      put_number(size << 4 | 3 << 2 | kind, 3, out);
    }
  }

  void put_literals(std::span<const uint8_t> literals, std::vector<uint8_t>& out) {
    const bool alike = !literals.empty() && std::ranges::find_if(literals, [&](uint8_t b) {
                                              return b != literals[0];
                                            }) == literals.end();
    if (alike && literals.size() > 3) {
      put_plain_header(kRepeated, literals.size(), out);
      out.push_back(literals[0]);
      return;
    }
    if (huffman_.has_value() && put_huffman(literals, out)) {
      return;
    }
    put_plain_header(kRaw, literals.size(), out);
    out.insert(out.end(), literals.begin(), literals.end());
  }

  // False where plain bytes are smaller.
  bool put_huffman(std::span<const uint8_t> literals, std::vector<uint8_t>& out) {
    if (literals.size() < 6) {
      return false;
    }
    const bool four = literals.size() >= kFourStreamsFrom;
    std::vector<uint8_t> coded;
    if (!tree_written_) {
      coded = huffman_->description;
    }
    if (coded.size() + huffman_->cost(literals) / 8 >= literals.size()) {
      return false;
    }
    put_huffman_streams(*huffman_, literals, four, coded);
    if (coded.size() + 3 >= literals.size()) {
      return false;
    }
    const size_t largest = std::max(coded.size(), literals.size());
    const uint32_t format = !four ? 0 : largest < 1024 ? 1 : largest < 16384 ? 2 : 3;
    const uint32_t bits = format < 2 ? 10 : format == 2 ? 14 : 18;
    const uint32_t kind = tree_written_ ? kHuffmanAgain : kHuffman;
    put_number(kind | format << 2 | uint64_t{literals.size()} << 4 | uint64_t{coded.size()} << (4 + bits),
               (4 + 2 * bits + 7) / 8, out);
    out.insert(out.end(), coded.begin(), coded.end());
    tree_written_ = true;
    return true;
  }

  void put_sequences(std::span<const CodedSequence> sequences, std::vector<uint8_t>& out) {
    const size_t count = sequences.size();
    if (count < 128) {
      put_number(count, 1, out);
    } else if (count < 0x7F00) {
      put_number((count >> 8) + 128, 1, out);
      put_number(count & 255, 1, out);
    } else {
      put_number(255, 1, out);
      put_number(count - 0x7F00, 2, out);
    }
    if (count == 0) {
      return;
    }
    put_tables(out);
    put_stream(sequences, out);
  }

  void put_tables(std::vector<uint8_t>& out) {
    if (tables_written_) {
      out.push_back(FieldCoder::kRepeat << 6 | FieldCoder::kRepeat << 4 | FieldCoder::kRepeat << 2);
      return;
    }
    out.push_back(static_cast<uint8_t>(literal_lengths_.mode() << 6 | offsets_.mode() << 4 |
                                       match_lengths_.mode() << 2));
    literal_lengths_.put_description(out);
    offsets_.put_description(out);
    match_lengths_.put_description(out);
    tables_written_ = true;
  }

  // From the last sequence to the first: the reverse of how they are read.
  void put_stream(std::span<const CodedSequence> sequences, std::vector<uint8_t>& out) {
    BitWriter bits(out, kMaxSequenceBytes * sequences.size() + 8);
    for (size_t i = sequences.size(); i-- > 0;) {
      const Coded literal = code_literals(sequences[i].literals);
      const Coded match = code_match(sequences[i].match);
      const Coded offset = code_offset(sequences[i].offset_value);
      if (i + 1 == sequences.size()) {
        match_lengths_.start(match.symbol);
        offsets_.start(offset.symbol);
        literal_lengths_.start(literal.symbol);
      } else {
        offsets_.put(offset.symbol, bits);
        match_lengths_.put(match.symbol, bits);
        literal_lengths_.put(literal.symbol, bits);
      }
      bits.put(literal.extra, literal.bits);
      bits.put(match.extra, match.bits);
      bits.put(offset.extra, offset.bits);
    }
    match_lengths_.finish(bits);
    offsets_.finish(bits);
    literal_lengths_.finish(bits);
    bits.end_backward();
  }

  std::optional<HuffmanCode> huffman_;
  FieldCoder literal_lengths_;
  FieldCoder offsets_;
  FieldCoder match_lengths_;
  bool tree_written_ = false;
  bool tables_written_ = false;
};

// Single segment: the window is the content.
void put_frame_header(uint64_t content, bool checksum, std::vector<uint8_t>& out) {
  BlockWriter::put_number(kFrameMagic, 4, out);
  const uint32_t kind = content < 256 ? 0 : content < 65536 + 256 ? 1 : content <= UINT32_MAX ? 2 : 3;
  static constexpr uint8_t kBytes[] = {1, 2, 4, 8};
  out.push_back(static_cast<uint8_t>(kind << 6 | 1 << 5 | (checksum ? 1 << 2 : 0)));
  BlockWriter::put_number(content - (kind == 1 ? 256 : 0), kBytes[kind], out);
}

void put_frame(std::span<const uint8_t> content, const EncodeOptions& options, std::vector<uint8_t>& out) {
  put_frame_header(content.size(), options.checksum, out);
  const std::vector<ParsedBlock> blocks =
      parse_frame(content, options.block_bytes, settings_of(options.level));
  BlockWriter writer{Statistics(blocks)};
  for (size_t i = 0; i < blocks.size(); ++i) {
    const size_t begin = i * options.block_bytes;
    const size_t size = std::min<size_t>(options.block_bytes, content.size() - begin);
    writer.put(blocks[i], content.subspan(begin, size), i == 0, i + 1 == blocks.size(), out);
  }
  if (blocks.empty()) {
    BlockWriter::put_number(1, kBlockHeaderBytes, out);  // an empty raw block, the last
  }
  if (options.checksum) {
    BlockWriter::put_number(XXH64(content.data(), content.size(), 0), kChecksumBytes, out);
  }
}

Status check_options(const EncodeOptions& options) {
  BOBBIN_RETURN_IF(options.level < 1 || options.level > 9, StatusCode::invalid_argument,
                   "zstd: level " + std::to_string(options.level) + " is not from 1 to 9");
  BOBBIN_RETURN_IF(options.block_bytes < 256 || options.block_bytes > kMaxBlockBytes,
                   StatusCode::invalid_argument, "zstd: blocks must have 256 to 131072 bytes");
  BOBBIN_RETURN_IF(options.frame_bytes < 256 || options.frame_bytes > (uint32_t{1} << 30),
                   StatusCode::invalid_argument, "zstd: frames must have 256 bytes to 1 GiB");
  return {};
}

}  // namespace

Result<std::vector<std::byte>> encode(std::span<const std::byte> in, const EncodeOptions& options) {
  BOBBIN_TRY(check_options(options));
  const std::span<const uint8_t> bytes = as_u8(in);
  const size_t num_frames = std::max<size_t>(ceil_div<size_t>(bytes.size(), options.frame_bytes), 1);
  std::vector<std::vector<uint8_t>> frames(num_frames);
  const auto content_of = [&](size_t frame) {
    const size_t begin = frame * options.frame_bytes;
    return bytes.subspan(begin, std::min<size_t>(bytes.size() - begin, options.frame_bytes));
  };
  parallel_tasks(num_frames, options.threads,
                 [&](uint64_t frame) { put_frame(content_of(frame), options, frames[frame]); });
  std::vector<std::byte> out;
  std::vector<SeekEntry> entries;
  for (size_t i = 0; i < num_frames; ++i) {
    const auto frame = std::as_bytes(std::span(frames[i]));
    out.insert(out.end(), frame.begin(), frame.end());
    entries.push_back({.compressed_bytes = frame.size(), .content_bytes = content_of(i).size()});
  }
  if (options.seek_table) {
    const std::vector<std::byte> table = make_seek_table(entries);
    out.insert(out.end(), table.begin(), table.end());
  }
  return out;
}

}  // namespace bobbin::zstd
