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
#include "codecs/zstd/statistics.hpp"
#include "codecs/zstd/zstd.hpp"
#include "core/bits.hpp"
#include "core/parallel.hpp"

namespace bobbin::zstd {
namespace {

constexpr size_t kFourStreamsFrom = 256;  // literals
constexpr size_t kMaxSequenceBytes = 12;  // three states and three values of the most bits

// One of the three tables that sequences are coded with.
class FieldCoder {
 public:
  // `known`: what a dictionary expects, or null.
  FieldCoder(SequenceField field, std::span<const uint32_t> occurrences, const FseCounts* known)
      : field_(field) {
    choose(occurrences);
    if (known != nullptr && cost(occurrences, *known) <= cost_) {
      mode_ = kRepeat;
      description_.clear();
      encoder_.emplace(*known);
    }
  }

  [[nodiscard]] uint32_t mode() const { return mode_; }
  void put_description(std::vector<uint8_t>& out) const {
    if (mode_ == kRle) {  // its one symbol
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
  void choose(std::span<const uint32_t> occurrences) {
    const auto used =
        static_cast<uint32_t>(std::ranges::count_if(occurrences, [](uint32_t n) { return n > 0; }));
    uint64_t total = 0;
    for (uint32_t s = 0; s < occurrences.size(); ++s) {
      total += occurrences[s];
      only_ = occurrences[s] > 0 ? s : only_;
    }
    if (used <= 1) {
      mode_ = kRle;
      cost_ = 8;
      return;
    }
    counts_ = normalise(occurrences, choose_log(total, used, limits_of(field_).max_log));
    write_fse_counts(counts_, description_);
    const FseCounts predefined = default_counts(field_);
    cost_ = cost(occurrences, counts_) + 8.0 * static_cast<double>(description_.size());
    const double of_predefined = cost(occurrences, predefined);
    if (of_predefined <= cost_) {
      mode_ = kPredefined;
      cost_ = of_predefined;
      counts_ = predefined;
      description_.clear();
    }
    encoder_.emplace(counts_);
  }

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
  double cost_ = 0;  // in bits, with the description
  FseCounts counts_;
  std::vector<uint8_t> description_;
  std::optional<FseEncoder> encoder_;
};

// Writes a frame's blocks. The first that has Huffman literals carries the tree, the first that has sequences
// the tables; all others refer to them.
class BlockWriter {
 public:
  // `known`: the tables of a dictionary, used where they are cheaper than the frame's own; or null.
  BlockWriter(const Statistics& statistics, const DictionaryTables* known)
      : huffman_(make_huffman_code(statistics.literals)),
        literal_lengths_(SequenceField::literal_length, statistics.literal_lengths,
                         known == nullptr ? nullptr : &known->literal_length_counts),
        offsets_(SequenceField::offset, statistics.offsets,
                 known == nullptr ? nullptr : &known->offset_counts),
        match_lengths_(SequenceField::match_length, statistics.match_lengths,
                       known == nullptr ? nullptr : &known->match_length_counts) {
    if (known != nullptr) {
      consider_tree(code_of_table(known->huffman), statistics.literals);
    }
  }

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
  // Takes a dictionary's tree, which need not be written, where it has all symbols and costs less.
  void consider_tree(HuffmanCode known, const std::array<uint32_t, 256>& occurrences) {
    uint64_t of_known = 0;
    uint64_t of_own = huffman_.has_value() ? 8 * huffman_->description.size() : UINT64_MAX;
    for (size_t s = 0; s < occurrences.size(); ++s) {
      if (occurrences[s] > 0 && known.symbols[s].bits == 0) {
        return;
      }
      of_known += uint64_t{occurrences[s]} * known.symbols[s].bits;
      of_own += huffman_.has_value() ? uint64_t{occurrences[s]} * huffman_->symbols[s].bits : 0;
    }
    if (of_known <= of_own) {
      huffman_ = std::move(known);
      tree_written_ = true;
    }
  }

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

// Single segment: the window is the content. A dictionary's id of 0 is not written.
void put_frame_header(uint64_t content, bool checksum, uint32_t dictionary, std::vector<uint8_t>& out) {
  BlockWriter::put_number(kFrameMagic, 4, out);
  const uint32_t kind = content < 256 ? 0 : content < 65536 + 256 ? 1 : content <= UINT32_MAX ? 2 : 3;
  static constexpr uint8_t kBytes[] = {1, 2, 4, 8};
  const uint32_t id_kind = dictionary == 0 ? 0 : dictionary < 256 ? 1 : dictionary < 65536 ? 2 : 3;
  out.push_back(static_cast<uint8_t>(kind << 6 | 1 << 5 | (checksum ? 1 << 2 : 0) | id_kind));
  BlockWriter::put_number(dictionary, id_kind == 0 ? 0 : size_t{1} << (id_kind - 1), out);
  BlockWriter::put_number(content - (kind == 1 ? 256 : 0), kBytes[kind], out);
}

void put_frame(std::span<const uint8_t> content, const EncodeOptions& options, std::vector<uint8_t>& out) {
  const Dictionary* const dictionary = options.dictionary;
  put_frame_header(content.size(), options.checksum, dictionary == nullptr ? 0 : dictionary->id(), out);
  const ParseSettings settings = settings_of(options.level);
  const std::vector<ParsedBlock> blocks =
      dictionary == nullptr ? parse_frame(content, options.block_bytes, settings)
                            : parse_frame(content, options.block_bytes, settings,
                                          as_u8(dictionary->content()), dictionary->links());
  BlockWriter writer(Statistics(blocks), dictionary == nullptr ? nullptr : dictionary->tables());
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
